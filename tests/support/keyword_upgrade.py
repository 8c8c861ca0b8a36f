"""Stores of schema 5, which had one keyword table per user and kind, with more memories than the fixture."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from memoryd.index.keyword import forward_index
from memoryd.language.fold import FOLD_VERSION, index_terms
from support.schema_fixtures import fixture

FIXTURE = fixture(5)
USER = "小明"


def former_store(home: Path, texts: Sequence[str], user_id: str = USER) -> Path:
    """Create the database in a data directory and add texts for one of the fixture's users."""
    home.mkdir(mode=0o700, exist_ok=True)
    path = home / "memory.sqlite3"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(FIXTURE.read_text(encoding="utf-8"))
        (fold_version,) = connection.execute(
            "SELECT value FROM properties WHERE name = 'fold_version'"
        ).fetchone()
        assert fold_version == FOLD_VERSION
        for number, text in enumerate(texts):
            _add(connection, f"mem_former{number:016d}", text, user_id)
        connection.commit()
    return path


def _add(connection: sqlite3.Connection, id: str, text: str, user_id: str) -> None:
    """Copy a memory of that user, with another id and text."""
    columns = [row[1] for row in connection.execute("PRAGMA table_info(memories)") if row[1] != "row"]
    values = [{"id": "?", "text": "?"}.get(column, column) for column in columns]
    cursor = connection.execute(
        f"INSERT INTO memories ({', '.join(columns)}) SELECT {', '.join(values)} FROM memories "
        "WHERE user_id = ? AND agent_id IS NULL ORDER BY row LIMIT 1",
        (*(one for column in columns if (one := {"id": id, "text": text}.get(column))), user_id),
    )
    number, found = _partition(connection, user_id), index_terms(text)
    row = cursor.lastrowid
    connection.execute(f"INSERT INTO lexical_{number} (rowid, terms) VALUES (?, ?)", (row, " ".join(found)))
    connection.execute(
        "INSERT INTO text_terms VALUES (?, ?)", (row, forward_index.term_numbers(text).tobytes())
    )
    connection.execute(
        "UPDATE partitions SET documents = documents + 1, terms = terms + ? WHERE number = ?",
        (len(found), number),
    )


def _partition(connection: sqlite3.Connection, user_id: str) -> int:
    sql = "SELECT number FROM partitions WHERE user_id = ? AND kind = 'memory'"
    return int(connection.execute(sql, (user_id,)).fetchone()[0])


def is_filled(path: Path) -> bool:
    """Whether the shared table contains every text and the other tables are gone."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        unfilled = "SELECT 1 FROM keyword_partitions WHERE is_shared = 0 OR state = 'filling'"
        own = "SELECT 1 FROM sqlite_master WHERE name GLOB 'lexical_*'"
        return not connection.execute(f"{unfilled} UNION ALL {own}").fetchall()
