"""What time has left of the importance of memories that a search found."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import replace

from memoryd.core.life.active_days import Calendar
from memoryd.core.record import Record
from memoryd.retrieval.results.hits import Found
from memoryd.retrieval.sources.as_of_source import Past
from memoryd.storage.life import active_days
from memoryd.storage.records import candidates


def standings(
    connection: sqlite3.Connection,
    calendar: Calendar,
    now: float,
    user_id: str,
    rows: Sequence[int],
    past: Past | None,
) -> dict[int, candidates.Standing]:
    """What the weights of a user's memories depend on, by row. past: those that have changed since."""
    known = candidates.standings(connection, rows, active_days.of_user(connection, calendar, user_id, now))
    return known if past is None else known | past.standings()


def with_importance(
    connection: sqlite3.Connection,
    calendar: Calendar,
    now: float,
    user_id: str,
    found: Sequence[Found],
    past: Past | None,
) -> list[Found]:
    """What was found, its memories with their effective importance."""
    rows = [one.fused.row for one in found if isinstance(one.record, Record)]
    if not rows:
        return list(found)
    known = standings(connection, calendar, now, user_id, rows, past)
    return [
        replace(one, effective_importance=known[one.fused.row].importance) if one.fused.row in known else one
        for one in found
    ]
