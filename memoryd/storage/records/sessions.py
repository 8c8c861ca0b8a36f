"""The sessions table: whose a session is, the position of its next turn, and whether it is open."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from memoryd.core.scope import Scope
from memoryd.storage.database import Transaction
from memoryd.storage.records.texts import scoped

_SCOPED = (
    "(SELECT number, user_id, nullif(agent_id, '') AS agent_id, session_id, received_at, closed_at "
    "FROM sessions) m"
)


@dataclass(frozen=True, slots=True)
class TurnPosition:
    """Where turns of a session go. position: of the first; opened: the session was not open before."""

    session: int
    position: int
    opened: bool


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A session and whether it is open."""

    number: int
    is_open: bool


def number_of(
    connection: sqlite3.Connection, user_id: str, agent_id: str | None, session_id: str
) -> int | None:
    """The number of exactly this session."""
    row = connection.execute(
        "SELECT number FROM sessions WHERE user_id = ? AND session_id = ? AND agent_id = ?",
        (user_id, session_id, agent_id or ""),
    ).fetchone()
    return None if row is None else int(row[0])


def receive(
    tx: Transaction, user_id: str, agent_id: str | None, session_id: str, count: int, now: float
) -> TurnPosition:
    """Make room for so many turns; the session is made, or opened again, where it must be."""
    row = tx.execute(
        "SELECT number, turns, closed_at FROM sessions WHERE user_id = ? AND session_id = ? AND agent_id = ?",
        (user_id, session_id, agent_id or ""),
    ).fetchone()
    if row is None:
        values: dict[str, Any] = {"user_id": user_id, "agent_id": agent_id or "", "session_id": session_id}
        values |= {"opened_at": now, "received_at": now, "turns": count}
        return TurnPosition(tx.insert("sessions", values, key="number"), 0, opened=True)
    tx.execute(
        "UPDATE sessions SET turns = turns + ?, received_at = ?, closed_at = NULL, "
        "opened_at = CASE WHEN closed_at IS NULL THEN opened_at ELSE ? END WHERE number = ?",
        (count, now, now, row["number"]),
    )
    return TurnPosition(int(row["number"]), int(row["turns"]), opened=row["closed_at"] is not None)


def find(connection: sqlite3.Connection, scope: Scope, session_id: str) -> list[SessionRow]:
    """The visible sessions of a name: that of no agent, and those of the agents the scope sees."""
    owner, params = scoped(scope)
    found = connection.execute(
        f"SELECT m.number, m.closed_at IS NULL FROM {_SCOPED} WHERE {owner} AND m.session_id = ?",
        [*params, session_id],
    )
    return [SessionRow(int(number), bool(is_open)) for number, is_open in found]


def under_way(connection: sqlite3.Connection, scope: Scope) -> str | None:
    """The name of the visible session that received a turn last, if it is open."""
    owner, params = scoped(scope)
    sql = f"SELECT m.session_id, m.closed_at FROM {_SCOPED} WHERE {owner} ORDER BY m.received_at DESC LIMIT 1"
    row = connection.execute(sql, params).fetchone()
    return None if row is None or row[1] is not None else str(row[0])


def idle(connection: sqlite3.Connection, since: float) -> list[int]:
    """The open sessions that have received nothing after `since`."""
    found = connection.execute(
        "SELECT number FROM sessions WHERE closed_at IS NULL AND received_at <= ?", (since,)
    )
    return [int(number) for (number,) in found]


def longest_idle(connection: sqlite3.Connection) -> float | None:
    """When the open session that has been quiet longest last received a turn."""
    row = connection.execute("SELECT min(received_at) FROM sessions WHERE closed_at IS NULL").fetchone()
    return None if row[0] is None else float(row[0])


def close(tx: Transaction, numbers: Sequence[int], now: float) -> None:
    """Close the open ones of these sessions."""
    tx.execute(
        "UPDATE sessions SET closed_at = ? WHERE closed_at IS NULL "
        "AND number IN (SELECT value FROM json_each(?))",
        (now, json.dumps(numbers)),
    )


def remove(tx: Transaction, numbers: Sequence[int]) -> None:
    """Delete sessions; their turns must be gone."""
    tx.execute(
        "DELETE FROM sessions WHERE number IN (SELECT value FROM json_each(?))", (json.dumps(numbers),)
    )


def forget_user(tx: Transaction, user_id: str) -> None:
    """Delete a user's sessions."""
    tx.execute("DELETE FROM sessions WHERE user_id = ?", (user_id,))
