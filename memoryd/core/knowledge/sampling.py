"""Drawing points by their scores, without replacement."""

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
    """As `draw`, of points: versions newest first, a content counts once, as the newest version says it."""
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
    """The keys of `count` points in the order they were drawn, fewer when there are fewer.

    versions: newest first, of each the keys of its points and their scores, (n,). A key counts once, with
    the score of the newest version; scores under `least_score` do not count. The next point drawn is any of
    those left with a probability proportional to its score: the smallest of n exponential variates, each
    divided by its score (Efraimidis and Spirakis, Weighted random sampling with a reservoir, 2006, in
    logarithms).
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
