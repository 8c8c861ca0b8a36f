"""What the parts of the vector index share: who serves, the store, and the locks.

Locks: `lance` is taken before SQLite's writer, never inside of it. The store's gate is passed by searches
and closed by what removes files under them. Whatever runs on commit runs in the writer, one after the other.
"""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from memory_client.errors import SpaceMismatchError
from memory_client.paths import DataPaths
from memoryd.core.row_ranges import TextKind
from memoryd.index.lance import outbox
from memoryd.index.lance.lance import LanceStore, VectorTable
from memoryd.index.source_rows import SourceRows
from memoryd.index.spaces.building import SpaceBuild
from memoryd.index.spaces.spaces import Space
from memoryd.index.vectors.archived_rows import ArchivedRows
from memoryd.index.vectors.hot import HotIndex
from memoryd.index.vectors.rounding import Batch
from memoryd.storage.database import Database

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Serving:
    """What answers searches; replaced as a whole, so that spaces never meet."""

    space: Space
    hot: HotIndex | None  # None above max_rows
    table: VectorTable | None = None  # None until the store is open


class AwaitedUsers:
    """The users whose searches wait for vectors: their texts are embedded first. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts = Counter[str]()

    @contextmanager
    def awaiting(self, user_id: str) -> Iterator[None]:
        """Hold a user in it during the block."""
        with self._lock:
            self._counts[user_id] += 1
        try:
            yield
        finally:
            with self._lock:
                self._counts[user_id] -= 1
                self._counts += Counter()  # drops those at zero

    def ids(self) -> list[str]:
        """The users, in the order in which they came."""
        with self._lock:
            return list(self._counts)


class State:
    """The shared state of one vector index."""

    def __init__(
        self, database: Database, paths: DataPaths, max_rows: int, batch_rows: int, min_rows: int = 0
    ) -> None:
        self.database = database
        self.store = LanceStore(paths.lance)
        self.snapshot_path: Path = paths.hot / "vectors.snapshot"
        self.archived = ArchivedRows()
        self.max_rows = max_rows
        self.batch_rows = batch_rows
        self.min_rows = min_rows
        self.lance = threading.RLock()
        self.serving: Serving | None = None
        self.building: SpaceBuild | None = None
        self.complete = threading.Event()  # every vector there is can be found
        self.text_came = threading.Event()
        self.awaited_users = AwaitedUsers()
        self.store_checked = False
        self.saved: tuple[int, int] | None = None  # space and revision of the last snapshot
        self._swap = threading.Lock()
        self._queue_revision = 0
        self._waiting: dict[tuple[str | None, TextKind | None], tuple[int, int]] = {}

    def new_hot(self, space: Space, memories: int) -> HotIndex | None:
        """An empty hot index, None when the memories would be too many for one."""
        return HotIndex(space.dim) if self.max_rows and memories <= self.max_rows else None

    def expected(self, fingerprint: str | None) -> Space:
        """The serving space. Raises `SpaceMismatchError` when it is not that of `fingerprint`."""
        current = self.serving
        if current is None:
            raise SpaceMismatchError("no space serves yet: vectors cannot be told apart; `begin` one first")
        check_space(current.space, fingerprint)
        return current.space

    def change(self, change: Callable[[Serving], Serving]) -> None:
        """Replace who serves; the writer and a keeper may both want to."""
        with self._swap:
            if self.serving is not None:
                self.serving = change(self.serving)

    def queue_changed(self) -> None:
        """What waits to be embedded, or a vector, has changed; called on commit."""
        self._queue_revision += 1
        self._waiting = {}

    def text_waits(self) -> None:
        """A text has come to wait to be embedded; called on commit."""
        self.queue_changed()
        self.text_came.set()

    @property
    def revision(self) -> tuple[int, int, int]:
        """Another one after every change to the vectors: of the space, the queue and what is in memory."""
        current = self.serving
        space = 0 if current is None else current.space.id
        hot = -1 if current is None or current.hot is None else current.hot.revision
        return space, self._queue_revision, hot

    def missing(self, user_id: str | None, kind: TextKind | None = None) -> int:
        """How many texts wait to be embedded; counted once a change, as a long queue takes 10 ms."""
        revision = self._queue_revision
        known = self._waiting.get((user_id, kind))
        if known is not None and known[0] == revision:
            return known[1]
        with self.database.read() as connection:
            count = outbox.count_missing(connection, user_id, kind)
        self._waiting[user_id, kind] = (revision, count)
        return count

    def with_hot(self, action: Callable[[HotIndex], object]) -> None:
        """Let the hot index, if there is one, take a change."""
        current = self.serving
        if current is None or current.hot is None:
            return
        action(current.hot)
        if len(current.hot) > self.max_rows:
            self.drop_hot()

    def drop_hot(self) -> None:
        """Let LanceDB answer from now on."""
        log.info("more than %d vectors: LanceDB answers from now on", self.max_rows)
        self.change(lambda serving: replace(serving, hot=None))

    def table(self) -> VectorTable | None:
        """The serving space's table, None without a space. The caller holds `lance`, the store is open."""
        current = self.serving
        if current is None or current.table is not None:
            return current.table if current else None
        table = self.store.table(current.space.id, current.space.dim)
        self.change(lambda serving: replace(serving, table=table))
        return table


def check_space(space: Space, fingerprint: str | None) -> None:
    """Raise `SpaceMismatchError` when a vector of `fingerprint` does not belong to `space`."""
    if fingerprint != space.fingerprint:
        raise SpaceMismatchError(
            f"fingerprint: a vector of {fingerprint} meets an index of {space.fingerprint}; "
            f"the old space serves until `memoryd reindex` has completed the new one"
        )


def take(hot: HotIndex, known: SourceRows, batch: Batch) -> None:
    """Put into the hot index what of a batch is of a memory's present text."""
    places = known.places_of(batch.rows, batch.text_seqs)
    kept = np.flatnonzero(places >= 0)
    for user_id, group, agents in known.by_user(places[kept]):
        chosen = kept[group]
        hot.put_many(user_id, batch.rows[chosen], batch.text_seqs[chosen], agents, batch.vectors[chosen])
