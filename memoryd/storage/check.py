"""Looking into a database that may be damaged."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from memory_client.errors import MemorydError
from memory_client.types import CheckResult
from memoryd.storage.faults import storage_errors
from memoryd.storage.migrations import SCHEMA, schema_of


def check_database(path: Path) -> list[CheckResult]:
    """What SQLite itself says of the file; nothing is changed. The process must own the directory."""
    if not path.exists():
        return [CheckResult(check="database", ok=True, detail=f"{path} does not exist yet", fix=None)]
    try:
        problems = _problems(path)
    except MemorydError as error:
        problems = [error.message]
    detail = "; ".join(problems[:5]) or f"{path}: sound"
    fix = "memoryd stop && memoryd doctor --repair" if problems else None
    return [CheckResult(check="database", ok=not problems, detail=detail, fix=fix)]


def look_into(path: Path) -> sqlite3.Connection:
    """A connection that changes nothing, not even by folding the WAL into the file at its end."""
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)


def _problems(path: Path) -> list[str]:
    with storage_errors(path), closing(look_into(path)) as connection:
        found = [str(row[0]) for row in connection.execute("PRAGMA quick_check(20)")]
        if schema_of(connection) > SCHEMA:
            found.append(f"schema {schema_of(connection)} is newer than this memoryd ({SCHEMA})")
    return [line for line in found if line != "ok"]
