"""Decay passes over a user's memories, and the queries they need."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from memoryd.core.scope import Scope
from memoryd.storage.database import Transaction
from memoryd.storage.records.texts import scoped

_FADING = (
    "SELECT m.row, m.importance, m.decay_from, m.decay_seq, m.grace, m.category, m.pinned, "
    "m.verified OR m.source = 'user', m.expires_at FROM memories m "
    "WHERE {owner} AND m.state = 'active' "
    "AND (m.category IN ('fact', 'episode') AND m.importance < ? OR m.expires_at IS NOT NULL)"
)


@dataclass(frozen=True, slots=True)
class PassRow:
    """A pass over what a scope sees. undone_at: None unless all was undone."""

    id: str
    user_id: str
    at: float
    operator: str
    archived_count: int
    review_count: int
    undone_at: float | None = None


def insert(
    tx: Transaction,
    id: str,
    user_id: str,
    at: float,
    operator: str,
    archived: Counter[str | None],
    reviews: Counter[str | None],
) -> None:
    """Record a pass. archived, reviews: how many memories of each agent, None for the common ones."""
    tx.executemany(
        "INSERT INTO passes (id, user_id, agent_id, at, operator, archived_count, review_count) "
        "VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            (id, user_id, agent, at, operator, archived[agent], reviews[agent])
            for agent in {None, *archived, *reviews}
        ),
    )


def find(connection: sqlite3.Connection, scope: Scope, id: str) -> PassRow | None:
    """A pass over a user's memories, as far as the scope sees it."""
    return next(iter(_select(connection, scope, where="m.id = ?", params=[id])), None)


def latest(connection: sqlite3.Connection, scope: Scope, limit: int) -> list[PassRow]:
    """The newest passes that did something the scope sees, newest first."""
    tail = f"ORDER BY m.at DESC, m.id DESC LIMIT {limit:d}"
    return _select(connection, scope, where="m.archived_count + m.review_count > 0", tail=tail)


def undo(tx: Transaction, scope: Scope, id: str, now: float) -> None:
    """Mark what the scope sees of a pass undone."""
    owner, params = scoped(scope)
    tx.execute(
        f"UPDATE passes AS m SET undone_at = ? WHERE {owner} AND m.id = ? AND m.undone_at IS NULL",
        (now, *params, id),
    )


def times(connection: sqlite3.Connection, user_id: str) -> list[float]:
    """When there was a pass that was not undone, over any agent's memories."""
    sql = "SELECT DISTINCT at FROM passes WHERE user_id = ? AND undone_at IS NULL"
    found = connection.execute(sql, (user_id,))
    return [float(at) for (at,) in found]


def forget_user(tx: Transaction, user_id: str) -> None:
    """Drop the passes over a user's memories."""
    tx.execute("DELETE FROM passes WHERE user_id = ?", (user_id,))


def users(connection: sqlite3.Connection) -> list[str]:
    """Who has memories."""
    return [user for (user,) in connection.execute("SELECT DISTINCT user_id FROM memories ORDER BY 1")]


def fading_rows(connection: sqlite3.Connection, scope: Scope, lasting: float) -> list[tuple[Any, ...]]:
    """The active memories the clock may matter for, as `core.decay.Fading`. lasting: what does not fade."""
    owner, params = scoped(scope)
    cursor = connection.cursor()
    cursor.row_factory = None  # plain tuples: half the time of rows by name
    return cursor.execute(_FADING.format(owner=owner), [*params, lasting]).fetchall()


def count_active(connection: sqlite3.Connection, scope: Scope) -> int:
    """How many active memories there are."""
    owner, params = scoped(scope)
    sql = f"SELECT count(*) FROM memories m WHERE {owner} AND m.state = 'active'"
    return int(connection.execute(sql, params).fetchone()[0])


def archived_by(connection: sqlite3.Connection, scope: Scope, pass_id: str) -> list[str]:
    """The ids of the memories a pass archived, that still are."""
    owner, params = scoped(scope)
    sql = f"SELECT m.id FROM memories m WHERE {owner} AND m.archived_by = ? AND m.state = 'archived'"
    return [id for (id,) in connection.execute(sql, [*params, pass_id])]


def archived_before(connection: sqlite3.Connection, scope: Scope, before: float) -> list[tuple[str, float]]:
    """Id and time of what was archived up to a time and may be destroyed, the oldest first."""
    owner, params = scoped(scope)
    sql = (
        f"SELECT m.id, m.archived_at FROM memories m WHERE {owner} AND m.state = 'archived' "
        "AND m.category NOT IN ('system', 'core') AND NOT m.pinned AND m.archived_at <= ? "
        "ORDER BY m.archived_at, m.id"
    )
    return [(str(id), float(at)) for id, at in connection.execute(sql, [*params, before])]


def _select(
    connection: sqlite3.Connection, scope: Scope, *, where: str, params: Sequence[Any] = (), tail: str = ""
) -> list[PassRow]:
    """The passes with what they did for those of the scope's agents that `where` holds for."""
    owner, owner_params = scoped(scope)
    sql = (
        "SELECT m.id, m.user_id, m.at, m.operator, sum(m.archived_count), sum(m.review_count), "
        "CASE WHEN count(m.undone_at) = count(*) THEN max(m.undone_at) END "
        f"FROM passes m WHERE {owner} AND {where} GROUP BY m.id {tail}"
    )
    return [PassRow(*row) for row in connection.execute(sql, [*owner_params, *params])]
