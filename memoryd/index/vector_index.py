"""The vector side of the index behind one face: hot index, snapshot, outbox, vector store, spaces.

Locks: `_lance` is taken before SQLite's writer, never inside of it; the store's gate is passed by searches
and closed by what removes files under them.
"""

from __future__ import annotations

import logging
import sqlite3
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from memory_client.errors import SpaceMismatchError
from memory_client.paths import DataPaths
from memoryd.core.scope import Scope
from memoryd.index import outbox, reconcile, snapshot, spaces, stored, truth
from memoryd.index.building import Building
from memoryd.index.hot import HotIndex
from memoryd.index.lance import LanceStore, VectorTable
from memoryd.index.outbox import Waiting
from memoryd.index.scan import Hits
from memoryd.index.spaces import Probes, Space
from memoryd.index.truth import Truth
from memoryd.index.vectors import Batch, FloatVector, HalfMatrix, Rows, decode, encode, int64, rounded
from memoryd.storage.database import Database, Transaction

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Serving:
    """What answers searches; replaced as a whole, so that spaces never meet."""

    space: Space
    hot: HotIndex | None  # None above max_rows
    table: VectorTable | None = None  # None until the store is open


@dataclass(frozen=True, slots=True)
class Reconciled:
    """What `open_store` or `repair` put right, in rows: dropped from the store, queued, loaded."""

    dropped: int
    queued: int
    loaded: int


@dataclass(frozen=True, slots=True)
class Compacted:
    """Bytes of the vector store before and after."""

    before: int
    after: int


@dataclass(frozen=True, slots=True)
class Sizes:
    """Bytes: vector store and snapshot on disk, hot index in memory."""

    store: int
    snapshot: int
    hot: int


class VectorIndex:
    """All vectors of a data directory. Thread-safe.

    max_rows: vectors kept in memory, above it LanceDB answers; batch_rows: vectors in one Lance write.
    """

    def __init__(self, database: Database, paths: DataPaths, *, max_rows: int, batch_rows: int) -> None:
        self._database = database
        self._snapshot_path = paths.hot / "vectors.snapshot"
        self._store = LanceStore(paths.lance)
        self._max_rows = max_rows
        self._batch_rows = batch_rows
        self._lance = threading.RLock()
        self._swap = threading.Lock()  # of `_serving`, for an instant
        self._serving: _Serving | None = None
        self._store_checked = False
        self._building: Building | None = None
        self._complete = threading.Event()
        self._saved: tuple[int, int] | None = None

    # -- life

    def open(self) -> None:
        """Bring the hot index up from its snapshot and the outbox. Fast; does not need LanceDB."""
        with self._database.read() as connection:
            space = spaces.find(connection, spaces.SERVING)
            memories = truth.count(connection)
            if space is None:
                self._complete.set()
                return
            hot = self._new_hot(space, memories)
            self._serving = _Serving(space, hot)
            if hot is None:
                return
            known = truth.load(connection)
            snapshot.restore(self._snapshot_path, hot, space, known, truth.change_number(connection))
            take(hot, known, _batch(outbox.embedded(connection, None), space.dim))
            if len(hot) + outbox.missing(connection, None) >= memories:
                self._complete.set()

    def open_store(self) -> Reconciled:
        """Open LanceDB (seconds: for a background thread) and put right what disagrees with SQLite.

        Raises `StorageError`.
        """
        with self._lance:
            self._store.open()
            with self._database.read() as connection:
                building = spaces.find(connection, spaces.BUILDING)
            self._store.drop_others([space.id for space in (self.serving, building) if space is not None])
            self._building = self._build(building) if building is not None else None
            report = self._repair()
            self._store_checked = True
        self._complete.set()
        return report

    def close(self) -> None:
        """Let go of everything. Save a snapshot first."""
        with self._lance:
            self._store.close()
            self._serving = None
            self._building = None

    # -- inside the engine's transaction

    def stage(
        self,
        tx: Transaction,
        user_id: str,
        row: int,
        agent_id: str | None,
        vector: FloatVector | None,
        *,
        fingerprint: str | None = None,
    ) -> None:
        """Enter a new or changed text whose text_seq is `tx.seq`; vector None: to be embedded later.

        fingerprint: of the space the vector is of. Raises `SpaceMismatchError` when another one serves.
        """
        half = None if vector is None else rounded(vector, self._expected(fingerprint).dim)
        outbox.put(tx, row, user_id, tx.seq, None if half is None else encode(half))
        key = (row, tx.seq)
        tx.on_commit(lambda: self._staged(user_id, key, agent_id, half))

    def unstage(self, tx: Transaction, user_id: str, rows: Sequence[int]) -> None:
        """Enter the removal of a user's memories."""
        outbox.remove(tx, rows)
        gone = int64(rows)
        tx.on_commit(lambda: self._with_hot(lambda hot: hot.remove(user_id, gone)))

    def forget_user(self, tx: Transaction, user_id: str) -> None:
        """Enter the removal of all of a user. Call it before the memories' rows go."""
        outbox.remove(tx, truth.rows_of_user(tx.connection, user_id))
        tx.on_commit(lambda: self._with_hot(lambda hot: hot.drop_user(user_id)))

    def fill(self, tx: Transaction, fingerprint: str, vectors: Iterable[tuple[int, int, FloatVector]]) -> int:
        """Give waiting memories their vectors as (row, text_seq, vector); return how many still waited.

        Raises `SpaceMismatchError` when another space serves.
        """
        dim = self._expected(fingerprint).dim
        halves = {(row, text_seq): rounded(vector, dim) for row, text_seq, vector in vectors}
        filled = [key for key, half in halves.items() if outbox.fill(tx, *key, encode(half))]
        if filled:
            known = truth.some(tx.connection, [row for row, _ in filled])
            batch = Batch(
                int64([row for row, _ in filled]),
                int64([text_seq for _, text_seq in filled]),
                [],
                np.stack([halves[key] for key in filled]),
            )
            tx.on_commit(lambda: self._with_hot(lambda hot: take(hot, known, batch)))
        return len(filled)

    # -- the outbox

    def waiting(self, limit: int, after_row: int = 0) -> list[Waiting]:
        """Memories to be embedded with a row over `after_row`, by row."""
        with self._database.read() as connection:
            return outbox.waiting(connection, limit, after_row)

    def missing(self, user_id: str | None = None) -> int:
        """How many memories wait to be embedded, of one user or of all."""
        with self._database.read() as connection:
            return outbox.missing(connection, user_id)

    def flush(self) -> int:
        """Hand the outbox to LanceDB in batches; return the rows handed over, 0 until the store is open."""
        handed = 0
        with self._lance:
            if not self._store_checked:
                return 0
            while batch := self._flush_batch():
                handed += batch
        return handed

    # -- search

    @property
    def serving(self) -> Space | None:
        """The space searches are answered in; None before the first."""
        current = self._serving
        return current.space if current else None

    @property
    def complete(self) -> bool:
        """Whether every vector there is can be found; False only for a moment after an unclean end."""
        return self._complete.is_set()

    def wait_complete(self, timeout: float | None) -> bool:
        """Wait until `complete`; timeout in seconds."""
        return self._complete.wait(timeout)

    def search(
        self,
        scope: Scope,
        query: FloatVector,
        k: int,
        allowed: Rows | None = None,
        *,
        fingerprint: str,
    ) -> Hits:
        """The k memories nearest to `query` as (row, cosine), best first, equal cosines by row.

        query: float32 (dim,), normalised; allowed: sorted rows that count, None for all; fingerprint: of
        the query's space. Raises `SpaceMismatchError` when another one serves, `StorageError`.
        """
        current = self._serving
        if current is None:
            return []
        if current.hot is None:
            return self._search_stored(scope, query, k, allowed, fingerprint)
        _check(current.space, fingerprint)
        return current.hot.search(scope, query, k, allowed)

    # -- upkeep

    def save_snapshot(self) -> bool:
        """Write the hot index to disk; False when nothing changed since the last time."""
        with self._lance:
            current = self._serving
            if current is None or current.hot is None:
                self._snapshot_path.unlink(missing_ok=True)
                return False
            state = (current.space.id, current.hot.revision)
            if state == self._saved or not self.complete:
                return False
            snapshot.save(self._snapshot_path, current.hot, current.space)
            self._saved = state
            return True

    def compact(self) -> Compacted:
        """Flush, compact the vector store and save a snapshot: nothing of removed memories stays on disk.

        Opens the store when it is not. Raises `StorageError`.
        """
        with self._lance:
            self._ensure_store()
            before = self._store.nbytes()
            table = self._table()
            self.flush()
            if self._building is not None:
                self._building.sweep()
            with self._store.gate.closed():
                for each in (table, self._building.table if self._building else None):
                    if each is not None:
                        each.compact()
            self.save_snapshot()
            return Compacted(before, self._store.nbytes())

    def sizes(self) -> Sizes:
        """What the vector side takes."""
        current = self._serving
        file = self._snapshot_path
        return Sizes(
            store=self._store.nbytes(),
            snapshot=file.stat().st_size if file.exists() else 0,
            hot=current.hot.nbytes if current and current.hot else 0,
        )

    def check(self) -> list[str]:
        """What disagrees with SQLite, one sentence each. Opens the store when it is not."""
        with self._lance:
            self._ensure_store()
            table = self._table()
            current = self._serving
            if table is None or current is None:
                return []
            keys = table.keys()
            return self._database.maintain(
                lambda connection: reconcile.compare(
                    connection, truth.load(connection), keys, current.hot
                ).lines()
            )

    def repair(self) -> Reconciled:
        """Put right whatever `check` finds; what no vector is left of waits to be embedded."""
        with self._lance:
            self._ensure_store()
            return self._repair()

    def rebuild(self) -> int:
        """Throw all stored vectors away and queue every memory; return how many.

        What is in memory goes on answering until it is replaced.
        """
        with self._lance:
            self._ensure_store()
            table = self._table()
            queued = self._database.write(outbox.requeue_all)
            if table is not None:
                with self._store.gate.closed():
                    table.clear()
            self._snapshot_path.unlink(missing_ok=True)
            self._saved = None
            return queued

    # -- spaces

    @property
    def building(self) -> Building | None:
        """The space in the making, once the store is open."""
        return self._building

    def probes(self) -> Probes | None:
        """The probe set of the serving space as its first engine made it."""
        with self._database.read() as connection:
            space = spaces.find(connection, spaces.SERVING)
            return spaces.probes(connection, space) if space else None

    def begin(self, fingerprint: str, engine: str, dim: int, probes: Probes) -> Building | None:
        """Make the first space, which serves at once, or resume or begin one beside the serving one.

        None when the space serves; one in the making beside it is then given up. Opens the store for a
        building. Raises `StorageError`.
        """
        with self._lance:
            serving = self.serving
            if serving is None:
                self._database.write(lambda tx: self._found(tx, fingerprint, engine, dim, probes))
                return None
            with self._database.read() as connection:
                begun = spaces.find(connection, spaces.BUILDING)
            if begun is not None and begun.fingerprint != fingerprint:
                self._give_up(begun)
                begun = None
            if serving.fingerprint == fingerprint:
                return None
            if begun is None:
                begun = self._database.write(
                    lambda tx: spaces.add(tx, spaces.BUILDING, fingerprint, engine, dim, probes)
                )
            self._ensure_store()
            if self._building is None:
                self._building = self._build(begun)
            return self._building

    # -- parts

    def _new_hot(self, space: Space, memories: int) -> HotIndex | None:
        return HotIndex(space.dim) if self._max_rows and memories <= self._max_rows else None

    def _expected(self, fingerprint: str | None) -> Space:
        current = self._serving
        if current is None:
            raise SpaceMismatchError("no space serves yet: vectors cannot be told apart; `begin` one first")
        _check(current.space, fingerprint)
        return current.space

    def _change(self, change: Callable[[_Serving], _Serving]) -> None:
        with self._swap:
            if self._serving is not None:
                self._serving = change(self._serving)

    def _with_hot(self, action: Callable[[HotIndex], object]) -> None:
        current = self._serving
        if current is None or current.hot is None:
            return
        action(current.hot)
        if len(current.hot) > self._max_rows:
            self._drop_hot()

    def _drop_hot(self) -> None:
        log.info("more than %d vectors: LanceDB answers from now on", self._max_rows)
        self._change(lambda serving: replace(serving, hot=None))

    def _staged(
        self, user_id: str, key: tuple[int, int], agent_id: str | None, half: HalfMatrix | None
    ) -> None:
        rows, text_seqs = int64(key[:1]), int64(key[1:])
        if half is None:
            self._with_hot(lambda hot: hot.remove(user_id, rows))
        else:
            self._with_hot(lambda hot: hot.put_many(user_id, rows, text_seqs, [agent_id], half[None]))

    def _ensure_store(self) -> None:
        if not self._store_checked:
            with self._lance:
                if not self._store_checked:
                    self.open_store()

    def _table(self) -> VectorTable | None:
        current = self._serving
        if current is None or current.table is not None:
            return current.table if current else None
        table = self._store.table(current.space.id, current.space.dim)
        self._change(lambda serving: replace(serving, table=table))
        return table

    def _flush_batch(self) -> int:
        table = self._table()
        if table is None:
            return 0
        with self._database.read() as connection:
            entries = outbox.ready(connection, self._batch_rows)
        if entries:
            table.delete(int64([entry.row for entry in entries if entry.vector is None]))
            table.put(_batch([entry for entry in entries if entry.vector], table.dim))
            self._database.write(lambda tx: outbox.done(tx, entries))
        return len(entries)

    def _search_stored(
        self, scope: Scope, query: FloatVector, k: int, allowed: Rows | None, fingerprint: str
    ) -> Hits:
        self._ensure_store()
        with self._lance:
            self._table()
        with self._store.gate.passing():
            current = self._serving  # cannot lose its table while we are inside
            if current is None or current.table is None:
                return []
            _check(current.space, fingerprint)
            with self._database.read() as connection:
                return stored.search(connection, current.table, scope, query, k, allowed)

    def _repair(self) -> Reconciled:
        table = self._table()
        if table is None:
            return Reconciled(0, 0, 0)
        keys = table.keys()
        found = self._database.write(lambda tx: self._reconcile(tx, keys))
        strays = np.union1d(found.stale, found.doubled)
        table.delete(strays)
        self._load(table, found.unloaded)
        return Reconciled(len(strays), len(found.lost), len(found.unloaded))

    def _reconcile(self, tx: Transaction, keys: reconcile.Keys) -> reconcile.Differences:
        current = self._serving
        hot = current.hot if current else None
        known = truth.load(tx.connection)
        found = reconcile.compare(tx.connection, known, keys, hot)
        reconcile.requeue(tx, known, found, hot)
        tx.on_commit(lambda: self._with_hot(lambda hot: hot.retain(known)))
        return found

    def _load(self, table: VectorTable, rows: Rows) -> None:
        current = self._serving
        if current is None or current.hot is None or not len(rows):
            return
        if len(current.hot) + len(rows) > self._max_rows:
            self._drop_hot()
            return
        with self._database.read() as connection:
            queued = _batch(outbox.embedded(connection, None), table.dim)
        for batch in (*table.scan(rows), queued):
            self._database.maintain(partial(self._admit, batch))

    def _admit(self, batch: Batch, connection: sqlite3.Connection) -> None:
        known = truth.some(connection, batch.rows.tolist())
        self._with_hot(lambda hot: take(hot, known, batch))

    def _found(self, tx: Transaction, fingerprint: str, engine: str, dim: int, probes: Probes) -> None:
        space = spaces.add(tx, spaces.SERVING, fingerprint, engine, dim, probes)
        hot = self._new_hot(space, truth.count(tx.connection))

        def serve() -> None:
            self._serving = _Serving(space, hot)

        tx.on_commit(serve)

    def _build(self, space: Space) -> Building:
        table = self._store.table(space.id, space.dim)
        return Building(space, self._database, table, self._lance, self._switch)

    def _give_up(self, space: Space) -> None:
        self._database.write(lambda tx: spaces.remove(tx, space))
        self._building = None
        self._store.drop(space.id)

    def _switch(self, building: Building) -> None:
        with self._lance:
            if building is not self._building or self._serving is None:
                raise SpaceMismatchError(f"the space {building.space.fingerprint} was given up meanwhile")
            old, keys = self._serving.space, building.table.keys()
            hot = self._hot_of(building)

            def switch(tx: Transaction) -> None:
                spaces.promote(tx, building.space)
                known = reconcile.requeue_for(tx, keys)
                tx.on_commit(lambda: self._serve(building, hot, known))

            self._database.write(switch)
            self._building = None
            self._snapshot_path.unlink(missing_ok=True)
            with self._store.gate.closed():
                self._store.drop(old.id)

    def _hot_of(self, building: Building) -> HotIndex | None:
        with self._database.read() as connection:
            known = truth.load(connection)
        hot = self._new_hot(building.space, len(known.rows))
        if hot is not None:
            for batch in building.table.scan():
                take(hot, known, batch)
        return hot

    def _serve(self, building: Building, hot: HotIndex | None, known: Truth) -> None:
        if hot is not None:
            hot.retain(known)
        self._serving = _Serving(building.space, hot, building.table)


def take(hot: HotIndex, known: Truth, batch: Batch) -> None:
    """Put into the hot index what of a batch is of a memory's present text."""
    places = known.places_of(batch.rows, batch.text_seqs)
    kept = np.flatnonzero(places >= 0)
    for user_id, group, agents in known.by_user(places[kept]):
        chosen = kept[group]
        hot.put_many(user_id, batch.rows[chosen], batch.text_seqs[chosen], agents, batch.vectors[chosen])


def _batch(entries: Sequence[outbox.Entry], dim: int) -> Batch:
    vectors = [decode(entry.vector, dim) for entry in entries if entry.vector is not None]
    return Batch(
        int64([entry.row for entry in entries]),
        int64([entry.text_seq for entry in entries]),
        [entry.user_id for entry in entries],
        np.stack(vectors) if vectors else np.empty((0, dim), np.float16),
    )


def _check(space: Space, fingerprint: str | None) -> None:
    if fingerprint != space.fingerprint:
        raise SpaceMismatchError(
            f"fingerprint: a vector of {fingerprint} meets an index of {space.fingerprint}; "
            f"the index serves the old space until `memoryd reindex` has completed the new one"
        )
