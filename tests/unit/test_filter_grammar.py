from __future__ import annotations

from typing import Any

import pytest

from memory_client.errors import InvalidFilterError
from memoryd.core.filters.grammar import EVERYTHING, FIELDS, OPERATORS, And, Compare, Not, Or, parse_filters
from memoryd.core.metadata import TAKEN


@pytest.mark.parametrize("filters", [None, {}])
def test_nothing_asked_is_everything(filters: Any) -> None:
    assert parse_filters(filters) == EVERYTHING


def test_the_example_of_the_design() -> None:
    tree = parse_filters(
        {
            "category": "fact",
            "importance": {"gte": 1},
            "tags": {"contains": "x"},
            "metadata.mood": {"in": ["a"]},
            "not": {"kind": "task"},
            "or": [{"verified": True}, {"source": {"ne": "user"}}],
        }
    )
    assert tree == And(
        (
            Compare("category", "eq", "fact"),
            Compare("importance", "gte", 1),
            Compare("tags", "contains", "x"),
            Compare("metadata.mood", "in", ("a",)),
            Not(And((Compare("kind", "eq", "task"),))),
            Or((And((Compare("verified", "eq", True),)), And((Compare("source", "ne", "user"),)))),
        )
    )


def test_several_operators_of_a_field_are_anded_and_times_read() -> None:
    tree = parse_filters({"timestamp": {"gte": "1970-01-02", "lt": 100_000}})
    assert tree == And((Compare("created_at", "gte", 86400.0), Compare("created_at", "lt", 100_000.0)))


def test_keys_of_metadata_are_literal() -> None:
    assert parse_filters({"metadata.a.b$[0]": 1}) == And((Compare("metadata.a.b$[0]", "eq", 1),))


BAD: list[tuple[Any, str, str]] = [
    ("x", "filters", "is not an object"),
    ([], "filters", "is not an object"),
    ({"catgory": 1}, "filters", "unknown field 'catgory'; expected 'category'"),
    ({"mood": "bad"}, "filters", "metadata.mood for an own key"),
    ({"user_id": "x"}, "filters", "pass user_id as a keyword"),
    ({"agent_id": {"eq": "x"}}, "filters", "pass agent_id as a keyword"),
    ({"metadata.user_id": "x"}, "filters", "pass user_id as a keyword"),
    ({"metadata.importance": 1}, "filters", "is a field, not an own key; expected 'importance'"),
    ({"metadata.timestamp": 1}, "filters", "expected 'created_at'"),
    ({"metadata.": 1}, "filters", "unknown field"),
    ({3: 1}, "filters", "3 is not a field"),
    ({"category": {"eqals": 1}}, "filters.category", "unknown operator 'eqals'"),
    ({"category": {"eq2": 1}}, "filters.category", "expected 'eq'"),
    ({"category": {}}, "filters.category", "has no operator"),
    ({"category": 3}, "filters.category.eq", "expected a string"),
    ({"category": "\ud800"}, "filters.category.eq", "UTF-8"),
    ({"category": {"in": "fact"}}, "filters.category.in", "expected a list"),
    ({"category": {"in": ["a", None]}}, "filters.category.in[1]", "a string"),
    ({"category": {"gt": None}}, "filters.category.gt", "a string"),
    ({"importance": "2"}, "filters.importance.eq", "finite number"),
    ({"importance": {"gt": True}}, "filters.importance.gt", "has no order"),
    ({"importance": {"gt": float("nan")}}, "filters.importance.gt", "finite number"),
    ({"importance": {"lt": 2**63}}, "filters.importance.lt", "finite number"),
    ({"importance": {"contains": 1}}, "filters.importance", "'contains' does not fit"),
    ({"verified": 1}, "filters.verified.eq", "true or false"),
    ({"verified": None}, "filters.verified.eq", "true or false"),
    ({"verified": {"gt": False}}, "filters.verified", "does not fit"),
    ({"tags": "x"}, "filters.tags.eq", "list of strings"),
    ({"tags": {"in": ["x"]}}, "filters.tags", "does not fit"),
    ({"tags": {"contains": 1}}, "filters.tags.contains", "a string"),
    ({"created_at": "soon"}, "filters.created_at.eq", "ISO 8601"),
    ({"created_at": {"in": ["2026-01-01", "x"]}}, "filters.created_at.in[1]", "ISO 8601"),
    ({"metadata.x": [1]}, "filters.metadata.x.eq", "finite number"),
    ({"metadata.x": {"gt": True}}, "filters.metadata.x.gt", "has no order"),
    ({"metadata.x": {"contains": None}}, "filters.metadata.x.contains", "finite number"),
    ({"not": []}, "filters.not", "is not an object"),
    ({"or": {}}, "filters.or", "at least one"),
    ({"or": []}, "filters.or", "at least one"),
    ({"or": [{"x": 1}]}, "filters.or[0]", "unknown field 'x'"),
    ({"not": {"or": [{}, {"kind": 1}]}}, "filters.not.or[1].kind.eq", "a string"),
]


@pytest.mark.parametrize(("filters", "place", "word"), BAD)
def test_errors_name_the_place_the_value_and_the_fix(filters: Any, place: str, word: str) -> None:
    with pytest.raises(InvalidFilterError) as caught:
        parse_filters(filters)
    assert caught.value.data["parameter"] == place
    assert caught.value.message.startswith(f"{place}: ")
    assert word in caught.value.message
    assert "expected" in caught.value.message
    assert len(caught.value.message) < 700


def test_nested_once_too_often() -> None:
    def nested(depth: int) -> dict[str, Any]:
        return {"not": nested(depth - 1)} if depth > 1 else {"kind": "task"}

    parse_filters(nested(8))
    with pytest.raises(InvalidFilterError, match="at most 8 levels"):
        parse_filters(nested(9))


def test_too_many_conditions_or_values() -> None:
    parse_filters({"or": [{"kind": "task"}] * 500})
    with pytest.raises(InvalidFilterError, match="501 conditions"):
        parse_filters({"or": [{"kind": "task"}] * 501})
    parse_filters({"kind": {"in": ["task"] * 5000}, "category": {"nin": ["core"] * 5000}})
    with pytest.raises(InvalidFilterError, match="10,001 values"):
        parse_filters({"kind": {"in": ["task"] * 5000}, "category": {"nin": ["core"] * 5001}})


def test_every_field_of_metadata_that_can_be_filtered_is_a_field_here() -> None:
    assert TAKEN - {"agent_id", "timestamp"} <= set(FIELDS)


def test_operators_of_the_design() -> None:
    assert OPERATORS == ("eq", "ne", "in", "nin", "gt", "gte", "lt", "lte", "contains")
