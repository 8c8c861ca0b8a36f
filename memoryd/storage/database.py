"""The SQLite database: one writer thread, readers in parallel, every write one transaction.

WAL with `synchronous=FULL`: a write that returned survives the death of the process at any instant, and
the loss of power by SQLite's contract.
"""

from __future__ import annotations

import logging
import queue
import sqlite3
import threading
from collections.abc import Callable, Hashable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO, TypeVar, cast

from memory_client.errors import StorageError
from memoryd.storage.connection import Connection, connect, shrink
from memoryd.storage.faults import storage_errors

log = logging.getLogger(__name__)
T = TypeVar("T")

_IDLE_READERS = 8


class Transaction:
    """What a write works with: its connection, its change number and what to do once it is durable."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.after_commit: list[Callable[[], None]] = []
        self._gathered: dict[Hashable, Any] = {}
        self._seq: int | None = None

    @property
    def seq(self) -> int:
        """The one change number of this transaction, taken from the directory's counter."""
        if self._seq is None:
            self._seq = self._take_number()
        return self._seq

    def mark_changed(self) -> None:
        """Take the change number: results of searches made before may no longer hold."""
        if self._seq is None:
            self._seq = self._take_number()

    def _take_number(self) -> int:
        row = self.connection.execute(
            "UPDATE counters SET value = value + 1 WHERE name = 'seq' RETURNING value"
        ).fetchone()
        return int(row[0])

    def execute(self, sql: str, params: Any = ()) -> sqlite3.Cursor:
        """Run one statement."""
        return self.connection.execute(sql, params)

    def insert(self, table: str, values: Mapping[str, Any], *, key: str) -> int:
        """Insert a row, given by column; return the number the database gave its `key` column."""
        marks = ", ".join("?" * len(values))
        sql = f"INSERT INTO {table} ({', '.join(values)}) VALUES ({marks}) RETURNING {key}"
        return int(self.connection.execute(sql, list(values.values())).fetchone()[0])

    def executemany(self, sql: str, rows: Any) -> sqlite3.Cursor:
        """Run one statement over many rows."""
        return self.connection.executemany(sql, rows)

    def on_commit(self, action: Callable[[], None]) -> None:
        """Run `action` in the writer thread after the commit and before the write returns."""
        self.after_commit.append(action)

    def gathered(self, key: Hashable, start: Callable[[], T], finish: Callable[[T], None]) -> T:
        """What the changes of this transaction gather under a key; `finish` takes it once, after the commit.

        The first call makes it with `start`. For derived state that costs as much to update once as often.
        """
        if key not in self._gathered:
            gathered = self._gathered[key] = start()
            self.on_commit(lambda: finish(gathered))
        found: T = self._gathered[key]
        return found


class Database:
    """An open database. Close it from the thread that owns the process's life."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._tasks: queue.SimpleQueue[tuple[Callable[[], None], Future[Any]] | None] = queue.SimpleQueue()
        self._readers: queue.LifoQueue[Connection] = queue.LifoQueue(_IDLE_READERS)
        self._closed = False
        self._close_lock = threading.Lock()
        with storage_errors(path):
            self._writer = connect(path)
        self._thread = threading.Thread(target=self._run, name="memoryd-writer", daemon=True)
        self._thread.start()

    def write(self, change: Callable[[Transaction], T]) -> T:
        """Run `change` in the writer thread as one transaction; return when it is durable.

        An exception rolls everything back and is raised here. Raises `DiskFullError`,
        `DatabaseCorruptError`, `StorageError`.
        """
        return self._submit(lambda: self._transact(change))

    def maintain(self, action: Callable[[Connection], T]) -> T:
        """Run `action` in the writer thread outside a transaction (VACUUM, checkpoint, backup)."""
        return self._submit(lambda: action(self._writer))

    def release_unused(self) -> None:
        """Give back the pages that idle connections keep; they are read again when they are needed."""
        self.maintain(shrink)
        for reader in self._idle_readers():
            shrink(reader)
            self._give_back(reader)

    def _idle_readers(self) -> list[Connection]:
        """All of them, taken out: the queue would return the one just given back again and again."""
        found = []
        with suppress(queue.Empty):
            while True:
                found.append(self._readers.get_nowait())
        return found

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A reader's connection, one consistent view for the whole block."""
        with storage_errors(self.path):
            connection = self._reader()
            try:
                connection.execute("BEGIN")
                yield connection
            finally:
                connection.end()
                self._give_back(connection)

    @cached_property
    def file(self) -> BinaryIO:
        """The file itself, for the writer thread. It stays open until the connections are closed: to close it
        earlier would give up the locks that this process holds on it (POSIX).
        """
        return cast(BinaryIO, self.path.open("r+b", buffering=0))

    def close(self) -> None:
        """Finish the writes in the queue, fold the WAL into the database, close every connection."""
        with self._close_lock:
            if self._closed:
                return
            self._closed = True
            self._tasks.put(None)
        self._thread.join()
        while not self._readers.empty():
            self._readers.get_nowait().close()
        self._writer.close()
        if "file" in self.__dict__:
            self.file.close()

    def _reader(self) -> Connection:
        if self._closed:
            raise StorageError(f"the database {self.path} is closed")
        try:
            return self._readers.get_nowait()
        except queue.Empty:
            return connect(self.path, read_only=True)

    def _give_back(self, connection: Connection) -> None:
        with self._close_lock:  # nothing may be put where `close` has cleared up already
            if not self._closed and not self._readers.full():
                self._readers.put_nowait(connection)
                return
        connection.close()

    def _submit(self, task: Callable[[], T]) -> T:
        if threading.current_thread() is self._thread:
            raise RuntimeError("a write inside a write would wait for itself")
        future: Future[T] = Future()

        def work() -> None:
            future.set_result(task())

        with self._close_lock:  # nothing may enter the queue after the end mark
            if self._closed:
                raise StorageError(f"the database {self.path} is closed")
            self._tasks.put((work, future))
        with storage_errors(self.path):
            return future.result()

    def _run(self) -> None:
        while (item := self._tasks.get()) is not None:
            work, future = item
            try:
                work()
            except BaseException as error:
                future.set_exception(error)

    def _transact(self, change: Callable[[Transaction], T]) -> T:
        self._writer.execute("BEGIN IMMEDIATE")
        transaction = Transaction(self._writer)
        try:
            result = change(transaction)
            self._writer.execute("COMMIT")
        finally:
            self._writer.end()
        for action in transaction.after_commit:
            self._follow_up(action)
        return result

    def _follow_up(self, action: Callable[[], None]) -> None:
        try:
            action()
        except Exception:  # the write is durable and acknowledged; what is derived can be rebuilt
            log.exception("an index did not take a change; `memoryd doctor --repair` reconciles it")
