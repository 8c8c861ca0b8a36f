"""The queue of conflicts: pairs of memories, as they were at a version, that exclude each other.

What was decided about a pair holds for as long as both say what they said: a version that changes something
else than the text opens nothing again.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
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
    SELECT 1 FROM versions old JOIN versions new ON new.user_id = old.user_id
    AND new.memory_id = old.memory_id AND new.hash = old.hash
    WHERE old.user_id = c.user_id AND old.memory_id = c.{0}_id AND old.version = c.{0}_version
    AND new.version = (SELECT version FROM memories WHERE user_id = c.user_id AND id = c.{0}_id)
"""
_HOLDS = f"EXISTS ({_STILL_SAID.format('first')}) AND EXISTS ({_STILL_SAID.format('second')})"
"""Whether both memories still say what they said when the conflict was noted."""


def queue(tx: Transaction, row: ConflictRow) -> bool:
    """Note an open conflict; False when this one is known of the pair at these versions."""
    marks = ", ".join("?" * len(_NAMES))
    cursor = tx.execute(
        f"INSERT OR IGNORE INTO conflicts ({', '.join(_NAMES)}) VALUES ({marks})",
        [getattr(row, name) for name in _NAMES],
    )
    return cursor.rowcount > 0


def open_ones(
    connection: sqlite3.Connection, scope: Scope, memory_id: str | None = None
) -> list[ConflictRow]:
    """Open conflicts that still hold between active memories a scope sees, of one memory or of all."""
    first, params = scoped(scope)
    condition, values = (
        ("", []) if memory_id is None else (" AND ? IN (c.first_id, c.second_id)", [memory_id])
    )
    sql = (
        f"SELECT {_COLUMNS} FROM conflicts c "
        "JOIN memories m ON m.user_id = c.user_id AND m.id = c.first_id AND m.state = 'active' "
        "JOIN memories n ON n.user_id = c.user_id AND n.id = c.second_id AND n.state = 'active' "
        f"WHERE c.user_id = ? AND c.state = 'open' AND {first} AND {first.replace('m.', 'n.')}{condition} "
        f"AND {_HOLDS} ORDER BY c.created_at, c.id"
    )
    return [ConflictRow(*row) for row in connection.execute(sql, [scope.user_id, *params, *params, *values])]


def settled(connection: sqlite3.Connection, user_id: str) -> set[tuple[str, str]]:
    """The pairs of a user that were decided, or are noted, and still say what they said then."""
    sql = f"SELECT c.first_id, c.second_id FROM conflicts c WHERE c.user_id = ? AND {_HOLDS}"
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
    """Destroy all conflicts of memories."""
    tx.executemany(
        "DELETE FROM conflicts WHERE user_id = ? AND ? IN (first_id, second_id)",
        ((user_id, id) for id in ids),
    )


def forget_user(tx: Transaction, user_id: str) -> None:
    """Destroy all conflicts of a user's memories."""
    tx.execute("DELETE FROM conflicts WHERE user_id = ?", (user_id,))
