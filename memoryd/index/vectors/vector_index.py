"""The vector side of the index behind one face: hot index, snapshot, outbox, vector store, spaces."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

import numpy as np

from memory_client.errors import SpaceMismatchError
from memory_client.paths import DataPaths
from memoryd.core.row_ranges import TextKind, kind_of
from memoryd.core.scope import Scope
from memoryd.index import source_rows
from memoryd.index.lance import outbox, search
from memoryd.index.lance.outbox import Waiting
from memoryd.index.spaces import space_migration, spaces
from memoryd.index.spaces.building import SpaceBuild
from memoryd.index.spaces.spaces import Maker, Probes, Space
from memoryd.index.vectors import snapshot, staging, tokens, upkeep
from memoryd.index.vectors.rounding import FloatMatrix, FloatVector, Made, Rows
from memoryd.index.vectors.scan import Hits
from memoryd.index.vectors.state import Serving, State, check_space, take
from memoryd.index.vectors.tokens import TokenBlock
from memoryd.index.vectors.upkeep import Reconciled, StoreBytes
from memoryd.storage.database import Database, Transaction


@dataclass(frozen=True, slots=True)
class Sizes:
    """Bytes: vector store and snapshot on disk, hot index in memory."""

    store: int
    snapshot: int
    hot: int


class VectorIndex:
    """All vectors of a data directory. Thread-safe.

    max_rows: vectors kept in memory, above it LanceDB answers; batch_rows: vectors in one Lance write;
    min_rows: vectors that wait in the outbox before the store is needed.
    Whatever needs LanceDB opens it when it is not open yet, but for `flush`, which then does nothing.
    """

    def __init__(
        self, database: Database, paths: DataPaths, *, max_rows: int, batch_rows: int, min_rows: int = 0
    ) -> None:
        self._state = State(database, paths, max_rows, batch_rows)
        self._min_rows = min_rows

    # -- life

    def open(self) -> None:
        """Bring the hot index up from its snapshot and the outbox. Fast; does not need LanceDB."""
        state = self._state
        with state.database.read() as connection:
            state.shelf.load(connection)
            space, memories = spaces.find(connection, spaces.SERVING), source_rows.count(connection)
            if space is None:
                state.complete.set()
                return
            hot = state.new_hot(space, memories)
            state.serving = Serving(space, hot)
            if hot is None:
                return
            known, newest = source_rows.load(connection), source_rows.change_number(connection)
            snapshot.restore(state.snapshot_path, hot, space, known, newest)
            rows, text_seqs = hot.keys()
            held = set(zip(rows.tolist(), text_seqs.tolist(), strict=True))
            take(hot, known, outbox.batch(outbox.embedded_unless(connection, held), space.dim))
            unseen = np.setdiff1d(known.rows, hot.keys()[0])
            if np.isin(unseen, outbox.waiting_rows(connection)).all():
                state.complete.set()

    @property
    def needs_store(self) -> bool:
        """Whether LanceDB is to be opened; a small index does without."""
        return upkeep.is_store_needed(self._state, self._min_rows)

    def open_store(self) -> Reconciled:
        """Open LanceDB (seconds: for a background thread) and put right what disagrees with SQLite.

        Raises `StorageError`.
        """
        return upkeep.open_store(self._state)

    def close(self) -> None:
        """Let go of everything. Flush and save a snapshot first."""
        with self._state.lance:
            self._state.store.close()
            self._state.serving = None
            self._state.building = None

    # -- inside the engine's transaction

    def stage(
        self,
        tx: Transaction,
        user_id: str,
        row: int,
        agent_id: str | None,
        vector: FloatVector | None,
        *,
        tokens: FloatMatrix | None = None,
        fingerprint: str | None = None,
    ) -> None:
        """Enter a new or changed text whose text_seq is `tx.seq`; vector None: to be embedded later.

        vector: float32 (dim,), normalised; tokens: float32 (tokens, 192); fingerprint: of their space,
        needed with a vector. Raises `SpaceMismatchError` when another space serves.
        """
        staging.stage(self._state, tx, user_id, row, agent_id, vector, tokens, fingerprint)

    def unstage(self, tx: Transaction, user_id: str, rows: Sequence[int]) -> None:
        """Enter the removal of a user's memories."""
        staging.unstage(self._state, tx, user_id, rows)

    def shelve(self, tx: Transaction, user_id: str, rows: Sequence[int], *, shelved: bool) -> None:
        """Leave a user's memories out of ordinary searches, or let them be found again."""
        staging.shelve(self._state, tx, user_id, rows, shelved=shelved)

    def forget_user(self, tx: Transaction, user_id: str) -> None:
        """Enter the removal of all of a user. Call it before the memories' rows go."""
        staging.forget_user(self._state, tx, user_id)

    def fill(self, tx: Transaction, fingerprint: str, made: Iterable[Made]) -> int:
        """Give waiting texts what was made of them; return how many still waited.

        Raises `SpaceMismatchError` when another space serves.
        """
        return staging.fill(self._state, tx, fingerprint, made)

    # -- the outbox

    def waiting(self, limit: int, after_row: int = 0, *, long: bool = False) -> list[Waiting]:
        """Texts to be embedded with a row over `after_row`, by row: the long ones, or the others."""
        with self._state.database.read() as connection:
            return outbox.waiting(connection, limit, after_row, long=long)

    def awaited(self, limit: int) -> list[Waiting]:
        """Texts to be embedded, without the long ones, of the first user whose search waits for them."""
        with self._state.database.read() as connection:
            for user_id in self._state.awaited_users.ids():
                if found := outbox.waiting(connection, limit, 0, long=False, user_id=user_id):
                    return found
        return []

    def awaiting(self, user_id: str) -> AbstractContextManager[None]:
        """During the block a user's texts are embedded before those of others."""
        return self._state.awaited_users.awaiting(user_id)

    def await_text(self, timeout: float) -> None:
        """Return when a text came to wait since the last call, or after `timeout` seconds. For one thread."""
        self._state.text_came.wait(timeout)
        self._state.text_came.clear()

    def wake(self) -> None:
        """Let `await_text` return."""
        self._state.text_came.set()

    def is_current(self, row: int, text_seq: int) -> bool:
        """Whether a text is there and has not been changed since `text_seq`."""
        with self._state.database.read() as connection:
            return text_seq in source_rows.some(connection, [row]).text_seqs

    def requeue_tokenless(self) -> int:
        """Let texts with a vector but without token vectors wait to be embedded; return how many there were.

        Their vectors serve meanwhile.
        """
        return upkeep.requeue_tokenless(self._state)

    def missing(self, user_id: str | None = None, kind: TextKind | None = None) -> int:
        """How many texts wait to be embedded, of one user or of all, of one kind or of every kind."""
        return self._state.missing(user_id, kind)

    def is_near(self, user_id: str, kind: TextKind | None = None) -> bool:
        """Whether a text of a user waits to be embedded that is not long: its vector is soon there."""
        with self._state.database.read() as connection:
            return outbox.is_near(connection, user_id, kind)

    def flush(self) -> int:
        """Hand the outbox to LanceDB in batches; return the rows handed over. Raises `StorageError`."""
        return upkeep.flush(self._state)

    # -- search

    @property
    def revision(self) -> tuple[int, int, int]:
        """Another one after every change to what a search may find."""
        return self._state.revision

    @property
    def serving(self) -> Space | None:
        """The space searches are answered in; None before the first."""
        current = self._state.serving
        return current.space if current else None

    @property
    def complete(self) -> bool:
        """Whether every vector there is can be found; False only until the store is open, after a start
        that followed an unclean end or with more vectors than memory may take."""
        return self._state.complete.is_set()

    def wait_complete(self, timeout: float | None) -> bool:
        """Wait until `complete`; timeout in seconds."""
        return self._state.complete.wait(timeout)

    def search(
        self,
        scope: Scope,
        query: FloatVector,
        k: int,
        allowed: Rows | None = None,
        *,
        fingerprint: str,
        kind: TextKind = "memory",
    ) -> Hits:
        """The k texts of a kind nearest to `query` as (row, cosine), best first, equal cosines by row.

        query: float32 (dim,), normalised; allowed: sorted rows that count, None for all; fingerprint: of
        the query's space. Raises `SpaceMismatchError` when another one serves, `StorageError`.
        """
        current = self._state.serving
        if current is None:
            return []
        if current.hot is None:
            return search.search(self._state, scope, query, k, allowed, fingerprint, kind)
        check_space(current.space, fingerprint)
        hidden = self._state.shelf.hidden(scope) if kind == "memory" else None
        return current.hot.search(scope, query, k, allowed, kind, hidden)

    def cosines(
        self, scope: Scope, query: FloatVector, rows: Rows, *, fingerprint: str, kind: TextKind
    ) -> dict[int, float]:
        """The cosines of a query with chosen texts of a kind, by row; those without a vector are left out.

        Raises as `search`.
        """
        current = self._state.serving
        if current is None or not len(rows):
            return {}
        if current.hot is None:
            return search.cosines_of(self._state, scope, query, rows, fingerprint)
        check_space(current.space, fingerprint)
        return current.hot.cosines(scope.user_id, query, rows, kind)

    def neighbours(self, scope: Scope, row: int, k: int) -> Hits:
        """The k texts nearest to a stored one of its kind, best first; none while it has no vector.

        Whoever asks has checked that the scope sees it. Raises `StorageError`.
        """
        current, kind = self._state.serving, kind_of(row)
        if current is None:
            return []
        vector = self.vectors(scope, np.array([row], np.int64)).get(row)
        if vector is None:
            return []
        hits = self.search(scope, vector, k + 1, fingerprint=current.space.fingerprint, kind=kind)
        return [hit for hit in hits if hit[0] != row][:k]

    def vectors(self, scope: Scope, rows: Rows) -> dict[int, FloatVector]:
        """The vectors of chosen texts, by row; those without one are left out. Raises `StorageError`."""
        current = self._state.serving
        if current is None or not len(rows):
            return {}
        if current.hot is None:
            return search.vectors_of(self._state, scope, rows)
        found = current.hot.vectors_of(scope.user_id, rows)
        return {row: vector for (row, _), vector in found.items()}

    def tokens(self, connection: sqlite3.Connection, rows: Sequence[int], *, fingerprint: str) -> TokenBlock:
        """The token vectors of chosen texts. Raises `SpaceMismatchError` when another space serves."""
        space = spaces.find(connection, spaces.SERVING)  # as this connection sees it: tables go with theirs
        if space is None:
            raise SpaceMismatchError("no space serves yet: there are no token vectors")
        check_space(space, fingerprint)
        return tokens.load(connection, space.id, rows)

    # -- upkeep

    def save_snapshot(self) -> bool:
        """Write the hot index to disk; False when nothing changed since the last time."""
        return upkeep.save_snapshot(self._state)

    def compact(self) -> StoreBytes:
        """Flush, compact the store, save a snapshot: nothing of removed memories stays on disk.

        Raises `StorageError`.
        """
        return upkeep.compact(self._state)

    def sizes(self) -> Sizes:
        """What the vector side takes."""
        current, file = self._state.serving, self._state.snapshot_path
        return Sizes(
            store=self._state.store.nbytes(),
            snapshot=file.stat().st_size if file.exists() else 0,
            hot=current.hot.nbytes if current and current.hot else 0,
        )

    def check(self) -> list[str]:
        """What disagrees with SQLite, one sentence each. Raises `StorageError`."""
        return upkeep.check(self._state)

    def repair(self) -> Reconciled:
        """Put right whatever `check` finds; what no vector is left of waits to be embedded."""
        return upkeep.repair(self._state)

    def rebuild(self) -> int:
        """Throw all stored vectors away and queue every memory to be embedded; return how many.

        What is in memory goes on answering until it is replaced. Raises `StorageError`.
        """
        return upkeep.rebuild(self._state)

    # -- spaces

    @property
    def building(self) -> SpaceBuild | None:
        """The space in the making, once the store is open."""
        return self._state.building

    def probes(self) -> Probes | None:
        """The probe set of the serving space as its first engine made it."""
        with self._state.database.read() as connection:
            space = spaces.find(connection, spaces.SERVING)
            return spaces.probes(connection, space) if space else None

    def begin(
        self, fingerprint: str, engine: str, model: str, dim: int, probes: Probes, *, anew: bool = False
    ) -> SpaceBuild | None:
        """Make the first space, which serves at once, or resume or begin one beside the serving one.

        None when the space serves; one in the making beside it is then given up. anew: build it all the
        same, as what its engine makes cannot be compared with what is stored. Raises `StorageError`.
        """
        return space_migration.begin(self._state, Maker(fingerprint, engine, model, dim), probes, anew=anew)

    def finish(self, building: SpaceBuild) -> None:
        """Let a built space serve; texts changed since they were embedded are queued for it.

        Raises `SpaceMismatchError` when another space was begun meanwhile, `StorageError`.
        """
        space_migration.finish(self._state, building)
