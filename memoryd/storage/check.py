"""Looking into a database that may be damaged, and salvaging what is readable."""

from __future__ import annotations

import logging
import sqlite3
import time
from contextlib import closing
from pathlib import Path

from memory_client.errors import DatabaseCorruptError, MemorydError
from memory_client.types import Finding
from memoryd.storage.faults import storage_errors
from memoryd.storage.migrations import SCHEMA, migrate, schema_of

log = logging.getLogger(__name__)

_TRUTH = ("properties", "memories", "versions", "requests", "jobs", "spaces", "probes")


def check_database(path: Path) -> list[Finding]:
    """What SQLite itself says of the file; nothing is changed. The process must own the directory."""
    if not path.exists():
        return [Finding(check="database", ok=True, detail=f"{path} does not exist yet", fix=None)]
    try:
        problems = _problems(path)
    except MemorydError as error:
        problems = [error.message]
    detail = "; ".join(problems[:5]) or f"{path}: sound"
    fix = "memoryd stop && memoryd doctor --repair" if problems else None
    return [Finding(check="database", ok=not problems, detail=detail, fix=fix)]


def _problems(path: Path) -> list[str]:
    uri = f"{path.absolute().as_uri()}?mode=ro"
    with storage_errors(path), closing(sqlite3.connect(uri, uri=True)) as connection:
        found = [str(row[0]) for row in connection.execute("PRAGMA quick_check(20)")]
        if schema_of(connection) > SCHEMA:
            found.append(f"schema {schema_of(connection)} is newer than this memoryd ({SCHEMA})")
    return [line for line in found if line != "ok"]


def salvage(path: Path, backups: Path) -> Path:
    """Copy every readable row into a fresh database at `path`; the damaged file moves to `backups`.

    Returns where the damaged file is now. Derived indexes are left to be rebuilt.
    Raises `DatabaseCorruptError` when not even one table can be read.
    """
    fresh = path.with_name(path.name + ".salvage")
    fresh.unlink(missing_ok=True)
    migrate(fresh, backups)
    copied = _copy_tables(path, fresh)
    if not any(copied.values()):
        fresh.unlink()
        raise DatabaseCorruptError(
            f"{path}: nothing readable was found; it was left as it is. Restore a file of {backups}",
            path=str(path),
        )
    log.warning("salvaged from %s: %s", path, copied)
    damaged = backups / f"damaged-{time.strftime('%Y%m%d%H%M%S', time.gmtime())}.sqlite3"
    for suffix in ("", "-wal", "-shm"):
        part = path.with_name(path.name + suffix)
        if part.exists():
            part.replace(damaged.with_name(damaged.name + suffix))
    fresh.replace(path)
    return damaged


def _copy_tables(source: Path, target: Path) -> dict[str, int]:
    with closing(sqlite3.connect(source)) as old, closing(sqlite3.connect(target)) as new:
        copied = {table: _copy_table(old, new, table) for table in _TRUTH}
        new.execute("UPDATE counters SET value = (SELECT coalesce(max(seq), 0) FROM memories)")
        new.commit()
        new.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return copied


def _copy_table(old: sqlite3.Connection, new: sqlite3.Connection, table: str) -> int:
    """Row by row, forwards and then backwards from the damage."""
    copied = 0
    for direction in ("ASC", "DESC"):
        try:
            for row in old.execute(f"SELECT * FROM {table} ORDER BY 1 {direction}"):
                marks = ", ".join("?" * len(row))
                copied += new.execute(f"INSERT OR REPLACE INTO {table} VALUES ({marks})", row).rowcount
        except sqlite3.DatabaseError as error:
            log.warning("table %s: reading stopped: %s", table, error)
            continue
        return copied
    return copied
