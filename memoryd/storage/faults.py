"""The errors of SQLite and of the file system become ours here and nowhere else."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memory_client.errors import DatabaseCorruptError, DiskFullError, StorageError

_CORRUPT = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_NOT_OURS = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM)
_LOCKED = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


@contextmanager
def storage_errors(path: Path) -> Iterator[None]:
    """Map `sqlite3.Error` of the block. Raises `DiskFullError`, `DatabaseCorruptError`, `StorageError`."""
    try:
        yield
    except sqlite3.Error as error:
        raise translate(error, path) from error


@contextmanager
def file_errors(path: Path) -> Iterator[None]:
    """Map `OSError` of the block. Raises `DiskFullError`, `StorageError`."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise DiskFullError(
                f"no space left for {path}: nothing was changed; free some space and try again",
                path=str(path),
            ) from error
        raise StorageError(f"{path}: {error.strerror or error}", path=str(path)) from error


def translate(error: sqlite3.Error, path: Path) -> StorageError:
    """The error a caller sees for one of SQLite's."""
    code = getattr(error, "sqlite_errorcode", 0)
    primary = code & 0xFF
    if primary == sqlite3.SQLITE_FULL:
        return DiskFullError(
            f"no space left for {path}: the write was rolled back, nothing stored before is lost; "
            f"free some space and try again",
            path=str(path),
        )
    if code == sqlite3.SQLITE_CORRUPT_VTAB:
        return StorageError(
            f"the keyword index in {path} is damaged ({error}); the memories are not: run "
            f"`memoryd reindex`, it makes the index again from them",
            path=str(path),
        )
    if primary in _CORRUPT:
        return DatabaseCorruptError(
            f"{path} is damaged ({error}); it was not changed. Stop the daemon, then run "
            f"`memoryd doctor --repair`: it salvages what is readable into a new file and keeps this one",
            path=str(path),
        )
    return StorageError(f"{path}: {error}{_fix(primary, path)}", path=str(path))


def _fix(code: int, path: Path) -> str:
    if code in _NOT_OURS:
        return f"; make {path} and its directory writable for you"
    if code in _LOCKED:
        return "; another program holds it: close whatever has opened the file itself"
    return ""
