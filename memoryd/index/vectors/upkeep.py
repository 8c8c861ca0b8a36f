"""Upkeep in the background: opening the store, flushing, compacting, checking, repairing."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from memoryd.index import source_rows
from memoryd.index.lance import outbox
from memoryd.index.lance.lance import VectorTable
from memoryd.index.spaces import spaces
from memoryd.index.spaces.building import SpaceBuild
from memoryd.index.spaces.spaces import Space
from memoryd.index.vectors import reconcile, snapshot, tokens
from memoryd.index.vectors.rounding import Batch, Rows, int64
from memoryd.index.vectors.state import State, take
from memoryd.storage.database import Transaction

_REQUEUED_AT_ONCE = 1_000
"""Rows of one transaction: other writes wait for a few milliseconds."""


@dataclass(frozen=True, slots=True)
class Reconciled:
    """What was put right, in rows: dropped from the store, queued for it, loaded from it into memory."""

    dropped: int
    queued: int
    loaded: int


@dataclass(frozen=True, slots=True)
class StoreBytes:
    """Bytes of the vector store before and after."""

    before: int
    after: int


def open_store(state: State) -> Reconciled:
    """Open LanceDB, drop tables nobody knows, resume a building, put right what disagrees."""
    with state.lance:
        state.store.open()
        with state.database.read() as connection:
            serving = spaces.find(connection, spaces.SERVING)
            building = spaces.find(connection, spaces.BUILDING)
        state.store.drop_others([space.id for space in (serving, building) if space is not None])
        state.building = None if building is None else open_build(state, building)
        report = _repair(state)
        state.store_checked = True
    state.complete.set()
    return report


def open_build(state: State, space: Space) -> SpaceBuild:
    """The build of a space, as far as it has come."""
    return SpaceBuild(state.database, space, state.store.table(space.id, space.dim), state.lance)


def ensure_store(state: State) -> None:
    """Open the store when it is not open yet; without a space there is nothing in it."""
    if not state.store_checked and state.serving is not None:
        with state.lance:
            if not state.store_checked:
                open_store(state)


def is_unused(state: State) -> bool:
    """Whether the store holds nothing and has not been opened: it can stay so."""
    return not state.store_checked and not any(state.store.path.glob("*"))


class VectorUpkeep:
    """What is done to the vectors in the background, and by `memoryd doctor`."""

    _state: State

    def open_store(self) -> Reconciled:
        """Open LanceDB (seconds: for a background thread) and put right what disagrees with SQLite.

        Raises `StorageError`.
        """
        return open_store(self._state)

    @property
    def needs_store(self) -> bool:
        """Whether to open the store. An unused one stays closed while fewer than `min_rows` wait for it.

        The outbox keeps their vectors, and the process needs 100 MB less without LanceDB.
        """
        state = self._state
        current = state.serving
        if current is None:
            return False
        if not is_unused(state) or current.hot is None or not state.complete.is_set():
            return True
        with state.database.read() as connection:
            is_building = spaces.find(connection, spaces.BUILDING) is not None
            return is_building or outbox.count_entries(connection) >= state.min_rows

    def requeue_tokenless(self) -> int:
        """Let texts with a vector but without token vectors wait to be embedded; return how many there were.

        Their vectors serve meanwhile.
        """
        state = self._state
        with state.database.read() as connection:
            space = spaces.find(connection, spaces.SERVING)
            found = [] if space is None else outbox.get_tokenless(connection, tokens.table(space.id))
        for start in range(0, len(found), _REQUEUED_AT_ONCE):
            keys = found[start : start + _REQUEUED_AT_ONCE]
            state.database.write(lambda tx, keys=keys: _requeue(state, tx, keys))  # type: ignore[misc]
        return len(found)

    def flush(self) -> int:
        """Hand the outbox to LanceDB in batches; return the rows handed over.

        Does nothing before the store is open. Raises `StorageError`.
        """
        state = self._state
        handed = 0
        with state.lance:
            table = state.table() if state.store_checked else None
            while table is not None and (batch := _flush_batch(state, table)):
                handed += batch
        return handed

    def save_snapshot(self) -> bool:
        """Write the hot index to disk; False when nothing changed since the last time."""
        state = self._state
        with state.lance:
            current = state.serving
            if current is None or current.hot is None:
                state.snapshot_path.unlink(missing_ok=True)
                return False
            revision = (current.space.id, current.hot.revision)
            if revision == state.saved or not state.complete.is_set():
                return False
            snapshot.save(state.snapshot_path, current.hot, current.space)
            state.saved = revision
            return True

    def compact(self) -> StoreBytes:
        """Flush, compact every table, save a snapshot: no vector of a removed text stays on disk.

        Raises `StorageError`.
        """
        state = self._state
        with state.lance:
            if is_unused(state):
                state.database.write(outbox.drop_removals)
                self.save_snapshot()
                return StoreBytes(0, 0)
            ensure_store(state)
            before = state.store.nbytes()
            self.flush()
            table, building = state.table(), state.building
            if building is not None:
                building.sweep()
            with state.store.gate.closed():
                for each in (table, building.table if building else None):
                    if each is not None:
                        each.compact()
            self.save_snapshot()
            return StoreBytes(before, state.store.nbytes())

    def check(self) -> list[str]:
        """What disagrees with SQLite, one sentence each. Raises `StorageError`."""
        state = self._state
        with state.lance:
            keys, current = _stored_keys(state), state.serving
            if keys is None or current is None:
                return []

            def compare(connection: sqlite3.Connection) -> list[str]:
                return reconcile.compare(connection, source_rows.load(connection), keys, current.hot).lines()

            return state.database.maintain(compare)  # in the writer, so that nothing changes meanwhile

    def repair(self) -> Reconciled:
        """Put right whatever `check` finds; texts without a vector wait to be embedded."""
        state = self._state
        with state.lance:
            ensure_store(state)
            return _repair(state)

    def rebuild(self) -> int:
        """Drop all stored vectors and queue every text to be embedded; return how many.

        The hot index answers until its vectors are replaced. Raises `StorageError`.
        """
        state = self._state
        with state.lance:
            if not is_unused(state):
                ensure_store(state)
            queued = state.database.write(partial(_forget_all, state))
            table = state.table() if state.store_checked else None
            if table is not None:
                with state.store.gate.closed():
                    table.clear()
            state.snapshot_path.unlink(missing_ok=True)
            state.saved = None
            return queued


def _requeue(state: State, tx: Transaction, keys: Sequence[tuple[int, int]]) -> None:
    outbox.requeue(tx, keys)
    tx.on_commit(state.text_waits)


def _stored_keys(state: State) -> reconcile.Keys | None:
    """What the store holds; None without a space."""
    if is_unused(state):
        return int64([]), int64([])
    ensure_store(state)
    table = state.table()
    return None if table is None else table.keys()


def _forget_all(state: State, tx: Transaction) -> int:
    tx.on_commit(state.text_waits)
    for space_id in spaces.ids(tx.connection):
        tokens.clear(tx, space_id)
    return outbox.requeue_all(tx)


def _flush_batch(state: State, table: VectorTable) -> int:
    with state.database.read() as connection:
        entries = outbox.get_ready(connection, state.batch_rows)
    if entries:
        table.delete(int64([entry.row for entry in entries if entry.vector is None]))
        table.put(outbox.to_batch(entries, table.dim))
        state.database.write(lambda tx: outbox.remove_written(tx, entries))
    return len(entries)


def _repair(state: State) -> Reconciled:
    table = state.table()
    if table is None:
        return Reconciled(0, 0, 0)
    keys = table.keys()
    found = state.database.write(lambda tx: _reconcile(state, tx, keys))
    strays = np.union1d(found.stale, found.doubled)
    table.delete(strays)
    _load(state, table, found.unloaded)
    return Reconciled(len(strays), len(found.lost), len(found.unloaded))


def _reconcile(state: State, tx: Transaction, keys: reconcile.Keys) -> reconcile.Differences:
    current = state.serving
    hot = current.hot if current else None
    known = source_rows.load(tx.connection)
    found = reconcile.compare(tx.connection, known, keys, hot)
    reconcile.requeue(tx, known, found, hot)
    tx.on_commit(state.text_waits)
    tx.on_commit(lambda: state.with_hot(lambda hot: hot.retain(known)))
    return found


def _load(state: State, table: VectorTable, rows: Rows) -> None:
    current = state.serving
    if current is None or current.hot is None or not len(rows):
        return
    if len(current.hot) + len(rows) > state.max_rows:
        state.drop_hot()
        return
    with state.database.read() as connection:
        queued = outbox.to_batch(outbox.get_embedded(connection, None), table.dim)
    for batch in (*table.scan(rows), queued):
        state.database.maintain(partial(_admit, state, batch))


def _admit(state: State, batch: Batch, connection: sqlite3.Connection) -> None:
    known = source_rows.some(connection, batch.rows.tolist())
    state.with_hot(lambda hot: take(hot, known, batch))
