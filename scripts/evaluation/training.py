"""The linear ranker's training: a listwise softmax over each question's candidates, then calibration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evaluation.candidates import FEATURES, Judged
from evaluation.datasets import ADVERSARIAL, OWN, POOLED

Floats = npt.NDArray[np.float64]

NEGATIVE = frozenset({"question"})
"""Features that may only speak against a text; all others only for it."""
L2 = 1e-3
ADVERSARIAL_SHARE = 0.5
"""What a question without an answer counts; its evidence is what misleads."""
RELATIONS = "relations"
RELATIONS_SHARE = 0.12
"""Questions that follow relations, which people ask less often; in full they cost the facts .03 at 5."""
_MOST_STEPS = 60
_SETTLED = 1e-6
_HARDEST = 120
_LEAST = -50.0
_TINY = 1e-9


@dataclass(frozen=True, slots=True)
class Trained:
    """weights: of the features trained on; a score is the logistic function of the sum less the offset."""

    weights: dict[str, float]
    offset: float


@dataclass(frozen=True, slots=True)
class _Lists:
    """All candidates one after the other.

    values: (n, features) scaled; starts: (questions,); shares: (questions,) adding up to 1; gold: (n,);
    alternatives: (n,) whether one gold candidate of the question suffices.
    """

    values: Floats
    starts: npt.NDArray[np.intp]
    shares: Floats
    gold: npt.NDArray[np.bool_]
    alternatives: npt.NDArray[np.bool_]

    @property
    def sizes(self) -> npt.NDArray[np.intp]:
        return np.diff(np.append(self.starts, len(self.values)))

    def log_softmax(self, sums: Floats) -> Floats:
        """Over each question's candidates."""
        less = sums - np.repeat(np.maximum.reduceat(sums, self.starts), self.sizes)
        return np.asarray(less - np.repeat(np.log(np.add.reduceat(np.exp(less), self.starts)), self.sizes))


def counted(judged: Sequence[Judged]) -> list[Judged]:
    """What is trained on: questions some of whose evidence was found."""
    return [one for one in judged if one.is_gold.any()]


def train(judged: Sequence[Judged], names: Sequence[str], columns: Sequence[int], l2: float = L2) -> Trained:
    """The weights for some columns of the features. Every data set counts alike, whatever its size."""
    used = counted(judged)
    weights = _fitted(used, names, columns, l2)
    sums = [one.values[:, columns].astype(np.float64) @ weights for one in used]
    slope, offset = _calibrated(np.concatenate(sums), np.concatenate([one.is_gold for one in used]), used)
    named = zip(names, weights * slope, strict=True)
    return Trained({name: float(weight) for name, weight in named}, offset)


def _fitted(used: Sequence[Judged], names: Sequence[str], columns: Sequence[int], l2: float) -> Floats:
    """Newton's method, without the features whose sign comes out wrong."""
    scale = np.concatenate([one.values[:, columns] for one in used]).std(axis=0).astype(np.float64) + _TINY
    lists = _lists(used, columns, scale)
    signs = np.array([-1.0 if name in NEGATIVE else 1.0 for name in names])
    is_free = np.ones(len(names), bool)
    while True:
        weights = np.zeros(len(names))
        weights[is_free] = _newton(lists, is_free, l2)
        wrong = is_free & (weights * signs < 0)
        if not wrong.any():
            return np.asarray(weights / scale)
        is_free &= ~wrong


def _lists(used: Sequence[Judged], columns: Sequence[int], scale: Floats) -> _Lists:
    kept = [_hardest(one) for one in used]
    sizes = [len(rows) for rows in kept]
    suites = [_suite(one) for one in used]
    shares = np.array([_share(one) / suites.count(suite) for one, suite in zip(used, suites, strict=True)])
    return _Lists(
        np.concatenate([one.values[rows][:, columns] for one, rows in zip(used, kept, strict=True)]) / scale,
        np.cumsum([0, *sizes[:-1]]),
        shares / shares.sum(),
        np.concatenate([one.is_gold[rows] for one, rows in zip(used, kept, strict=True)]),
        np.repeat([bool(one.question.any_of) for one in used], sizes),
    )


def _hardest(one: Judged) -> npt.NDArray[np.intp]:
    """The candidates that any ranker would have to tell apart, and all evidence."""
    near = one.values[:, FEATURES.index("matched")]
    place = np.argsort(np.argsort(-near))
    return np.flatnonzero((place < _HARDEST) | one.is_gold)


def _share(one: Judged) -> float:
    if one.question.suite == RELATIONS:
        return RELATIONS_SHARE
    return ADVERSARIAL_SHARE if one.question.category == ADVERSARIAL else 1.0


def _suite(one: Judged) -> str:
    """The data set of a question: MemoryBank's suites ask the same, the companion sets are alike."""
    suite = one.question.suite
    return POOLED if suite == OWN else suite.split("_")[0]


def _newton(lists: _Lists, is_free: npt.NDArray[np.bool_], l2: float) -> Floats:
    values = lists.values[:, is_free]
    weights: Floats = np.zeros(values.shape[1])
    step: Floats = np.zeros(len(weights))
    best = np.inf
    for _ in range(_MOST_STEPS):
        loss, gradient, curvature = _slope(lists, values, weights, l2)
        if loss > best:  # too far: half the way back
            step /= 2
            weights += step
            continue
        if best - loss < _SETTLED:
            break
        best, step = loss, np.asarray(np.linalg.solve(curvature, gradient), np.float64)
        weights = weights - step
    return np.asarray(weights)


def _slope(lists: _Lists, values: Floats, weights: Floats, l2: float) -> tuple[float, Floats, Floats]:
    """The loss, its gradient, and the curvature of its convex part."""
    share = np.repeat(lists.shares, lists.sizes)
    logs = lists.log_softmax(values @ weights)
    chance = np.exp(logs)
    wanted = _wanted(lists, logs)
    held = np.log(np.add.reduceat(np.where(lists.gold, np.exp(np.maximum(logs, _LEAST)), 0.0), lists.starts))
    each = np.add.reduceat(np.where(lists.gold, wanted * logs, 0.0), lists.starts)
    sums = np.where(lists.alternatives[lists.starts], held, each)
    means = np.add.reduceat(values * chance[:, None], lists.starts, axis=0)
    curvature = (values * (share * chance)[:, None]).T @ values - (means * lists.shares[:, None]).T @ means
    return (
        float(l2 * weights @ weights - lists.shares @ sums),
        values.T @ (share * (chance - wanted)) + 2 * l2 * weights,
        curvature + 2 * l2 * np.eye(len(weights)),
    )


def _wanted(lists: _Lists, logs: Floats) -> Floats:
    """What the chances should be: alike for all evidence; where one suffices, as likely as it is now."""
    weight = np.where(lists.alternatives, np.exp(np.maximum(logs, _LEAST)), 1.0) * lists.gold
    return np.asarray(weight / np.repeat(np.add.reduceat(weight, lists.starts), lists.sizes))


def _calibrated(sums: Floats, gold: npt.NDArray[np.bool_], used: Sequence[Judged]) -> tuple[float, float]:
    """Slope and offset by logistic regression: the mean score is the share of evidence (Platt 1999)."""
    suites = [_suite(one) for one in used]
    share = np.concatenate(
        [np.full(len(one.items), 1 / suites.count(own)) for one, own in zip(used, suites, strict=True)]
    )
    spread = float(sums.std()) + _TINY
    inputs = np.stack([(sums - sums.mean()) / spread, np.ones(len(sums))], axis=1)
    found = np.array([0.0, np.log(gold.mean())])
    for _ in range(_MOST_STEPS):
        chance = 1 / (1 + np.exp(-inputs @ found))
        gradient = inputs.T @ (share * (chance - gold))
        curvature = (inputs * (share * chance * (1 - chance))[:, None]).T @ inputs + _TINY * np.eye(2)
        step = np.clip(np.linalg.solve(curvature, gradient), -1, 1)
        found = found - step
        if np.abs(step).max() < _SETTLED:
            break
    slope = float(found[0]) / spread
    return slope, float(slope * sums.mean() - found[1])
