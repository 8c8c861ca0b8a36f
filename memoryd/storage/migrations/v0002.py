"""Schema 2: sessions and their turns; the keyword index has a partition a user and kind of text."""

from __future__ import annotations

import sqlite3

_FIRST_TURN = 1 << 40
"""Rows below are memories; the number is part of the schema and stays, whatever the code says later."""

_STATEMENTS = (
    # agent_id: '' for a session of no agent; turns: the next one's position; closed_at: NULL while open
    """
    CREATE TABLE sessions (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        user_id TEXT NOT NULL,
        agent_id TEXT NOT NULL,
        session_id TEXT NOT NULL,
        opened_at REAL NOT NULL,
        received_at REAL NOT NULL,
        closed_at REAL,
        turns INTEGER NOT NULL,
        UNIQUE (user_id, session_id, agent_id)
    )
    """,
    "CREATE INDEX sessions_open ON sessions (received_at) WHERE closed_at IS NULL",
    # remembered: 0 for a turn of the window only, never indexed; created_at: when it was said
    """
    CREATE TABLE turns (
        row INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL,
        user_id TEXT NOT NULL,
        agent_id TEXT,
        session INTEGER NOT NULL,
        session_id TEXT NOT NULL,
        position INTEGER NOT NULL,
        role TEXT NOT NULL,
        speaker TEXT,
        text TEXT NOT NULL,
        created_at REAL NOT NULL,
        tz TEXT,
        received_at REAL NOT NULL,
        event_start REAL,
        event_end REAL,
        remembered INTEGER NOT NULL,
        metadata TEXT NOT NULL,
        notices TEXT NOT NULL,
        gate TEXT NOT NULL,
        seq INTEGER NOT NULL,
        text_seq INTEGER NOT NULL
    )
    """,
    "CREATE UNIQUE INDEX turns_by_id ON turns (user_id, id)",
    "CREATE UNIQUE INDEX turns_by_position ON turns (session, position)",
    "CREATE INDEX turns_by_time ON turns (user_id, created_at, row) WHERE remembered",
    "CREATE INDEX turns_by_session ON turns (user_id, session_id)",
    "CREATE INDEX turns_by_speaker ON turns (user_id, speaker) WHERE remembered AND speaker IS NOT NULL",
    "CREATE INDEX turns_by_event ON turns (user_id, event_start) "
    "WHERE remembered AND event_start IS NOT NULL",
    "CREATE INDEX memories_by_event ON memories (user_id, event_start) WHERE event_start IS NOT NULL",
    "CREATE INDEX memories_with_keys ON memories (user_id) WHERE exact_keys != '[]'",
    f"INSERT INTO sqlite_sequence VALUES ('turns', {_FIRST_TURN})",
    """
    CREATE TABLE partitions (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        user_id TEXT NOT NULL,
        kind TEXT NOT NULL,
        documents INTEGER NOT NULL,
        terms INTEGER NOT NULL,
        UNIQUE (user_id, kind)
    )
    """,
    "INSERT INTO partitions SELECT number, user_id, 'memory', documents, terms FROM users",
    # numbers of dropped partitions are not given again
    "DELETE FROM sqlite_sequence WHERE name = 'partitions'",
    "INSERT INTO sqlite_sequence SELECT 'partitions', seq FROM sqlite_sequence WHERE name = 'users'",
    "DROP TABLE users",
    # of a text, little-endian uint32: how many terms, its cues, then the numbers of the first terms
    "CREATE TABLE text_terms (row INTEGER PRIMARY KEY, terms BLOB NOT NULL)",
    # the keyword index is made again at the next start: it has no such numbers of what it holds
    "DELETE FROM properties WHERE name = 'fold_version'",
)


def apply(connection: sqlite3.Connection) -> None:
    """Add conversations, the kind to the keyword index's partitions, and token vectors to the spaces."""
    for statement in _STATEMENTS:
        connection.execute(statement)
    add_token_tables(connection)


def add_token_tables(connection: sqlite3.Connection) -> None:
    """One for every space there is."""
    for (space,) in connection.execute("SELECT id FROM spaces").fetchall():
        connection.execute(
            f"CREATE TABLE tokens_{space:d} "
            "(row INTEGER PRIMARY KEY, text_seq INTEGER NOT NULL, tokens BLOB NOT NULL)"
        )
