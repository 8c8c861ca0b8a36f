"""Preparing texts for a model: well-formed, not blank, in pieces of a bounded size."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from memory_client.errors import InvalidParameterError
from memoryd.models.base import FloatMatrix, FloatVector

# Where a text is best cut, best first.
_BREAKS = ("\n", "。！？!?.…", "；;，,、：: \t\u3000")


def model_text(text: str) -> str:
    """`plain_text`. Raises `InvalidParameterError` when nothing visible is left."""
    text = plain_text(text)
    if not text.strip():
        raise InvalidParameterError(
            "text: is empty or blank; expected a text with at least one visible character",
            parameter="text",
            value="blank",
            expected="a text with at least one visible character",
        )
    return text


def plain_text(text: str) -> str:
    """Replace what C strings and UTF-8 cannot hold: NUL becomes a space, lone surrogates U+FFFD."""
    text = text.replace("\0", " ")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)
    return text


def size_of(text: str) -> int:
    """UTF-8 bytes. Four make about one token, in Chinese as in English."""
    return len(text.encode("utf-8", "replace"))


def split(text: str, size: int) -> list[str]:
    """Pieces of at most `size` UTF-8 bytes (at least 4), cut at natural breaks; blank pieces left out."""
    return [piece for piece in _pieces(text, max(size, 4)) if piece.strip()]


def _pieces(text: str, size: int) -> Iterator[str]:
    data = text.encode("utf-8")
    start = 0
    while len(data) - start > size:
        end = start + size
        while data[end] & 0xC0 == 0x80:  # never inside a character
            end -= 1
        piece = data[start:end].decode("utf-8")
        piece = piece[: _break(piece)]
        start += len(piece.encode("utf-8"))
        yield piece
    yield data[start:].decode("utf-8")


def _break(piece: str) -> int:
    """Characters up to the last natural break in the last quarter; all of them when there is none."""
    start = len(piece) * 3 // 4
    for marks in _BREAKS:
        last = max(piece.rfind(mark, start) for mark in marks)
        if last >= 0:
            return last + 1
    return len(piece)


def windows(text: str, count: Callable[[str], int], limit: int) -> list[tuple[str, int]]:
    """The text in pieces of at most `limit` tokens as `count` counts them, each with its count."""
    tokens = count(text)
    size = size_of(text)
    if tokens <= limit or size <= 4:
        return [(text, tokens)]
    smaller = split(text, size * limit * 9 // (tokens * 10))
    return [window for piece in smaller for window in windows(piece, count, limit)]


def unit(vectors: FloatMatrix) -> FloatMatrix:
    """The rows at length 1; a row of zeros stays."""
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(norms, 1e-12), dtype=np.float32)


def weighted_mean(vectors: FloatMatrix, weights: Sequence[float]) -> FloatVector:
    """The weighted mean of the rows, at length 1."""
    summed = np.asarray(weights, dtype=np.float32) @ vectors
    return np.asarray(unit(summed[np.newaxis, :])[0], dtype=np.float32)
