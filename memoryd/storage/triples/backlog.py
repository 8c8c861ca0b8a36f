"""Memories written before there were triples, which are still to be read for them: from the newest down."""

from __future__ import annotations

import sqlite3

from memoryd.storage.database import Transaction
from memoryd.storage.records.filters import Sql

_NAME = "triples_unread"


def highest(connection: sqlite3.Connection) -> int | None:
    """The highest row that is to be read, None when there is none."""
    row = connection.execute("SELECT value FROM properties WHERE name = ?", (_NAME,)).fetchone()
    return None if row is None else int(row[0])


def count(connection: sqlite3.Connection) -> int:
    """How many memories of all users are still to be read."""
    return count_among(connection, ("1 = 1", []))


def count_among(connection: sqlite3.Connection, condition: Sql) -> int:
    """How many memories that fit a condition, over `memories m`, are still to be read."""
    below = highest(connection)
    if below is None:
        return 0
    sql = f"SELECT count(*) FROM memories m WHERE m.row <= ? AND {condition[0]}"
    return int(connection.execute(sql, (below, *condition[1])).fetchone()[0])


def take(tx: Transaction, most: int) -> list[tuple[str, str]]:
    """(user, id) of the next memories, whatever their state; they are held to be read with this."""
    below = highest(tx.connection)
    if below is None:
        return []
    found = tx.execute(
        "SELECT row, user_id, id FROM memories WHERE row <= ? ORDER BY row DESC LIMIT ?", (below, most)
    ).fetchall()
    if len(found) < most:
        tx.execute("DELETE FROM properties WHERE name = ?", (_NAME,))
    else:
        tx.execute("UPDATE properties SET value = ? WHERE name = ?", (found[-1]["row"] - 1, _NAME))
    return [(row["user_id"], row["id"]) for row in found]
