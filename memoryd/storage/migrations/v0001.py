"""Schema 1: the first."""

from __future__ import annotations

import secrets
import sqlite3

_STATEMENTS = (
    "CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID",
    "INSERT INTO counters VALUES ('seq', 0)",
    "CREATE TABLE properties (name TEXT PRIMARY KEY, value ANY) WITHOUT ROWID",
    # number: the user's partition of the keyword index, never used again; documents, terms: its totals
    """
    CREATE TABLE users (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        user_id TEXT NOT NULL UNIQUE,
        documents INTEGER NOT NULL,
        terms INTEGER NOT NULL
    )
    """,
    # row: never used again, so that what is derived can name a memory by it
    """
    CREATE TABLE memories (
        row INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL,
        user_id TEXT NOT NULL,
        agent_id TEXT,
        session_id TEXT,
        text TEXT NOT NULL,
        category TEXT NOT NULL,
        kind TEXT NOT NULL,
        importance REAL NOT NULL,
        decay_from REAL NOT NULL,
        grace REAL NOT NULL,
        confidence REAL NOT NULL,
        verified INTEGER NOT NULL,
        source TEXT NOT NULL,
        source_id TEXT,
        tags TEXT NOT NULL,
        exact_keys TEXT NOT NULL,
        position INTEGER,
        event_start REAL,
        event_end REAL,
        valid_from REAL,
        valid_to REAL,
        expires_at REAL,
        created_at REAL NOT NULL,
        updated_at REAL NOT NULL,
        last_access REAL NOT NULL,
        access_count INTEGER NOT NULL,
        version INTEGER NOT NULL,
        root_id TEXT NOT NULL,
        parent_id TEXT,
        state TEXT NOT NULL,
        archived_because TEXT,
        metadata TEXT NOT NULL,
        notices TEXT NOT NULL,
        gate TEXT NOT NULL,
        seq INTEGER NOT NULL,
        text_seq INTEGER NOT NULL
    )
    """,
    "CREATE UNIQUE INDEX memories_by_id ON memories (user_id, id)",
    "CREATE INDEX memories_by_time ON memories (user_id, state, created_at, id, agent_id)",
    "CREATE INDEX memories_by_session ON memories (user_id, session_id, state)",
    # snapshot: the whole record of a version that is no longer the current one, else NULL
    """
    CREATE TABLE versions (
        user_id TEXT NOT NULL,
        memory_id TEXT NOT NULL,
        version INTEGER NOT NULL,
        operation TEXT NOT NULL,
        at REAL NOT NULL,
        changed TEXT,
        snapshot TEXT,
        PRIMARY KEY (user_id, memory_id, version)
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE requests (
        user_id TEXT NOT NULL,
        method TEXT NOT NULL,
        request_id TEXT NOT NULL,
        params_hash BLOB NOT NULL,
        reply BLOB NOT NULL,
        at REAL NOT NULL,
        PRIMARY KEY (user_id, method, request_id)
    ) WITHOUT ROWID
    """,
    "CREATE INDEX requests_by_time ON requests (at)",
    """
    CREATE TABLE jobs (
        id TEXT PRIMARY KEY,
        kind TEXT NOT NULL,
        state TEXT NOT NULL,
        attempts INTEGER NOT NULL,
        not_before REAL NOT NULL,
        created_at REAL NOT NULL,
        updated_at REAL NOT NULL,
        error TEXT
    ) WITHOUT ROWID
    """,
    "CREATE INDEX jobs_by_state ON jobs (state, not_before)",
    # the vector store's outbox: what it does not know yet; vector: little-endian float16, NULL until embedded
    """
    CREATE TABLE outbox (
        row INTEGER PRIMARY KEY,
        user_id TEXT NOT NULL,
        operation TEXT NOT NULL,
        text_seq INTEGER NOT NULL,
        vector BLOB
    )
    """,
    "CREATE INDEX outbox_waiting ON outbox (user_id) WHERE operation = 'put' AND vector IS NULL",
    "CREATE INDEX outbox_ready ON outbox (row) WHERE operation = 'remove' OR vector IS NOT NULL",
    # embedding spaces the index knows: one serves, one may be in the making
    """
    CREATE TABLE spaces (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        fingerprint TEXT NOT NULL,
        engine TEXT NOT NULL,
        model TEXT NOT NULL,
        dim INTEGER NOT NULL,
        state TEXT NOT NULL,
        created_at REAL NOT NULL
    )
    """,
    """
    CREATE TABLE probes (
        space INTEGER NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
        role TEXT NOT NULL,
        position INTEGER NOT NULL,
        text TEXT NOT NULL,
        vector BLOB NOT NULL,
        PRIMARY KEY (space, role, position)
    ) WITHOUT ROWID
    """,
)


def apply(connection: sqlite3.Connection) -> None:
    """Make every table of schema 1."""
    for statement in _STATEMENTS:
        connection.execute(statement)
    # keys the hashes of request parameters, so that a text cannot be guessed from them
    connection.execute("INSERT INTO properties VALUES ('salt', ?)", (secrets.token_bytes(32),))
