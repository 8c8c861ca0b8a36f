"""Ordered schema steps. A database is never written by an older memoryd than the one that made it."""

from __future__ import annotations

import logging
import os
import sqlite3
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from memory_client.errors import SchemaVersionError
from memoryd.storage.connection import connect
from memoryd.storage.faults import file_errors, storage_errors
from memoryd.storage.migrations import v0001, v0002, v0003, v0004, v0005, v0006, v0007

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Step:
    """One step: `apply` runs inside a transaction and leaves schema `version`."""

    version: int
    apply: Callable[[sqlite3.Connection], None]


STEPS: tuple[Step, ...] = (
    Step(1, v0001.apply),
    Step(2, v0002.apply),
    Step(3, v0003.apply),
    Step(4, v0004.apply),
    Step(5, v0005.apply),
    Step(6, v0006.apply),
    Step(7, v0007.apply),
)
SCHEMA = STEPS[-1].version
_UNFINISHED = ".partial"


def migrate(path: Path, backups: Path | None, steps: Sequence[Step] = STEPS) -> Path | None:
    """Bring the database up to the newest step; return the backup made before the first one.

    It is named after the schema it holds. None if there was nothing to do, the database is new or `backups`
    is None. Raises `SchemaVersionError` for a newer database, `DatabaseCorruptError`, `DiskFullError`.
    """
    _make_private(path)
    with storage_errors(path), closing(connect(path)) as connection:
        current = schema_of(connection)
        newest = steps[-1].version
        if current > newest:
            raise SchemaVersionError(
                f"{path} has schema {current}, this memoryd knows up to {newest}; "
                f"install the newer memoryd again, the file was not touched",
                found=current,
                supported=newest,
            )
        backup = _backup(connection, backups, current) if backups and 0 < current < newest else None
        for step in steps:
            if step.version > current:
                _take(connection, step)
        return backup


def schema_of(connection: sqlite3.Connection) -> int:
    """The schema version of an open database, 0 for an empty one."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _take(connection: sqlite3.Connection, step: Step) -> None:
    before = schema_of(connection)
    connection.execute("BEGIN IMMEDIATE")
    try:
        step.apply(connection)
        connection.execute(f"PRAGMA user_version = {step.version}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    log.info("schema %d -> %d", before, step.version)


def _backup(connection: sqlite3.Connection, backups: Path, version: int) -> Path:
    """Copy the database. The copy has its name only once it is complete and durable.

    Raises `StorageError` and its kind.
    """
    for unfinished in backups.glob(f"schema-*{_UNFINISHED}"):  # of a process that was killed
        unfinished.unlink()
    stamp = time.strftime("%Y%m%d%H%M%S", time.gmtime())
    target = backups / f"schema-{version}-{stamp}.sqlite3"
    partial = target.with_name(target.name + _UNFINISHED)
    _make_private(partial)
    try:
        with closing(sqlite3.connect(partial)) as copy:
            copy.execute("PRAGMA journal_mode = OFF")  # a copy that fails is deleted
            copy.execute("PRAGMA synchronous = OFF")
            connection.backup(copy)
        with file_errors(partial), partial.open("r+b") as content:
            os.fsync(content.fileno())
    except BaseException:
        partial.unlink()
        raise
    return partial.replace(target)


def _make_private(path: Path) -> None:
    """An empty file only we may read, as SQLite's other files beside it will be."""
    if not path.exists():
        path.touch(mode=0o600)
