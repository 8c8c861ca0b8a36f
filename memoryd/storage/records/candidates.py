"""What ranking needs to know of chosen rows, and of the turns beside them."""

from __future__ import annotations

import itertools
import json
import sqlite3
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from memoryd.core.filters.grammar import Node
from memoryd.core.life.active_days import Days
from memoryd.core.life.decay import Cohort, DecayInput
from memoryd.core.row_ranges import TextKind
from memoryd.core.scope import Scope
from memoryd.language.fold import fold_case
from memoryd.storage.records.texts import TABLES, visible

_MOST_SPEAKERS = 50
_FAR = 9e15
"""Seconds no clock reaches."""


class Place(NamedTuple):
    """Where a text stands. session: 0 for none; before, behind: rows of the turns beside it, if any; opening:
    the first 200 characters of a memory or point, '' of a turn."""

    row: int
    created_at: float
    event_start: float | None
    event_end: float | None
    session: int = 0
    speaker: str | None = None
    role: str | None = None
    before: int | None = None
    behind: int | None = None
    opening: str = ""


@dataclass(frozen=True, slots=True)
class Standing:
    """What a memory's weight depends on. importance: what time has left of it."""

    row: int
    importance: float
    confidence: float
    last_access: float


_OPENING = "0, NULL, NULL, NULL, NULL, substr(text, 1, 200)"
_MEMORY_PLACES = (
    f"SELECT row, created_at, event_start, event_end, {_OPENING} FROM memories "
    "WHERE row IN (SELECT value FROM json_each(?))"
)
_POINT_PLACES = (
    f"SELECT row, created_at, NULL, NULL, {_OPENING} FROM points "
    "WHERE row IN (SELECT value FROM json_each(?))"
)
_BESIDE = (
    "(SELECT row FROM turns o WHERE o.session = t.session AND o.position {0} t.position AND o.remembered "
    "ORDER BY o.position {1} LIMIT 1)"
)
_TURN_PLACES = (
    "SELECT t.row, t.created_at, t.event_start, t.event_end, t.session, t.speaker, t.role, "
    f"{_BESIDE.format('<', 'DESC')}, {_BESIDE.format('>', 'ASC')} FROM turns t "
    "WHERE t.row IN (SELECT value FROM json_each(?))"
)
_PLACES: dict[TextKind, str] = {
    "memory": _MEMORY_PLACES,
    "turn": _TURN_PLACES,
    "point": _POINT_PLACES,
}
_MADE = "m.created_at >= ? AND m.created_at < ?"
_SPEAKS = "m.event_start < ? AND (m.event_start >= ? OR m.event_end > ?)"
_FADING_COLUMNS = len(DecayInput._fields)
_STANDINGS = (
    "SELECT row, importance, decay_from, decay_seq, grace, category, pinned, verified OR source = 'user', "
    "expires_at, confidence, last_access FROM memories WHERE row IN (SELECT value FROM json_each(?))"
)
_SPEAKERS = """
    WITH RECURSIVE known (name) AS (
        SELECT min(speaker) FROM turns WHERE user_id = :user AND remembered AND speaker IS NOT NULL
        UNION ALL
        SELECT (SELECT min(speaker) FROM turns
                WHERE user_id = :user AND remembered AND speaker IS NOT NULL AND speaker > name)
        FROM known WHERE name IS NOT NULL
    )
    SELECT name FROM known WHERE name IS NOT NULL LIMIT :most
"""


def places(connection: sqlite3.Connection, kind: TextKind, rows: Sequence[int]) -> dict[int, Place]:
    """Where texts of a kind stand, by row."""
    sql = _PLACES[kind]
    cursor = connection.cursor()
    cursor.row_factory = None  # plain tuples: half the time of rows by name
    return {found[0]: Place(*found) for found in cursor.execute(sql, (json.dumps(rows),))}


def standings(connection: sqlite3.Connection, rows: Sequence[int], days: Days) -> dict[int, Standing]:
    """What the weights of memories depend on, by row. days: of their user, up to now."""
    cursor = connection.cursor()
    cursor.row_factory = None  # plain tuples: half the time of rows by name
    found = cursor.execute(_STANDINGS, (json.dumps(rows),)).fetchall()
    cohort = Cohort.of([one[:_FADING_COLUMNS] for one in found], days.rules)
    left = cohort.effective(cohort.days(days)).tolist()
    return {
        one[0]: Standing(one[0], importance, *one[_FADING_COLUMNS:])
        for one, importance in zip(found, left, strict=True)
    }


def speakers(connection: sqlite3.Connection, user_id: str) -> list[str]:
    """The names of those who speak in a user's turns, the first 50 of them."""
    found = connection.execute(_SPEAKERS, {"user": user_id, "most": _MOST_SPEAKERS})
    return [name for (name,) in found]


def within(
    connection: sqlite3.Connection,
    kind: TextKind,
    scope: Scope,
    node: Node,
    start: float | None,
    end: float | None,
    limit: int,
) -> list[int]:
    """Rows of visible texts that were made, or speak of, a time in [start, end); newest first."""
    condition, params = visible(kind, scope, node)
    low, high = (-_FAR if start is None else start), (_FAR if end is None else end)
    found: dict[int, None] = {}
    conditions = [(_MADE, [low, high]), (_SPEAKS, [high, low, low])]
    for when, bounds in conditions[:1] if kind == "point" else conditions:
        sql = (
            f"SELECT m.row FROM {TABLES[kind]} m WHERE {condition} AND {when} "
            f"ORDER BY m.created_at DESC LIMIT {limit:d}"
        )
        found |= dict.fromkeys(row for (row,) in connection.execute(sql, [*params, *bounds]))
    return list(found)


def newest(connection: sqlite3.Connection, kind: TextKind, scope: Scope, node: Node, limit: int) -> list[int]:
    """Rows of visible texts, newest first."""
    condition, params = visible(kind, scope, node)
    sql = f"SELECT m.row FROM {TABLES[kind]} m WHERE {condition} ORDER BY m.created_at DESC LIMIT {limit:d}"
    return [row for (row,) in connection.execute(sql, params)]


def rows_with_exact_key(
    connection: sqlite3.Connection, scope: Scope, node: Node, keys: Collection[str], limit: int
) -> dict[int, str]:
    """Rows of visible memories with one of the exact keys, and the key. keys: as `fold_case` returns them."""
    condition, params = visible("memory", scope, node)
    # SQLite's lower() folds ASCII only; keys with other characters are compared here
    sql = (
        "SELECT m.row, k.value FROM memories m INDEXED BY memories_with_keys, json_each(m.exact_keys) k "
        f"WHERE {condition} AND m.exact_keys != '[]' "
        "AND (lower(k.value) IN (SELECT value FROM json_each(?)) "
        "OR length(CAST(k.value AS BLOB)) > length(k.value))"
    )
    found = connection.execute(sql, [*params, json.dumps(list(keys), ensure_ascii=False)])
    wanted = frozenset(keys)
    matching = ((int(row), str(key)) for row, key in found if fold_case(key) in wanted)
    return dict(itertools.islice(matching, limit))


def row_of_id(
    connection: sqlite3.Connection, kind: TextKind, scope: Scope, node: Node, id: str
) -> int | None:
    """The row of the visible text with an id."""
    condition, params = visible(kind, scope, node)
    sql = f"SELECT m.row FROM {TABLES[kind]} m WHERE {condition} AND m.id = ?"
    found = connection.execute(sql, [*params, id]).fetchone()
    return None if found is None else int(found[0])


def holding(
    connection: sqlite3.Connection, kind: TextKind, rows: Sequence[int], phrases: Sequence[str]
) -> dict[int, str]:
    """Those of some rows whose text holds one of the phrases, with the first it holds."""
    sql = f"SELECT row, text FROM {TABLES[kind]} WHERE row IN (SELECT value FROM json_each(?))"
    folded = [(phrase, fold_case(phrase)) for phrase in phrases]
    found = {
        row: next((phrase for phrase, wanted in folded if wanted in text), None)
        for row, text in (
            (row, fold_case(text)) for row, text in connection.execute(sql, (json.dumps(rows),))
        )
    }
    return {row: phrase for row, phrase in found.items() if phrase is not None}
