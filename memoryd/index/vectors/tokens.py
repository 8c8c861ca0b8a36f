"""Token vectors of the texts in a space, for late interaction: one table a space, one row a text.

They stand in SQLite, not beside the vectors: 150 rows of 2 KB are read in 0.7 ms at 100k, and they change in
the transaction of the text. A component takes four bits: sixteen levels, as far apart as is best for a normal
distribution (Max 1960). A byte holds one component of each half of a vector.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from memoryd.index.vectors.rounding import FloatMatrix, Rows, int64
from memoryd.storage.database import Transaction

REDUCED = 192
"""Dimensions of a kept token vector, in every space."""
MOST_KEPT = 256
"""Tokens of a text, from its beginning."""
_HALF = REDUCED // 2
_STEP = 0.335 / REDUCED**0.5
_MIDDLE = 7.5
_DECODED = 256

Packed = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class TokenBlock:
    """The tokens of n texts. rows: (n,); packed: (tokens, 96) of one after the other; starts: (n,)."""

    rows: Rows
    packed: Packed
    starts: Rows

    def best_matches(self, query: FloatMatrix) -> FloatMatrix:
        """For each text and each token of a query (q, 192) the cosine of its nearest token, (n, q).

        MaxSim before its sum (Khattab and Zaharia 2020, ColBERT).
        """
        if not len(self.rows):
            return np.empty((0, len(query)), np.float32)
        scaled = np.ascontiguousarray(query.T * np.float32(_STEP))
        similar = np.empty((len(self.packed), len(query)), np.float32)
        levels = np.empty((min(_DECODED, len(self.packed)), REDUCED), np.float32)
        for start in range(0, len(self.packed), _DECODED):  # what is decoded at once stays in a core's cache
            packed = self.packed[start : start + _DECODED]
            decoded = levels[: len(packed)]
            np.bitwise_and(packed, 15, out=decoded[:, :_HALF], casting="unsafe")
            np.right_shift(packed, 4, out=decoded[:, _HALF:], casting="unsafe")
            np.matmul(decoded, scaled, out=similar[start : start + len(packed)])
        best = np.maximum.reduceat(similar, self.starts, axis=0)
        return np.asarray(best - _MIDDLE * scaled.sum(axis=0), dtype=np.float32)


def table(space_id: int) -> str:
    """The name of a space's table."""
    return f"tokens_{space_id}"


def create(tx: Transaction, space_id: int) -> None:
    """Make a space's table."""
    tx.execute(
        f"CREATE TABLE {table(space_id)} "
        "(row INTEGER PRIMARY KEY, text_seq INTEGER NOT NULL, tokens BLOB NOT NULL)"
    )


def drop(tx: Transaction, space_id: int) -> None:
    """Remove a space's table."""
    tx.execute(f"DROP TABLE IF EXISTS {table(space_id)}")


def put(tx: Transaction, space_id: int, row: int, text_seq: int, tokens: FloatMatrix | None) -> None:
    """Keep a text's tokens (tokens, 192); with None what was kept of an earlier text goes."""
    if tokens is None:
        remove(tx, [space_id], [row])
        return
    levels = np.clip(np.rint(tokens[:MOST_KEPT] / _STEP + _MIDDLE), 0, 15).astype(np.uint8)
    packed = levels[:, :_HALF] | (levels[:, _HALF:] << 4)
    sql = f"INSERT OR REPLACE INTO {table(space_id)} VALUES (?, ?, ?)"
    tx.execute(sql, (row, text_seq, packed.tobytes()))


def remove(tx: Transaction, space_ids: Iterable[int], rows: Iterable[int]) -> None:
    """Forget the tokens of texts."""
    gone = [(int(row),) for row in rows]
    for space_id in space_ids:
        tx.executemany(f"DELETE FROM {table(space_id)} WHERE row = ?", gone)


def clear(tx: Transaction, space_id: int) -> None:
    """Forget all of a space."""
    tx.execute(f"DELETE FROM {table(space_id)}")


def load(connection: sqlite3.Connection, space_id: int, rows: Sequence[int]) -> TokenBlock:
    """The tokens of the texts at `rows`; texts without any are left out."""
    cursor = connection.cursor()
    cursor.row_factory = None  # plain tuples: half the time of rows by name
    found = cursor.execute(
        f"SELECT row, tokens FROM {table(space_id)} "
        "WHERE row IN (SELECT value FROM json_each(?)) AND length(tokens) > 0 ORDER BY row",
        (json.dumps(rows),),
    ).fetchall()
    sizes = int64([len(blob) // _HALF for _, blob in found])
    packed = np.frombuffer(b"".join(blob for _, blob in found), np.uint8).reshape(-1, _HALF)
    return TokenBlock(int64([row for row, _ in found]), packed, np.cumsum(sizes) - sizes)
