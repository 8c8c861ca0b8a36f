"""Parameters checked against their declared types, before anything else looks at them."""

from __future__ import annotations

import functools
import re
import typing
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from memory_client.api import MethodSpec
from memory_client.errors import InvalidParameterError

Types = dict[str, Any]
_PATH = re.compile(r" - at `\$\.?(.*?)`")


@functools.cache
def declared_types(function: Callable[..., Any]) -> Types:
    """Parameter name -> type of a declared method."""
    hints = typing.get_type_hints(function)
    return {name: hint for name, hint in hints.items() if name != "return"}


def checked(spec: MethodSpec, params: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters, with the declared types. Raises `UnknownParameterError`, `InvalidParameterError`."""
    spec.check_names(params)
    types = declared_types(spec.function)
    return {name: _convert(name, value, types[name]) for name, value in params.items()}


def _convert(name: str, value: Any, declared: Any) -> Any:
    try:
        converted = msgspec.convert(value, declared)
    except msgspec.ValidationError as error:
        text = str(error)
        where = _PATH.search(text)
        inner = where.group(1) if where else ""
        place = name + (inner if inner.startswith("[") or not inner else f".{inner}")
        expected = _PATH.sub("", text)
        raise InvalidParameterError(
            f"{place}: {_shown(value)}: {expected}; {name} is {_describe(declared)}",
            parameter=place,
            value=_shown(value),
            expected=_describe(declared),
        ) from error
    _refuse_lost_keys(name, value, converted)
    return converted


def _refuse_lost_keys(name: str, value: Any, converted: Any) -> None:
    """A typed map drops the keys it does not declare; that must be said, or they would be lost."""
    if isinstance(value, list | tuple) and isinstance(converted, list):
        for i, pair in enumerate(zip(value, converted, strict=True)):
            _refuse_lost_keys(f"{name}[{i}]", *pair)
    elif isinstance(value, dict) and isinstance(converted, dict) and len(value) != len(converted):
        lost = sorted(str(key) for key in value.keys() - converted.keys())
        raise InvalidParameterError(
            f"{name}: unknown key {lost[0]!r}; expected {', '.join(converted)} and the like",
            parameter=name,
            value=lost[0],
            expected="known keys only",
        )


def _shown(value: Any) -> str:
    """The value for a message: short, and never more than its beginning."""
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}…"


def _describe(declared: Any) -> str:
    if isinstance(declared, type) and not typing.get_args(declared):
        return declared.__name__
    return re.sub(r"\b(?:typing|memory_client\.types|builtins)\.", "", str(declared))


def in_range(name: str, value: float, low: float, high: float) -> None:
    """Raise `InvalidParameterError` unless low <= value <= high."""
    if not low <= value <= high:
        raise InvalidParameterError(
            f"{name}: {value!r}; expected {low:,} to {high:,}",
            parameter=name,
            value=value,
            expected=f"{low} to {high}",
        )
