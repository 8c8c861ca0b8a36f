"""Leaving no byte of deleted rows in the database's files, in steps that hold the writer briefly."""

from __future__ import annotations

import os
import sqlite3
import time
from functools import partial

from memory_client.errors import StorageError
from memoryd.storage.database import Database
from memoryd.storage.faults import file_errors
from memoryd.storage.unused_bytes import wipe

_WAL_PATIENCE = 60.0
_WAL_POLL = 0.1
_BUSY_MILLISECONDS = 50
_SECONDS = 0.03
"""After so long a step ends: writes wait for it."""
_BUSY = -1


def wipe_unused_bytes(database: Database) -> None:
    """Overwrite the unused bytes of every page, and empty the WAL.

    Raises `StorageError` when a reader keeps the WAL for over a minute; `DiskFullError`.
    """
    until, position = time.monotonic() + _WAL_PATIENCE, 0
    with file_errors(database.path):
        while True:
            reached = database.maintain(partial(_wipe_some, database, position))
            if reached is None:
                break
            if reached != _BUSY:
                until, position = time.monotonic() + _WAL_PATIENCE, reached
                continue
            if time.monotonic() > until:
                raise StorageError(
                    f"{database.path}-wal still holds what was deleted: somebody has read it for over "
                    f"{_WAL_PATIENCE:g} s; it is removed later",
                    path=str(database.path),
                )
            time.sleep(_WAL_POLL)
        os.fsync(database.file.fileno())


def _wipe_some(database: Database, start: int, connection: sqlite3.Connection) -> int | None:
    """Neither the WAL nor the writer's page cache may hold an older copy of what is overwritten: it would be
    written back. Readers write nothing.
    """
    if not truncate_wal(connection):
        return _BUSY
    connection.execute("PRAGMA shrink_memory").fetchall()
    return wipe(database.file, start, _SECONDS)


def truncate_wal(connection: sqlite3.Connection) -> bool:
    """Whether nothing is left in it; readers are not waited for here, where every write would wait too."""
    (patience,) = connection.execute("PRAGMA busy_timeout").fetchone()
    connection.execute(f"PRAGMA busy_timeout = {_BUSY_MILLISECONDS}")
    try:
        return not connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
    finally:
        connection.execute(f"PRAGMA busy_timeout = {patience}")
