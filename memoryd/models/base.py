"""What every embedder offers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

FloatMatrix = npt.NDArray[np.float32]


class Embedder(Protocol):
    """A text embedder of one space.

    fingerprint: names the *space* (family, revision, dim, pooling, prefixes, normalisation), never the
    engine. engine: names what computes it. All vectors are L2-normalised float32 of shape (n, dim).
    Thread-safe; several calls may run at once.
    """

    @property
    def fingerprint(self) -> str: ...

    @property
    def engine(self) -> str: ...

    @property
    def dim(self) -> int: ...

    def embed_queries(self, texts: Sequence[str]) -> FloatMatrix:
        """Vectors of search queries."""
        ...

    def embed_passages(self, texts: Sequence[str]) -> FloatMatrix:
        """Vectors of stored texts; texts over the window are windowed or averaged, never cut silently."""
        ...

    def count_tokens(self, text: str) -> int:
        """Tokens the model sees, specials included."""
        ...

    def close(self) -> None:
        """Free the model."""
        ...
