"""Embedding many texts: in portions that do not take long, and though the model refuses some of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from memory_client.errors import ModelUnavailableError
from memoryd.core.passage import Passage
from memoryd.models import probe

V = TypeVar("V")

PORTION = 256
_PORTION_CHARS = 32_768
"""About ten seconds of work for the bundled model; a portion is stored as a whole or not at all."""


def portions(texts: Sequence[str]) -> Iterator[slice]:
    """Stretches of at most `PORTION` texts and 32 K characters, or one longer text; the same every time."""
    start = size = 0
    for place, text in enumerate(texts):
        if place > start and (place - start == PORTION or size + len(text) > _PORTION_CHARS):
            yield slice(start, place)
            start, size = place, 0
        size += len(text)
    if start < len(texts):
        yield slice(start, len(texts))


def embed_possible(
    embed: Callable[[Sequence[Passage]], Sequence[V]], texts: Sequence[Passage]
) -> list[V | None]:
    """What `embed` makes of the texts, None for those it refuses when they come alone.

    A server may refuse one text for its length or its content; that must not keep the others waiting.
    Raises `ModelUnavailableError` when a plain text is refused too: then it is the model that fails.
    """
    try:
        return list(embed(texts))
    except ModelUnavailableError:
        embed([Passage(probe.TEXTS[0])])
    return [_embed_alone(embed, text) for text in texts]


def _embed_alone(embed: Callable[[Sequence[Passage]], Sequence[V]], text: Passage) -> V | None:
    try:
        return embed([text])[0]
    except ModelUnavailableError:
        return None
