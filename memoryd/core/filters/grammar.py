"""The filter grammar: parsed and checked here, compiled to SQL by storage.

`{"category": "fact", "importance": {"gte": 1}, "tags": {"contains": "x"},
"metadata.mood": {"in": ["a"]}, "not": {...}, "or": [{...}, {...}]}`: the keys of one object are combined with
AND, a bare value is `eq`, times are epoch seconds or ISO 8601. A missing metadata key or an empty field
matches only `ne`, `nin` and `not`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Literal

from memory_client.errors import InvalidFilterError, InvalidParameterError
from memoryd.core.metadata import ALIASES, FORBIDDEN, TAKEN
from memoryd.core.parameter_errors import abbreviate, parameter_error
from memoryd.core.times import parse_time

Operator = Literal["eq", "ne", "in", "nin", "gt", "gte", "lt", "lte", "contains"]
FieldType = Literal["text", "number", "time", "boolean", "list", "any"]
Scalar = str | int | float | bool

OPERATORS: tuple[Operator, ...] = ("eq", "ne", "in", "nin", "gt", "gte", "lt", "lte", "contains")
METADATA_PREFIX = "metadata."
_MAX_DEPTH = 8
_MAX_CONDITIONS = 500
_MAX_VALUES = 10_000

FIELDS: dict[str, FieldType] = {
    "id": "text",
    "text": "text",
    "session_id": "text",
    "category": "text",
    "kind": "text",
    "source": "text",
    "source_id": "text",
    "state": "text",
    "root_id": "text",
    "parent_id": "text",
    "importance": "number",
    "confidence": "number",
    "access_count": "number",
    "version": "number",
    "position": "number",
    "verified": "boolean",
    "tags": "list",
    "exact_keys": "list",
    "created_at": "time",
    "updated_at": "time",
    "last_access": "time",
    "role": "text",
    "speaker": "text",
    "event_start": "time",
    "event_end": "time",
    "valid_from": "time",
    "valid_to": "time",
    "expires_at": "time",
}
_ALLOWED: dict[FieldType, tuple[Operator, ...]] = {
    "text": OPERATORS,
    "number": OPERATORS[:-1],
    "time": OPERATORS[:-1],
    "boolean": ("eq", "ne", "in", "nin"),
    "list": ("contains", "eq", "ne"),
    "any": OPERATORS,
}


@dataclass(frozen=True, slots=True)
class Grammar:
    """The fields of some texts. aliases: alternative names; elsewhere: what to use instead of names that are
    no fields; not_own: metadata keys that are fields and thus never own keys."""

    fields: Mapping[str, FieldType]
    aliases: Mapping[str, str]
    elsewhere: Mapping[str, str]
    not_own: frozenset[str]


RECORDS = Grammar(
    FIELDS,
    aliases=ALIASES,
    elsewhere={
        "user_id": "pass user_id as a keyword, a filter cannot reach another user",
        "agent_id": "pass agent_id as a keyword",
    },
    not_own=TAKEN | FORBIDDEN.keys() | ALIASES.keys(),
)
"""Memories, turns, and texts searched together with them."""


@dataclass(frozen=True, slots=True)
class Compare:
    """`field operator value`; field is a column or `metadata.key`."""

    field: str
    operator: Operator
    value: Any

    @property
    def metadata_key(self) -> str | None:
        return self.field.removeprefix(METADATA_PREFIX) if self.field.startswith(METADATA_PREFIX) else None


@dataclass(frozen=True, slots=True)
class Not:
    """The complement."""

    part: Node


@dataclass(frozen=True, slots=True)
class And:
    """All parts; without parts everything matches."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """Any part."""

    parts: tuple[Node, ...]


Node = Compare | Not | And | Or
EVERYTHING = And(())


def parse_filters(
    filters: Mapping[str, Any] | None, path: str = "filters", grammar: Grammar = RECORDS
) -> Node:
    """The tree of a filter object; None matches everything. Raises `InvalidFilterError`."""
    node = _object({} if filters is None else filters, path, 1, grammar)
    compared = list(iter_comparisons(node))
    if len(compared) > _MAX_CONDITIONS:
        raise filter_error(path, f"{len(compared):,} conditions", f"at most {_MAX_CONDITIONS:,}")
    values = sum(len(one.value) for one in compared if one.operator in ("in", "nin"))
    if values > _MAX_VALUES:
        raise filter_error(path, f"{values:,} values in lists", f"at most {_MAX_VALUES:,}")
    return node


def iter_comparisons(node: Node) -> Iterator[Compare]:
    """Every comparison in a tree."""
    if isinstance(node, Compare):
        yield node
        return
    for part in [node.part] if isinstance(node, Not) else node.parts:
        yield from iter_comparisons(part)


def filter_error(path: str, problem: str, expected: str) -> InvalidParameterError:
    """The error about a place in a filter."""
    return parameter_error(path, problem, expected, error=InvalidFilterError)


def _object(value: Any, path: str, depth: int, grammar: Grammar) -> Node:
    if not isinstance(value, Mapping):
        raise filter_error(
            path, f"{abbreviate(value)} is not an object", "a filter object such as {'category': 'fact'}"
        )
    if depth > _MAX_DEPTH:
        raise filter_error(path, "is nested too deeply", f"at most {_MAX_DEPTH} levels")
    return And(
        tuple(part for key, inner in value.items() for part in _entry(key, inner, path, depth, grammar))
    )


def _entry(key: Any, value: Any, path: str, depth: int, grammar: Grammar) -> list[Node]:
    here = f"{path}.{key}"
    if key == "not":
        return [Not(_object(value, here, depth + 1, grammar))]
    if key == "or":
        if not isinstance(value, list | tuple) or not value:
            raise filter_error(here, f"{abbreviate(value)}", "a list of at least one filter object")
        return [Or(tuple(_object(part, f"{here}[{i}]", depth + 1, grammar) for i, part in enumerate(value)))]
    field, field_type = _field(key, path, grammar)
    if isinstance(value, Mapping):
        if not value:
            raise filter_error(here, "has no operator", f"one of {', '.join(_ALLOWED[field_type])}")
        return [_compare(field, field_type, op, operand, here) for op, operand in value.items()]
    return [_compare(field, field_type, "eq", value, here)]


def _field(key: Any, path: str, grammar: Grammar) -> tuple[str, FieldType]:
    if not isinstance(key, str):
        raise filter_error(path, f"{abbreviate(key)} is not a field", "string keys")
    name = grammar.aliases.get(key, key)
    if name.startswith(METADATA_PREFIX) and len(name) > len(METADATA_PREFIX):
        return _own_key(name, path, grammar), "any"
    if name in grammar.elsewhere:
        raise filter_error(path, f"{name!r} cannot be filtered", grammar.elsewhere[name])
    if name not in grammar.fields:
        near = get_close_matches(name, [*grammar.fields, "not", "or"], n=1)
        known = ", ".join(grammar.fields)
        hint = f"{near[0]!r}" if near else f"metadata.{name:.40} for an own key, or one of {known}"
        raise filter_error(path, f"unknown field {abbreviate(name)}", hint)
    return name, grammar.fields[name]


def _own_key(name: str, path: str, grammar: Grammar) -> str:
    """The field of an own key. Raises `InvalidFilterError` for a metadata key that is stored as a field."""
    key = name.removeprefix(METADATA_PREFIX)
    if key in grammar.not_own and key in grammar.elsewhere:
        raise filter_error(path, f"{name!r} cannot be filtered", grammar.elsewhere[key])
    if key in grammar.not_own:
        raise filter_error(path, f"{name!r} is a field, not an own key", repr(grammar.aliases.get(key, key)))
    return name


def _compare(field: str, field_type: FieldType, operator: Any, value: Any, path: str) -> Compare:
    if operator not in OPERATORS:
        near = get_close_matches(str(operator), OPERATORS, n=1)
        hint = repr(near[0]) if near else f"one of {', '.join(OPERATORS)}"
        raise filter_error(path, f"unknown operator {abbreviate(operator)}", hint)
    if operator not in _ALLOWED[field_type]:
        raise filter_error(path, f"{operator!r} does not fit", f"one of {', '.join(_ALLOWED[field_type])}")
    return Compare(field, operator, _operand(field_type, operator, value, f"{path}.{operator}"))


def _operand(field_type: FieldType, operator: Operator, value: Any, path: str) -> Any:
    check = _SCALARS[field_type]
    if operator in ("in", "nin"):
        if not isinstance(value, list | tuple):
            raise filter_error(path, f"{abbreviate(value)}", "a list of values")
        return tuple(check(item, f"{path}[{i}]") for i, item in enumerate(value))
    if field_type == "list":
        if operator == "contains":
            return _text(value, path)
        if not isinstance(value, list | tuple):
            raise filter_error(path, f"{abbreviate(value)}", "a list of strings")
        return tuple(_text(item, path) for item in value)
    if value is None and operator in ("eq", "ne") and field_type != "boolean":
        return None
    if operator in ("gt", "gte", "lt", "lte") and isinstance(value, bool):
        raise filter_error(path, f"{abbreviate(value)} has no order", "a number or a string")
    return check(value, path)


def _text(value: Any, path: str) -> str:
    if not isinstance(value, str):
        raise filter_error(path, f"{abbreviate(value)}", "a string")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise filter_error(path, "a lone surrogate", "text that UTF-8 can carry") from error
    return value


def _number(value: Any, path: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not _storable(value):
        raise filter_error(path, f"{abbreviate(value)}", "a finite number")
    return value


def _storable(value: float) -> bool:
    return -(2**63) <= value < 2**63 if isinstance(value, int) else math.isfinite(value)


def _time(value: Any, path: str) -> float:
    try:
        return parse_time(value, path)
    except InvalidParameterError as error:
        raise InvalidFilterError(error.message, **error.data) from error


def _boolean(value: Any, path: str) -> bool:
    if not isinstance(value, bool):
        raise filter_error(path, f"{abbreviate(value)}", "true or false")
    return value


def _any(value: Any, path: str) -> Scalar:
    if isinstance(value, bool):
        return value
    return _text(value, path) if isinstance(value, str) else _number(value, path)


_SCALARS: dict[FieldType, Callable[[Any, str], Any]] = {
    "text": _text,
    "number": _number,
    "time": _time,
    "boolean": _boolean,
    "list": _text,
    "any": _any,
}
