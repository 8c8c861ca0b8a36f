"""Which of some texts are near each other in meaning."""

from __future__ import annotations

import numpy as np

from memoryd.index.vectors.rounding import FloatMatrix, Rows

_NEAR = 0.93
"""A cosine; in the bundled model's space unrelated texts reach .95, a negated one .98: it only proposes."""
_MOST = 8
_CHUNK = 256


def near_pairs(vectors: FloatMatrix, places: Rows) -> dict[int, list[int]]:
    """Of each place the earlier places near it, nearest first.

    vectors: float32 (n, dim), normalised; places: (n,) ascending.
    """
    found: dict[int, list[int]] = {}
    for start in range(0, len(places), _CHUNK):
        chunk = slice(start, start + _CHUNK)
        cosines = vectors[chunk] @ vectors[: start + _CHUNK].T
        for offset, row in enumerate(cosines):
            earlier = row[: start + offset]
            near = np.flatnonzero(earlier >= _NEAR)
            if len(near):
                best = near[np.argsort(-earlier[near], kind="stable")[:_MOST]]
                found[int(places[start + offset])] = places[best].tolist()
    return found
