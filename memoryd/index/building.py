"""A space in the making: its table fills beside the serving one until nothing is missing."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable

import numpy as np

from memoryd.index import truth
from memoryd.index.lance import VectorTable
from memoryd.index.spaces import Space
from memoryd.index.vectors import Batch, FloatVector, Rows, int64, rounded
from memoryd.storage.database import Database

_READ_AT_ONCE = 1000


class Building:
    """Vectors of a new space. Resumable: what the table holds under a memory's present text is done.

    One thread at a time.
    """

    def __init__(
        self,
        space: Space,
        database: Database,
        table: VectorTable,
        lance_lock: threading.RLock,
        switch: Callable[[Building], None],
    ) -> None:
        self.space = space
        self.table = table
        self._database = database
        self._lance_lock = lance_lock
        self._switch = switch
        self._cursor = 0
        rows, text_seqs = table.keys()
        self._done = dict(zip(rows.tolist(), text_seqs.tolist(), strict=True))

    def missing(self, limit: int) -> list[tuple[int, str, int]]:
        """Row, text and text_seq of up to `limit` memories to embed; empty when the space is complete."""
        found = self._behind_cursor(limit)
        if not found and self._cursor:
            self._cursor = 0  # texts may have changed behind us
            found = self._behind_cursor(limit)
        return found

    def progress(self) -> tuple[int, int]:
        """Vectors there are, memories there are."""
        with self._database.read() as connection:
            return len(self._done), truth.count(connection)

    def add(self, items: Iterable[tuple[int, int, FloatVector]]) -> None:
        """Take vectors as (row, text_seq, vector); those of memories gone meanwhile are dropped."""
        vectors = {(row, text_seq): rounded(vector, self.space.dim) for row, text_seq, vector in items}
        with self._database.read() as connection:
            known = truth.some(connection, [row for row, _ in vectors])
        rows, text_seqs = int64([row for row, _ in vectors]), int64([seq for _, seq in vectors])
        places = known.places_of(rows, text_seqs)
        kept = np.flatnonzero(places >= 0)
        if not len(kept):
            return
        users = [known.names[known.owners[place]][0] for place in places[kept]]
        halves = np.stack(list(vectors.values()))
        with self._lance_lock:
            self.table.put(Batch(rows[kept], text_seqs[kept], users, halves[kept]))
        self._done.update(zip(rows[kept].tolist(), text_seqs[kept].tolist(), strict=True))

    def sweep(self) -> None:
        """Drop what memories gone meanwhile left in the table."""
        rows, text_seqs = self.table.keys()
        with self._database.read() as connection:
            known = truth.load(connection)
        self._forget(rows[known.places_of(rows, text_seqs) < 0])

    def finish(self) -> None:
        """Let this space serve. Memories changed since they were embedded are queued for it."""
        self._switch(self)

    def _forget(self, rows: Rows) -> None:
        self.table.delete(rows)
        for row in rows.tolist():
            self._done.pop(row, None)

    def _behind_cursor(self, limit: int) -> list[tuple[int, str, int]]:
        found: list[tuple[int, str, int]] = []
        while len(found) < limit:
            with self._database.read() as connection:
                read = truth.texts(connection, self._cursor, _READ_AT_ONCE)
            if not read:
                break
            for row, text, text_seq in read:
                self._cursor = row
                if self._done.get(row) != text_seq:
                    found.append((row, text, text_seq))
                    if len(found) == limit:
                        break
        return found
