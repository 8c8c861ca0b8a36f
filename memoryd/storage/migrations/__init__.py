"""Ordered schema steps. A database is never written by an older memoryd than the one that made it."""

from __future__ import annotations

import logging
import sqlite3
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from memory_client.errors import SchemaVersionError
from memoryd.storage.database import connect
from memoryd.storage.faults import storage_errors
from memoryd.storage.migrations import v0001, v0002, v0003, v0004, v0005, v0006

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
)
SCHEMA = STEPS[-1].version


def migrate(path: Path, backups: Path, steps: Sequence[Step] = STEPS) -> list[Path]:
    """Bring the database up to the newest step; return the backups made, one before each step of
    a database that is not new.

    Raises `SchemaVersionError` for a newer database, `DatabaseCorruptError`, `DiskFullError`.
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
        return [
            backup
            for step in steps
            if step.version > current
            for backup in _take(connection, step, backups if current else None)
        ]


def schema_of(connection: sqlite3.Connection) -> int:
    """The schema version of an open database, 0 for an empty one."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _take(connection: sqlite3.Connection, step: Step, backups: Path | None) -> list[Path]:
    before = schema_of(connection)
    made = [] if backups is None else [_backup(connection, backups, before)]
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
    return made


def _backup(connection: sqlite3.Connection, backups: Path, version: int) -> Path:
    stamp = time.strftime("%Y%m%d%H%M%S", time.gmtime())
    target = backups / f"schema-{version}-{stamp}.sqlite3"
    _make_private(target)
    with closing(sqlite3.connect(target)) as copy:
        connection.backup(copy)
    return target


def _make_private(path: Path) -> None:
    """An empty file only we may read, as SQLite's other files beside it will be."""
    if not path.exists():
        path.touch(mode=0o600)
