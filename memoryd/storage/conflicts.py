"""The queue of conflicts: pairs of memories, as they were at a version, that exclude each other.

What was decided about a pair holds for as long as both say what they said: a version that changes something
else than the text opens nothing again.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields

from memory_client.types import ConflictSource, ConflictState, ConflictType, Severity
from memoryd.core.scope import Scope
from memoryd.storage.database import Transaction
from memoryd.storage.texts import scoped


@dataclass(frozen=True, slots=True)
class ConflictRow:
    """A pair and what is the matter with it. first: the older memory."""

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

    @property
    def pair(self) -> tuple[str, str]:
        """The ids of the two, in order."""
        return self.first_id, self.second_id


_NAMES = tuple(field.name for field in fields(ConflictRow))
_COLUMNS = ", ".join(f"c.{name}" for name in _NAMES)
_STILL_SAID = """
    EXISTS (SELECT 1 FROM versions old JOIN versions new ON new.user_id = old.user_id
    AND new.memory_id = old.memory_id AND (new.version = old.version OR new.hash = old.hash)
    WHERE old.user_id = c.user_id AND old.memory_id = c.{0}_id AND old.version = c.{0}_version
    AND new.version = (SELECT version FROM memories WHERE user_id = c.user_id AND id = c.{0}_id))
"""
_FIRST_HOLDS, _SECOND_HOLDS = _STILL_SAID.format("first"), _STILL_SAID.format("second")
"""Whether a memory still says what it said when the conflict was noted."""
_IS_THERE = (
    "(EXISTS (SELECT 1 FROM memories WHERE user_id = ? AND id = ?) "
    "OR EXISTS (SELECT 1 FROM points WHERE user_id = ? AND id = ?))"
)
_RANK = "CASE c.severity WHEN 'high' THEN 0 WHEN 'medium' THEN 1 ELSE 2 END"


def queue(tx: Transaction, row: ConflictRow) -> bool:
    """Note an open conflict; False when it is known of the pair at these versions, or one of them is gone."""
    marks = ", ".join("?" * len(_NAMES))
    values = [getattr(row, name) for name in _NAMES]
    first, second = (row.user_id, row.first_id), (row.user_id, row.second_id)
    cursor = tx.execute(
        f"INSERT OR IGNORE INTO conflicts ({', '.join(_NAMES)}) "
        f"SELECT {marks} WHERE {_IS_THERE} AND {_IS_THERE}",
        [*values, *first, *first, *second, *second],
    )
    return cursor.rowcount > 0


@dataclass(frozen=True, slots=True)
class Told:
    """A conflict with the texts of the two."""

    row: ConflictRow
    first: str
    second: str


def open_ones(connection: sqlite3.Connection, scope: Scope, memory_id: str | None, limit: int) -> list[Told]:
    """Open conflicts that still hold, of one memory or of all, the gravest first, then the newest: between
    active memories a scope sees, or knowledge points of the user that count."""
    first, params = scoped(scope)
    second = first.replace("m.", "n.")
    of_one = "" if memory_id is None else "AND ? IN (c.first_id, c.second_id)"
    sql = f"""
        SELECT {_COLUMNS}, coalesce(m.text, p.text), coalesce(n.text, q.text) FROM conflicts c
        LEFT JOIN memories m ON m.id = c.first_id AND m.state = 'active' AND {first}
        LEFT JOIN memories n ON n.id = c.second_id AND n.state = 'active' AND {second}
        LEFT JOIN points p ON p.id = c.first_id AND p.is_current AND p.user_id = c.user_id
        LEFT JOIN points q ON q.id = c.second_id AND q.is_current AND q.user_id = c.user_id
        WHERE c.user_id = ? AND c.state = 'open' {of_one}
        AND (p.row IS NOT NULL OR m.row IS NOT NULL AND {_FIRST_HOLDS})
        AND (q.row IS NOT NULL OR n.row IS NOT NULL AND {_SECOND_HOLDS})
        ORDER BY {_RANK}, c.created_at DESC, c.id DESC LIMIT ?
    """
    of_memory = [] if memory_id is None else [memory_id]
    found = connection.execute(sql, [*params, *params, scope.user_id, *of_memory, limit])
    return [Told(ConflictRow(*row[:-2]), row[-2], row[-1]) for row in map(tuple, found)]


def noted(connection: sqlite3.Connection, user_id: str, ids: Sequence[str]) -> int:
    """How many conflicts of any state there are between two."""
    return int(
        connection.execute(
            "SELECT count(*) FROM conflicts WHERE user_id = ? AND ? IN (first_id, second_id) "
            "AND ? IN (first_id, second_id)",
            (user_id, *ids),
        ).fetchone()[0]
    )


def settled(connection: sqlite3.Connection, user_id: str) -> set[tuple[str, str]]:
    """The pairs of a user that were decided, or are noted, and still say what they said then."""
    sql = (
        "SELECT c.first_id, c.second_id FROM conflicts c "
        f"WHERE c.user_id = ? AND {_FIRST_HOLDS} AND {_SECOND_HOLDS}"
    )
    return {(first, second) for first, second in connection.execute(sql, (user_id,))}


def close(
    tx: Transaction, user_id: str, ids: Iterable[str], state: ConflictState, reason: str | None, now: float
) -> int:
    """Decide the open conflicts of one memory, or those between two; return how many there were."""
    given = list(ids)
    condition = " AND ".join("? IN (first_id, second_id)" for _ in given)
    return tx.execute(
        "UPDATE conflicts SET state = ?, reason = ?, decided_at = ? "
        f"WHERE user_id = ? AND state = 'open' AND {condition}",
        (state, reason, now, user_id, *given),
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
