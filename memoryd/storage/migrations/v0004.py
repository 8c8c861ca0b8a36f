"""Schema 4: who deleted a memory and why, and who decided a conflict."""

from __future__ import annotations

import sqlite3

_STATEMENTS = (
    # operator: who made a decision, NULL while there is none; versions name theirs since schema 3
    "ALTER TABLE conflicts ADD COLUMN operator TEXT",
    # a destroyed memory: its id, when, by whom and why, no text; agent: salted hash, NULL for none
    """
    CREATE TABLE deletions (
        user_id TEXT NOT NULL,
        memory_id TEXT NOT NULL,
        agent BLOB,
        at REAL NOT NULL,
        operator TEXT NOT NULL,
        reason TEXT,
        PRIMARY KEY (user_id, memory_id)
    )
    """,
)


def apply(connection: sqlite3.Connection) -> None:
    """Add the record of deletions."""
    for statement in _STATEMENTS:
        connection.execute(statement)
