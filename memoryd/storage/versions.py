"""Versions of memories: a line for each, and the whole record of those that are no longer current."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Literal

from memoryd.core.record import Record
from memoryd.storage.database import Transaction
from memoryd.storage.salt import salted

Operation = Literal["create", "update", "archive", "restore", "promote", "merge", "supersede", "revert"]


@dataclass(frozen=True, slots=True)
class Deed:
    """What makes a version. operator: `user` for a call, `decay`, `system`, `review:name`."""

    operation: Operation
    operator: str = "user"
    reason: str | None = None


def append(tx: Transaction, record: Record, deed: Deed, changed: list[str], before: Record | None) -> None:
    """Note the version `record` is; `before` is the record it replaces, which keeps its snapshot."""
    if before is not None:
        tx.execute(
            "UPDATE versions SET snapshot = ? WHERE user_id = ? AND memory_id = ? AND version = ?",
            (_snapshot(before), before.user_id, before.id, before.version),
        )
    tx.execute(
        "INSERT INTO versions (user_id, memory_id, version, operation, at, changed, operator, reason, hash) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            record.user_id,
            record.id,
            record.version,
            deed.operation,
            record.updated_at,
            json.dumps(changed) if changed else None,
            deed.operator,
            deed.reason,
            salted(tx.connection, record.text.encode()),
        ),
    )


def remove(tx: Transaction, user_id: str, ids: Iterable[str]) -> None:
    """Destroy all versions of memories."""
    tx.executemany("DELETE FROM versions WHERE user_id = ? AND memory_id = ?", ((user_id, id) for id in ids))


def forget_user(tx: Transaction, user_id: str) -> None:
    """Destroy all versions of a user's memories."""
    tx.execute("DELETE FROM versions WHERE user_id = ?", (user_id,))


def _snapshot(record: Record) -> str:
    return json.dumps(asdict(record), ensure_ascii=False, separators=(",", ":"))
