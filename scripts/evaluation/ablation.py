"""What each source and each feature brings: recall without it, trained anew, every conversation left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from evaluation.candidates import SOURCES, Judged
from evaluation.datasets import POOLED
from evaluation.metrics import mean
from evaluation.report import scores_table, with_interval
from evaluation.rescoring import Ranker, left_out, ranked, recalls, rrf, without_source
from evaluation.runner import Answer
from evaluation.sets import PROFILES, Sets, everything
from evaluation.training import Floats

KS = (1, 5, 10, 20)
_AT = {k: place for place, k in enumerate(KS)}
_OF_SOURCE = {
    "lexical": ("words_near",),
    "semantic": ("late_around", "matched"),
    "temporal": ("date", "date_near"),
    "exact": (),
}
"""The features that a source takes with it when it is left out."""


def leave_one_out(sets: Sets) -> str:
    """Recall by category, each conversation and user ranked by weights trained without it."""
    every = everything(sets)
    parts = [f"candidates: {', '.join(_reached(name, judged) for name, judged in sets.items())}"]
    for name, judged in sets.items():
        rankers = left_out(every, PROFILES["late"], judged)
        answers = [
            Answer(one.question, ranked(one, ranker(one)), "hybrid", 0.0)
            for one, ranker in zip(judged, rankers, strict=True)
        ]
        parts.append(f"{name}, left out\n{scores_table(answers, KS)}")
    return "\n\n".join(parts)


def _reached(name: str, judged: Sequence[Judged]) -> str:
    """How many candidates there are, and the recall of them all: no ranking can find more."""
    all_of_them = max(len(one.items) for one in judged)
    reached = recalls(judged, [lambda one: np.zeros(len(one.items))] * len(judged), [all_of_them])
    return f"{name} {np.mean([len(one.items) for one in judged]):.0f} with recall {reached.mean():.3f}"


def ablate(sets: Sets, show: Callable[[str], None]) -> None:
    """Show a line for the whole and for each part left out, then for simpler recipes."""
    every = everything(sets)
    whole = recalls(every, left_out(every, PROFILES["late"], every), KS)
    groups = dict(_groups(sets))
    show(_head(groups))
    show(_line("the whole", whole, whole, groups))
    for name, rankers in _variants(every):
        show(_line(name, recalls(every, rankers, KS), whole, groups))


def _variants(every: Sequence[Judged]) -> Iterator[tuple[str, list[Ranker]]]:
    names = PROFILES["late"]
    for source in SOURCES:
        left = [name for name in names if name not in _OF_SOURCE[source]]
        yield f"- source {source}", [without_source(one, source) for one in left_out(every, left, every)]
    for name in names:
        yield f"- {name}", left_out(every, [other for other in names if other != name], every)
    yield "- token vectors", left_out(every, PROFILES["dense"], every)
    simple = {"RRF": rrf(), "RRF of words and meaning": rrf(("lexical", "semantic"))}
    for name, ranker in {**simple, "lexical": rrf(("lexical",)), "semantic": rrf(("semantic",))}.items():
        yield name, [ranker] * len(every)


_Mask = npt.NDArray[np.bool_]


def _groups(sets: Sets) -> Iterator[tuple[str, tuple[_Mask, tuple[int, ...]]]]:
    """Which questions a column averages, and at which cut-offs."""
    every = everything(sets)
    of_set = np.array([name for name, judged in sets.items() for _ in judged])
    category = np.array([one.question.category for one in every])
    pooled = np.array([one.question.suite == POOLED for one in every])
    english = of_set == "LoCoMo"
    yield "LoCoMo", (english, (5, 10, 20))
    for name in ("single-hop", "multi-hop", "temporal", "open-domain", "adversarial"):
        yield name, (english & (category == name), (10,))
    for title, is_in in (("zh", of_set == "MemoryBank"), ("zh, ours", ~english & (of_set != "MemoryBank"))):
        yield f"{title}, pooled", (is_in & pooled, (1, 5, 10))
        yield f"{title}, own", (is_in & ~pooled, (1,))


_COMPARED = (("LoCoMo", 10), ("zh, pooled", 5), ("zh, ours, pooled", 5))


def _head(groups: dict[str, tuple[_Mask, tuple[int, ...]]]) -> str:
    columns = [f"{name} @{'/'.join(map(str, ks))}" for name, (_, ks) in groups.items()]
    compared = [f"difference {name} @{k}" for name, k in _COMPARED]
    return (
        "| ".join(["", " ", *(f"{name} " for name in columns + compared), ""]).strip()
        + "\n"
        + ("|---" * (1 + len(columns) + len(compared)) + "|")
    )


def _line(name: str, found: Floats, whole: Floats, groups: dict[str, tuple[_Mask, tuple[int, ...]]]) -> str:
    columns = [
        " / ".join(f"{mean(found[is_in, _AT[k]].tolist()):.3f}".lstrip("0") for k in ks)
        for is_in, ks in groups.values()
    ]
    compared = [
        with_interval((found - whole)[groups[group][0], _AT[k]].tolist(), "+") for group, k in _COMPARED
    ]
    return f"| {' | '.join([name, *columns, *compared])} |"
