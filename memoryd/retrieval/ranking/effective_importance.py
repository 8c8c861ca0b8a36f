"""The effective importance of found memories: what time has left of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memoryd.core.record import Record
from memoryd.retrieval.context import SearchContext
from memoryd.retrieval.results.hits import FoundRecord
from memoryd.storage.life import active_days
from memoryd.storage.records import candidates
from memoryd.storage.records.candidates import Standing


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
