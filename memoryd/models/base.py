"""What every embedder offers, and how its space is named."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

FloatMatrix = npt.NDArray[np.float32]
FloatVector = npt.NDArray[np.float32]


class Embedder(Protocol):
    """A text embedder of one space.

    fingerprint: names the *space* (family, revision, dim, pooling, prefixes, normalisation), never the
    engine. engine: names what computes it. All vectors are L2-normalised float32 of shape (n, dim).
    Thread-safe; several calls may run at once. Blank texts are an `InvalidParameterError`, whatever else
    goes wrong is a `ModelUnavailableError`.
    """

    @property
    def fingerprint(self) -> str: ...

    @property
    def engine(self) -> str: ...

    @property
    def model(self) -> str:
        """The setting that opens it again; never `auto`."""
        ...

    @property
    def dim(self) -> int: ...

    @property
    def concurrency(self) -> int:
        """Calls worth running at once: 1 where one call uses every core."""
        ...

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


@dataclass(frozen=True, slots=True)
class TokenVectors:
    """What a model makes of one text before pooling, prefix and special tokens left out.

    ids: of the tokens in the model's vocabulary, (tokens,). vectors: of the tokens, L2-normalised float32
    (tokens, dim). pooled: the text's own vector, as the embedder's other methods give it, (dim,).
    """

    ids: npt.NDArray[np.int32]
    vectors: FloatMatrix
    pooled: FloatVector


@runtime_checkable
class TokenEmbedder(Embedder, Protocol):
    """An embedder that can also give the vectors of the tokens."""

    def embed_tokens(self, texts: Sequence[str], *, is_query: bool = False) -> list[TokenVectors]:
        """One for each text."""
        ...


def space_fingerprint(
    family: str, revision: str, dim: int, pooling: str, query_prefix: str, passage_prefix: str
) -> str:
    """The name of a space whose vectors are L2-normalised; equal names mean comparable vectors."""
    prefixes = json.dumps([query_prefix, passage_prefix], ensure_ascii=False)
    return f"{family}@{revision};{dim};{pooling};l2;{prefixes}"
