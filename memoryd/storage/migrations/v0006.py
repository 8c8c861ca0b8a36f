"""Schema 6: one keyword table for all users, filled from the texts in the background."""

from __future__ import annotations

import sqlite3

_STATEMENTS = (
    # number: prefix of the terms in the shared table, never used again; state: serving, or filling until it
    # holds all texts; is_shared: 0 for one with a table of its own, lexical_<number>; filled_to, fill_end: a
    # filling one holds the rows up to the first and those above the second; documents, terms: its totals
    """
    CREATE TABLE keyword_partitions (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        user_id TEXT NOT NULL,
        kind TEXT NOT NULL,
        state TEXT NOT NULL,
        is_shared INTEGER NOT NULL,
        fold_version TEXT NOT NULL,
        filled_to INTEGER NOT NULL,
        fill_end INTEGER NOT NULL,
        documents INTEGER NOT NULL,
        terms INTEGER NOT NULL,
        UNIQUE (user_id, kind, state)
    )
    """,
    """
    INSERT INTO keyword_partitions
    SELECT number, user_id, kind, 'serving', 0,
    coalesce((SELECT value FROM properties WHERE name = 'fold_version'), ''), 0, 0, documents, terms
    FROM partitions
    """,
    # numbers of dropped partitions are not given again
    "DELETE FROM sqlite_sequence WHERE name = 'keyword_partitions'",
    "INSERT INTO sqlite_sequence SELECT 'keyword_partitions', seq FROM sqlite_sequence "
    "WHERE name = 'partitions'",
    "DROP TABLE partitions",
    "DELETE FROM properties WHERE name = 'fold_version'",
    # dropped partitions whose terms are not removed yet
    "CREATE TABLE abandoned_partitions (number INTEGER PRIMARY KEY)",
    # `ascii` takes every other character as part of a term, independent of its Unicode version
    "CREATE VIRTUAL TABLE keywords USING fts5 "
    "(terms, content='', detail=none, columnsize=0, tokenize=\"ascii tokenchars '''+#'\")",
    "CREATE VIRTUAL TABLE keywords_terms USING fts5vocab (keywords, 'row')",
    "CREATE VIRTUAL TABLE keywords_instances USING fts5vocab (keywords, 'instance')",
)


def apply(connection: sqlite3.Connection) -> None:
    """Create the shared table; partitions keep their own tables until it holds their texts."""
    for statement in _STATEMENTS:
        connection.execute(statement)
