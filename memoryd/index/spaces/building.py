"""A space in the making: its table fills beside the serving one until nothing is missing.

Up to the one transaction of `finish` the old space serves whole, after it the new one does; what lies about
after a crash in between is cleared away when the store opens.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from memory_client.errors import SpaceMismatchError
from memoryd.core.passage import Passage
from memoryd.index import source_rows
from memoryd.index.source_rows import Truth
from memoryd.index.spaces import spaces
from memoryd.index.spaces.spaces import Space
from memoryd.index.vectors import reconcile, tokens
from memoryd.index.vectors.hot import HotIndex
from memoryd.index.vectors.rounding import Batch, Made, int64, rounded
from memoryd.index.vectors.state import Serving, State, take
from memoryd.storage.database import Transaction

_READ_AT_ONCE = 1000


class Building:
    """Vectors of a new space, for one thread. What its table holds of a memory's present text is done."""

    def __init__(self, state: State, space: Space) -> None:
        self.space = space
        self.table = state.store.table(space.id, space.dim)
        self._state = state
        self._cursor = 0
        rows, text_seqs = self.table.keys()
        self._done = dict(zip(rows.tolist(), text_seqs.tolist(), strict=True))

    def missing(self, limit: int) -> list[tuple[int, Passage, int]]:
        """Row, passage and text_seq of up to `limit` texts to embed; empty when the space is complete."""
        found = self._behind_cursor(limit)
        if not found and self._cursor:
            self._cursor = 0  # texts may have changed behind us
            found = self._behind_cursor(limit)
        return found

    def progress(self) -> tuple[int, int]:
        """Vectors there are, memories there are."""
        with self._state.database.read() as connection:
            return len(self._done), source_rows.count(connection)

    def add(self, made: Sequence[Made]) -> None:
        """Take what was made of texts; that of texts gone meanwhile is dropped.

        Raises `SpaceMismatchError` for vectors of another dimension, `StorageError`.
        """
        halves = {(one.row, one.text_seq): rounded(one.vector, self.space.dim) for one in made}
        rows, text_seqs = int64([row for row, _ in halves]), int64([seq for _, seq in halves])
        with self._state.database.read() as connection:
            known = source_rows.some(connection, rows.tolist())
        places = known.places_of(rows, text_seqs)
        kept = np.flatnonzero(places >= 0)
        if not len(kept):
            return
        users = [known.names[owner][0] for owner in known.owners[places[kept]].tolist()]
        with self._state.lance:
            self._still_wanted()
            # first, as what the table holds counts as done
            self._state.database.write(lambda tx: self._keep_tokens(tx, made))
            vectors = np.stack(list(halves.values()))[kept]
            self.table.put(Batch(rows[kept], text_seqs[kept], users, vectors))
        self._done.update(zip(rows[kept].tolist(), text_seqs[kept].tolist(), strict=True))

    def _keep_tokens(self, tx: Transaction, made: Sequence[Made]) -> None:
        """Of texts that are still the same: what changed meanwhile has its row removed by its own write."""
        with_tokens = [one for one in made if one.tokens is not None]
        known = source_rows.some(tx.connection, [one.row for one in with_tokens])
        present = set(zip(known.rows.tolist(), known.text_seqs.tolist(), strict=True))
        for one in with_tokens:
            if (one.row, one.text_seq) in present:
                tokens.put(tx, self.space.id, one.row, one.text_seq, one.tokens)

    def skip(self, keys: Iterable[tuple[int, int]]) -> None:
        """Leave texts out, as (row, text_seq): they wait to be embedded when this space serves."""
        self._done.update(keys)

    def sweep(self) -> None:
        """Drop what texts gone meanwhile left in the table. The caller holds the store's lock."""
        rows, text_seqs = self.table.keys()
        with self._state.database.read() as connection:
            known = source_rows.load(connection)
        gone = rows[known.places_of(rows, text_seqs) < 0]
        self.table.delete(gone)
        for row in gone.tolist():
            self._done.pop(row, None)

    def finish(self) -> None:
        """Let this space serve; texts changed since they were embedded are queued for it.

        Raises `SpaceMismatchError` when another space was begun meanwhile, `StorageError`.
        """
        state = self._state
        with state.lance:
            self._still_wanted()
            old, keys, hot = state.serving, self.table.keys(), self._hot()

            def switch(tx: Transaction) -> None:
                spaces.promote(tx, self.space)
                known = reconcile.requeue_for(tx, keys)
                tx.on_commit(self._state.queue_changed)
                tx.on_commit(lambda: self._serve(hot, known))

            state.database.write(switch)
            state.building = None
            state.snapshot_path.unlink(missing_ok=True)
            if old is not None:
                with state.store.gate.closed():
                    state.store.drop(old.space.id)

    def _still_wanted(self) -> None:
        if self._state.building is not self:
            raise SpaceMismatchError(f"the space {self.space.fingerprint} was given up for another one")

    def _hot(self) -> HotIndex | None:
        with self._state.database.read() as connection:
            known = source_rows.load(connection)
        hot = self._state.new_hot(self.space, len(known.rows))
        if hot is not None:
            for batch in self.table.scan():
                take(hot, known, batch)
        return hot

    def _serve(self, hot: HotIndex | None, known: Truth) -> None:
        if hot is not None:
            hot.retain(known)
        self._state.serving = Serving(self.space, hot, self.table)

    def _behind_cursor(self, limit: int) -> list[tuple[int, Passage, int]]:
        found: list[tuple[int, Passage, int]] = []
        while len(found) < limit and (read := self._read()):
            for row, text, text_seq in read:
                if len(found) == limit:
                    break
                self._cursor = row
                if self._done.get(row) != text_seq:
                    found.append((row, text, text_seq))
        return found

    def _read(self) -> list[tuple[int, Passage, int]]:
        with self._state.database.read() as connection:
            return source_rows.texts(connection, self._cursor, _READ_AT_ONCE)
