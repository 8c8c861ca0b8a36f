"""The tables of the database by their content. A table in no list or in two lists fails a test."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

OF_USERS = {
    "memories",
    "versions",
    "boosts",
    "reviews",
    "passes",
    "active_days",
    "tombstones",
    "deletions",
    "conflicts",
    "sessions",
    "turns",
    "points",
    "snapshots",
    "snapshot_points",
    "shared_sets",
    "shared_points",
    "grants",
    "entities",
    "triples",
    "evidence",
    "requests",
}
"""What users have stored: a salvage copies it, `delete_all` leaves none of it."""
OWNERS = ("user_id", "owner", "subscriber")
"""The columns that name whose a row is."""
BY_NUMBER = {"snapshot_points": "snapshots", "shared_points": "shared_sets"}
"""Tables of users without a user of their own: found only through a row of another table."""
DERIVED = {
    "outbox",
    "keyword_partitions",
    "abandoned_partitions",
    "keywords",
    "keywords_*",
    "text_terms",
    "tokens_*",
}
"""Made of what users have stored: not salvaged, rebuilt; `delete_all` leaves none of it."""
OF_STORE = {"jobs", "spaces", "probes"}
"""About the store, nothing of any user: salvaged, left by `delete_all`."""
SET_APART = {"counters", "properties", "sqlite_sequence"}
"""About the store as well; a salvage sets them from what it has copied."""
LISTS = (OF_USERS, DERIVED, OF_STORE, SET_APART)


def patterned(name: str) -> str:
    """The name in the lists of a table that exists once per embedding space, or belongs to a virtual one."""
    for prefix in ("keywords_", "tokens_"):
        if name.startswith(prefix):
            return f"{prefix}*"
    return name


def columns(connection: sqlite3.Connection, table: str) -> list[str]:
    """The columns of a table."""
    return [row[1] for row in connection.execute(f'PRAGMA table_info("{table}")')]


def tables(path: Path) -> list[str]:
    """The tables of a database."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
        return [name for (name,) in found]


def contents(
    path: Path, names: Iterable[str], user: str | None = None
) -> dict[str, list[tuple[object, ...]]]:
    """The rows of some tables, sorted; of one user's where a table names users."""
    found: dict[str, list[tuple[object, ...]]] = {}
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        for name in sorted(names):
            owner = next((one for one in columns(connection, name) if one in OWNERS), None)
            where = f" WHERE {owner} = ?" if owner and user is not None else ""
            params = (user,) if where else ()
            found[name] = sorted(connection.execute(f'SELECT * FROM "{name}"{where}', params), key=repr)
    return found
