"""Filters over knowledge points, by their own fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memoryd.core.filters.grammar import (
    RECORDS,
    Compare,
    Grammar,
    Node,
    filter_error,
    iter_comparisons,
    parse_filters,
)
from memoryd.core.knowledge.point import TYPES

POINTS = Grammar(
    {"id": "text", "content": "text", "type": "text", "score": "number", "created_at": "time"},
    aliases={},
    elsewhere={
        "user_id": RECORDS.elsewhere["user_id"],
        "agent_id": "nothing: points belong to all agents of the user",
        "text": "content",
        "kind": "type",
        "importance": "score",
    },
    not_own=frozenset(),
)


def parse_point_filters(filters: Mapping[str, Any] | None) -> Node:
    """The tree of a filter over points, whose metadata has only own keys. Raises `InvalidFilterError`."""
    node = parse_filters(filters, grammar=POINTS)
    for one in iter_comparisons(node):
        if one.field == "type" and one.operator in ("eq", "ne", "in", "nin"):
            _check_types(one)
    return node


def _check_types(asked: Compare) -> None:
    for value in asked.value if isinstance(asked.value, tuple) else (asked.value,):
        if value not in TYPES:
            raise filter_error("filters.type", f"{value!r:.80} is not a type", f"one of {', '.join(TYPES)}")
