"""Weighted sampling of knowledge points without replacement."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from memory_client.types import KnowledgePoint

Keys = npt.NDArray[np.int64]
Scores = npt.NDArray[np.uint8]


def sample_points(
    versions: Iterable[Sequence[KnowledgePoint]], count: int, seed: int | None, *, least_score: int
) -> list[KnowledgePoint]:
    """`sample_keys` for points. versions: newest first; a content counts once, as in the newest version."""
    keys: dict[str, int] = {}
    newest: list[KnowledgePoint] = []
    weighted = []
    for points in versions:
        for point in points:
            if keys.setdefault(point["content"], len(newest)) == len(newest):
                newest.append(point)
        rows = np.array([keys[point["content"]] for point in points], np.int64)
        weighted.append((rows, np.array([point["score"] for point in points], np.uint8)))
    return [newest[key] for key in sample_keys(weighted, count, seed, least_score=least_score).tolist()]


def sample_keys(
    versions: Sequence[tuple[Keys, Scores]], count: int, seed: int | None = None, *, least_score: int
) -> Keys:
    """The keys of up to `count` points in random order.

    versions: newest first, the keys and scores of the points of each, (n,). A key counts once, with its score
    in the newest version; keys with a score below `least_score` are excluded. Each next point is drawn with a
    probability proportional to its score, by the smallest exponential variates divided by the scores
    (Efraimidis and Spirakis, Weighted random sampling with a reservoir, 2006).
    """
    keys = np.concatenate([keys for keys, _ in versions]) if versions else np.empty(0, np.int64)
    if not len(keys):
        return keys
    scores = np.concatenate([scores for _, scores in versions])
    keys, first = np.unique(keys, return_index=True)
    wanted = scores[first] >= least_score
    keys, weights = keys[wanted], scores[first][wanted].astype(np.float64)
    times = np.random.default_rng(seed).exponential(size=len(keys)) / weights
    drawn: Keys = keys[np.argsort(times, kind="stable")[:count]]
    return drawn
