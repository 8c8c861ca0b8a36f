"""The one compiler from filter trees to SQL conditions over a table of texts (as `m`).

Conditions are two-valued: whatever is NULL or missing is false, so that `not` is the plain complement. A
field that a kind of text does not have is missing in all of them.
"""

from __future__ import annotations

import json
from typing import Any

from memoryd.core.filters.grammar import FIELDS, And, Compare, Node, Not, Or
from memoryd.core.row_ranges import TextKind

_ORDER = {"gt": ">", "gte": ">=", "lt": "<", "lte": "<="}
_LISTS = ("tags", "exact_keys")
_OF_TURNS = frozenset(
    ("id", "text", "session_id", "position", "role", "speaker", "created_at", "event_start", "event_end")
) | {"received_at"}  # asked by reads as of a time only; no filter of a caller has this field
_OF_POINTS = frozenset(("id", "text", "created_at", "type", "score"))
_COLUMNS: dict[TextKind, frozenset[str]] = {
    "memory": frozenset(FIELDS) - {"role", "speaker"},
    "turn": _OF_TURNS,
    "point": _OF_POINTS,
}

_EXPRESSIONS: dict[tuple[TextKind, str], str] = {
    ("point", "kind"): "CASE m.type WHEN 'WorldModel' THEN 'world_model' "
    "WHEN 'ExperientialKnowledge' THEN 'experience' ELSE 'other' END",
    ("point", "content"): "m.text",
    ("point", "importance"): "(m.score / 50.0)",
}
"""Fields that a kind of text has without a column of that name."""

_SHARED = (
    "EXISTS (SELECT 1 FROM shared_points s WHERE s.point = m.row "
    "AND s.number IN (SELECT value FROM json_each(?)))"
)
"""Asked by grants only; no filter of a caller has this field."""

Sql = tuple[str, list[Any]]


def compile_filter(node: Node, kind: TextKind = "memory") -> Sql:
    """A condition and its parameters."""
    if isinstance(node, Compare):
        return _compare(node, kind)
    if isinstance(node, Not):
        condition, params = compile_filter(node.part, kind)
        return f"NOT ({condition})", params
    return _joined(node, kind)


def _joined(node: And | Or, kind: TextKind) -> Sql:
    """In a row: pairs of parentheses fill SQLite's parser, and the grammar bounds the number of parts."""
    compiled = [compile_filter(part, kind) for part in node.parts]
    if not compiled:
        return "1", []
    word = " AND " if isinstance(node, And) else " OR "
    return (
        "(" + word.join(condition for condition, _ in compiled) + ")",
        [param for _, params in compiled for param in params],
    )


def _compare(node: Compare, kind: TextKind) -> Sql:
    if node.operator == "ne":
        condition, params = _positive(Compare(node.field, "eq", node.value), kind)
        return f"NOT ({condition})", params
    if node.operator == "nin":
        condition, params = _positive(Compare(node.field, "in", node.value), kind)
        return f"NOT ({condition})", params
    return _positive(node, kind)


def _positive(node: Compare, kind: TextKind) -> Sql:
    if node.metadata_key is not None:
        return _metadata(node.metadata_key, node)
    if node.field == "shared_set":
        return _SHARED, [json.dumps(node.value)]
    column = f"m.{node.field}" if node.field in _COLUMNS[kind] else "NULL"
    column = _EXPRESSIONS.get((kind, node.field), column)
    return _list(column, node) if node.field in _LISTS else _column(column, node)


def _column(column: str, node: Compare) -> Sql:
    value = node.value
    if node.operator == "eq":
        return (f"{column} IS NULL", []) if value is None else (f"({column} IS ?)", [value])
    if node.operator == "in":
        return f"COALESCE({column} IN ({', '.join('?' * len(value))}), 0)", list(value)
    if node.operator == "contains":
        return f"COALESCE(instr({column}, ?) > 0, 0)", [value]
    return f"COALESCE({column} {_ORDER[node.operator]} ?, 0)", [value]


def _list(column: str, node: Compare) -> Sql:
    if node.operator == "contains":
        return f"EXISTS (SELECT 1 FROM json_each({column}) WHERE value = ?)", [node.value]
    return f"({column} IS ?)", [encode_list(node.value)]


def encode_list(values: tuple[str, ...]) -> str:
    """The stored form of a list of strings."""
    return json.dumps(values, ensure_ascii=False, separators=(",", ":"))


def _metadata(key: str, node: Compare) -> Sql:
    """Metadata is searched by one key, literally; values compare within their JSON type only."""
    condition, params = _entry_condition(node)
    return f"EXISTS (SELECT 1 FROM json_each(m.metadata) AS e WHERE e.key = ? AND {condition})", [
        key,
        *params,
    ]


def _entry_condition(node: Compare) -> Sql:
    value = node.value
    if node.operator == "in":
        same = f"w.value = e.value AND {_class('w')} = {_class('e')}"
        return f"EXISTS (SELECT 1 FROM json_each(?) AS w WHERE {same})", [json.dumps(value)]
    if node.operator == "contains":
        member = (
            f"EXISTS (SELECT 1 FROM json_each(e.value) AS i "
            f"WHERE i.value = {_operand(value)} AND {_class_of('i', value)})"
        )
        substring = "instr(e.value, ?) > 0" if isinstance(value, str) else "0"
        params = [value, value] if isinstance(value, str) else [json.dumps(value)]
        return f"CASE e.type WHEN 'array' THEN {member} WHEN 'text' THEN {substring} ELSE 0 END", params
    if value is None:
        return "e.type = 'null'", []
    compared = f"e.value {_ORDER.get(node.operator, '=')} {_operand(value)}"
    return f"{_class_of('e', value)} AND {compared}", [value if isinstance(value, str) else json.dumps(value)]


def _operand(value: Any) -> str:
    """The mark of a value; numbers are read from JSON on both sides, to be rounded alike."""
    return "?" if isinstance(value, str) else "json_extract(?, '$')"


def _class(entry: str) -> str:
    return (
        f"CASE {entry}.type WHEN 'integer' THEN 'number' WHEN 'real' THEN 'number' "
        f"WHEN 'true' THEN 'boolean' WHEN 'false' THEN 'boolean' ELSE {entry}.type END"
    )


def _class_of(entry: str, value: Any) -> str:
    name = "boolean" if isinstance(value, bool) else "text" if isinstance(value, str) else "number"
    return f"{_class(entry)} = '{name}'"
