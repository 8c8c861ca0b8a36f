"""Embedding many texts though the model refuses some of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from memory_client.errors import ModelUnavailableError
from memoryd.models import probe

V = TypeVar("V")


def embed_possible(embed: Callable[[Sequence[str]], Sequence[V]], texts: Sequence[str]) -> list[V | None]:
    """What `embed` makes of the texts, None for those it refuses when they come alone.

    A server may refuse one text for its length or its content; that must not keep the others waiting.
    Raises `ModelUnavailableError` when a plain text is refused too: then it is the model that fails.
    """
    try:
        return list(embed(texts))
    except ModelUnavailableError:
        embed(probe.TEXTS[:1])
    return [_embed_alone(embed, text) for text in texts]


def _embed_alone(embed: Callable[[Sequence[str]], Sequence[V]], text: str) -> V | None:
    try:
        return embed([text])[0]
    except ModelUnavailableError:
        return None
