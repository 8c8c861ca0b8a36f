"""What was deleted and shall not be extracted again: salted hashes, no text."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Literal

from memoryd.core.record import Record
from memoryd.storage.database import Transaction
from memoryd.storage.records import versions

Buried = Literal["memory", "triple"]


def bury(tx: Transaction, user_id: str, kind: Buried, hash: bytes, now: float) -> None:
    """Leave a tombstone."""
    tx.execute(
        "INSERT INTO tombstones VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING", (user_id, kind, hash, now)
    )


def bury_texts(tx: Transaction, user_id: str, records: Sequence[Record], now: float) -> None:
    """Leave tombstones for all that memories said, in former versions too; while these are still there."""
    said = versions.hashes(tx.connection, user_id, [record.id for record in records])
    said += [versions.hash_of(tx.connection, record.text) for record in records]
    for hash in dict.fromkeys(said):
        bury(tx, user_id, "memory", hash, now)


def is_buried(connection: sqlite3.Connection, user_id: str, kind: Buried, hash: bytes) -> bool:
    """Whether there is one."""
    found = connection.execute(
        "SELECT 1 FROM tombstones WHERE user_id = ? AND kind = ? AND hash = ?", (user_id, kind, hash)
    )
    return found.fetchone() is not None


def lift(tx: Transaction, user_id: str, kind: Buried, hash: bytes) -> None:
    """Take one away: the user says it again."""
    tx.execute("DELETE FROM tombstones WHERE user_id = ? AND kind = ? AND hash = ?", (user_id, kind, hash))


def forget_user(tx: Transaction, user_id: str) -> None:
    """Drop a user's."""
    tx.execute("DELETE FROM tombstones WHERE user_id = ?", (user_id,))
