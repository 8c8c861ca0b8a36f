"""Schema 5: language, degree and words of the evidence of triples; memories are read again for them."""

from __future__ import annotations

import sqlite3

_STATEMENTS = (
    # language: zh or en; degree: how strongly it is said; words: of the memory or the caller, as they stand;
    # all NULL until the memory is read again, and for what callers said before
    "ALTER TABLE evidence ADD COLUMN language TEXT",
    "ALTER TABLE evidence ADD COLUMN degree TEXT",
    "ALTER TABLE evidence ADD COLUMN words TEXT",
    # memories up to this row are still to be read for triples
    "DELETE FROM properties WHERE name = 'triples_unread'",
    "INSERT INTO properties SELECT 'triples_unread', max(row) FROM memories HAVING max(row) IS NOT NULL",
)


def apply(connection: sqlite3.Connection) -> None:
    """Add the columns and queue the memories."""
    for statement in _STATEMENTS:
        connection.execute(statement)
