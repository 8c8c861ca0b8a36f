"""One bit a dimension of many vectors: which of them are worth a look, in a hundredth of a scan's bytes.

The bit says on which side of the block's mean a component lies. The vectors with the fewest bits unlike the
query's hold the nearest ones (measured on 100k turns, 4,000 kept: .98 of the ten nearest, 1.2 ms where the
exact scan takes 16); they are then scored exactly.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from memoryd.index.vectors.rounding import FloatMatrix, FloatVector, Rows

_SAMPLE = 20_000
_BITS = 64

Words = npt.NDArray[np.uint64]


class BinaryQuantization:
    """The bits of the vectors at the first places of a block, in columns of 64 dimensions.

    Places behind what is written may be written while others are read, as in the block itself.
    """

    def __init__(self, vectors: FloatMatrix, capacity: int) -> None:
        self._center = vectors[:_SAMPLE].mean(axis=0)
        words = -(-vectors.shape[1] // _BITS)
        self._columns = np.zeros((words, capacity), np.uint64)
        self.put(0, vectors)

    def put(self, start: int, vectors: FloatMatrix) -> None:
        """Write the bits of vectors (n, dim) from a place on."""
        self._columns[:, start : start + len(vectors)] = self._bits(vectors).T

    def nearest(self, query: FloatVector, count: int, wanted: Rows | None, limit: int) -> Rows:
        """About `limit` places whose bits are most like the query's, ascending.

        count: of the places that are looked at; wanted: those of them that count, None for all.
        """
        asked = self._bits(query[None])[0]
        unlike = np.zeros(count if wanted is None else len(wanted), np.uint16)
        for column, word in zip(self._columns, asked, strict=True):
            held = column[:count] if wanted is None else column[wanted]
            unlike += np.bitwise_count(held ^ word)
        if limit >= len(unlike):
            return np.arange(count) if wanted is None else wanted
        near = np.flatnonzero(unlike <= np.partition(unlike, limit)[limit])
        return near if wanted is None else wanted[near]

    def _bits(self, vectors: FloatMatrix) -> Words:
        packed = np.packbits(vectors > self._center, axis=1)
        padded = np.zeros((len(vectors), len(self._columns) * _BITS // 8), np.uint8)
        padded[:, : packed.shape[1]] = packed
        return padded.view(np.uint64)

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return self._columns.nbytes
