"""Rankings of the same candidates in other ways, and what leaving something out costs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from evaluation.candidates import FEATURES, SOURCES, Judged
from evaluation.metrics import distinct, recall
from evaluation.training import L2, Floats, Trained, train
from memoryd.retrieval.ranking.fuse import RRF_K

Ranker = Callable[[Judged], Floats]
"""Scores of a question's candidates, (n,); minus infinity for one that would not be found."""


def columns_of(names: Sequence[str]) -> list[int]:
    """Where the features stand in `Judged.values`."""
    return [FEATURES.index(name) for name in names]


def linear(trained: Trained) -> Ranker:
    """By trained weights."""
    columns, weights = columns_of(list(trained.weights)), np.array(list(trained.weights.values()))
    return lambda one: np.asarray(one.values[:, columns].astype(np.float64) @ weights - trained.offset)


def rrf(sources: Sequence[str] = SOURCES) -> Ranker:
    """Plain reciprocal rank fusion of sources; with one of them its own ranking."""
    columns = [SOURCES.index(source) for source in sources]

    def scores(one: Judged) -> Floats:
        ranks = one.ranks[:, columns]
        summed = np.where(ranks > 0, 1.0 / (RRF_K + ranks), 0.0).sum(axis=1)
        return np.asarray(np.where(summed > 0, summed, -np.inf))

    return scores


def without_source(ranker: Ranker, source: str) -> Ranker:
    """As if a source gave no candidates; the turns beside candidates stay where others vouch for them."""
    others = [at for at, name in enumerate(SOURCES) if name != source]

    def scores(one: Judged) -> Floats:
        only = (one.ranks > 0).any(axis=1) & ~(one.ranks[:, others] > 0).any(axis=1)
        return np.asarray(np.where(only, -np.inf, ranker(one)))

    return scores


def ranked(one: Judged, scores: Floats) -> list[str]:
    """The items, best first; ties go to the newer row."""
    order = np.lexsort((-np.arange(len(scores)), -scores))
    return distinct(one.items[at] for at in order if np.isfinite(scores[at]))


def recalls(judged: Sequence[Judged], rankers: Sequence[Ranker], ks: Sequence[int]) -> Floats:
    """Evidence recall of each question by its own ranker, (questions, ks)."""
    lists = [ranked(one, ranker(one)) for one, ranker in zip(judged, rankers, strict=True)]
    return np.array(
        [[recall(one.question, own, k) for k in ks] for one, own in zip(judged, lists, strict=True)]
    )


def left_out(
    judged: Sequence[Judged], names: Sequence[str], asked: Sequence[Judged], l2: float = L2
) -> list[Ranker]:
    """For each question a ranker trained on all other conversations and users."""
    columns = columns_of(names)
    rankers = {
        group: linear(train([one for one in judged if one.group != group], names, columns, l2))
        for group in {one.group for one in asked}
    }
    return [rankers[one.group] for one in asked]
