"""The queue of conflicts: pairs of memories, as they were at a version, that exclude each other.

What was decided about a pair holds for as long as both say what they said: a version that changes something
else than the text opens nothing again. What was resolved is so by archiving the loser: with both active again
the pair is undecided.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass, fields

from memory_client.types import ConflictSource, ConflictState, ConflictType, Severity
from memoryd.core.record import Record
from memoryd.core.scope import Scope
from memoryd.storage.database import Transaction
from memoryd.storage.records.texts import scoped
from memoryd.storage.records.versions import hash_of


@dataclass(frozen=True, slots=True)
class Decision:
    """When something was decided about a pair, by whom and why."""

    at: float
    operator: str
    reason: str | None


@dataclass(frozen=True, slots=True)
class ConflictRow:
    """A pair and what is the matter with it. first: the older memory; hashes: of what the two say, None of
    knowledge points, which never change."""

    id: str
    user_id: str
    first_id: str
    first_version: int
    second_id: str
    second_version: int
    type: ConflictType
    severity: Severity
    detail: str
    source: ConflictSource
    created_at: float
    state: ConflictState = "open"
    decided_at: float | None = None
    reason: str | None = None
    operator: str | None = None
    first_hash: bytes | None = None
    second_hash: bytes | None = None

    @property
    def pair(self) -> tuple[str, str]:
        """The ids of the two, in order."""
        return self.first_id, self.second_id


_NAMES = tuple(field.name for field in fields(ConflictRow))
_COLUMNS = ", ".join(f"c.{name}" for name in _NAMES)
_STILL_SAID = """
    (c.{0}_hash IS NULL OR EXISTS (SELECT 1 FROM memories s WHERE s.user_id = c.user_id AND s.id = c.{0}_id
    AND (s.version = c.{0}_version OR EXISTS (SELECT 1 FROM versions v WHERE v.user_id = s.user_id
    AND v.memory_id = s.id AND v.version = s.version AND v.hash = c.{0}_hash))))
"""
_HOLDS = f"({_STILL_SAID.format('first')} AND {_STILL_SAID.format('second')})"
"""Whether both texts are unchanged since the conflict was recorded; schema 2 has no hashes."""
_OF_TWO = "c.user_id = ? AND c.first_id IN (?, ?) AND c.second_id IN (?, ?)"
_IS_THERE = (
    "(EXISTS (SELECT 1 FROM memories WHERE user_id = ? AND id = ?) "
    "OR EXISTS (SELECT 1 FROM points WHERE user_id = ? AND id = ?))"
)
_BOTH_ACTIVE = "(coalesce(m.state, 'active') = 'active' AND coalesce(n.state, 'active') = 'active')"
_UNDECIDED = f"c.state <> 'dismissed' AND {_BOTH_ACTIVE}"
_DECIDED = f"(c.state = 'dismissed' OR c.state = 'resolved' AND NOT {_BOTH_ACTIVE}) AND c.decided_at >= ?"
_RANK = "CASE c.severity WHEN 'high' THEN 0 WHEN 'medium' THEN 1 ELSE 2 END"


def queue(tx: Transaction, row: ConflictRow) -> bool:
    """Record an open conflict and drop outdated ones between the two; False if a current one is recorded
    already, or one of the two is gone."""
    if _is_settled(tx.connection, row.user_id, row.pair):
        return False
    tx.execute(
        f"DELETE FROM conflicts AS c WHERE {_OF_TWO} AND c.state <> 'dismissed'",
        (row.user_id, *row.pair, *row.pair),
    )
    marks = ", ".join("?" * len(_NAMES))
    values = [getattr(row, name) for name in _NAMES]
    first, second = (row.user_id, row.first_id), (row.user_id, row.second_id)
    cursor = tx.execute(
        f"INSERT INTO conflicts ({', '.join(_NAMES)}) "
        f"SELECT {marks} WHERE {_IS_THERE} AND {_IS_THERE} ON CONFLICT DO NOTHING",
        [*values, *first, *first, *second, *second],
    )
    return cursor.rowcount > 0


def keep(tx: Transaction, id: str, first: Record, second: Record, decision: Decision) -> None:
    """Record that both are kept, unless they are in the queue already. first: the older memory."""
    if _is_settled(tx.connection, first.user_id, (first.id, second.id)):
        return
    tx.execute(
        "INSERT INTO conflicts (id, user_id, first_id, first_version, first_hash, second_id, second_version, "
        "second_hash, state, source, created_at, decided_at, operator, reason) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'dismissed', 'user', ?, ?, ?, ?)",
        (
            id,
            first.user_id,
            *_side(tx, first),
            *_side(tx, second),
            decision.at,
            decision.at,
            decision.operator,
            decision.reason,
        ),
    )


def _side(tx: Transaction, record: Record) -> tuple[str, int, bytes]:
    return record.id, record.version, hash_of(tx.connection, record.text)


@dataclass(frozen=True, slots=True)
class ConflictStatement:
    """One of two texts. at, operator, reason: of its version; operator is None if there is no version."""

    text: str
    at: float
    operator: str | None
    reason: str | None


@dataclass(frozen=True, slots=True)
class RecordedConflict:
    """A conflict with the two sides of it."""

    row: ConflictRow
    first: ConflictStatement
    second: ConflictStatement


def get_open(
    connection: sqlite3.Connection, scope: Scope, memory_id: str | None, limit: int
) -> list[RecordedConflict]:
    """Undecided conflicts that still hold, of one memory or of all, the gravest first, then the newest:
    between active memories a scope sees, or knowledge points of the user that count."""
    return _listed(connection, scope, memory_id, _UNDECIDED, (), limit)


def get_decided(
    connection: sqlite3.Connection, scope: Scope, memory_id: str | None, since: float, limit: int
) -> list[RecordedConflict]:
    """Conflicts that were decided since a time and still hold, in the order of `open_ones`."""
    return _listed(connection, scope, memory_id, _DECIDED, (since,), limit)


def _listed(
    connection: sqlite3.Connection,
    scope: Scope,
    memory_id: str | None,
    condition: str,
    values: tuple[float, ...],
    limit: int,
) -> list[RecordedConflict]:
    first, params = scoped(scope)
    second = first.replace("m.", "n.")
    of_one = "" if memory_id is None else "AND ? IN (c.first_id, c.second_id)"
    sql = f"""
        SELECT {_COLUMNS},
        coalesce(m.text, p.text), coalesce(v.at, m.created_at, p.created_at), v.operator, v.reason,
        coalesce(n.text, q.text), coalesce(w.at, n.created_at, q.created_at), w.operator, w.reason
        FROM conflicts c
        LEFT JOIN memories m ON m.id = c.first_id AND {first}
        LEFT JOIN memories n ON n.id = c.second_id AND {second}
        LEFT JOIN points p ON p.id = c.first_id AND p.is_current = 1 AND p.user_id = c.user_id
        LEFT JOIN points q ON q.id = c.second_id AND q.is_current = 1 AND q.user_id = c.user_id
        LEFT JOIN versions v
        ON v.user_id = c.user_id AND v.memory_id = c.first_id AND v.version = c.first_version
        LEFT JOIN versions w
        ON w.user_id = c.user_id AND w.memory_id = c.second_id AND w.version = c.second_version
        WHERE c.user_id = ? AND {condition} {of_one} AND {_HOLDS}
        AND coalesce(m.row, p.row) IS NOT NULL AND coalesce(n.row, q.row) IS NOT NULL
        ORDER BY {_RANK}, c.created_at DESC, c.id DESC LIMIT ?
    """
    of_memory = [] if memory_id is None else [memory_id]
    found = connection.execute(sql, [*params, *params, scope.user_id, *values, *of_memory, limit])
    return [
        RecordedConflict(ConflictRow(*row[:-8]), ConflictStatement(*row[-8:-4]), ConflictStatement(*row[-4:]))
        for row in map(tuple, found)
    ]


def is_recorded(connection: sqlite3.Connection, user_id: str, ids: tuple[str, str]) -> int:
    """How many conflicts of any state there are between two."""
    sql = f"SELECT count(*) FROM conflicts c WHERE {_OF_TWO}"
    return int(connection.execute(sql, (user_id, *ids, *ids)).fetchone()[0])


def settled_pairs(connection: sqlite3.Connection, user_id: str) -> set[tuple[str, str]]:
    """The pairs of a user that were decided or recorded, and are unchanged since."""
    sql = f"SELECT c.first_id, c.second_id FROM conflicts c WHERE c.user_id = ? AND {_HOLDS}"
    return {(first, second) for first, second in connection.execute(sql, (user_id,))}


def _is_settled(connection: sqlite3.Connection, user_id: str, ids: tuple[str, str]) -> bool:
    sql = f"SELECT 1 FROM conflicts c WHERE {_OF_TWO} AND {_HOLDS}"
    return connection.execute(sql, (user_id, *ids, *ids)).fetchone() is not None


def close(
    tx: Transaction,
    user_id: str,
    ids: tuple[str, str],
    state: ConflictState,
    decision: Decision,
) -> int:
    """Decide what is undecided and holds between two; return how many conflicts there were."""
    return tx.execute(
        "UPDATE conflicts AS c SET state = ?, operator = ?, reason = ?, decided_at = ? "
        f"WHERE {_OF_TWO} AND c.state <> 'dismissed' AND {_HOLDS}",
        (state, decision.operator, decision.reason, decision.at, user_id, *ids, *ids),
    ).rowcount


def remove(tx: Transaction, user_id: str, ids: Iterable[str]) -> None:
    """Destroy all conflicts of memories or points."""
    tx.executemany(
        "DELETE FROM conflicts WHERE user_id = ?1 AND first_id = ?2 OR user_id = ?1 AND second_id = ?2",
        ((user_id, id) for id in ids),
    )


def forget_user(tx: Transaction, user_id: str) -> None:
    """Destroy all conflicts of a user's memories."""
    tx.execute("DELETE FROM conflicts WHERE user_id = ?", (user_id,))
