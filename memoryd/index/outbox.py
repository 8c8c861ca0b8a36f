"""The outbox: what the vector store does not know yet, one row a memory, in the memory's own transaction.

A `put` without a vector waits to be embedded; with one it waits for the vector store. A `remove` names no
user: nothing of a user is left behind by removing.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from memoryd.core.passage import Passage
from memoryd.index.vectors import Batch, decode, int64
from memoryd.storage.database import Transaction
from memoryd.storage.texts import EVERY_TEXT, passages

REMOVE = "remove"
LONG = 8192
"""Characters over which a text takes so long to embed that others should not wait for it."""
_WAITS = "operation = 'put' AND vector IS NULL"
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
        f"UPDATE outbox SET vector = ? WHERE row = ? AND text_seq = ? AND {_WAITS}",
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


def renew(tx: Transaction, row: int, text_seq: int, vector: bytes) -> bool:
    """Enter another vector of a text; False when the text is no longer this one."""
    cursor = tx.execute(
        "INSERT OR REPLACE INTO outbox "
        f"SELECT row, user_id, 'put', text_seq, ? FROM {EVERY_TEXT} WHERE row = ? AND text_seq = ?",
        (vector, row, text_seq),
    )
    return cursor.rowcount == 1


def ready(connection: sqlite3.Connection, limit: int) -> list[Entry]:
    """Entries the vector store can take, oldest memories first."""
    found = connection.execute(
        "SELECT row, user_id, operation, text_seq, vector FROM outbox "
        "WHERE operation = 'remove' OR vector IS NOT NULL ORDER BY row LIMIT ?",
        (limit,),
    )
    return [Entry(*values) for values in found]


def done(tx: Transaction, entries: Sequence[Entry]) -> None:
    """Take out what the vector store has committed, unless it changed meanwhile."""
    tx.executemany(
        "DELETE FROM outbox WHERE row = ? AND text_seq = ? AND operation = ? AND vector IS ?",
        ((entry.row, entry.text_seq, entry.operation, entry.vector) for entry in entries),
    )


def count(connection: sqlite3.Connection) -> int:
    """How many entries there are."""
    return int(connection.execute("SELECT COUNT(*) FROM outbox").fetchone()[0])


def drop_removals(tx: Transaction) -> None:
    """Forget what is to be removed from the vector store, which holds nothing."""
    tx.execute("DELETE FROM outbox WHERE operation = ?", (REMOVE,))


def waiting(connection: sqlite3.Connection, limit: int, after_row: int, *, long: bool) -> list[Waiting]:
    """Texts to be embedded with a row over `after_row`, by row: those over `LONG` characters, or else the
    others."""
    queued = connection.execute(
        "SELECT row, text_seq FROM outbox o "
        f"WHERE {_WAITS} AND row > ? AND {_IS_LONG} = ? ORDER BY row LIMIT ?",
        (after_row, long, limit),
    ).fetchall()
    found = passages(connection, [row for row, _ in queued])
    return [
        Waiting(row, found[row][0], text_seq)
        for row, text_seq in queued
        if row in found and found[row][1] == text_seq
    ]


def tokenless(connection: sqlite3.Connection, token_table: str, limit: int, after_row: int) -> list[Waiting]:
    """Texts with a vector, yet not in a table of token vectors, with a row over `after_row`, by row."""
    rows = connection.execute(
        f"SELECT row FROM {EVERY_TEXT} t WHERE row > ? "
        f"AND NOT EXISTS (SELECT 1 FROM {token_table} k WHERE k.row = t.row) "
        "AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.row = t.row AND o.vector IS NULL) "
        "ORDER BY row LIMIT ?",
        (after_row, limit),
    ).fetchall()
    found = passages(connection, [row for (row,) in rows])
    return [Waiting(row, *found[row]) for row in sorted(found)]


def missing(connection: sqlite3.Connection, user_id: str | None) -> int:
    """How many memories wait to be embedded."""
    sql = f"SELECT count(*) FROM outbox WHERE {_WAITS}"
    if user_id is None:
        return int(connection.execute(sql).fetchone()[0])
    return int(connection.execute(f"{sql} AND user_id = ?", (user_id,)).fetchone()[0])


def is_near(connection: sqlite3.Connection, user_id: str) -> bool:
    """Whether a text of a user waits to be embedded that is not long: its vector is soon there."""
    sql = f"SELECT 1 FROM outbox o WHERE {_WAITS} AND user_id = ? AND {_IS_LONG} = 0 LIMIT 1"
    return connection.execute(sql, (user_id,)).fetchone() is not None


def waiting_rows(connection: sqlite3.Connection) -> list[int]:
    """Rows of the memories that wait to be embedded."""
    found = connection.execute(f"SELECT row FROM outbox WHERE {_WAITS}")
    return [row for (row,) in found]


def embedded(connection: sqlite3.Connection, user_id: str | None) -> list[Entry]:
    """Puts with a vector that the vector store has not taken yet, of one user or of all."""
    owner, params = ("", ()) if user_id is None else ("AND user_id = ?", (user_id,))
    found = connection.execute(
        f"SELECT row, user_id, operation, text_seq, vector FROM outbox WHERE vector IS NOT NULL {owner}",
        params,
    )
    return [Entry(*values) for values in found]


def clear_puts(tx: Transaction) -> None:
    """Take out every put: their vectors are of a space that no longer serves."""
    tx.execute("DELETE FROM outbox WHERE operation = 'put'")


def batch(entries: Sequence[Entry], dim: int) -> Batch:
    """The vectors of entries that have one."""
    embedded = [(entry, decode(entry.vector, dim)) for entry in entries if entry.vector is not None]
    vectors = [vector for _, vector in embedded]
    return Batch(
        int64([entry.row for entry, _ in embedded]),
        int64([entry.text_seq for entry, _ in embedded]),
        [entry.user_id for entry, _ in embedded],
        np.stack(vectors) if vectors else np.empty((0, dim), np.float16),
    )
