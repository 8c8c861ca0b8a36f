"""Directories of many turns: a few are embedded, the others get their vectors with a little noise."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from benchmarks.bulk import wait_until_none
from memoryd.core.passage import Passage
from memoryd.knowledge_base import KnowledgeBase
from memoryd.models.base import Encoding
from memoryd.models.e5.onnx_engine import OnnxEmbedder

SESSION = 20
"""Turns in one."""
NEAREST, FARTHEST = 0.995, 0.97
"""Cosines of a turn's vector with the real one it is made from."""
SPEAKERS = ("Anna", "Ben")
_CHUNK = 200
"""Sessions between notices."""


def conversations(texts: Sequence[str], count: int) -> Iterator[list[dict[str, Any]]]:
    """Sessions of turns made of these texts, each text told apart by a number once they begin again."""
    rounds = ((texts[at % len(texts)], at // len(texts)) for at in range(count))
    said = (f"{text} #{again}" if again else text for text, again in rounds)
    for start in range(0, count, SESSION):
        yield [
            {
                "role": ("user", "assistant")[at % 2],
                "speaker": SPEAKERS[at % 2],
                "text": next(said),
                "at": 1_500_000_000 + start * 3600 + at * 30,
            }
            for at in range(min(SESSION, count - start))
        ]


def fill_with_turns(
    home: Path, texts: Sequence[str], count: int, settings: dict[str, Any], real: int = 1000
) -> None:
    """Store turns through the engine, in process; return when all have vectors.

    The first `real` are embedded; the others get the encoding of one of these, its vector turned a little.
    """
    own, known = OnnxEmbedder.encode, list[Encoding]()

    def encode(model: OnnxEmbedder, passages: Sequence[Passage], *, is_query: bool = False) -> list[Encoding]:
        if is_query or len(known) < real:
            made = own(model, passages, is_query=is_query)
            known.extend(() if is_query else made)
            return made
        return [_turned(known, passage.text) for passage in passages]

    with patch.object(OnnxEmbedder, "encode", encode), KnowledgeBase(home, settings=settings) as store:
        wait_until_none(lambda: int(store.status()["embedder"]["fallback"] is not None), "engine")
        known.clear()
        for number, turns in enumerate(conversations(texts, count)):
            store.conversation.extend(f"session {number}", turns)  # type: ignore[arg-type]
        wait_until_none(lambda: store.status()["pending_vectors"], "vectors")
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
