"""All vectors: searches, texts that wait to be embedded, spaces; writes and upkeep are in base classes."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
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
from memoryd.index.vectors import snapshot, tokens
from memoryd.index.vectors.rounding import FloatVector, Rows
from memoryd.index.vectors.scan import Hits
from memoryd.index.vectors.staging import VectorWrites
from memoryd.index.vectors.state import Serving, State, check_space, take
from memoryd.index.vectors.tokens import TokenBlock
from memoryd.index.vectors.upkeep import VectorUpkeep
from memoryd.storage.database import Database


@dataclass(frozen=True, slots=True)
class Sizes:
    """Bytes: vector store and snapshot on disk, hot index in memory."""

    store: int
    snapshot: int
    hot: int


class VectorIndex(VectorWrites, VectorUpkeep):
    """All vectors of a data directory. Thread-safe.

    max_rows: vectors kept in memory, above it LanceDB answers; batch_rows: vectors in one Lance write;
    min_rows: vectors that wait in the outbox before the store is needed.
    Whatever needs LanceDB opens it when it is not open yet, but for `flush`, which then does nothing.
    """

    def __init__(
        self, database: Database, paths: DataPaths, *, max_rows: int, batch_rows: int, min_rows: int = 0
    ) -> None:
        self._state = State(database, paths, max_rows, batch_rows, min_rows)

    # -- life

    def open(self) -> None:
        """Bring the hot index up from its snapshot and the outbox. Fast; does not need LanceDB."""
        state = self._state
        with state.database.read() as connection:
            state.archived.load(connection)
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
            take(hot, known, outbox.to_batch(outbox.get_embedded_unless(connection, held), space.dim))
            unseen = np.setdiff1d(known.rows, hot.keys()[0])
            if np.isin(unseen, outbox.get_waiting_rows(connection)).all():
                state.complete.set()

    def close(self) -> None:
        """Let go of everything. Flush and save a snapshot first."""
        with self._state.lance:
            self._state.store.close()
            self._state.serving = None
            self._state.building = None

    # -- the outbox

    def get_waiting_texts(self, limit: int, after_row: int = 0, *, long: bool = False) -> list[Waiting]:
        """Texts to be embedded with a row over `after_row`, by row: the long ones, or the others."""
        with self._state.database.read() as connection:
            return outbox.get_waiting(connection, limit, after_row, long=long)

    def get_awaited_texts(self, limit: int) -> list[Waiting]:
        """Texts to be embedded, without the long ones, of the first user whose search waits for them."""
        with self._state.database.read() as connection:
            for user_id in self._state.awaited_users.ids():
                if found := outbox.get_waiting(connection, limit, 0, long=False, user_id=user_id):
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

    def is_current_text(self, row: int, text_seq: int) -> bool:
        """Whether a text is there and has not been changed since `text_seq`."""
        with self._state.database.read() as connection:
            return text_seq in source_rows.some(connection, [row]).text_seqs

    def missing(self, user_id: str | None = None, kind: TextKind | None = None) -> int:
        """How many texts wait to be embedded, of one user or of all, of one kind or of every kind."""
        return self._state.missing(user_id, kind)

    def is_near(self, user_id: str, kind: TextKind | None = None) -> bool:
        """Whether a text of a user waits to be embedded that is not long: its vector is soon there."""
        with self._state.database.read() as connection:
            return outbox.is_any_short(connection, user_id, kind)

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
        hidden = self._state.archived.hidden(scope) if kind == "memory" else None
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

    def sizes(self) -> Sizes:
        """What the vector side takes."""
        current, file = self._state.serving, self._state.snapshot_path
        return Sizes(
            store=self._state.store.nbytes(),
            snapshot=file.stat().st_size if file.exists() else 0,
            hot=current.hot.nbytes if current and current.hot else 0,
        )

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
