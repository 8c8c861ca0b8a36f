"""How far importance, recency and confidence move a memory among equally relevant ones.

They are added to the log-odds of the score and bounded together: half a unit either way puts a memory at most
before one whose odds of being right are 1.65 times its own. They never change the score itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from memoryd.retrieval.ranking.frame import Column
from memoryd.retrieval.ranking.fuse import Fused

GROUPS = ("importance", "recency", "confidence")
"""What a caller's weights apply to."""
LIMIT = 0.5
"""Log-odds, either way."""
RECENCY_RATE = 0.023
"""A day: what was last used a month ago counts half, `exp(-rate x days)`."""
_IMPORTANCE = 0.1
_RECENCY = 0.2
_CONFIDENCE = 0.15


@dataclass(frozen=True, slots=True)
class Standings:
    """Of n memories, each (n,). importance: what time has left of it, 0 to 5; unused_days: since the last
    access; confidence: 0 to 1."""

    importance: Column
    unused_days: Column
    confidence: Column

    def adjustments(self, weights: Mapping[str, float]) -> Column:
        """What is added to each memory's log-odds, (n,), at most `LIMIT` either way.

        weights: the caller's factors of the groups, 1 where none is given.
        """
        moved = (
            weights.get("importance", 1.0) * _IMPORTANCE * (self.importance - 1.0)
            + weights.get("recency", 1.0) * _RECENCY * (2 * np.exp(-RECENCY_RATE * self.unused_days) - 1)
            + weights.get("confidence", 1.0) * _CONFIDENCE * (self.confidence - 1.0)
        )
        return np.clip(moved, -LIMIT, LIMIT)


def reorder(ranked: Sequence[Fused], adjustments: Mapping[int, float]) -> list[Fused]:
    """Texts by score and standing, best first; ties go to the newer row. adjustments: by row."""
    for one in ranked:
        one.standing = adjustments.get(one.row, 0.0)
        one.rank_score += one.standing
    return sorted(ranked, key=lambda one: (-one.rank_score, -one.row))
