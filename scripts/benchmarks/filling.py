"""Filling a directory with many texts without embedding each: a few are, the others are made near these."""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

import numpy as np

from benchmarks.conversations import conversations
from memoryd.core.passage import Passage
from memoryd.knowledge_base import KnowledgeBase
from memoryd.models.base import Encoding
from memoryd.models.e5.onnx_engine import OnnxEmbedder

NEAREST, FARTHEST = 0.995, 0.97
"""Cosines of a text's vector with the real one it is made from."""
_CHUNK = 10_000
_FILL_SECONDS = 900.0


def fill_with_memories(home: Path, texts: Sequence[str]) -> None:
    """Store memories through the engine, in process; return when all have vectors and token vectors."""
    with _store_of_few(home, {}, 256) as store:
        for at in range(0, len(texts), _CHUNK):
            store.add_many(list(texts[at : at + _CHUNK]))


def fill_with_turns(home: Path, texts: Sequence[str], count: int, settings: Mapping[str, object]) -> None:
    """Store turns through the engine, in process; return when all have vectors and token vectors."""
    with _store_of_few(home, settings, 1000) as store:
        for number, turns in enumerate(conversations(texts, count)):
            store.conversation.extend(f"session {number}", turns)  # type: ignore[arg-type]


@contextmanager
def _store_of_few(home: Path, settings: Mapping[str, object], real: int) -> Iterator[KnowledgeBase]:
    """A store on a directory with the engine's files, which embeds the first `real` texts.

    The others get the encoding of one of these, its vector turned a little. The store is compacted at the
    end, once nothing waits.
    """
    own, known = OnnxEmbedder.encode, list[Encoding]()

    def encode(model: OnnxEmbedder, passages: Sequence[Passage], *, is_query: bool = False) -> list[Encoding]:
        if is_query or len(known) < real:
            made = own(model, passages, is_query=is_query)
            known.extend(() if is_query else made)
            return made
        return [_turned(known, passage.text) for passage in passages]

    with patch.object(OnnxEmbedder, "encode", encode), KnowledgeBase(home, settings=settings) as store:
        _wait_until_none(lambda: int(store.status()["embedder"]["state"] == "loading"), "models")
        known.clear()
        yield store
        _wait_until_none(lambda: store.status()["pending_vector_count"], "vectors")
        store.admin.compact()


def _turned(known: Sequence[Encoding], text: str) -> Encoding:
    """The same for the same text: a real encoding whose vector lies at a cosine from .97 to .995."""
    seed = zlib.crc32(text.encode())
    random = np.random.default_rng(seed)
    base = known[seed % len(known)]
    noise = random.standard_normal(len(base.vector))
    noise -= (noise @ base.vector) * base.vector
    cosine = random.uniform(FARTHEST, NEAREST)
    turned = cosine * base.vector + np.sqrt(1 - cosine**2) * noise / np.linalg.norm(noise)
    return Encoding(turned.astype(np.float32), base.tokens)


def _wait_until_none(missing: Callable[[], int], what: str) -> None:
    """Until nothing is missing. Raises `TimeoutError`."""
    deadline = time.monotonic() + _FILL_SECONDS
    while count := missing():
        if time.monotonic() > deadline:
            raise TimeoutError(f"{count} {what} are still missing after {_FILL_SECONDS:g} s")
        time.sleep(0.2)
