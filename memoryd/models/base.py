"""What every embedder offers, and how its space is named."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from memoryd.core.passage import Passage

FloatMatrix = npt.NDArray[np.float32]
FloatVector = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Loading:
    """Callbacks of a load: `stop` asks whether to give up, `report` takes the name of a long step or None."""

    stop: Callable[[], bool] = lambda: False
    report: Callable[[str | None], None] = lambda _: None


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
        """The number of calls worth running at once: 1 if one call uses every core."""
        ...

    def embed_queries(self, texts: Sequence[str]) -> FloatMatrix:
        """Vectors of search queries."""
        ...

    def embed_passages(self, texts: Sequence[str]) -> FloatMatrix:
        """Vectors of stored texts; texts over the window are windowed or averaged, never cut silently."""
        ...

    def count_tokens(self, text: str) -> int:
        """The number of tokens, special ones included."""
        ...

    def close(self) -> None:
        """Free the model."""
        ...


@dataclass(frozen=True, slots=True)
class TokenVectors:
    """The token vectors of one text before pooling, without prefix and special tokens.

    ids: of the tokens in the model's vocabulary, (tokens,). vectors: of the tokens, L2-normalised float32
    (tokens, dim). pooled: the text's own vector, as the embedder's other methods give it, (dim,).
    """

    ids: npt.NDArray[np.int32]
    vectors: FloatMatrix
    pooled: FloatVector


@dataclass(frozen=True, slots=True)
class Encoding:
    """The encoding of one text.

    vector: of the text, (dim,). tokens: of its tokens, L2-normalised float32 (tokens, reduced dim), None
    if the embedder has none. words: the word or sign each token of a query is part of.
    """

    vector: FloatVector
    tokens: FloatMatrix | None = None
    words: tuple[str, ...] = ()


@runtime_checkable
class TokenEmbedder(Embedder, Protocol):
    """An embedder that also returns token vectors."""

    def embed_tokens(self, texts: Sequence[str], *, is_query: bool = False) -> list[TokenVectors]:
        """One for each text."""
        ...

    def encode(self, passages: Sequence[Passage], *, is_query: bool = False) -> list[Encoding]:
        """One per passage: the passage read in its context, its tokens only."""
        ...


def encode(embedder: Embedder, passages: Sequence[Passage], *, is_query: bool = False) -> list[Encoding]:
    """Encode passages with any embedder; without token vectors, text and context are embedded together."""
    if isinstance(embedder, TokenEmbedder):
        return embedder.encode(passages, is_query=is_query)
    texts = [passage.joined for passage in passages]
    vectors = embedder.embed_queries(texts) if is_query else embedder.embed_passages(texts)
    return [Encoding(vector) for vector in vectors]


def space_fingerprint(
    family: str, revision: str, dim: int, pooling: str, query_prefix: str, passage_prefix: str
) -> str:
    """The name of a space whose vectors are L2-normalised; equal names mean comparable vectors."""
    prefixes = json.dumps([query_prefix, passage_prefix], ensure_ascii=False)
    return f"{family}@{revision};{dim};{pooling};l2;{prefixes}"
