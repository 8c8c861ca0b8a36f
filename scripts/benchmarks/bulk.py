"""Filling a directory with many memories without embedding each: vectors near those of a few real texts."""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from unittest.mock import patch

import numpy as np

from memoryd.knowledge_base import KnowledgeBase
from memoryd.models.base import Embedder, FloatMatrix

REAL = 512
BATCH = 64
NOISE = 0.35
CHUNK = 10_000
FILL_SECONDS = 900.0


class JitteredEmbedder:
    """A model as it is, but for the texts to fill with: they get the vector of a real text plus noise."""

    def __init__(self, inner: Embedder, filling: Sequence[str]) -> None:
        self._inner = inner
        self._filling = frozenset(filling)
        batches = [inner.embed_passages(filling[at : at + BATCH]) for at in range(0, REAL, BATCH)]
        self._real = np.concatenate(batches)
        self.fingerprint, self.engine = inner.fingerprint, inner.engine
        self.dim, self.concurrency = inner.dim, inner.concurrency

    def embed_queries(self, texts: Sequence[str]) -> FloatMatrix:
        return self._inner.embed_queries(texts)

    def embed_passages(self, texts: Sequence[str]) -> FloatMatrix:
        if not self._filling.issuperset(texts):
            return self._inner.embed_passages(texts)
        numbers = [zlib.crc32(text.encode()) for text in texts]
        rng = np.random.default_rng(numbers)
        noise = rng.standard_normal((len(texts), self.dim)) * (NOISE / np.sqrt(self.dim))
        vectors = self._real[np.array(numbers) % len(self._real)] + noise
        unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.asarray(unit, dtype=np.float32)

    def count_tokens(self, text: str) -> int:
        return self._inner.count_tokens(text)

    def close(self) -> None:
        """The model stays open for whoever lent it."""


def fill_fast(home: Path, texts: Sequence[str], embedder: Embedder) -> None:
    """Store texts through the engine, in process, with jittered vectors; return when all are indexed."""
    jittered = JitteredEmbedder(embedder, texts)
    with (
        patch("memoryd.models.select.BundledEmbedder", lambda: jittered),
        KnowledgeBase(home) as knowledge_base,
    ):
        wait_until_none(lambda: 0 if knowledge_base.status()["embedder"]["searchable"] else 1, "model")
        for at in range(0, len(texts), CHUNK):
            knowledge_base.add_many(list(texts[at : at + CHUNK]))
        wait_until_none(lambda: knowledge_base.status()["pending_vectors"], "vectors")
        knowledge_base.admin.compact()


def wait_until_none(missing: Callable[[], int], what: str) -> None:
    """Until nothing is missing. Raises `TimeoutError`."""
    deadline = time.monotonic() + FILL_SECONDS
    while count := missing():
        if time.monotonic() > deadline:
            raise TimeoutError(f"{count} {what} are still missing after {FILL_SECONDS:g} s")
        time.sleep(0.2)
