"""The passes of decay over a user's memories, and what they look at."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import Any

from memoryd.core.scope import Scope
from memoryd.storage.database import Transaction
from memoryd.storage.texts import scoped

_DAY = 86_400
_FADING = (
    "SELECT m.row, m.importance, m.decay_from, m.decay_seq, m.grace, m.category, m.pinned, "
    "m.verified OR m.source = 'user', m.expires_at FROM memories m "
    "WHERE {owner} AND m.state = 'active' "
    "AND (m.category IN ('fact', 'episode') AND m.importance < ? OR m.expires_at IS NOT NULL)"
)


@dataclass(frozen=True, slots=True)
class PassRow:
    """A pass. archived, reviews: how many; undone_at: None unless it was undone."""

    id: str
    user_id: str
    at: float
    operator: str
    archived: int
    reviews: int
    undone_at: float | None = None


def insert(tx: Transaction, one: PassRow) -> None:
    """Record a pass."""
    tx.execute(
        "INSERT INTO passes (id, user_id, at, operator, archived, reviews, undone_at) "
        "VALUES (?, ?, ?, ?, ?, ?, ?)",
        (one.id, one.user_id, one.at, one.operator, one.archived, one.reviews, one.undone_at),
    )


def find(connection: sqlite3.Connection, user_id: str, id: str) -> PassRow | None:
    """A pass over a user's memories."""
    return next(iter(_select(connection, "user_id = ? AND id = ?", (user_id, id))), None)


def latest(connection: sqlite3.Connection, user_id: str, limit: int) -> list[PassRow]:
    """The newest passes that did something, newest first."""
    tail = f"ORDER BY at DESC, id DESC LIMIT {limit:d}"
    return _select(connection, "user_id = ? AND archived + reviews > 0", (user_id,), tail)


def ahead(connection: sqlite3.Connection, user_id: str, after: float) -> list[PassRow]:
    """The passes from after a time that are not undone."""
    return _select(connection, "user_id = ? AND at > ? AND undone_at IS NULL", (user_id, after))


def undo(tx: Transaction, user_id: str, id: str, now: float) -> None:
    """Mark a pass undone."""
    tx.execute("UPDATE passes SET undone_at = ? WHERE user_id = ? AND id = ?", (now, user_id, id))


def dates(connection: sqlite3.Connection, user_id: str) -> list[int]:
    """The days, since the epoch, on which there was a pass, ascending."""
    sql = f"SELECT DISTINCT CAST(at / {_DAY} AS INTEGER) FROM passes WHERE user_id = ? ORDER BY 1"
    return [int(day) for (day,) in connection.execute(sql, (user_id,))]


def forget_user(tx: Transaction, user_id: str) -> None:
    """Drop the passes over a user's memories."""
    tx.execute("DELETE FROM passes WHERE user_id = ?", (user_id,))


def users(connection: sqlite3.Connection) -> list[str]:
    """Who has memories."""
    return [user for (user,) in connection.execute("SELECT DISTINCT user_id FROM memories ORDER BY 1")]


def fading(connection: sqlite3.Connection, scope: Scope, lasting: float) -> list[tuple[Any, ...]]:
    """The active memories the clock may matter for, as `core.decay.Fading`. lasting: what does not fade."""
    owner, params = scoped(scope)
    cursor = connection.cursor()
    cursor.row_factory = None  # plain tuples: half the time of rows by name
    return cursor.execute(_FADING.format(owner=owner), [*params, lasting]).fetchall()


def active(connection: sqlite3.Connection, scope: Scope) -> int:
    """How many active memories there are."""
    owner, params = scoped(scope)
    sql = f"SELECT count(*) FROM memories m WHERE {owner} AND m.state = 'active'"
    return int(connection.execute(sql, params).fetchone()[0])


def archived_by(connection: sqlite3.Connection, scope: Scope, pass_id: str) -> list[str]:
    """The ids of the memories a pass archived, that still are."""
    owner, params = scoped(scope)
    sql = f"SELECT m.id FROM memories m WHERE {owner} AND m.archived_by = ? AND m.state = 'archived'"
    return [id for (id,) in connection.execute(sql, [*params, pass_id])]


def ripe(connection: sqlite3.Connection, scope: Scope, before: float) -> list[tuple[str, float]]:
    """Id and time of what was archived up to a time and may be destroyed, the oldest first."""
    owner, params = scoped(scope)
    sql = (
        f"SELECT m.id, m.archived_at FROM memories m WHERE {owner} AND m.state = 'archived' "
        "AND m.category NOT IN ('system', 'core') AND NOT m.pinned AND m.archived_at <= ? "
        "ORDER BY m.archived_at, m.id"
    )
    return [(str(id), float(at)) for id, at in connection.execute(sql, [*params, before])]


def _select(
    connection: sqlite3.Connection, condition: str, params: tuple[Any, ...], tail: str = ""
) -> list[PassRow]:
    sql = (
        f"SELECT id, user_id, at, operator, archived, reviews, undone_at FROM passes WHERE {condition} {tail}"
    )
    return [PassRow(*row) for row in connection.execute(sql, params)]
