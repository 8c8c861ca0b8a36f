"""Cutting texts into pieces and joining their vectors."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_client.errors import InvalidParameterError
from memoryd.core.passage import Passage
from memoryd.models.lanes import BYTES_A_TEXT, batches
from memoryd.models.texts import model_text, size_of, split, weighted_mean, windows


@given(st.text(max_size=300), st.integers(4, 64))
def test_pieces_are_the_text_and_no_larger_than_asked(text: str, size: int) -> None:
    text = "".join(char for char in text if not "\ud800" <= char <= "\udfff")
    pieces = split(text, size)
    assert all(size_of(piece) <= size and piece.strip() for piece in pieces)
    assert "".join("".join(pieces).split()) == "".join(text.split())


def test_cuts_are_at_natural_breaks() -> None:
    assert split("一二三四五六七八。九十", 30) == ["一二三四五六七八。", "九十"]
    assert split("one two three four", 16) == ["one two three ", "four"]


@given(st.text(min_size=1, max_size=200), st.integers(1, 20))
def test_windows_keep_to_the_limit(text: str, limit: int) -> None:
    text = "".join(char for char in text if not "\ud800" <= char <= "\udfff")
    found = windows(text, len, limit)
    assert all(tokens == len(window) for window, tokens in found)
    assert all(tokens <= limit or size_of(window) <= 4 for window, tokens in found)
    assert "".join("".join(window for window, _ in found).split()) == "".join(text.split())


@given(st.lists(st.integers(1, 200), max_size=50), st.integers(1, 8))
def test_batches_hold_every_piece_once(lengths: list[int], batch: int) -> None:
    pieces = [Passage("x" * length) for length in lengths]
    found = batches(pieces, batch)
    assert sorted(at for chosen in found for at in chosen) == list(range(len(pieces)))
    for chosen in found:
        total = sum(lengths[at] for at in chosen)
        assert len(chosen) <= batch
        assert len(chosen) == 1 or total <= batch * BYTES_A_TEXT


def test_model_text() -> None:
    assert model_text("a\0b\udc00") == "a b\ufffd"
    with pytest.raises(InvalidParameterError):
        model_text("\0\n")


def test_weighted_mean() -> None:
    vectors = np.eye(2, dtype=np.float32)
    np.testing.assert_allclose(weighted_mean(vectors, [3, 4]), [0.6, 0.8], atol=1e-6)
