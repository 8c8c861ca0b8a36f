"""Checks of a database that may be damaged, and the form of every check's result."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from memory_client.errors import MemorydError
from memory_client.types import CheckResult
from memoryd.storage.connection import Connection
from memoryd.storage.faults import storage_errors
from memoryd.storage.migrations import SCHEMA, schema_of

REPAIR = "memoryd doctor --repair"
_SHOWN = 5


def check_result(check: str, problems: Sequence[str], sound: str, fix: str | None) -> CheckResult:
    """The result of a check. sound: the detail if there are no problems; fix: what to do if there are."""
    detail = "; ".join(problems[:_SHOWN]) if problems else sound
    return CheckResult(check=check, ok=not problems, detail=detail, fix=fix if problems else None)


def check_database(path: Path) -> CheckResult:
    """SQLite's own check of a database that no process serves; changes nothing."""
    if not path.exists():
        return check_result("database", [], f"{path} does not exist yet", None)
    try:
        with storage_errors(path), closing(connect_read_only(path)) as connection:
            problems = quick_check(connection)
            if schema_of(connection) > SCHEMA:
                problems.append(f"schema {schema_of(connection)} is newer than this memoryd ({SCHEMA})")
    except MemorydError as error:
        problems = [error.message]
    return check_result("database", problems, f"{path}: sound", f"memoryd stop && {REPAIR}")


def quick_check(connection: Connection | sqlite3.Connection) -> list[str]:
    """The problems that SQLite finds, at most 20."""
    lines = [str(row[0]) for row in connection.execute("PRAGMA quick_check(20)")]
    return [line for line in lines if line != "ok"]


def connect_read_only(path: Path) -> sqlite3.Connection:
    """A connection that changes nothing, not even by folding the WAL into the file at its end."""
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
