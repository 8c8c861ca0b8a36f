"""Scores of rankings against evidence."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from evaluation.datasets import Question


def distinct(ranked: Iterable[str]) -> list[str]:
    """The ids in order, each once: an item found twice takes one place."""
    return list(dict.fromkeys(ranked))


def recall(question: Question, ranked: Sequence[str], k: int) -> float:
    """1 when one of `any_of` is among the first k, else the share of `all_of` that is."""
    top = set(distinct(ranked)[:k])
    if question.any_of & top:
        return 1.0
    return len(question.all_of & top) / len(question.all_of) if question.all_of else 0.0


def hit(question: Question, ranked: Sequence[str], k: int) -> float:
    """1 when any evidence at all is among the first k."""
    return float(bool((question.any_of | question.all_of) & set(distinct(ranked)[:k])))


def mean(values: Sequence[float]) -> float:
    """NaN for none."""
    return sum(values) / len(values) if values else math.nan


_RESAMPLED = 2000


def interval(values: Sequence[float]) -> tuple[float, float]:
    """The 95 % bootstrap interval of the mean; NaN for none. The same values give the same one."""
    if not len(values):
        return math.nan, math.nan
    known = np.asarray(values)
    drawn = np.random.default_rng(0).integers(0, len(known), (_RESAMPLED, len(known)))
    low, high = np.percentile(known[drawn].mean(axis=1), [2.5, 97.5])
    return float(low), float(high)


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least `share` of the values do not exceed; NaN for none."""
    if not values:
        return math.nan
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]
