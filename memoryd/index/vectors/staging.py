"""Writes: into the outbox within the text's own transaction, into the hot index after it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from memoryd.index import source_rows
from memoryd.index.lance import outbox
from memoryd.index.spaces import spaces
from memoryd.index.vectors import tokens as token_vectors
from memoryd.index.vectors.rounding import (
    Batch,
    FloatMatrix,
    FloatVector,
    HalfMatrix,
    RowEncoding,
    encode,
    int64,
    rounded,
)
from memoryd.index.vectors.state import State, take
from memoryd.storage.database import Transaction


class VectorWrites:
    """What a write does to the vectors, within its transaction."""

    _state: State

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
        state, text_seq = self._state, tx.seq
        half = None if vector is None else rounded(vector, state.expected(fingerprint).dim)
        token_vectors.remove(tx, spaces.ids(tx.connection), [row])
        if tokens is not None:
            token_vectors.put(tx, state.expected(fingerprint).id, row, text_seq, tokens)
        outbox.put(tx, row, user_id, text_seq, None if half is None else encode(half))
        tx.on_commit(state.text_waits if half is None else state.queue_changed)
        tx.on_commit(lambda: _put(state, user_id, row, text_seq, agent_id, half))

    def unstage(self, tx: Transaction, user_id: str, rows: Sequence[int]) -> None:
        """Remove texts of a user."""
        outbox.remove(tx, rows)
        token_vectors.remove(tx, spaces.ids(tx.connection), rows)
        gone = int64(rows)
        tx.on_commit(self._state.queue_changed)
        tx.on_commit(lambda: self._state.with_hot(lambda hot: hot.remove(user_id, gone)))
        self.set_archived(tx, user_id, rows, archived=False)

    def set_archived(self, tx: Transaction, user_id: str, rows: Sequence[int], *, archived: bool) -> None:
        """Leave memories out of ordinary searches, or include them again; one update per transaction."""
        archive = self._state.archived
        changes: dict[int, bool] = tx.gathered(
            ("archived", user_id), dict, lambda changes: archive.update(user_id, changes)
        )
        changes.update(dict.fromkeys(rows, archived))

    def forget_user(self, tx: Transaction, user_id: str) -> None:
        """Remove all texts of a user. Call it before the rows of the texts are deleted."""
        state, rows = self._state, source_rows.rows_of_user(tx.connection, user_id)
        outbox.remove(tx, rows)
        token_vectors.remove(tx, spaces.ids(tx.connection), rows)
        tx.on_commit(state.queue_changed)
        tx.on_commit(lambda: state.with_hot(lambda hot: hot.drop_user(user_id)))
        tx.on_commit(lambda: state.archived.drop_user(user_id))

    def fill(self, tx: Transaction, fingerprint: str, made: Iterable[RowEncoding]) -> int:
        """Give waiting texts their vectors; return how many still waited.

        Raises `SpaceMismatchError` when another space serves.
        """
        state, space = self._state, self._state.expected(fingerprint)
        halves = [(one, rounded(one.vector, space.dim)) for one in made]
        taken = [pair for pair in halves if outbox.fill(tx, pair[0].row, pair[0].text_seq, encode(pair[1]))]
        if taken:
            for one, _ in taken:
                token_vectors.put(tx, space.id, one.row, one.text_seq, one.tokens)
            tx.on_commit(state.queue_changed)
            rows, text_seqs = int64([one.row for one, _ in taken]), int64([one.text_seq for one, _ in taken])
            known = source_rows.some(tx.connection, rows.tolist())
            batch = Batch(rows, text_seqs, [], np.stack([half for _, half in taken]))
            tx.on_commit(lambda: state.with_hot(lambda hot: take(hot, known, batch)))
        return len(taken)


def _put(
    state: State, user_id: str, row: int, text_seq: int, agent_id: str | None, half: HalfMatrix | None
) -> None:
    rows = int64([row])
    if half is None:  # the vector of the text before, if any, is no longer true
        state.with_hot(lambda hot: hot.remove(user_id, rows))
    else:
        state.with_hot(lambda hot: hot.put_many(user_id, rows, int64([text_seq]), [agent_id], half[None]))
