"""Memories that were destroyed: when, by whom and why. No text but the reason that was given."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from memoryd.core.record import Record
from memoryd.core.scope import ALL_AGENTS, Scope
from memoryd.storage.database import Transaction
from memoryd.storage.salt import salted_hash


@dataclass(frozen=True, slots=True)
class Deletion:
    """at: epoch seconds."""

    at: float
    operator: str
    reason: str | None


def record(tx: Transaction, records: Sequence[Record], deletion: Deletion) -> None:
    """Note that memories are destroyed."""
    tx.executemany(
        "INSERT INTO deletions (user_id, memory_id, agent, at, operator, reason) "
        "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (user_id, memory_id) DO NOTHING",
        (
            (
                one.user_id,
                one.id,
                _hash(tx.connection, one.agent_id),
                deletion.at,
                deletion.operator,
                deletion.reason,
            )
            for one in records
        ),
    )


def find(connection: sqlite3.Connection, scope: Scope, memory_id: str) -> Deletion | None:
    """The deletion of a memory that the scope saw, None when there was none."""
    found = connection.execute(
        "SELECT agent, at, operator, reason FROM deletions WHERE user_id = ? AND memory_id = ?",
        (scope.user_id, memory_id),
    ).fetchone()
    if found is None:
        return None
    agent, *deletion = found
    is_seen = scope.agent_id == ALL_AGENTS or agent in (None, _hash(connection, scope.agent_id))
    return Deletion(*deletion) if is_seen else None


def _hash(connection: sqlite3.Connection, agent_id: str | None) -> bytes | None:
    return None if agent_id is None else salted_hash(connection, agent_id.encode())


def forget_user(tx: Transaction, user_id: str) -> None:
    """Drop the record of a user's."""
    tx.execute("DELETE FROM deletions WHERE user_id = ?", (user_id,))
