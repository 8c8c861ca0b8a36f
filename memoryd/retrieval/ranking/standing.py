"""How far importance, recency and confidence move a memory among equally relevant ones.

They are added to the log-odds of the score and bounded together: half a unit either way puts a memory at most
before one whose odds of being right are 1.65 times its own. They never change the score itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from memoryd.core.record import Record
from memoryd.retrieval.context import SearchContext, SourceQuery
from memoryd.retrieval.ranking.frame import Column
from memoryd.retrieval.ranking.fuse import Fused
from memoryd.retrieval.results.hits import FoundRecord
from memoryd.storage.life import active_days
from memoryd.storage.records import candidates
from memoryd.storage.records.candidates import Standing

GROUPS = ("importance", "recency", "confidence")
"""What a caller's weights apply to."""
LIMIT = 0.5
"""Log-odds, either way."""
RECENCY_RATE = 0.023
"""A day: what was last used a month ago counts half, `exp(-rate x days)`."""
_IMPORTANCE = 0.1
_RECENCY = 0.2
_CONFIDENCE = 0.15
_DAY = 86_400.0


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


def standings_of(context: SearchContext, query: SourceQuery, rows: Sequence[int]) -> Standings:
    """The standings of a query's memories."""
    known = read_standings(context, query.scope.user_id, rows)
    missing = Standing(0, 1.0, 1.0, 0.0)
    own = [known.get(row, missing) for row in rows]
    return Standings(
        importance=np.array([one.importance for one in own]),
        unused_days=np.array([max(0.0, context.now - one.last_access) / _DAY for one in own]),
        confidence=np.array([one.confidence for one in own]),
    )


def read_standings(context: SearchContext, user_id: str, rows: Sequence[int]) -> dict[int, Standing]:
    """Importance, confidence and last access of a user's memories, by row."""
    days = active_days.of_user(context.connection, context.calendar, user_id, context.now)
    known = candidates.standings(context.connection, rows, days)
    return known if context.former is None else known | context.former.standings()


def with_importance(context: SearchContext, found: Sequence[FoundRecord]) -> list[FoundRecord]:
    """The same, memories with their effective importance."""
    rows = [one.fused.row for one in found if isinstance(one.record, Record)]
    if not rows:
        return list(found)
    known = read_standings(context, context.request.scope.user_id, rows)
    return [
        replace(one, effective_importance=known[one.fused.row].importance) if one.fused.row in known else one
        for one in found
    ]
