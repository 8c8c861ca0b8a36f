"""The dates on which a user was active."""

from __future__ import annotations

import sqlite3

from memoryd.core.life.active_days import Calendar, Days
from memoryd.storage.database import Transaction

_MOST = 400
"""The newest dates are read; after as many nothing is left of a fading memory."""


def record_activity(
    tx: Transaction, calendar: Calendar, user_id: str, now: float, at: float | None = None
) -> None:
    """Record today for a user, unless `at`, the time of what is stored, is another day, as in an import."""
    if at is None or abs(now - at) <= calendar.present:
        day = calendar.day(now)
        tx.execute("INSERT INTO active_days VALUES (?, ?, ?) ON CONFLICT DO NOTHING", (user_id, day, tx.seq))


def of_user(connection: sqlite3.Connection, calendar: Calendar, user_id: str, now: float) -> Days:
    """The days of a user up to now."""
    cursor = connection.cursor()
    cursor.row_factory = None  # plain tuples: half the time of rows by name
    found = cursor.execute(
        "SELECT day, seq FROM active_days WHERE user_id = ? AND day <= ? ORDER BY day DESC LIMIT ?",
        (user_id, calendar.day(now), _MOST),
    )
    return calendar.days(now, found.fetchall()[::-1])


def recorded_days(connection: sqlite3.Connection, user_id: str) -> list[tuple[int, int]]:
    """All dates of a user with their change numbers, ascending."""
    found = connection.execute("SELECT day, seq FROM active_days WHERE user_id = ? ORDER BY day", (user_id,))
    return [(int(day), int(seq)) for day, seq in found]


def forget_user(tx: Transaction, user_id: str) -> None:
    """Drop the dates of a user."""
    tx.execute("DELETE FROM active_days WHERE user_id = ?", (user_id,))
