from __future__ import annotations

import re
from collections import OrderedDict
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_client.api import METHODS, find
from memory_client.errors import InvalidParameterError, MemorydError, UnknownParameterError
from memoryd.core.parameter_errors import abbreviate
from memoryd.service.parameters import check_range
from memoryd.service.validation import declared_parameters, validate_parameters


class Hostile:
    def __repr__(self) -> str:
        raise RuntimeError("no")


def test_what_fits_comes_through_as_declared() -> None:
    found = validate_parameters(
        find("memory.search"), {"query": "x", "min_score": 1, "filters": OrderedDict(a=1)}
    )
    assert found == {"query": "x", "min_score": 1.0, "filters": {"a": 1}}
    assert [type(value) for value in found.values()] == [str, float, dict]


def test_items_may_be_of_two_kinds_and_come_in_a_tuple() -> None:
    items = ("a", {"text": "b", "metadata": None}, {"text": "c", "metadata": {"x": [1]}})
    assert validate_parameters(find("memory.add_many"), {"items": items}) == {"items": list(items)}


@pytest.mark.parametrize(
    ("method", "params", "place", "words"),
    [
        ("add", {"text": 3}, "text", ["3", "Expected `str`"]),
        ("add", {"text": b"x"}, "text", ["b'x'", "bytes"]),
        ("add", {"text": None}, "text", ["None"]),
        ("add", {"text": "x", "metadata": {1: 2}}, "metadata", ["dict[str, Any]"]),
        ("add", {"text": "x", "metadata": "y" * 10_000}, "metadata", ["'yyy", "..."]),
        ("add", {"text": "x", "user_id": None}, "user_id", ["str"]),
        ("search", {"query": "x", "n_results": "5"}, "n_results", ["'5'", "int"]),
        ("search", {"query": "x", "n_results": True}, "n_results", ["True", "int"]),
        ("search", {"query": "x", "n_results": 5.0}, "n_results", ["5.0", "int"]),
        ("search", {"query": "x", "mode": "fast"}, "mode", ["'fast'", "'auto'", "'lexical'"]),
        ("search", {"query": "x", "explain": 1}, "explain", ["bool"]),
        ("search", {"query": "x", "filters": [1]}, "filters", ["dict"]),
        ("add_many", {"items": "abc"}, "items", ["'abc'", "array"]),
        ("add_many", {"items": ["a", 3]}, "items[1]", [": 3:"]),
        ("add_many", {"items": [{"metadata": {}}]}, "items[0]", ["{'metadata': {}}", "`text`"]),
        ("add_many", {"items": ["a", {"text": 1}]}, "items[1].text", [": 1:", "str"]),
        ("add_many", {"items": [{"text": "a", "metadata": 7}]}, "items[0].metadata", [": 7:"]),
        (
            "add_many",
            {"items": [{"text": "a", "metadta": {}}]},
            "items[0]",
            ["'metadta'", "did you mean 'metadata'"],
        ),
        ("add_many", {"items": [{"text": "a", "zzz": 1}]}, "items[0]", ["expected text, metadata"]),
        ("get_many", {"ids": ["a", None]}, "ids[1]", [": None:"]),
        ("get_many", {"ids": [Hostile()]}, "ids[0]", ["Hostile"]),
        ("get", {"id": "x"}, "id", ["'x'", "is not an id", "mem_"]),
        ("get_many", {"ids": ["mem_" + "0" * 20, "x"]}, "ids[1]", ["'x'", "is not an id"]),
        ("mark_used", {"ids": ["mem_" + "0" * 20] * 1001}, "ids", ["1001 items", "0 to 1,000 items"]),
        ("history", {"id": "mem_" + "0" * 20, "limit": 0}, "limit", ["0; expected 1 to 1,000"]),
        ("update_importance", {"id": "mem_" + "0" * 20, "value": 7.5}, "value", ["7.5", "0 to 5"]),
        ("add", {"text": "x", "user_id": " "}, "user_id", ["is blank"]),
        ("add", {"text": "x", "request_id": "a\n"}, "request_id", ["control character"]),
        ("update_importance", {"id": "x", "delta": "1"}, "delta", ["float"]),
    ],
)
def test_what_does_not_fit_is_named_with_its_value_and_the_expectation(
    method: str, params: dict[str, Any], place: str, words: list[str]
) -> None:
    with pytest.raises(InvalidParameterError) as caught:
        validate_parameters(find(f"memory.{method}"), params)
    assert caught.value.data["parameter"] == place
    assert caught.value.message.startswith(f"{place}: ")
    assert len(caught.value.message) < 300
    for word in words:
        assert word in caught.value.message


def test_unknown_and_missing_parameters_are_named() -> None:
    with pytest.raises(UnknownParameterError, match="did you mean 'text'"):
        validate_parameters(find("memory.add"), {"txt": "x"})
    with pytest.raises(UnknownParameterError, match="needs the parameter 'text'"):
        validate_parameters(find("memory.add"), {})


@pytest.mark.parametrize(
    "value",
    [0, 6, -1, float("nan"), float("inf"), 10**400, pytest.param(10**5000, id="10**5000")],
)
def test_ranges(value: float) -> None:
    with pytest.raises(InvalidParameterError, match=r"limit: .*expected 1 to 5") as caught:
        check_range("limit", value, 1, 5)
    assert len(caught.value.message) < 200


@pytest.mark.parametrize("value", [1, 5, 2.5])
def test_within_ranges(value: float) -> None:
    check_range("limit", value, 1, 5)


HUGE: list[Any] = ["x" * 10**6, [[[[[[1]]]]]] * 1000, 10**5000, Hostile(), {"a": "b" * 1000}, "\ud800"]


@pytest.mark.parametrize("place", range(len(HUGE)))
def test_a_value_in_a_message_is_short_whatever_it_is(place: int) -> None:
    text = abbreviate(HUGE[place])
    assert 0 < len(text) <= 80
    text.encode("utf-8")


def test_a_value_in_a_message_may_be_deep() -> None:
    deep: Any = 1
    for _ in range(5000):
        deep = [deep]
    assert len(abbreviate(deep)) <= 80


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.binary(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5) | st.integers(), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(st.sampled_from(sorted(METHODS)), st.data())
def test_whatever_is_given_is_taken_or_refused_by_an_error_of_ours(method: str, data: st.DataObject) -> None:
    spec = find(method)
    params = {
        name: data.draw(VALUES)
        for name in spec.parameters
        if name in spec.required or data.draw(st.booleans())
    }
    refusal: MemorydError | None = None
    try:
        taken = validate_parameters(spec, params)
    except MemorydError as error:
        refusal = error
    if refusal is None:
        assert set(taken) == set(params)
    else:
        assert re.split(r"[.[]", refusal.data["parameter"])[0] in params


def test_every_declared_type_can_be_checked() -> None:
    for spec in METHODS.values():
        assert set(declared_parameters(spec.function)) == set(spec.parameters)
