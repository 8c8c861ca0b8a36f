"""A space that is being built: its table fills while another space serves, until nothing is missing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager

import numpy as np

from memory_client.errors import SpaceMismatchError
from memoryd.core.passage import Passage
from memoryd.index import source_rows
from memoryd.index.lance.lance import VectorTable
from memoryd.index.spaces.spaces import Space
from memoryd.index.vectors import tokens
from memoryd.index.vectors.rounding import Batch, RowEncoding, int64, rounded
from memoryd.storage.database import Database, Transaction

_READ_AT_ONCE = 1000


class SpaceBuild:
    """Vectors of a new space, for one thread. Texts whose present version is in its table are done.

    lock: the store's.
    """

    def __init__(
        self, database: Database, space: Space, table: VectorTable, lock: AbstractContextManager[object]
    ) -> None:
        self.space = space
        self.table = table
        self.is_over = False
        """Whether it serves, or was given up for another space."""
        self._database = database
        self._lock = lock
        self._cursor = 0
        rows, text_seqs = self.table.keys()
        self._done = dict(zip(rows.tolist(), text_seqs.tolist(), strict=True))

    def missing(self, limit: int) -> list[tuple[int, Passage, int]]:
        """Row, passage and text_seq of up to `limit` texts to embed; empty when the space is complete."""
        found = self._after_cursor(limit)
        if not found and self._cursor:
            self._cursor = 0  # texts before the cursor may have changed
            found = self._after_cursor(limit)
        return found

    def progress(self) -> tuple[int, int]:
        """The number of vectors and of texts."""
        with self._database.read() as connection:
            return len(self._done), source_rows.count(connection)

    def add(self, made: Sequence[RowEncoding]) -> None:
        """Take the encodings of texts; those of texts that are gone are dropped.

        Raises `SpaceMismatchError` for vectors of another dimension, `StorageError`.
        """
        halves = {(one.row, one.text_seq): rounded(one.vector, self.space.dim) for one in made}
        rows, text_seqs = int64([row for row, _ in halves]), int64([seq for _, seq in halves])
        with self._database.read() as connection:
            known = source_rows.some(connection, rows.tolist())
        places = known.places_of(rows, text_seqs)
        kept = np.flatnonzero(places >= 0)
        if not len(kept):
            return
        users = [known.names[owner][0] for owner in known.owners[places[kept]].tolist()]
        with self._lock:
            self.check_wanted()
            # first, as what the table holds counts as done
            self._database.write(lambda tx: self._keep_tokens(tx, made))
            vectors = np.stack(list(halves.values()))[kept]
            self.table.put(Batch(rows[kept], text_seqs[kept], users, vectors))
        self._done.update(zip(rows[kept].tolist(), text_seqs[kept].tolist(), strict=True))

    def _keep_tokens(self, tx: Transaction, made: Sequence[RowEncoding]) -> None:
        """Keep those of unchanged texts: the write that changed a text removed its row."""
        with_tokens = [one for one in made if one.tokens is not None]
        known = source_rows.some(tx.connection, [one.row for one in with_tokens])
        present = set(zip(known.rows.tolist(), known.text_seqs.tolist(), strict=True))
        for one in with_tokens:
            if (one.row, one.text_seq) in present:
                tokens.put(tx, self.space.id, one.row, one.text_seq, one.tokens)

    def skip(self, keys: Iterable[tuple[int, int]]) -> None:
        """Leave texts out, as (row, text_seq): they are embedded once this space serves."""
        self._done.update(keys)

    def sweep(self) -> None:
        """Drop the vectors of texts that are gone. The caller holds the store's lock."""
        rows, text_seqs = self.table.keys()
        with self._database.read() as connection:
            known = source_rows.load(connection)
        gone = rows[known.places_of(rows, text_seqs) < 0]
        self.table.delete(gone)
        for row in gone.tolist():
            self._done.pop(row, None)

    def check_wanted(self) -> None:
        """Raise `SpaceMismatchError` when another space was begun meanwhile."""
        if self.is_over:
            raise SpaceMismatchError(f"the space {self.space.fingerprint} was given up for another one")

    def _after_cursor(self, limit: int) -> list[tuple[int, Passage, int]]:
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
        with self._database.read() as connection:
            return source_rows.texts(connection, self._cursor, _READ_AT_ONCE)
