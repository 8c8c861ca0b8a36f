"""The embedding table: 250,037 rows of 4 bits, left in the file and gathered a token at a time."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from memoryd.models.base import FloatMatrix
from memoryd.models.e5.weights import BLOCK, BLOCK_BYTES, Weights, dequantised


class EmbeddingTable:
    """What goes into the encoder for tokens: word, position and type summed."""

    def __init__(self, weights: Weights) -> None:
        hidden = weights.shape.hidden
        self._words = weights.blocks("emb.word").reshape(-1, hidden // BLOCK, BLOCK_BYTES)
        positions = weights.vector("emb.pos").reshape(-1, hidden)
        self._places: FloatMatrix = positions + weights.vector("emb.type")[:hidden]

    def gather(self, ids: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
        """Embeddings of ids of shape (texts, tokens), of shape (texts, tokens, hidden)."""
        words = dequantised(self._words[ids]).reshape(*ids.shape, -1)
        words += self._places[: ids.shape[1]]
        return words
