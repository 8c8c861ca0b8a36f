"""Search in the vector store, for indexes too large to be held in memory.

Lance knows neither agents nor what changed since its last batch: its answers are over-fetched, checked
against SQLite, joined with what is still in the outbox and scored exactly.
"""

from __future__ import annotations

import sqlite3

import numpy as np
import numpy.typing as npt

from memoryd.core.scope import ALL_AGENTS, Scope
from memoryd.index import outbox, truth
from memoryd.index.lance import VectorTable
from memoryd.index.scan import Hits, cosines, ordered
from memoryd.index.vectors import Batch, FloatVector, HalfMatrix, Rows, decode, int64

# Lance rounds the query to float16 and adds up in another order; measured error of a cosine: 4e-5
_COARSENESS = 2e-4
_MAX_LISTED = 10_000  # more allowed rows than this are filtered here, not by Lance
_GROWTH = 4


def search(
    connection: sqlite3.Connection,
    table: VectorTable,
    scope: Scope,
    query: FloatVector,
    k: int,
    allowed: Rows | None,
) -> Hits:
    """The k nearest of a scope as (row, cosine), best first. connection: a view begun before this call."""
    fresh = _fresh(connection, scope.user_id, table.dim)
    listed = allowed if allowed is not None and len(allowed) <= _MAX_LISTED else None
    fetch = 2 * k + 16
    while True:
        found = table.nearest(query, fetch, scope.user_id, listed)
        candidates = _joined(found, fresh)
        kept = _visible(connection, scope, candidates, allowed)
        scores = cosines(candidates.vectors, np.arange(len(candidates)), query)
        hits = ordered(candidates.rows[kept], scores[kept], k)
        floor = float(scores[: len(found)].min(initial=2.0))
        if len(found) < fetch or (len(hits) == k and hits[-1][1] >= floor + _COARSENESS):
            return hits
        fetch *= _GROWTH


def _fresh(connection: sqlite3.Connection, user_id: str, dim: int) -> Batch:
    entries = outbox.embedded(connection, user_id)
    return Batch(
        int64([entry.row for entry in entries]),
        int64([entry.text_seq for entry in entries]),
        [entry.user_id for entry in entries],
        _matrix([decode(entry.vector, dim) for entry in entries if entry.vector], dim),
    )


def _matrix(vectors: list[HalfMatrix], dim: int) -> HalfMatrix:
    return np.stack(vectors) if vectors else np.empty((0, dim), np.float16)


def _joined(found: Batch, fresh: Batch) -> Batch:
    """What Lance found, then what only the outbox has; a row in both counts once, as in the outbox."""
    return Batch(
        np.concatenate([np.where(np.isin(found.rows, fresh.rows), -1, found.rows), fresh.rows]),
        np.concatenate([found.text_seqs, fresh.text_seqs]),
        [*found.user_ids, *fresh.user_ids],
        np.concatenate([found.vectors, fresh.vectors]),
    )


def _visible(
    connection: sqlite3.Connection, scope: Scope, candidates: Batch, allowed: Rows | None
) -> npt.NDArray[np.intp]:
    known = truth.some(connection, candidates.rows.tolist())
    mask = known.holds(candidates.rows, candidates.text_seqs, lambda user, agent: _sees(scope, user, agent))
    if allowed is not None:
        mask &= np.isin(candidates.rows, allowed)
    return np.flatnonzero(mask)


def _sees(scope: Scope, user_id: str, agent_id: str | None) -> bool:
    return user_id == scope.user_id and (
        scope.agent_id == ALL_AGENTS or agent_id is None or agent_id == scope.agent_id
    )
