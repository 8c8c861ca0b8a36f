"""Training of the calibration: how likely the hits of an answer are right, and the product's threshold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evaluation.candidates import FEATURES, Judged
from evaluation.datasets import ADVERSARIAL
from evaluation.logistic import fit_logistic
from evaluation.memory_sets import FOREIGN
from evaluation.rescoring import Ranker, linear
from evaluation.training import Trained
from memoryd.retrieval.ranking.calibration import Calibration, evidence_of
from memoryd.retrieval.ranking.ranker import ProfileName

Floats = npt.NDArray[np.float64]
L2 = 1e-4
CALIBRATED_BY: Mapping[ProfileName, tuple[str, ...]] = {
    "memory": ("best", "dense", "tokens", "wants", "crowd"),
    "late": ("best", "dense", "wants", "crowd"),
}
"""The evidence that each profile's calibration reads.

Without `crowd` questions about another person are told a little better from others (AUROC over facts .955
instead of .937), but no threshold fits both sets: at .2 it lets .40 of them through instead of .10.
"""
_HITS = 5
_BEHIND = 0.5
"""Hits of each answer that are fitted, and what all behind the first count against it."""
_KINDS = ("small_talk", "command", "general", "unknown", FOREIGN)
_ANSWERED = "answered"
_DENSE = FEATURES.index("dense")


@dataclass(frozen=True, slots=True)
class Answer:
    """The hits of one question, best first: sums and whether each is right, (hits,); known: the evidence."""

    judged: Judged
    sums: Floats
    right: npt.NDArray[np.bool_]
    known: dict[str, float]

    @property
    def is_answerable(self) -> bool:
        return bool(self.judged.question.any_of or self.judged.question.all_of)

    def top(self, calibration: Calibration) -> float:
        """The calibrated score of the first hit."""
        return float(1 / (1 + np.exp(-calibration.log_odds(self.sums[:1].tolist(), self.known)[0])))


def answer_of(judged: Judged, ranker: Ranker) -> Answer | None:
    """The answer a ranker gives; None where nothing is found."""
    sums = ranker(judged)
    if not len(sums):
        return None
    order = np.lexsort((-np.arange(len(sums)), -sums))
    dense = float(judged.values[:, _DENSE].max())
    known = evidence_of(sums[order].tolist(), dense, judged.wants, judged.tokens)
    return Answer(judged, sums[order], judged.is_gold[order], known)


def usable(judged: Sequence[Judged]) -> list[Judged]:
    """Questions whose truth is known: an adversarial one's is not."""
    return [one for one in judged if one.question.category != ADVERSARIAL]


def fit_calibration(answers: Sequence[Answer], names: Sequence[str]) -> Calibration:
    """The calibration that fits best; what is answered and what is not count alike in every set."""
    values, wanted, shares = [], [], []
    for answer, share in zip(answers, shares_of(answers), strict=True):
        known = [answer.known[name] for name in names]
        for at, (own, right) in enumerate(zip(answer.sums[:_HITS], answer.right[:_HITS], strict=True)):
            values.append([own - answer.sums[0], *known])
            wanted.append(float(right))
            shares.append(share if at == 0 else _BEHIND * share / (_HITS - 1))
    found = fit_logistic(np.array(values), np.array(wanted), np.array(shares), L2)
    return Calibration(float(found[0]), dict(zip(names, found[1:-1].tolist(), strict=True)), float(found[-1]))


def shares_of(answers: Sequence[Answer]) -> list[float]:
    """Each set counts alike; within it the answered half, the kinds of unanswered ones alike the other."""
    groups = [(one.judged.question.suite, kind_of(one)) for one in answers]
    sizes = Counter(groups)
    kinds = Counter(suite for suite, kind in sizes if kind != _ANSWERED)
    return [(1.0 if kind == _ANSWERED else 1.0 / kinds[suite]) / sizes[suite, kind] for suite, kind in groups]


def kind_of(answer: Answer) -> str:
    category = answer.judged.question.category
    return _ANSWERED if answer.is_answerable or category not in _KINDS else category


def auroc(scores: Floats, wanted: npt.NDArray[np.bool_]) -> float:
    """Area under the ROC curve: how often a wanted one scores above an unwanted one, ties half."""
    order = np.argsort(scores, kind="stable")
    ranks = np.empty(len(scores))
    ranks[order] = np.arange(1, len(scores) + 1)
    for value in np.unique(scores):
        same = scores == value
        ranks[same] = ranks[same].mean()
    count = int(wanted.sum())
    return float((ranks[wanted].sum() - count * (count + 1) / 2) / (count * (len(scores) - count)))


def calibration_error(scores: Floats, right: npt.NDArray[np.bool_], shares: Floats, bins: int = 10) -> float:
    """Expected calibration error over bins of equal width (Naeini et al. 2015), weighted by shares."""
    places = np.minimum((scores * bins).astype(int), bins - 1)
    gaps = np.bincount(places, weights=shares * (scores - right), minlength=bins)
    return float(np.abs(gaps).sum() / shares.sum())


def cross_fitted(answers: Sequence[Answer], names: Sequence[str], folds: int = 5) -> Floats:
    """The score of each first hit by a calibration fitted on other people and conversations."""
    groups = sorted({one.judged.group for one in answers})
    fold = {group: at % folds for at, group in enumerate(groups)}
    fitted = {
        at: fit_calibration([one for one in answers if fold[one.judged.group] != at], names)
        for at in set(fold.values())
    }
    return np.array([one.top(fitted[fold[one.judged.group]]) for one in answers])


def resampled(
    scores: Floats, right: npt.NDArray[np.bool_], shares: Floats, times: int = 1000
) -> tuple[float, float]:
    """The 95 % bootstrap interval of the calibration error."""
    draw = np.random.default_rng(0)
    found = [
        calibration_error(scores[chosen], right[chosen], shares[chosen])
        for chosen in (draw.integers(0, len(scores), len(scores)) for _ in range(times))
    ]
    low, high = np.percentile(found, [2.5, 97.5])
    return float(low), float(high)


def answers_of(judged: Sequence[Judged], trained: Trained) -> list[Answer]:
    """The answers that trained weights give to the questions whose truth is known."""
    ranker = linear(trained)
    return [answer for one in usable(judged) if (answer := answer_of(one, ranker)) is not None]


def described(answers: Sequence[Answer], calibration: Calibration, threshold: float) -> Iterator[str]:
    """In words: how the first hit's score tells the answered from the others, by kind, and what passes."""
    scores = np.array([one.top(calibration) for one in answers])
    wanted = np.array([one.is_answerable for one in answers])
    kinds = np.array([kind_of(one) for one in answers])
    right = np.array([one.right[0] for one in answers])
    if wanted.all() or not wanted.any():
        return
    yield f"AUROC {auroc(scores, wanted):.3f}, all kinds"
    for kind in _KINDS:
        chosen = wanted | (kinds == kind)
        if chosen.sum() > wanted.sum():
            passing = (scores[kinds == kind] >= threshold).mean()
            yield f"AUROC {auroc(scores[chosen], wanted[chosen]):.3f}, {passing:.2f} let through, {kind}"
    kept, through = (scores[right] >= threshold).mean(), (scores[~wanted] >= threshold).mean()
    yield f"at {threshold:g}: {kept:.3f} of right first hits kept, {through:.3f} of the others let through"
