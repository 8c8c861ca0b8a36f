"""Drawing points by their scores, without replacement."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from memoryd.core.knowledge.point import RELEVANT_SCORE

DRAWN = 5
"""Points of a sample where nothing else is asked for."""

Keys = npt.NDArray[np.int64]
Scores = npt.NDArray[np.uint8]


def draw(versions: Sequence[tuple[Keys, Scores]], count: int, seed: int | None = None) -> Keys:
    """The keys of `count` points in the order they were drawn, fewer when there are fewer.

    versions: newest first, of each the keys of its points and their scores, (n,). A key counts once, with
    the score of the newest version; scores under 20 do not count. The next point drawn is any of those left
    with a probability proportional to its score: the smallest of n exponential variates, each divided by
    its score (Efraimidis and Spirakis, Weighted random sampling with a reservoir, 2006, in logarithms).
    """
    keys = np.concatenate([keys for keys, _ in versions]) if versions else np.empty(0, np.int64)
    if not len(keys):
        return keys
    scores = np.concatenate([scores for _, scores in versions])
    keys, first = np.unique(keys, return_index=True)
    wanted = scores[first] >= RELEVANT_SCORE
    keys, weights = keys[wanted], scores[first][wanted].astype(np.float64)
    times = np.random.default_rng(seed).exponential(size=len(keys)) / weights
    drawn: Keys = keys[np.argsort(times, kind="stable")[:count]]
    return drawn
