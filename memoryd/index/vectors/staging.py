"""Changes on their way in: into the outbox with the memory's own transaction, into memory after it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from memoryd.index import source_rows
from memoryd.index.lance import outbox
from memoryd.index.spaces import spaces
from memoryd.index.vectors import tokens
from memoryd.index.vectors.rounding import (
    Batch,
    FloatMatrix,
    FloatVector,
    HalfMatrix,
    Made,
    encode,
    int64,
    rounded,
)
from memoryd.index.vectors.state import State, take
from memoryd.storage.database import Transaction


def stage(
    state: State,
    tx: Transaction,
    user_id: str,
    row: int,
    agent_id: str | None,
    vector: FloatVector | None,
    token_vectors: FloatMatrix | None,
    fingerprint: str | None,
) -> None:
    """Enter a text of change number `tx.seq`."""
    half = None if vector is None else rounded(vector, state.expected(fingerprint).dim)
    text_seq = tx.seq
    tokens.remove(tx, spaces.ids(tx.connection), [row])
    if token_vectors is not None:
        tokens.put(tx, state.expected(fingerprint).id, row, text_seq, token_vectors)
    outbox.put(tx, row, user_id, text_seq, None if half is None else encode(half))
    tx.on_commit(state.text_waits if half is None else state.queue_changed)
    tx.on_commit(lambda: _staged(state, user_id, row, text_seq, agent_id, half))


def unstage(state: State, tx: Transaction, user_id: str, rows: Sequence[int]) -> None:
    """Enter the removal of a user's memories."""
    outbox.remove(tx, rows)
    tokens.remove(tx, spaces.ids(tx.connection), rows)
    gone = int64(rows)
    tx.on_commit(state.queue_changed)
    tx.on_commit(lambda: state.with_hot(lambda hot: hot.remove(user_id, gone)))
    shelve(state, tx, user_id, rows, shelved=False)


def shelve(state: State, tx: Transaction, user_id: str, rows: Sequence[int], *, shelved: bool) -> None:
    """Leave memories out of ordinary searches, or let them be found again; one update per transaction."""
    changes: dict[int, bool] = tx.gathered(
        ("shelf", user_id), dict, lambda changes: state.shelf.update(user_id, changes)
    )
    changes.update(dict.fromkeys(rows, shelved))


def forget_user(state: State, tx: Transaction, user_id: str) -> None:
    """Enter the removal of all of a user."""
    rows = source_rows.rows_of_user(tx.connection, user_id)
    outbox.remove(tx, rows)
    tokens.remove(tx, spaces.ids(tx.connection), rows)
    tx.on_commit(state.queue_changed)
    tx.on_commit(lambda: state.with_hot(lambda hot: hot.drop_user(user_id)))
    tx.on_commit(lambda: state.shelf.drop_user(user_id))


def fill(state: State, tx: Transaction, fingerprint: str, made: Iterable[Made]) -> int:
    """Give waiting texts what was made of them; return how many still waited."""
    space = state.expected(fingerprint)
    halves = [(one, rounded(one.vector, space.dim)) for one in made]
    taken = [pair for pair in halves if outbox.fill(tx, pair[0].row, pair[0].text_seq, encode(pair[1]))]
    if taken:
        for one, _ in taken:
            tokens.put(tx, space.id, one.row, one.text_seq, one.tokens)
        tx.on_commit(state.queue_changed)
        rows, text_seqs = int64([one.row for one, _ in taken]), int64([one.text_seq for one, _ in taken])
        known = source_rows.some(tx.connection, rows.tolist())
        batch = Batch(rows, text_seqs, [], np.stack([half for _, half in taken]))
        tx.on_commit(lambda: state.with_hot(lambda hot: take(hot, known, batch)))
    return len(taken)


def _staged(
    state: State, user_id: str, row: int, text_seq: int, agent_id: str | None, half: HalfMatrix | None
) -> None:
    rows = int64([row])
    if half is None:  # the vector of the text before, if any, is no longer true
        state.with_hot(lambda hot: hot.remove(user_id, rows))
    else:
        state.with_hot(lambda hot: hot.put_many(user_id, rows, int64([text_seq]), [agent_id], half[None]))
