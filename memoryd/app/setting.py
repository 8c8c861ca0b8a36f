"""One setting: its name, type and default, and what a value must look like."""

from __future__ import annotations

import json
from collections.abc import Iterator
from sys import float_info
from typing import Any, Literal, get_args, get_origin, get_type_hints

from msgspec import Struct, ValidationError, convert

PREFIX = "MEMORYD_"
_BOOLEANS = {
    **dict.fromkeys(("1", "true", "yes", "on"), True),
    **dict.fromkeys(("0", "false", "no", "off"), False),
}
_KINDS = {bool: "true or false", str: "a string", int: "a whole number", float: "a number", list: "a list"}


class Setting(Struct, frozen=True):
    """type: with its `Meta`; a list or a table of structures, too, is one setting."""

    name: str
    type: Any
    default: Any

    @property
    def variable(self) -> str:
        return variable_of(self.name)

    @property
    def description(self) -> str:
        return str(_meta(self.type, "description"))

    @property
    def is_secret(self) -> bool:
        return bool((_meta(self.type, "extra") or {}).get("secret"))


def variable_of(name: str) -> str:
    """The environment variable of a setting."""
    return PREFIX + name.replace(".", "_").upper()


def settings_of(group: Any, prefix: str = "") -> Iterator[Setting]:
    """The settings of a structure; those of a structure in it are named `outer.inner`."""
    for name, hint in get_type_hints(type(group), include_extras=True).items():
        value = getattr(group, name)
        if isinstance(value, Struct):
            yield from settings_of(value, f"{prefix}{name}.")
        elif _meta(hint, "description"):
            yield Setting(prefix + name, hint, value)


def expected(type: Any) -> str:
    """What a value of a type must be, in words."""
    if named := choices(type):
        return f"one of {', '.join(named)}"
    kind = _KINDS.get(_plain(type), "a table")
    low, high = _meta(type, "ge"), _meta(type, "le")
    if low is None:
        return kind
    return (
        f"{kind}, {low:,} or more" if high in (None, float_info.max) else f"{kind} from {low:,} to {high:,}"
    )


def choices(type: Any) -> list[str]:
    """The values a type accepts, if these are few."""
    literal = get_args(type)[0] if hasattr(type, "__metadata__") else type
    return list(get_args(literal)) if get_origin(literal) is Literal else _meta(type, "examples") or []


def from_text(type: Any, text: str) -> Any:
    """A value written in the environment or on the command line; the text if it cannot be read as the type.

    Lists and tables are written as JSON.
    """
    plain, word = _plain(type), text.strip().lower()
    if plain is str:
        return text
    if plain is bool:
        return _BOOLEANS.get(word, text)
    try:
        return convert(word, plain, strict=False) if plain in (int, float) else json.loads(text)
    except (ValidationError, ValueError):
        return text


def innermost(type: Any, value: Any, place: str) -> tuple[Any, Any, str]:
    """The part of a list or table that its type refuses: the type expected there, the value, the place."""
    for inner_type, inner, inner_place in _parts(type, value, place):
        try:
            convert(inner, inner_type)
        except ValidationError:
            return innermost(inner_type, inner, inner_place)
    return type, value, place


def _parts(type: Any, value: Any, place: str) -> Iterator[tuple[Any, Any, str]]:
    plain, arguments = _plain(type), get_args(_bare(type))
    if isinstance(value, list) and plain is list:
        yield from ((arguments[0], one, f"{place}[{i}]") for i, one in enumerate(value))
    elif isinstance(value, dict) and plain is dict:
        yield from ((arguments[1], one, f"{place}.{key}") for key, one in value.items())
    elif isinstance(value, dict) and issubclass(plain, Struct):
        hints = get_type_hints(plain, include_extras=True)
        yield from ((hints[key], one, f"{place}.{key}") for key, one in value.items() if key in hints)


def _bare(type: Any) -> Any:
    return get_args(type)[0] if hasattr(type, "__metadata__") else type


def _plain(type: Any) -> Any:
    """The class of the values of a type."""
    bare = _bare(type)
    origin = get_origin(bare)
    return str if origin is Literal else origin or bare


def _meta(type: Any, name: str) -> Any:
    """A property of the last `Meta` that has it."""
    found = [getattr(meta, name) for meta in getattr(type, "__metadata__", ())]
    return next((value for value in reversed(found) if value is not None), None)
