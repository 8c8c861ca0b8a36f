"""What was known at a time, and true at that time, as filters."""

from __future__ import annotations

from collections.abc import Mapping

from memoryd.core.filters.grammar import And, Compare, Node, Or
from memoryd.core.row_ranges import TextKind

_KNOWN_BY: Mapping[TextKind, str] = {"memory": "updated_at", "turn": "received_at", "point": "created_at"}


def held(node: Node, at: float, *, archived: bool) -> Node:
    """The filter over memories as they were known, for those that were active and true at a time.

    archived: also those that were not.
    """
    if archived:
        return node
    began = Or((Compare("valid_from", "eq", None), Compare("valid_from", "lte", at)))
    lasted = Or((Compare("valid_to", "eq", None), Compare("valid_to", "gt", at)))
    return And((node, Compare("state", "eq", "active"), began, lasted))


def unchanged_since(node: Node, kind: TextKind, at: float, *, archived: bool) -> Node:
    """The filter over texts as they are now, for those that were the same at a time."""
    known = Compare(_KNOWN_BY[kind], "lte", at)
    return And((held(node, at, archived=archived) if kind == "memory" else node, known))
