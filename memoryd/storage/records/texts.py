"""Texts of every kind: whose they are, and which of them a search may find."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence

from memoryd.core.filters.grammar import EVERYTHING, Node
from memoryd.core.passage import Passage
from memoryd.core.row_ranges import TextKind
from memoryd.core.scope import ALL_AGENTS, Scope
from memoryd.storage.records.filters import Sql, compile_filter

TABLES: dict[TextKind, str] = {"memory": "memories", "turn": "turns", "point": "points"}

EVERY_TEXT = (
    "(SELECT row, user_id, agent_id, text, text_seq, 'memory' AS kind FROM memories"
    " UNION ALL SELECT row, user_id, agent_id, text, text_seq, 'turn' FROM turns WHERE remembered"
    " UNION ALL SELECT row, user_id, agent_id, text, text_seq, 'point' FROM points)"
)
"""Every text that is indexed, of any user and state; to be selected from."""

CONTEXT_TURNS = 2
"""Turns before a turn that are embedded with it; deleting one changes the vectors of the turns after it."""
CONTEXT_CHARS = 500
"""Of each of them, from its beginning."""

_ALIVE: dict[TextKind, str] = {
    "memory": "m.state = 'active'",
    "turn": "m.remembered",
    "point": "m.is_current",
}
_KEPT: dict[TextKind, str] = {**_ALIVE, "memory": "1"}
"""The same with what is no longer active."""


def scoped(scope: Scope) -> Sql:
    """The condition of a scope over `m`."""
    if scope.agent_id == ALL_AGENTS:
        return "m.user_id = ?", [scope.user_id]
    if scope.agent_id is None:
        return "m.user_id = ? AND m.agent_id IS NULL", [scope.user_id]
    return "m.user_id = ? AND (m.agent_id IS NULL OR m.agent_id = ?)", [scope.user_id, scope.agent_id]


def visible(kind: TextKind, scope: Scope, node: Node) -> Sql:
    """The condition, over a kind's table as `m`, of what a search in the scope may find under a filter."""
    owner, owner_params = scoped(scope)
    condition, params = compile_filter(node, kind)
    alive = (_KEPT if scope.archived else _ALIVE)[kind]
    return f"{owner} AND {alive} AND {condition}", [*owner_params, *params]


def rows_of(connection: sqlite3.Connection, kind: TextKind, scope: Scope, node: Node) -> list[int]:
    """The rows of the visible texts that fit, ascending."""
    condition, params = visible(kind, scope, node)
    sql = f"SELECT m.row FROM {TABLES[kind]} m WHERE {condition} ORDER BY m.row"
    return [int(row[0]) for row in connection.execute(sql, params)]


def is_any(connection: sqlite3.Connection, kind: TextKind, scope: Scope) -> bool:
    """Whether there is a visible text."""
    condition, params = visible(kind, scope, EVERYTHING)
    sql = f"SELECT EXISTS (SELECT 1 FROM {TABLES[kind]} m WHERE {condition})"
    return bool(connection.execute(sql, params).fetchone()[0])


def texts_by_id(connection: sqlite3.Connection, kind: TextKind, rows: Sequence[int]) -> list[tuple[str, str]]:
    """(id, text) of the texts of a kind at `rows`."""
    sql = f"SELECT id, text FROM {TABLES[kind]} WHERE row IN (SELECT value FROM json_each(?)) ORDER BY row"
    return [(id, text) for id, text in connection.execute(sql, (json.dumps(list(rows)),))]


def passages(connection: sqlite3.Connection, rows: Sequence[int]) -> dict[int, tuple[Passage, int]]:
    """What is embedded of the texts at `rows`, by row, with its text_seq; unknown rows are left out.

    A turn is read with the remembered turns before it, `CONTEXT_TURNS` of them.
    """
    wanted = [json.dumps(rows)]
    alone = connection.execute(f"{_ALONE.format('memories')} UNION ALL {_ALONE.format('points')}", wanted * 2)
    found = {row: (Passage(text), text_seq) for row, text, text_seq in alone}
    for row, text_seq, text, first, second in connection.execute(_TURNS, wanted):
        found[row] = Passage(text, "\n".join(part for part in (first, second) if part)), text_seq
    return found


_LINE = "coalesce({0}.speaker || ': ', '') || {0}.text"
_BEFORE = (
    f"(SELECT substr({_LINE.format('p')}, 1, {CONTEXT_CHARS}) FROM turns p WHERE p.session = t.session "
    "AND p.position < t.position AND p.remembered ORDER BY p.position DESC LIMIT 1 OFFSET {0})"
)
_ALONE = "SELECT row, text, text_seq FROM {0} WHERE row IN (SELECT value FROM json_each(?))"
_TURNS = (
    f"SELECT t.row, t.text_seq, {_LINE.format('t')}, {_BEFORE.format(1)}, {_BEFORE.format(0)} FROM turns t "
    "WHERE t.remembered AND t.row IN (SELECT value FROM json_each(?))"
)
