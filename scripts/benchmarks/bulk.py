"""Filling a directory with many memories without embedding each: vectors near those of a few real texts."""

from __future__ import annotations

import time
import zlib
from collections.abc import Sequence
from pathlib import Path
from unittest.mock import patch

import numpy as np

from memoryd.knowledge_base import KnowledgeBase
from memoryd.models.base import Embedder, FloatMatrix
from memoryd.models.bundled import BundledEmbedder

REAL = 500
NOISE = 0.35
CHUNK = 10_000
FILL_SECONDS = 900.0


class JitteredEmbedder:
    """The bundled model for queries and other texts; for the texts to fill with, a real vector plus noise."""

    def __init__(self, inner: Embedder, filling: Sequence[str]) -> None:
        self._inner = inner
        self._filling = frozenset(filling)
        self._real = inner.embed_passages(list(filling[:REAL]))
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
        self._inner.close()


def fill_fast(home: Path, texts: Sequence[str]) -> None:
    """Store texts through the engine, in process, with jittered vectors; return when all are indexed."""

    def open_jittered() -> JitteredEmbedder:
        return JitteredEmbedder(BundledEmbedder(), texts)

    with patch("memoryd.models.select.BundledEmbedder", open_jittered), KnowledgeBase(home) as knowledge_base:
        knowledge_base.search("warm up", 1, mode="semantic")
        for at in range(0, len(texts), CHUNK):
            knowledge_base.add_many(list(texts[at : at + CHUNK]))
        _wait(knowledge_base)
        knowledge_base.admin.compact()


def _wait(knowledge_base: KnowledgeBase) -> None:
    deadline = time.monotonic() + FILL_SECONDS
    while pending := knowledge_base.status()["pending_vectors"]:
        if time.monotonic() > deadline:
            raise TimeoutError(f"{pending} vectors are still missing after {FILL_SECONDS:g} s")
        time.sleep(0.2)
