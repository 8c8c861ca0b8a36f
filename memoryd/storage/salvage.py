"""Copying what is readable of a damaged database into a new one. The damaged file is kept."""

from __future__ import annotations

import logging
import os
import shutil
import sqlite3
import time
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

from memory_client.errors import DatabaseCorruptError
from memoryd.core.row_ranges import TextKind, rows_of_kind
from memoryd.storage.check import connect_read_only
from memoryd.storage.faults import storage_errors
from memoryd.storage.migrations import SCHEMA, STEPS, migrate, schema_of
from memoryd.storage.migrations.v0002 import add_token_tables

log = logging.getLogger(__name__)

NOT_COPIED = frozenset(
    (
        "counters",
        "properties",
        "sqlite_sequence",
        "outbox",
        "keyword_partitions",
        "abandoned_partitions",
        "text_terms",
    )
)
"""Every other table of the schema is copied row by row. The first three are set from what was copied; the
rest, like the keyword index and the token vectors of each space, is derived: rebuilt at the next start."""
_FORMER = frozenset(("users", "partitions"))
"""Keyword partitions of schemas 1 to 5; they are not copied either."""
_SEQ_GAP = 1_000_000
"""The change numbers given to what was deleted, or cannot be read, must not be given again: the vector store
may know them."""

_ALL_SEQS = (
    "SELECT max(seq) AS seq FROM memories UNION ALL SELECT max(seq) FROM turns "
    "UNION ALL SELECT max(seq) FROM points UNION ALL SELECT max(seq) FROM active_days"
)
# What is about a lost memory could not be reached, nor deleted.
_OF_MEMORY = "(SELECT 1 FROM memories m WHERE m.user_id = {0}.user_id AND m.id = {0}.memory_id)"
_OF_SIDE = (
    "(SELECT 1 FROM memories m WHERE m.user_id = conflicts.user_id AND m.id = conflicts.{0}_id "
    "UNION ALL SELECT 1 FROM points p WHERE p.user_id = conflicts.user_id AND p.id = conflicts.{0}_id)"
)
_LOST_MEMORIES = (
    f"DELETE FROM boosts WHERE NOT EXISTS {_OF_MEMORY.format('boosts')}",
    f"DELETE FROM reviews WHERE NOT EXISTS {_OF_MEMORY.format('reviews')}",
    f"DELETE FROM conflicts WHERE NOT EXISTS {_OF_SIDE.format('first')} "
    f"OR NOT EXISTS {_OF_SIDE.format('second')}",
)
# A triple needs evidence and both its ends; entities count their triples.
_LOST_ENDS = (
    """
    DELETE FROM evidence WHERE row != 0 AND row NOT IN (SELECT row FROM memories)
    AND row NOT IN (SELECT row FROM turns)
    """,
    """
    DELETE FROM triples WHERE number NOT IN (SELECT triple FROM evidence)
    OR subject NOT IN (SELECT number FROM entities) OR object NOT IN (SELECT number FROM entities)
    """,
    "DELETE FROM evidence WHERE triple NOT IN (SELECT number FROM triples)",
    """
    UPDATE entities SET degree = (SELECT count(*) FROM triples WHERE subject = entities.number)
    + (SELECT count(*) FROM triples WHERE object = entities.number)
    """,
    "UPDATE entities SET alias_of = NULL, root = number WHERE root NOT IN (SELECT number FROM entities)",
    "UPDATE entities SET alias_of = root WHERE alias_of NOT IN (SELECT number FROM entities)",
    "DELETE FROM entities WHERE degree = 0 AND alias_of IS NULL "
    "AND number NOT IN (SELECT root FROM entities WHERE alias_of IS NOT NULL)",
)
# Numbers of lost versions and sets may be given again: nothing may refer to them.
_LOST_KNOWLEDGE = (
    "DELETE FROM snapshot_points WHERE snapshot NOT IN (SELECT number FROM snapshots) "
    "OR point NOT IN (SELECT row FROM points)",
    """
    UPDATE snapshots SET point_count = (SELECT count(*) FROM snapshot_points WHERE snapshot = number)
    """,
    "DELETE FROM shared_points WHERE number NOT IN (SELECT number FROM shared_sets) "
    "OR point NOT IN (SELECT row FROM points)",
    "DELETE FROM grants WHERE number NOT IN (SELECT number FROM shared_sets)",
)
# A number of a session whose row is lost must not be given again, nor a position.
_LOST_SESSIONS = (
    """
    INSERT OR IGNORE INTO sessions
    SELECT session, user_id, coalesce(agent_id, ''), session_id, min(received_at), max(received_at), NULL, 0
    FROM turns WHERE session NOT IN (SELECT number FROM sessions) GROUP BY session
    """,
    """
    UPDATE sessions SET turns = max(
        turns, coalesce((SELECT max(position) + 1 FROM turns WHERE session = number), 0)
    )
    """,
)

Row = sqlite3.Row


def salvage(path: Path, backups: Path) -> Path:
    """Copy every readable row into a fresh database at `path`; the damaged file goes to `backups`.

    Returns where the damaged file is now. Derived indexes, token vectors too, are left to be rebuilt.
    Raises `DatabaseCorruptError` when not even one row can be read, `DiskFullError`; then nothing changed.
    """
    fresh = path.with_name(path.name + ".salvage")
    fresh.unlink(missing_ok=True)
    try:
        copied = _copy(path, fresh)
        if not any(copied.values()):
            raise DatabaseCorruptError(
                f"{path}: nothing readable was found; it was not changed. Restore a file of {backups}",
                path=str(path),
            )
        log.warning("salvaged from %s: %s", path, copied)
        damaged = _keep(path, backups)
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)
    return damaged


def _copy(path: Path, fresh: Path) -> dict[str, int]:
    with storage_errors(fresh), closing(connect_read_only(path)) as old:
        migrate(fresh, None, STEPS[: _schema_of(old)])  # whose columns the rows have
        with closing(sqlite3.connect(fresh)) as new:
            copied = {table: _copy_rows(_rows(old, new, table), new, table) for table in copied_tables(new)}
            _copy_rows(_until_damage(old, "SELECT * FROM properties"), new, "properties")
            _copy_highest(old, new)
            new.commit()
    migrate(fresh, None)
    _complete(fresh)
    return copied


def _schema_of(old: sqlite3.Connection) -> int:
    """The schema of a damaged database; today's when its first page cannot be read."""
    try:
        return schema_of(old)
    except sqlite3.DatabaseError as error:
        log.debug("the schema cannot be read: %s", error)
        return SCHEMA


def _complete(fresh: Path) -> None:
    """Delete what refers to lost rows, and set what is counted."""
    with storage_errors(fresh), closing(sqlite3.connect(fresh)) as new:
        for statement in (*_LOST_SESSIONS, *_LOST_ENDS, *_LOST_KNOWLEDGE, *_LOST_MEMORIES):
            new.execute(statement)
        add_token_tables(new)
        newest = f"SELECT coalesce(max(seq), 0) FROM ({_ALL_SEQS})"
        new.execute(f"UPDATE counters SET value = ? + ({newest})", (_SEQ_GAP,))
        new.commit()
        new.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def copied_tables(fresh: sqlite3.Connection) -> list[str]:
    """The tables of a new database that a salvage fills, in the order they were made."""
    found = fresh.execute(
        "SELECT name, sql FROM sqlite_master WHERE type = 'table' ORDER BY rowid"
    ).fetchall()
    virtual = [name for name, sql in found if sql and sql.upper().startswith("CREATE VIRTUAL")]
    of_virtual = (*virtual, *(f"{name}_" for name in virtual))
    return [name for name, _ in found if name not in NOT_COPIED | _FORMER and not name.startswith(of_virtual)]


def _copy_highest(old: sqlite3.Connection, new: sqlite3.Connection) -> None:
    """Take over the highest number ever given in each table: what is derived may still name a row by it."""
    for name, highest in _until_damage(old, "SELECT name, seq FROM sqlite_sequence"):
        if name not in NOT_COPIED | _FORMER:
            raised = new.execute(
                "UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?", (highest, name)
            )
            if not raised.rowcount:
                new.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", (name, highest))


def _keep(path: Path, backups: Path) -> Path:
    """Put the damaged file aside. It stays at its place too until the new one takes it at a stroke; its WAL
    must be gone by then: SQLite would play it into the new one."""
    damaged = backups / f"damaged-{time.strftime('%Y%m%d%H%M%S', time.gmtime())}.sqlite3"
    try:
        os.link(path, damaged)
    except OSError:
        shutil.copy2(path, damaged)
    for suffix in ("-wal", "-shm"):
        part = path.with_name(path.name + suffix)
        if part.exists():
            part.replace(damaged.with_name(damaged.name + suffix))
    return damaged


def _copy_rows(rows: Iterable[Row], new: sqlite3.Connection, table: str) -> int:
    copied = 0
    for row in rows:
        names = row.keys()
        marks = ", ".join("?" * len(names))
        sql = f"INSERT OR REPLACE INTO {table} ({', '.join(names)}) VALUES ({marks})"
        copied += new.execute(sql, tuple(row)).rowcount
    return copied


def _rows(old: sqlite3.Connection, new: sqlite3.Connection, table: str) -> Iterator[Row]:
    """Every readable row, some twice: forwards to the first damage, backwards to the last, and what is
    between them by its key."""
    columns = "*" if _has_key(new, table) else "rowid, *"
    for direction in ("ASC", "DESC"):
        if (yield from _until_damage(old, f"SELECT {columns} FROM {table} ORDER BY 1 {direction}")):
            return
    if table == "memories":
        yield from _between(old, new, table, "memory")
    elif table == "turns":
        yield from _between(old, new, table, "turn")
    elif table == "points":
        yield from _between(old, new, table, "point")
    elif table == "versions":
        keys = new.execute("SELECT user_id, id FROM memories").fetchall()
        for key in keys:
            yield from _until_damage(old, "SELECT * FROM versions WHERE user_id = ? AND memory_id = ?", key)


def _has_key(connection: sqlite3.Connection, table: str) -> bool:
    """Whether a row that is copied twice is one row."""
    return any(column[5] for column in connection.execute(f"PRAGMA table_info({table})"))


def _between(old: sqlite3.Connection, new: sqlite3.Connection, table: str, kind: TextKind) -> Iterator[Row]:
    known = {row for (row,) in new.execute(f"SELECT row FROM {table}")}
    highest = "SELECT seq FROM sqlite_sequence WHERE name = ?"
    given = [int(row["seq"]) for row in _until_damage(old, highest, (table,))]
    for row in range(rows_of_kind(kind)[0] + 1, max([*known, *given], default=0) + 1):
        if row not in known:
            yield from _until_damage(old, f"SELECT * FROM {table} WHERE row = ?", (row,))


def _until_damage(
    old: sqlite3.Connection, sql: str, params: Sequence[object] = ()
) -> Generator[Row, None, bool]:
    """The rows of a query as far as they can be read; returns whether that was all."""
    cursor = old.cursor()
    cursor.row_factory = sqlite3.Row
    try:
        yield from cursor.execute(sql, params)
    except sqlite3.DatabaseError as error:
        log.debug("%s: reading stopped: %s", sql, error)
        return False
    return True
