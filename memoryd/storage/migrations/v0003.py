"""Schema 3: the life of a memory: boosts, reviews, passes of decay, versions told in full, conflicts."""

from __future__ import annotations

import sqlite3

_FIRST_POINT = 2 << 40
"""Rows below are memories and turns; the number is part of the schema, as that of turns is."""

_STATEMENTS = (
    # pinned: exempt from clock and review; keeps: KEEP verdicts so far; history_from: the earliest version
    # that is still told apart; archived_at, archived_by: when, and by which pass if by one
    "ALTER TABLE memories ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE memories ADD COLUMN keeps INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE memories ADD COLUMN history_from INTEGER NOT NULL DEFAULT 1",
    "ALTER TABLE memories ADD COLUMN archived_at REAL",
    "ALTER TABLE memories ADD COLUMN archived_by TEXT",
    # decay_seq: change number of the transaction that set decay_from; tells what came first when clocks lie
    "ALTER TABLE memories ADD COLUMN decay_seq INTEGER NOT NULL DEFAULT 0",
    "CREATE INDEX memories_expiring ON memories (user_id, expires_at) "
    "WHERE expires_at IS NOT NULL AND state = 'active'",
    "CREATE INDEX memories_archived ON memories (user_id, archived_by) WHERE archived_by IS NOT NULL",
    "CREATE INDEX memories_by_parent ON memories (user_id, parent_id) WHERE parent_id IS NOT NULL",
    # operator: user, decay, system or review:name; hash: salted, of the text's normal form
    "ALTER TABLE versions ADD COLUMN operator TEXT NOT NULL DEFAULT 'user'",
    "ALTER TABLE versions ADD COLUMN reason TEXT",
    "ALTER TABLE versions ADD COLUMN hash BLOB",
    "CREATE INDEX versions_by_hash ON versions (user_id, hash) WHERE hash IS NOT NULL",
    # day: proleptic ordinal of a local date on which the user was there; seq: change number it was noted with
    """
    CREATE TABLE active_days (
        user_id TEXT NOT NULL,
        day INTEGER NOT NULL,
        seq INTEGER NOT NULL,
        PRIMARY KEY (user_id, day)
    ) WITHOUT ROWID
    """,
    # kind: boost or use; amount: what was applied
    """
    CREATE TABLE boosts (
        user_id TEXT NOT NULL,
        memory_id TEXT NOT NULL,
        at REAL NOT NULL,
        kind TEXT NOT NULL,
        amount REAL NOT NULL,
        reason TEXT
    )
    """,
    "CREATE INDEX boosts_by_memory ON boosts (user_id, memory_id, at)",
    # kind: promotion, decay or feedback; decay_from: the crossing a decay review is about; pass_id: which
    # queued it; state: pending or decided; finding, note: what feedback said, wrong or outdated, and why
    """
    CREATE TABLE reviews (
        id TEXT NOT NULL,
        user_id TEXT NOT NULL,
        memory_id TEXT NOT NULL,
        kind TEXT NOT NULL,
        state TEXT NOT NULL,
        importance REAL NOT NULL,
        decay_from REAL NOT NULL,
        pass_id TEXT,
        created_at REAL NOT NULL,
        finding TEXT,
        note TEXT,
        verdict TEXT,
        operator TEXT,
        reason TEXT,
        decided_at REAL,
        PRIMARY KEY (user_id, id)
    ) WITHOUT ROWID
    """,
    "CREATE INDEX reviews_by_memory ON reviews (user_id, memory_id, kind)",
    "CREATE INDEX reviews_by_state ON reviews (user_id, state, created_at, id)",
    # a pass of decay over a user's memories, told for each agent whose memories it touched and always for the
    # common ones; undone_at: NULL unless it was undone
    """
    CREATE TABLE passes (
        id TEXT NOT NULL,
        user_id TEXT NOT NULL,
        agent_id TEXT,
        at REAL NOT NULL,
        operator TEXT NOT NULL,
        archived INTEGER NOT NULL,
        reviews INTEGER NOT NULL,
        undone_at REAL
    )
    """,
    "CREATE UNIQUE INDEX passes_by_id ON passes (user_id, id, agent_id)",
    "CREATE INDEX passes_by_time ON passes (user_id, at)",
    # what was deleted and shall not be extracted again: kind memory or triple; hash: salted
    """
    CREATE TABLE tombstones (
        user_id TEXT NOT NULL,
        kind TEXT NOT NULL,
        hash BLOB NOT NULL,
        at REAL NOT NULL,
        PRIMARY KEY (user_id, kind, hash)
    ) WITHOUT ROWID
    """,
    # hashes: salted, of the texts' normal forms, NULL of knowledge points, which never change; state: open,
    # resolved or dismissed; source: found, feedback, merge, or user when both were kept before anything was
    # found, and type, severity and detail are NULL
    """
    CREATE TABLE conflicts (
        id TEXT NOT NULL,
        user_id TEXT NOT NULL,
        first_id TEXT NOT NULL,
        first_version INTEGER NOT NULL,
        first_hash BLOB,
        second_id TEXT NOT NULL,
        second_version INTEGER NOT NULL,
        second_hash BLOB,
        type TEXT,
        severity TEXT,
        detail TEXT,
        state TEXT NOT NULL,
        source TEXT NOT NULL,
        created_at REAL NOT NULL,
        decided_at REAL,
        reason TEXT,
        PRIMARY KEY (user_id, id)
    ) WITHOUT ROWID
    """,
    "CREATE UNIQUE INDEX conflicts_by_pair ON conflicts "
    "(user_id, first_id, first_version, second_id, second_version)",
    "CREATE INDEX conflicts_by_second ON conflicts (user_id, second_id)",
    # one a user and content; agent_id: always NULL, all agents share them; type, score, metadata, version_id:
    # as the newest version that counts says; is_current: whether one does
    """
    CREATE TABLE points (
        row INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL,
        user_id TEXT NOT NULL,
        agent_id TEXT,
        hash BLOB NOT NULL,
        text TEXT NOT NULL,
        type TEXT NOT NULL,
        score INTEGER NOT NULL,
        metadata TEXT NOT NULL,
        version_id TEXT NOT NULL,
        is_current INTEGER NOT NULL,
        created_at REAL NOT NULL,
        seq INTEGER NOT NULL,
        text_seq INTEGER NOT NULL
    )
    """,
    "CREATE UNIQUE INDEX points_by_id ON points (user_id, id)",
    "CREATE UNIQUE INDEX points_by_hash ON points (user_id, hash)",
    "CREATE INDEX points_current ON points (user_id, score) WHERE is_current",
    f"INSERT INTO sqlite_sequence VALUES ('points', {_FIRST_POINT})",
    # weights: of its points the rows, little-endian int64, then the scores, uint8: what sampling reads;
    # in_files: whether it is kept in files, and goes when they go
    """
    CREATE TABLE snapshots (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        user_id TEXT NOT NULL,
        version_id TEXT NOT NULL,
        kind TEXT NOT NULL,
        parents TEXT NOT NULL,
        created_at REAL NOT NULL,
        points INTEGER NOT NULL,
        weights BLOB NOT NULL,
        in_files INTEGER NOT NULL,
        UNIQUE (user_id, version_id)
    )
    """,
    """
    CREATE TABLE snapshot_points (
        snapshot INTEGER NOT NULL,
        position INTEGER NOT NULL,
        point INTEGER NOT NULL,
        type TEXT NOT NULL,
        score INTEGER NOT NULL,
        metadata TEXT NOT NULL,
        PRIMARY KEY (snapshot, position)
    ) WITHOUT ROWID
    """,
    "CREATE INDEX snapshot_points_by_point ON snapshot_points (point)",
    # sets of points that users have published, and to whom they are granted; state: granted, or revoked, then
    # with a salted hash of the subscriber
    """
    CREATE TABLE shared_sets (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        owner TEXT NOT NULL,
        name TEXT NOT NULL,
        created_at REAL NOT NULL,
        UNIQUE (owner, name)
    )
    """,
    """
    CREATE TABLE shared_points (
        number INTEGER NOT NULL,
        point INTEGER NOT NULL,
        PRIMARY KEY (number, point)
    ) WITHOUT ROWID
    """,
    "CREATE INDEX shared_points_by_point ON shared_points (point)",
    """
    CREATE TABLE grants (
        subscriber TEXT NOT NULL,
        number INTEGER NOT NULL,
        state TEXT NOT NULL,
        at REAL NOT NULL,
        PRIMARY KEY (subscriber, number)
    ) WITHOUT ROWID
    """,
    "CREATE INDEX grants_by_set ON grants (number)",
    # key: what spellings of the name have in common; degree: of how many triples it is an end; alias_of: of
    # which entity this is another name; root: the entity at the end of that chain, itself for most
    """
    CREATE TABLE entities (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        user_id TEXT NOT NULL,
        key TEXT NOT NULL,
        name TEXT NOT NULL,
        degree INTEGER NOT NULL,
        alias_of INTEGER,
        root INTEGER NOT NULL
    )
    """,
    "CREATE UNIQUE INDEX entities_by_key ON entities (user_id, key)",
    "CREATE INDEX entities_by_root ON entities (root) WHERE alias_of IS NOT NULL",
    # identity: salted hash of what is stated
    """
    CREATE TABLE triples (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL,
        user_id TEXT NOT NULL,
        subject INTEGER NOT NULL,
        predicate TEXT NOT NULL,
        object INTEGER NOT NULL,
        negation INTEGER NOT NULL,
        frequency TEXT,
        condition TEXT,
        identity BLOB NOT NULL,
        created_at REAL NOT NULL
    )
    """,
    "CREATE UNIQUE INDEX triples_by_id ON triples (user_id, id)",
    "CREATE UNIQUE INDEX triples_by_identity ON triples (user_id, identity)",
    # with the triple's number behind: the newest of a hub, without sorting them all
    "CREATE INDEX triples_by_subject ON triples (subject)",
    "CREATE INDEX triples_by_object ON triples (object)",
    "CREATE INDEX triples_by_subject_predicate ON triples (subject, predicate)",
    "CREATE INDEX triples_by_object_predicate ON triples (object, predicate)",
    # row: of the memory or turn that says so, 0 for a caller's own word; agent_id: '' for none
    """
    CREATE TABLE evidence (
        user_id TEXT NOT NULL,
        triple INTEGER NOT NULL,
        row INTEGER NOT NULL,
        agent_id TEXT NOT NULL,
        version INTEGER,
        PRIMARY KEY (triple, row, agent_id)
    ) WITHOUT ROWID
    """,
    "CREATE INDEX evidence_by_row ON evidence (user_id, row)",
    # memories up to this row are still to be read for triples
    "INSERT INTO properties SELECT 'triples_unread', max(row) FROM memories HAVING max(row) IS NOT NULL",
)


def apply(connection: sqlite3.Connection) -> None:
    """Add the tables of a memory's life."""
    for statement in _STATEMENTS:
        connection.execute(statement)
