"""Re-embeds every memory for another model, while the old index serves."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from threading import Event

from memory_client.errors import ModelUnavailableError, StorageError
from memoryd.core.passage import Passage
from memoryd.engine.embedding.batches import PORTION, embed_possible, portions
from memoryd.index.spaces.building import SpaceBuild
from memoryd.index.vectors.rounding import RowEncoding
from memoryd.index.vectors.vector_index import VectorIndex
from memoryd.models.base import Embedder, Encoding
from memoryd.retrieval.semantic_index import SemanticIndex, is_retired

log = logging.getLogger(__name__)

_RETRY_SECONDS = 60.0
_POLL_SECONDS = 0.05


class Reembedding:
    """Builds the index of the configured model, resuming where it stopped, and lets it serve.

    seconds: after which it pauses for other jobs.
    """

    def __init__(self, meaning: SemanticIndex, vectors: VectorIndex, stopping: Event, seconds: float) -> None:
        self._meaning = meaning
        self._vectors = vectors
        self._stopping = stopping
        self._seconds = seconds

    def run(self) -> float | None:
        """Work; return the seconds after which to continue, None if nothing is left."""
        embedder = self._loaded()
        if embedder is None:  # it is queued again when there is a model
            return None
        try:
            return self._go_on(embedder)
        except (ModelUnavailableError, StorageError) as error:
            if not self._stopping.is_set():
                log.warning("re-embedding: %s; continuing in %d s", error, _RETRY_SECONDS)
            return _RETRY_SECONDS

    def _go_on(self, embedder: Embedder) -> float | None:
        serving = self._vectors.serving
        is_fit = serving is not None and not is_retired(serving) and self._meaning.fits(serving, embedder)
        building = self._meaning.begin(embedder, self._stopping.is_set, anew=not is_fit)
        return None if building is None else self._build(building)

    def _loaded(self) -> Embedder | None:
        host = self._meaning.host
        while host.state == "loading" and not self._stopping.wait(_POLL_SECONDS):
            pass
        return host.embedder

    def _build(self, building: SpaceBuild) -> float | None:
        until = time.monotonic() + self._seconds
        while missing := building.missing(PORTION):
            for portion in portions([text.joined for _, text, _ in missing]):
                if time.monotonic() > until:
                    log.info("re-embedding: %d of %d memories", *building.progress())
                    return 0.0
                self._fill(building, missing[portion])
        self._meaning.switch(building)
        log.info("the index of %s serves now", building.space.fingerprint)
        return None

    def _fill(self, building: SpaceBuild, missing: Sequence[tuple[int, Passage, int]]) -> None:
        encodings = embed_possible(self._embed, [text for _, text, _ in missing])
        pairs = list(zip(missing, encodings, strict=True))
        building.add(
            [RowEncoding(row, seq, e.vector, e.tokens) for (row, _, seq), e in pairs if e is not None]
        )
        building.skip([(row, seq) for (row, _, seq), e in pairs if e is None])

    def _embed(self, texts: Sequence[Passage]) -> Sequence[Encoding]:
        return self._meaning.host.encode_passages(texts, stop=self._stopping.is_set)
