"""Portions of texts, and what a model refuses."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_client.errors import ModelUnavailableError
from memoryd.core.passage import Passage
from memoryd.engine.embedding.batches import PORTION, embed_possible, portions

LIMIT = 32_768


@given(st.lists(st.integers(1, 40_000), max_size=600))
def test_portions_hold_every_text_once_in_order_and_within_bounds(sizes: list[int]) -> None:
    texts = ["x" * size for size in sizes]
    found = list(portions(texts))
    assert [text for portion in found for text in texts[portion]] == texts
    for portion in found:
        held = texts[portion]
        assert 1 <= len(held) <= PORTION
        assert len(held) == 1 or sum(map(len, held)) <= LIMIT
    assert list(portions(texts)) == found


def test_portions_are_as_large_as_they_may_be() -> None:
    assert list(portions([])) == []
    assert list(portions(["x"] * 600)) == [slice(0, 256), slice(256, 512), slice(512, 600)]
    assert list(portions(["x" * LIMIT, "x", "x" * LIMIT])) == [slice(0, 1), slice(1, 2), slice(2, 3)]


class Model:
    """Refuses some texts, or everything."""

    def __init__(self, *refused: str, is_down: bool = False) -> None:
        self.refused = set(refused)
        self.is_down = is_down
        self.calls: list[list[str]] = []

    def __call__(self, passages: Sequence[Passage]) -> list[str]:
        texts = [passage.text for passage in passages]
        self.calls.append(texts)
        if self.is_down or not self.refused.isdisjoint(texts):
            raise ModelUnavailableError("no")
        return [text.upper() for text in texts]


def passages(*texts: str) -> list[Passage]:
    return [Passage(text) for text in texts]


def test_one_call_when_nothing_is_refused() -> None:
    model = Model()
    assert embed_possible(model, passages("a", "b")) == ["A", "B"]
    assert len(model.calls) == 1


def test_what_is_refused_alone_is_none() -> None:
    assert embed_possible(Model("b", "c"), passages("a", "b", "c", "d")) == ["A", None, None, "D"]
    assert embed_possible(Model("a"), passages("a")) == [None]


def test_a_model_that_is_down_is_not_asked_for_each_text() -> None:
    model = Model(is_down=True)
    with pytest.raises(ModelUnavailableError):
        embed_possible(model, passages(*["a"] * 100))
    assert len(model.calls) == 2
