"""Schema 7: the names of the first release, in columns and in the snapshots of versions."""

from __future__ import annotations

import json
import sqlite3

_COLUMNS = (
    ("memories", "notices", "warnings"),
    ("memories", "gate", "redactions"),
    ("memories", "keeps", "keep_count"),
    ("turns", "notices", "warnings"),
    ("turns", "gate", "redactions"),
    ("passes", "archived", "archived_count"),
    ("passes", "reviews", "review_count"),
    ("snapshots", "points", "point_count"),
)
_SNAPSHOT_KEYS = {"notices": "warnings", "gate": "redactions", "keeps": "keep_count"}


def apply(connection: sqlite3.Connection) -> None:
    """Rename what is stored. Replies to earlier requests are dropped: their keys are those of old clients."""
    for table, old, new in _COLUMNS:
        connection.execute(f"ALTER TABLE {table} RENAME COLUMN {old} TO {new}")
    connection.create_function("renamed", 1, _renamed, deterministic=True)
    connection.execute("UPDATE versions SET snapshot = renamed(snapshot) WHERE snapshot IS NOT NULL")
    connection.execute("DELETE FROM requests")


def _renamed(snapshot: str) -> str:
    fields = {_SNAPSHOT_KEYS.get(name, name): value for name, value in json.loads(snapshot).items()}
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))
