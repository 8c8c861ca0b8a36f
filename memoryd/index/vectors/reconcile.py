"""Where SQLite, the outbox, the vector store and the hot index disagree, and how it is put right.

SQLite is right. A text's vector is in the vector store with its present change number, or the text is in the
outbox; what else the store or the hot index hold is dropped.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from memoryd.index import source_rows
from memoryd.index.lance import outbox
from memoryd.index.source_rows import SourceRows
from memoryd.index.vectors.hot import HotIndex
from memoryd.index.vectors.rounding import FloatVector, Rows, encode, int64, rounded
from memoryd.storage.database import Transaction

Keys = tuple[Rows, Rows]  # rows and their text_seqs


@dataclass(frozen=True, slots=True)
class Differences:
    """Rows that are not as they should be.

    lost: texts neither in the store nor in the outbox; stale: rows of the store that belong to no text
    and that no outbox row is about to replace; doubled: rows the store holds more than once; misqueued:
    outbox rows that fit no text; ghosts: hot vectors that belong to no text; unloaded: texts whose vector
    the hot index lacks.
    """

    lost: Rows
    stale: Rows
    doubled: Rows
    misqueued: Rows
    ghosts: Rows
    unloaded: Rows

    def lines(self) -> list[str]:
        """One sentence for each kind there is."""
        kinds = (
            (self.lost, "memories have no vector and wait for none"),
            (self.stale, "vectors in the vector store belong to no present text"),
            (self.doubled, "memories have several vectors in the vector store"),
            (self.misqueued, "outbox rows fit no memory"),
            (self.ghosts, "vectors in memory belong to no present text"),
            (self.unloaded, "vectors are missing in memory"),
        )
        return [f"{len(rows)} {what} (row {rows[0]} is the first)" for rows, what in kinds if len(rows)]


@dataclass(frozen=True, slots=True)
class _Queue:
    """The outbox. waiting, embedded: for each memory, whether it is there so; misfits: rows of no memory."""

    waiting: npt.NDArray[np.bool_]
    embedded: npt.NDArray[np.bool_]
    rows: Rows
    misfits: Rows


def compare(
    connection: sqlite3.Connection, known: SourceRows, stored: Keys, hot: HotIndex | None
) -> Differences:
    """Compare everything with SQLite's `known` memories. stored: the keys of the vector store."""
    doubled = _doubled(stored[0])
    queue = _queue(connection, known)
    in_store, strays = _matched(known, stored)
    in_store &= ~np.isin(known.rows, doubled)
    none = np.empty(0, np.int64)
    ghosts = unloaded = none
    if hot is not None:
        in_hot, ghosts = _matched(known, hot.keys())
        unloaded = known.rows[(in_store | queue.embedded) & ~in_hot]
    return Differences(
        lost=known.rows[~in_store & ~queue.waiting & ~queue.embedded],
        stale=np.setdiff1d(strays, queue.rows),
        doubled=doubled,
        misqueued=queue.misfits,
        ghosts=ghosts,
        unloaded=unloaded,
    )


def requeue(tx: Transaction, known: SourceRows, found: Differences, hot: HotIndex | None) -> None:
    """Put the outbox right: lost memories enter it, with the hot index's vector when it has one."""
    tx.executemany("DELETE FROM outbox WHERE row = ?", ((int(row),) for row in found.misqueued))
    places = np.searchsorted(known.rows, found.lost)
    for user_id, group, _ in known.by_user(places):
        chosen = places[group]
        vectors = {} if hot is None else hot.vectors_of(user_id, known.rows[chosen])
        for key in zip(known.rows[chosen].tolist(), known.text_seqs[chosen].tolist(), strict=True):
            outbox.put(tx, key[0], user_id, key[1], _blob(vectors.get(key)))


def requeue_for(tx: Transaction, stored: Keys) -> SourceRows:
    """Queue all memories that a new space's table lacks, and what it has too many of; return the texts."""
    outbox.clear_puts(tx)
    known = source_rows.load(tx.connection)
    in_store, strays = _matched(known, stored)
    lost = np.flatnonzero(~in_store)
    for user_id, group, _ in known.by_user(lost):
        for place in lost[group].tolist():
            outbox.put(tx, int(known.rows[place]), user_id, int(known.text_seqs[place]), None)
    outbox.remove(tx, np.setdiff1d(strays, known.rows).tolist())
    return known


def _matched(known: SourceRows, keys: Keys) -> tuple[npt.NDArray[np.bool_], Rows]:
    """Which memories are among `keys`, and the rows of keys that are no memory's."""
    places = known.places_of(*keys)
    present = np.zeros(len(known.rows), np.bool_)
    present[places[places >= 0]] = True
    return present, keys[0][places < 0]


def _queue(connection: sqlite3.Connection, known: SourceRows) -> _Queue:
    found = connection.execute("SELECT row, text_seq, operation, vector IS NOT NULL FROM outbox").fetchall()
    rows, text_seqs = int64([entry[0] for entry in found]), int64([entry[1] for entry in found])
    removal = np.array([entry[2] == outbox.REMOVE for entry in found], np.bool_)
    vector = np.array([bool(entry[3]) for entry in found], np.bool_)
    places = known.places_of(rows, text_seqs)
    misfit = np.where(removal, np.isin(rows, known.rows), places < 0).astype(np.bool_)
    put = ~removal & ~misfit
    waiting, embedded = np.zeros(len(known.rows), np.bool_), np.zeros(len(known.rows), np.bool_)
    waiting[places[put & ~vector]] = True
    embedded[places[put & vector]] = True
    return _Queue(waiting, embedded, rows[~misfit], rows[misfit])


def _doubled(rows: Rows) -> Rows:
    found, counts = np.unique(rows, return_counts=True)
    return found[counts > 1]


def _blob(vector: FloatVector | None) -> bytes | None:
    return None if vector is None else encode(rounded(vector, len(vector)))
