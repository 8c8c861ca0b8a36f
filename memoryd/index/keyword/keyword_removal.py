"""Physical removal from the shared keyword table, in many short transactions.

FTS5 marks what is deleted and drops it when segments are merged. Merging everything at once would hold the
writer for seconds, so it is done a few pages at a time.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator

from memoryd.index.keyword import partitions
from memoryd.index.keyword.partitions import SHARED_TABLE, term_range
from memoryd.storage.database import Database, Transaction

_SECONDS = 0.03
"""After so long a transaction ends: other writes wait for it."""
_MERGED_PAGES = 64
"""Of 4 KB, written by one transaction; 10 to 50 ms."""
_DELETED_AT_ONCE = 200
"""Rows of a table that was set aside, up to 4 KB each."""
_MOST_ROUNDS = 5
_ROWS_AT_ONCE = 20_000
"""Texts whose terms are held in memory."""
_TERMS_READ_AT_ONCE = 10_000

Terms = tuple[int, list[str]]


class KeywordRemoval:
    """Removes what was deleted, for one caller at a time: FTS5 takes it for damage to delete a row twice."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()

    def run(self) -> None:
        """Leave no byte of deleted texts and dropped partitions in the index."""
        with self._lock:
            with self._database.read() as connection:
                numbers = partitions.abandoned(connection)
            delete_set_aside(self._database, lambda: False)
            for number in numbers:
                _delete_partition(self._database, number)
            _merge(self._database)


def delete_set_aside(database: Database, is_over: Callable[[], bool]) -> bool:
    """Delete the content of dropped tables of an earlier schema; whether any is left."""
    with database.read() as connection:
        is_left = bool(partitions.set_aside(connection))
    while is_left and not is_over():
        is_left = database.write(_delete_some_set_aside)
    return is_left


def _delete_some_set_aside(tx: Transaction) -> bool:
    until = time.monotonic() + _SECONDS
    waiting = partitions.set_aside(tx.connection)
    while waiting:
        slice_ = f"SELECT id FROM {waiting[0]} LIMIT {_DELETED_AT_ONCE}"
        if not tx.execute(f"DELETE FROM {waiting[0]} WHERE id IN ({slice_})").rowcount:
            tx.execute(f"DROP TABLE {waiting.pop(0)}")
        if time.monotonic() >= until:
            break
    return bool(waiting)


def _delete_partition(database: Database, number: int) -> None:
    """Delete the terms of a dropped partition. Its texts are gone: the index itself names them."""
    while True:
        with database.read() as connection:
            waiting = deque(_terms_of_some(connection, number))
        if not waiting:
            break
        while waiting:
            database.write(lambda tx, waiting=waiting: _delete_some(tx, waiting))  # type: ignore[misc]
    database.write(lambda tx: tx.execute("DELETE FROM abandoned_partitions WHERE number = ?", (number,)))


def _terms_of_some(connection: sqlite3.Connection, number: int) -> list[Terms]:
    """The lowest rows of a partition with all their stored terms, ascending; empty when none is left."""
    bounds = term_range(number)
    rows = sorted({row for _, row in _instances(connection, bounds)})[:_ROWS_AT_ONCE]
    if not rows:
        return []
    found: dict[int, list[str]] = {row: [] for row in rows}
    for term, row in _instances(connection, bounds):
        if row <= rows[-1]:
            found[row].append(term)
    return list(found.items())


def _instances(connection: sqlite3.Connection, bounds: tuple[str, str]) -> Iterator[tuple[str, int]]:
    cursor = connection.cursor()
    cursor.row_factory = None
    cursor.arraysize = _TERMS_READ_AT_ONCE
    sql = f"SELECT term, doc FROM {SHARED_TABLE}_instances WHERE term >= ? AND term < ?"
    yield from cursor.execute(sql, bounds)


def _delete_some(tx: Transaction, waiting: deque[Terms]) -> None:
    until = time.monotonic() + _SECONDS
    sql = f"INSERT INTO {SHARED_TABLE} ({SHARED_TABLE}, rowid, terms) VALUES ('delete', ?, ?)"
    while waiting:
        row, found = waiting.popleft()
        tx.execute(sql, (row, " ".join(found)))
        if time.monotonic() >= until:
            break


def _merge(database: Database) -> None:
    """Merge all segments into one. Those that are written meanwhile hold nothing that was deleted before."""
    for _ in range(_MOST_ROUNDS):
        with database.read() as connection:
            (segments,) = connection.execute(
                f"SELECT count(DISTINCT segid) FROM {SHARED_TABLE}_idx"
            ).fetchone()
        if segments < 2:
            break
        # a negative number begins with all segments there are, a positive one goes on
        database.write(lambda tx: _merge_some(tx, -_MERGED_PAGES))
        while database.write(lambda tx: _merge_some(tx, _MERGED_PAGES)):
            pass


def _merge_some(tx: Transaction, pages: int) -> bool:
    """Whether there was anything to merge, by the sign that FTS5's documentation names."""
    before = tx.connection.total_changes
    tx.execute(f"INSERT INTO {SHARED_TABLE} ({SHARED_TABLE}, rank) VALUES ('merge', ?)", (pages,))
    return tx.connection.total_changes - before >= 2
