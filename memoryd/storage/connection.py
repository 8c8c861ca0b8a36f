"""Connections to the SQLite database, all set up alike, whose transactions end when they are ended."""

from __future__ import annotations

import sqlite3
import weakref
from pathlib import Path
from typing import Any

_WRITER_CACHE_KB, _READER_CACHE_KB = 16_000, 2_000
"""Pages that a connection keeps. There are many readers, and the system caches the file for all of them."""


class Connection(sqlite3.Connection):
    """A connection that knows its open cursors.

    ROLLBACK leaves a SELECT that was not read to its end running, and with it the old view of the database:
    the next transaction of the connection would read stale rows. A cursor outlives its function when the
    traceback of an error holds it.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._cursors: set[weakref.ref[sqlite3.Cursor]] = set()

    def cursor(self, factory: Any = sqlite3.Cursor) -> Any:
        """A new cursor."""
        return self._track(super().cursor(factory))

    def execute(self, sql: str, params: Any = (), /) -> sqlite3.Cursor:
        """Run one statement. The base class makes its cursor without `cursor`."""
        return self._track(super().execute(sql, params))

    def end(self) -> None:
        """Close every cursor, and roll back what is not committed."""
        for reference in tuple(self._cursors):
            if (cursor := reference()) is not None:
                cursor.close()
        self._cursors.clear()
        if self.in_transaction:
            self.execute("ROLLBACK")

    def _track(self, cursor: sqlite3.Cursor) -> sqlite3.Cursor:
        self._cursors.add(weakref.ref(cursor, self._cursors.discard))
        return cursor


def connect(path: Path, *, read_only: bool = False) -> Connection:
    """A connection with our settings. Close it after use."""
    connection = sqlite3.connect(
        path, isolation_level=None, check_same_thread=False, timeout=10.0, factory=Connection
    )
    connection.row_factory = sqlite3.Row
    try:
        _set_up(connection, read_only)
    except BaseException:
        connection.close()
        raise
    return connection


def shrink(connection: sqlite3.Connection) -> None:
    """Give back the pages that a connection keeps."""
    connection.execute("PRAGMA shrink_memory")


def _set_up(connection: sqlite3.Connection, read_only: bool) -> None:
    for pragma in (
        "journal_mode=WAL",
        "synchronous=FULL",
        "fullfsync=ON",
        "checkpoint_fullfsync=ON",
        "secure_delete=ON",
        "foreign_keys=ON",
        f"cache_size=-{_READER_CACHE_KB if read_only else _WRITER_CACHE_KB}",
        "temp_store=MEMORY",
    ):
        connection.execute(f"PRAGMA {pragma}")
    if read_only:
        connection.execute("PRAGMA query_only=ON")
