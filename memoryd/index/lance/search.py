"""Search in the vector store, for indexes too large to be held in memory.

Lance knows neither agents nor what changed since its last batch: its answers are over-fetched, checked
against SQLite, joined with what is still in the outbox and scored exactly.
"""

from __future__ import annotations

import sqlite3

import numpy as np
import numpy.typing as npt

from memoryd.core.row_ranges import TextKind, kind_of
from memoryd.core.scope import ALL_AGENTS, Scope
from memoryd.index import source_rows
from memoryd.index.lance import outbox
from memoryd.index.lance.lance import VectorTable
from memoryd.index.vectors.rounding import Batch, FloatVector, Rows
from memoryd.index.vectors.scan import Hits, cosines, ordered
from memoryd.index.vectors.state import State, check_space
from memoryd.index.vectors.upkeep import ensure_store

# Lance rounds the query to float16 and adds up in another order; measured error of a cosine: 4e-5
_COARSENESS = 2e-4
_MAX_LISTED = 10_000  # more allowed rows than this are filtered here, not by Lance
_GROWTH = 4


def search(
    state: State,
    scope: Scope,
    query: FloatVector,
    k: int,
    allowed: Rows | None,
    fingerprint: str,
    kind: TextKind,
) -> Hits:
    """The k nearest texts of a kind in a scope as (row, cosine), best first, equal cosines by row."""
    if k < 1 or (allowed is not None and not len(allowed)):
        return []
    _open(state)
    with state.store.gate.passing():
        current = state.serving  # its files stay as long as we are inside the gate
        if current is None or current.table is None:
            return []
        check_space(current.space, fingerprint)
        # this view begins before Lance is asked: what is flushed meanwhile is then in both, never in none
        with state.database.read() as connection:
            hidden = state.archived.hidden(scope) if kind == "memory" else None
            return _search(connection, current.table, scope, query, k, allowed, hidden, kind)


def _open(state: State) -> None:
    if state.serving is not None and state.serving.table is None:
        with state.lance:
            ensure_store(state)
            state.table()


def _search(
    connection: sqlite3.Connection,
    table: VectorTable,
    scope: Scope,
    query: FloatVector,
    k: int,
    allowed: Rows | None,
    hidden: Rows | None,
    kind: TextKind,
) -> Hits:
    queued = outbox.get_embedded(connection, scope.user_id)
    fresh = outbox.to_batch([entry for entry in queued if kind_of(entry.row) == kind], table.dim)
    listed = allowed if allowed is not None and len(allowed) <= _MAX_LISTED else None
    fetch = 2 * k + 16
    while True:
        found = table.nearest(query, fetch, scope.user_id, listed, kind)
        candidates = _joined(found, fresh)
        kept = _visible(connection, scope, candidates, allowed, hidden)
        scores = cosines(candidates.vectors, np.arange(len(candidates)), query)
        hits = ordered(candidates.rows[kept], scores[kept], k)
        floor = float(scores[: len(found)].min(initial=2.0))
        if len(found) < fetch or (len(hits) == k and hits[-1][1] >= floor + _COARSENESS):
            return hits
        fetch *= _GROWTH


def _joined(found: Batch, fresh: Batch) -> Batch:
    """What Lance found, then what only the outbox has; a row in both counts once, as in the outbox."""
    return Batch(
        np.concatenate([np.where(np.isin(found.rows, fresh.rows), -1, found.rows), fresh.rows]),
        np.concatenate([found.text_seqs, fresh.text_seqs]),
        [*found.user_ids, *fresh.user_ids],
        np.concatenate([found.vectors, fresh.vectors]),
    )


def _visible(
    connection: sqlite3.Connection,
    scope: Scope,
    candidates: Batch,
    allowed: Rows | None,
    hidden: Rows | None = None,
) -> npt.NDArray[np.intp]:
    known = source_rows.some(connection, candidates.rows.tolist())
    mask = known.holds(candidates.rows, candidates.text_seqs, lambda user, agent: _sees(scope, user, agent))
    if allowed is not None:
        mask &= np.isin(candidates.rows, allowed)
    if hidden is not None:
        mask &= np.isin(candidates.rows, hidden, invert=True)
    return np.flatnonzero(mask)


def _sees(scope: Scope, user_id: str, agent_id: str | None) -> bool:
    return user_id == scope.user_id and (
        scope.agent_id == ALL_AGENTS or agent_id is None or agent_id == scope.agent_id
    )


def cosines_of(
    state: State, scope: Scope, query: FloatVector, rows: Rows, fingerprint: str
) -> dict[int, float]:
    """The cosines of a query with chosen texts, by row; those without a vector are left out."""
    _open(state)
    with state.store.gate.passing():
        current = state.serving
        if current is None or current.table is None:
            return {}
        check_space(current.space, fingerprint)
        with state.database.read() as connection:
            fresh = outbox.to_batch(outbox.get_embedded(connection, scope.user_id), current.table.dim)
            found: dict[int, float] = {}
            for batch in (*current.table.scan(rows), fresh):  # what the outbox holds is newer
                wanted = _visible(connection, scope, batch, rows)
                scores = cosines(batch.vectors, wanted, query)
                found.update(zip(batch.rows[wanted].tolist(), scores.tolist(), strict=True))
        return found


def vectors_of(state: State, scope: Scope, rows: Rows) -> dict[int, FloatVector]:
    """The vectors of chosen texts, by row; those without one are left out."""
    _open(state)
    with state.store.gate.passing():
        current = state.serving
        if current is None or current.table is None:
            return {}
        with state.database.read() as connection:
            fresh = outbox.to_batch(outbox.get_embedded(connection, scope.user_id), current.table.dim)
            found: dict[int, FloatVector] = {}
            for batch in (*current.table.scan(rows), fresh):  # what the outbox holds is newer
                wanted = _visible(connection, scope, batch, rows)
                vectors = batch.vectors[wanted].astype(np.float32)
                found.update(zip(batch.rows[wanted].tolist(), vectors, strict=True))
        return found
