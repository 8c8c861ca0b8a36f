"""The exact scan: cosines of a query with many vectors, the best of them in a stable order, near pairs."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from memoryd.index.vectors.rounding import FloatMatrix, FloatVector, HalfMatrix, Rows

Hits = list[tuple[int, float]]

# A float32 product differs in its last bits with the place of a vector in its block: candidates are taken
# with this much slack and computed again in double precision, so that equal texts get equal scores.
_SLACK = 1e-5
_DIGITS = 6
_CHUNK = 1024
# below this share of a block, gathering the wanted vectors beats scanning all of it
_GATHER_SHARE = 8
_NEAR = 0.93
"""A cosine; in the bundled model's space unrelated texts reach .95, a negated one .98: it only proposes."""
_MOST = 8
_PAIR_CHUNK = 256


def best(vectors: FloatMatrix, rows: Rows, wanted: Rows | None, query: FloatVector, k: int) -> Hits:
    """The k vectors nearest to `query`, best first, equal cosines by row.

    vectors: (n, dim); rows: their names; wanted: the places that count, None for all.
    """
    if wanted is None:
        scores = vectors @ query
    elif len(wanted) * _GATHER_SHARE < len(vectors):
        scores = vectors[wanted] @ query
    else:
        scores = (vectors @ query)[wanted]
    near = _nearest(scores, k)
    places = near if wanted is None else wanted[near]
    return ordered(rows[places], cosines(vectors, places, query), k)


def cosines(vectors: FloatMatrix | HalfMatrix, places: Rows, query: FloatVector) -> npt.NDArray[np.float64]:
    """Cosines of the vectors at `places` with `query`, the same whatever lies beside them."""
    exact = query.astype(np.float64)
    found = np.empty(len(places), np.float64)
    for start in range(0, len(places), _CHUNK):
        chunk = places[start : start + _CHUNK]
        found[start : start + _CHUNK] = vectors[chunk].astype(np.float64) @ exact
    return found.round(_DIGITS).clip(-1.0, 1.0)  # rounding a vector may leave it a little too long


def ordered(rows: Rows, scores: npt.NDArray[np.float64], k: int) -> Hits:
    """The k best as (row, cosine)."""
    order = np.lexsort((rows, -scores))[:k]
    return list(zip(rows[order].tolist(), scores[order].tolist(), strict=True))


def _nearest(scores: npt.NDArray[np.float32], k: int) -> Rows:
    if k >= len(scores):
        return np.arange(len(scores))
    threshold = np.partition(scores, len(scores) - k)[len(scores) - k]
    return np.flatnonzero(scores >= threshold - _SLACK)


def near_pairs(vectors: FloatMatrix, places: Rows) -> dict[int, list[int]]:
    """Of each place the earlier places near it, nearest first.

    vectors: float32 (n, dim), normalised; places: (n,) ascending.
    """
    found: dict[int, list[int]] = {}
    for start in range(0, len(places), _PAIR_CHUNK):
        chunk = slice(start, start + _PAIR_CHUNK)
        cosines = vectors[chunk] @ vectors[: start + _PAIR_CHUNK].T
        for offset, row in enumerate(cosines):
            earlier = row[: start + offset]
            near = np.flatnonzero(earlier >= _NEAR)
            if len(near):
                best = near[np.argsort(-earlier[near], kind="stable")[:_MOST]]
                found[int(places[start + offset])] = places[best].tolist()
    return found
