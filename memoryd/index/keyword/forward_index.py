"""The terms of each text as numbers, beside the keyword index: for scores of rows that are already chosen.

FTS5 finds the rows of a term; what a certain row holds it cannot say. A term's number is its CRC-32: that two
of the few terms which meet in a query and a text have the same one is left to chance.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from memoryd.index.vectors.rounding import Rows
from memoryd.language.fold import index_terms
from memoryd.language.text_features import feature_bits
from memoryd.storage.database import Transaction

Numbers = npt.NDArray[np.uint32]
Floats = npt.NDArray[np.float64]

MOST_KEPT = 1000
"""Terms of a text; what stands behind them counts for its length only."""
K1, B = 1.2, 0.75
"""FTS5's own constants of BM25."""
_NUMBER = np.dtype("<u4")
_HEAD = 2


def numbers_of(terms: Collection[str]) -> Numbers:
    """The numbers of some terms."""
    numbers = (zlib.crc32(term.encode("utf-8", "surrogatepass")) for term in terms)
    return np.fromiter(numbers, np.uint32, len(terms))


def put(tx: Transaction, row: int, terms: Sequence[str], cues: int) -> None:
    """Keep the terms and the cues of a text."""
    tx.execute("INSERT OR REPLACE INTO text_terms VALUES (?, ?)", (row, _encode(terms, cues).tobytes()))


def term_numbers(text: str) -> Numbers:
    """What would be kept of a text."""
    return _encode(index_terms(text), feature_bits(text))


def _encode(terms: Sequence[str], cues: int) -> Numbers:
    head = np.array([len(terms), cues], _NUMBER)
    return np.append(head, numbers_of(terms[:MOST_KEPT]).astype(_NUMBER))


def remove(tx: Transaction, row: int) -> None:
    """Forget those of a text."""
    tx.execute("DELETE FROM text_terms WHERE row = ?", (row,))


@dataclass(frozen=True, slots=True)
class Documents:
    """The terms of n texts.

    rows: (n,) ascending; terms: of all texts, one after the other; starts: (n,) where each begins; lengths:
    (n,) terms of each whole text; cues: (n,) as `language.text_features` has them.
    """

    rows: Rows
    terms: Numbers
    starts: Rows
    lengths: Floats
    cues: Numbers

    def counts(self, wanted: Numbers) -> Floats:
        """How often each wanted term stands in each text, (n, wanted)."""
        distinct, columns = np.unique(wanted, return_inverse=True)
        if not len(distinct) or not len(self.terms):
            return np.zeros((len(self.rows), len(wanted)))
        places = np.minimum(np.searchsorted(distinct, self.terms), len(distinct) - 1)
        held = np.flatnonzero(distinct[places] == self.terms)
        texts = np.searchsorted(self.starts, held, side="right") - 1
        cells = len(self.rows) * len(distinct)
        counted = np.bincount(texts * len(distinct) + places[held], minlength=cells)
        return np.asarray(counted.reshape(-1, len(distinct))[:, columns], np.float64)


def load(connection: sqlite3.Connection, rows: Sequence[int]) -> Documents:
    """The terms of the texts at `rows`; unknown rows are left out."""
    found = _fetch(connection, rows)
    blobs = [blob for _, blob in found]
    numbers = np.frombuffer(b"".join(blobs), _NUMBER)
    sizes = np.fromiter(map(len, blobs), np.int64, len(blobs)) // _NUMBER.itemsize
    heads = np.cumsum(sizes) - sizes
    is_term = np.ones(len(numbers), np.bool_)
    is_term[heads] = is_term[heads + 1] = False
    return Documents(
        np.fromiter((row for row, _ in found), np.int64, len(found)),
        numbers[is_term],
        heads - _HEAD * np.arange(len(heads)),
        numbers[heads].astype(np.float64),
        numbers[heads + 1],
    )


def load_numbers(connection: sqlite3.Connection, rows: Sequence[int]) -> dict[int, Numbers]:
    """What is kept of the texts at `rows`, by row in ascending order."""
    return {row: np.frombuffer(blob, _NUMBER) for row, blob in _fetch(connection, rows)}


def _fetch(connection: sqlite3.Connection, rows: Sequence[int]) -> list[tuple[int, bytes]]:
    cursor = connection.cursor()
    cursor.row_factory = None  # plain tuples: half the time of rows by name
    sql = "SELECT row, terms FROM text_terms WHERE row IN (SELECT value FROM json_each(?)) ORDER BY row"
    return cursor.execute(sql, (json.dumps(rows),)).fetchall()


def to_documents(kept: Mapping[int, Numbers]) -> Documents:
    """The terms of texts of which this is kept, by row in ascending order."""
    parts = list(kept.values())
    sizes = np.fromiter((len(part) - _HEAD for part in parts), np.int64, len(parts))
    return Documents(
        np.fromiter(kept, np.int64, len(parts)),
        np.concatenate([part[_HEAD:] for part in parts]) if parts else np.empty(0, np.uint32),
        np.cumsum(sizes) - sizes,
        np.fromiter((part[0] for part in parts), np.float64, len(parts)),
        np.fromiter((part[1] for part in parts), np.uint32, len(parts)),
    )


def bm25(counts: Floats, lengths: Floats, idfs: Floats, mean_length: float) -> Floats:
    """BM25 of n texts, (n,), as FTS5 computes it (Robertson and Zaragoza 2009).

    counts: (n, terms) of each term in each text; lengths: (n,); idfs: (terms,).
    """
    norm = K1 * (1 - B + B * lengths / mean_length)
    return np.asarray((counts * (K1 + 1) / (counts + norm[:, None])) @ idfs)
