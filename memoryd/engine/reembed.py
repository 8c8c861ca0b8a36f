"""Embedding every memory anew, for another model, while the old index serves."""

from __future__ import annotations

import logging
from threading import Event

from memory_client.deadline import Deadline
from memoryd.engine.meaning import Meaning
from memoryd.index.vector_index import VectorIndex

log = logging.getLogger(__name__)

_BATCH = 256


class Reembed:
    """Builds the index of the model the settings ask for, then lets it serve; goes on where it was."""

    def __init__(self, meaning: Meaning, vectors: VectorIndex, stopping: Event) -> None:
        self._meaning = meaning
        self._vectors = vectors
        self._stopping = stopping

    def run(self) -> None:
        """Work until the new index serves or the process stops. Raises `ModelUnavailableError`."""
        embedder = self._meaning.host.wait(Deadline.after(0))
        serving = self._vectors.serving
        if serving is not None and self._meaning.fits(serving, embedder):
            return
        building = self._meaning.begin(embedder)
        if building is None:
            return
        while missing := building.missing(_BATCH):
            if self._stopping.is_set():
                return
            vectors = self._meaning.host.embed_passages([text for _, text, _ in missing])
            building.add(
                [(row, text_seq, vector) for (row, _, text_seq), vector in zip(missing, vectors, strict=True)]
            )
        building.finish()
        self._meaning.switched()
        log.info("the index of %s serves now", embedder.fingerprint)
