"""The uses of memories that added something lately."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import Literal

from memoryd.storage.database import Transaction

UseKind = Literal["boost", "use"]


def append(
    tx: Transaction, user_id: str, memory_id: str, at: float, kind: UseKind, amount: float, reason: str | None
) -> None:
    """Record a use."""
    tx.execute(
        "INSERT INTO boosts (user_id, memory_id, at, kind, amount, reason) VALUES (?, ?, ?, ?, ?, ?)",
        (user_id, memory_id, at, kind, amount, reason),
    )


def drop_before(tx: Transaction, user_id: str, memory_id: str, at: float) -> None:
    """Drop the uses of a memory from before a time."""
    tx.execute("DELETE FROM boosts WHERE user_id = ? AND memory_id = ? AND at < ?", (user_id, memory_id, at))


def between(
    connection: sqlite3.Connection, user_id: str, memory_id: str, start: float, end: float
) -> list[tuple[float, float]]:
    """Time and amount of the uses of a memory in [start, end]."""
    found = connection.execute(
        "SELECT at, amount FROM boosts WHERE user_id = ? AND memory_id = ? AND at BETWEEN ? AND ? "
        "ORDER BY at",
        (user_id, memory_id, start, end),
    )
    return [(float(at), float(amount)) for at, amount in found]


def remove(tx: Transaction, user_id: str, ids: Iterable[str]) -> None:
    """Destroy the uses of memories."""
    tx.executemany("DELETE FROM boosts WHERE user_id = ? AND memory_id = ?", ((user_id, id) for id in ids))


def forget_user(tx: Transaction, user_id: str) -> None:
    """Destroy all uses of a user's memories."""
    tx.execute("DELETE FROM boosts WHERE user_id = ?", (user_id,))
