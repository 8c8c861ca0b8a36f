"""The outbox: what the vector store does not know yet, one row a memory, in the memory's own transaction.

A `put` without a vector waits to be embedded; with one it waits for the vector store. A `remove` names no
user: nothing of a user is left behind by removing.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from typing import Any

from memoryd.core.passage import Passage
from memoryd.core.row_ranges import TextKind, rows_of_kind
from memoryd.index.vectors.rounding import Batch, decode, int64
from memoryd.storage.database import Transaction
from memoryd.storage.records.filters import Sql
from memoryd.storage.records.texts import EVERY_TEXT, TABLES, passages

REMOVE = "remove"
_ROWS_AT_ONCE = 500
LONG = 8192
"""Characters over which a text takes so long to embed that others should not wait for it."""
_ENTRIES = "SELECT row, user_id, operation, text_seq, vector FROM outbox"
"""The columns of an `Entry`, in its order."""
_WAITS = "o.operation = 'put' AND o.vector IS NULL"
_IS_LONG = f"(SELECT length(text) > {LONG} FROM {EVERY_TEXT} t WHERE t.row = o.row)"


@dataclass(frozen=True, slots=True)
class Entry:
    """A row that may go to the vector store. vector: little-endian float16, None for a removal."""

    row: int
    user_id: str
    operation: str
    text_seq: int
    vector: bytes | None


@dataclass(frozen=True, slots=True)
class Waiting:
    """A text that waits to be embedded."""

    row: int
    passage: Passage
    text_seq: int


def put(tx: Transaction, row: int, user_id: str, text_seq: int, vector: bytes | None) -> None:
    """Enter a memory with its vector, or None when it is yet to be embedded."""
    tx.execute("INSERT OR REPLACE INTO outbox VALUES (?, ?, 'put', ?, ?)", (row, user_id, text_seq, vector))


def remove(tx: Transaction, rows: Iterable[int]) -> None:
    """Enter removals."""
    tx.executemany(
        "INSERT OR REPLACE INTO outbox VALUES (?, '', 'remove', ?, NULL)", ((row, tx.seq) for row in rows)
    )


def fill(tx: Transaction, row: int, text_seq: int, vector: bytes) -> bool:
    """Give a waiting memory its vector; False when it no longer waits for one of this text."""
    cursor = tx.execute(
        f"UPDATE outbox AS o SET vector = ? WHERE row = ? AND text_seq = ? AND {_WAITS}",
        (vector, row, text_seq),
    )
    return cursor.rowcount == 1


def requeue_all(tx: Transaction) -> int:
    """Let every text wait to be embedded; return how many."""
    clear_puts(tx)
    cursor = tx.execute(
        f"INSERT INTO outbox SELECT row, user_id, 'put', text_seq, NULL FROM {EVERY_TEXT} WHERE true"
    )
    return cursor.rowcount


def requeue(tx: Transaction, keys: Iterable[tuple[int, int]]) -> None:
    """Let texts wait to be embedded again, by row and text_seq; those that have changed are left alone."""
    tx.executemany(
        "INSERT INTO outbox (row, user_id, operation, text_seq, vector) "
        f"SELECT row, user_id, 'put', text_seq, NULL FROM {EVERY_TEXT} WHERE row = ? AND text_seq = ? "
        "ON CONFLICT (row) DO UPDATE SET vector = NULL",
        keys,
    )


def get_ready(connection: sqlite3.Connection, limit: int) -> list[Entry]:
    """Entries the vector store can take, oldest memories first."""
    found = connection.execute(
        f"{_ENTRIES} WHERE operation = 'remove' OR vector IS NOT NULL ORDER BY row LIMIT ?",
        (limit,),
    )
    return [Entry(*values) for values in found]


def remove_written(tx: Transaction, entries: Sequence[Entry]) -> None:
    """Take out what the vector store has committed, unless it changed meanwhile."""
    tx.executemany(
        "DELETE FROM outbox WHERE row = ? AND text_seq = ? AND operation = ? AND vector IS ?",
        ((entry.row, entry.text_seq, entry.operation, entry.vector) for entry in entries),
    )


def count_entries(connection: sqlite3.Connection) -> int:
    """How many entries there are."""
    return int(connection.execute("SELECT COUNT(*) FROM outbox").fetchone()[0])


def drop_removals(tx: Transaction) -> None:
    """Forget what is to be removed from the vector store, which holds nothing."""
    tx.execute("DELETE FROM outbox WHERE operation = ?", (REMOVE,))


def get_waiting(
    connection: sqlite3.Connection, limit: int, after_row: int, *, long: bool, user_id: str | None = None
) -> list[Waiting]:
    """Texts to be embedded with a row over `after_row`, by row: those over `LONG` characters, or else the
    others; of one user or of all."""
    condition, params = _of(user_id, None)
    queued = connection.execute(
        f"SELECT row, text_seq FROM outbox o WHERE {condition} AND row > ? AND {_IS_LONG} = ? "
        "ORDER BY row LIMIT ?",
        (*params, after_row, long, limit),
    ).fetchall()
    found = passages(connection, [row for row, _ in queued])
    return [
        Waiting(row, found[row][0], text_seq)
        for row, text_seq in queued
        if row in found and found[row][1] == text_seq
    ]


def get_tokenless(connection: sqlite3.Connection, token_table: str) -> list[tuple[int, int]]:
    """Row and text_seq of the texts that have a vector, yet are not in a table of token vectors."""
    found = connection.execute(
        f"SELECT row, text_seq FROM {EVERY_TEXT} t "
        f"WHERE NOT EXISTS (SELECT 1 FROM {token_table} k WHERE k.row = t.row) "
        f"AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.row = t.row AND {_WAITS}) ORDER BY row"
    )
    return [(row, text_seq) for row, text_seq in found]


def count_missing(connection: sqlite3.Connection, user_id: str | None, kind: TextKind | None = None) -> int:
    """How many texts wait to be embedded, of one user or of all, of one kind or of every kind."""
    condition, params = _of(user_id, kind)
    return int(connection.execute(f"SELECT count(*) FROM outbox o WHERE {condition}", params).fetchone()[0])


def is_any_short(connection: sqlite3.Connection, user_id: str, kind: TextKind | None = None) -> bool:
    """Whether a text of a user waits to be embedded that is not long: its vector is soon there."""
    condition, params = _of(user_id, kind)
    sql = f"SELECT 1 FROM outbox o WHERE {condition} AND {_IS_LONG} = 0 LIMIT 1"
    return connection.execute(sql, params).fetchone() is not None


def count_waiting(connection: sqlite3.Connection, kind: TextKind, user_id: str, visible: Sql) -> int:
    """How many of a user's texts that wait to be embedded fit a condition over the kind's table as `m`."""
    condition, params = _of(user_id, kind)
    sql = (
        f"SELECT count(*) FROM outbox o JOIN {TABLES[kind]} m ON m.row = o.row "
        f"WHERE {condition} AND {visible[0]}"
    )
    return int(connection.execute(sql, [*params, *visible[1]]).fetchone()[0])


def _of(user_id: str | None, kind: TextKind | None) -> Sql:
    """The condition, over the outbox as `o`, of what waits to be embedded."""
    parts, params = [_WAITS], list[Any]()
    if user_id is not None:
        parts.append("o.user_id = ?")
        params.append(user_id)
    if kind is not None:
        parts.append("o.row >= ? AND o.row < ?")
        params += rows_of_kind(kind)
    return " AND ".join(parts), params


def get_waiting_rows(connection: sqlite3.Connection) -> list[int]:
    """Rows of the memories that wait to be embedded."""
    found = connection.execute(f"SELECT row FROM outbox o WHERE {_WAITS}")
    return [row for (row,) in found]


def get_embedded(connection: sqlite3.Connection, user_id: str | None) -> list[Entry]:
    """Puts with a vector that the vector store has not taken yet, of one user or of all."""
    owner, params = ("", ()) if user_id is None else ("AND user_id = ?", (user_id,))
    found = connection.execute(
        f"{_ENTRIES} WHERE vector IS NOT NULL {owner}",
        params,
    )
    return [Entry(*values) for values in found]


def get_embedded_unless(connection: sqlite3.Connection, held: Set[tuple[int, int]]) -> list[Entry]:
    """As `get_embedded`, of all users, without the vectors in `held`, keyed by (row, text_seq)."""
    keys = connection.execute("SELECT row, text_seq FROM outbox WHERE vector IS NOT NULL")
    rows = [row for row, text_seq in keys if (row, text_seq) not in held]
    found: list[sqlite3.Row] = []
    for start in range(0, len(rows), _ROWS_AT_ONCE):
        some = rows[start : start + _ROWS_AT_ONCE]
        found += connection.execute(
            f"{_ENTRIES} WHERE row IN ({', '.join('?' * len(some))})",
            some,
        )
    return [Entry(*values) for values in found]


def clear_puts(tx: Transaction) -> None:
    """Take out every put: their vectors are of a space that no longer serves."""
    tx.execute("DELETE FROM outbox WHERE operation = 'put'")


def to_batch(entries: Sequence[Entry], dim: int) -> Batch:
    """The vectors of entries that have one."""
    embedded = [entry for entry in entries if entry.vector is not None]
    blobs = b"".join(entry.vector for entry in embedded if entry.vector is not None)
    return Batch(
        int64([entry.row for entry in embedded]),
        int64([entry.text_seq for entry in embedded]),
        [entry.user_id for entry in embedded],
        decode(blobs, dim),
    )
