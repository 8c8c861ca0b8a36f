"""Filters over records instead of rows, for past versions, and filters as of a time."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

from memoryd.core.filters.grammar import And, Compare, Node, Not, Or
from memoryd.core.record import FIELD_NAMES, Record
from memoryd.core.row_ranges import TextKind

_LISTS = ("tags", "exact_keys")
_ORDER: Mapping[str, Callable[[Any, Any], bool]] = {
    "gt": operator.gt,
    "gte": operator.ge,
    "lt": operator.lt,
    "lte": operator.le,
}
_EXACT = 2**63
"""SQLite stores larger integers as floats."""
_KNOWN_BY: Mapping[TextKind, str] = {"memory": "updated_at", "turn": "received_at", "point": "created_at"}


def matches(node: Node, record: Record) -> bool:
    """Whether a filter matches a memory. A missing value matches only `ne`, `nin` and `not`."""
    if isinstance(node, Compare):
        return _compare(node, record)
    if isinstance(node, Not):
        return not matches(node.part, record)
    found = (matches(part, record) for part in node.parts)
    return all(found) if isinstance(node, And) else any(found) or not node.parts


def _compare(node: Compare, record: Record) -> bool:
    if node.operator == "ne":
        return not _positive(Compare(node.field, "eq", node.value), record)
    if node.operator == "nin":
        return not _positive(Compare(node.field, "in", node.value), record)
    return _positive(node, record)


def _positive(node: Compare, record: Record) -> bool:
    if node.metadata_key is not None:
        return node.metadata_key in record.metadata and _entry(record.metadata[node.metadata_key], node)
    value: Any = getattr(record, node.field) if node.field in FIELD_NAMES else None
    if node.field in _LISTS:
        return bool(node.value in value if node.operator == "contains" else value == node.value)
    return _column(value, node)


def _column(value: Any, node: Compare) -> bool:
    if node.operator == "eq":
        return bool(value == node.value)
    if value is None:
        return False
    if node.operator == "in":
        return value in node.value
    if node.operator == "contains":
        return node.value in value
    return _ORDER[node.operator](value, node.value)


def _entry(value: Any, node: Compare) -> bool:
    """Whether a metadata value matches; values of different JSON types never do."""
    if node.operator == "in":
        return any(_same(value, wanted) for wanted in node.value)
    if node.operator == "contains":
        if isinstance(value, list):
            return any(_same(one, node.value) for one in value)
        return isinstance(value, str) and isinstance(node.value, str) and node.value in value
    if node.operator == "eq":
        return _same(value, node.value)
    return _class(value) == _class(node.value) and _ORDER[node.operator](_rounded(value), node.value)


def _same(value: Any, wanted: Any) -> bool:
    return _class(value) == _class(wanted) and bool(_rounded(value) == wanted)


def _class(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    return "number" if isinstance(value, int | float) else type(value).__name__


def _rounded(value: Any) -> Any:
    is_large = isinstance(value, int) and not -_EXACT <= value < _EXACT
    return float(value) if is_large else value


def filter_active_at(node: Node, at: float, *, archived: bool) -> Node:
    """The filter over past versions for memories that were active and valid at a time.

    archived: whether to include all others.
    """
    if archived:
        return node
    began = Or((Compare("valid_from", "eq", None), Compare("valid_from", "lte", at)))
    lasted = Or((Compare("valid_to", "eq", None), Compare("valid_to", "gt", at)))
    return And((node, Compare("state", "eq", "active"), began, lasted))


def filter_unchanged_since(node: Node, kind: TextKind, at: float, *, archived: bool) -> Node:
    """The filter over current texts for those that have not changed since a time."""
    known = Compare(_KNOWN_BY[kind], "lte", at)
    return And((filter_active_at(node, at, archived=archived) if kind == "memory" else node, known))
