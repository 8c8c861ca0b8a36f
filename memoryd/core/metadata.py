"""The fields of a record that a caller gives as metadata."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from memory_client.errors import InvalidParameterError
from memoryd.core.ids import check_name
from memoryd.core.parameter_errors import abbreviate, invalid_value, parameter_error
from memoryd.core.record import (
    CATEGORIES,
    KINDS,
    MAX_IMPORTANCE,
    MIN_IMPORTANCE,
    OTHER_KINDS,
    OTHER_SOURCES,
    SOURCES,
    Record,
)
from memoryd.core.times import parse_time

FORBIDDEN = {
    "user_id": "pass user_id as a keyword",
    "id": "ids are made by memoryd",
    "version": "versions are counted by memoryd",
    "state": "states change through methods such as delete",
}
ALIASES = {
    "timestamp": "created_at",
    "temporal_start": "event_start",
    "temporal_end": "event_end",
    "last_accessed_at": "last_access",
}
"""Alternative names of fields."""
KEY_NAMES = "exact_key_names"
"""The own key that stores the names of exact keys given as `{name: key}`."""
_UNSORTED = "general"
"""A category of other systems without meaning."""
_MAX_DEPTH = 16


@dataclass(frozen=True, slots=True)
class Draft:
    """Parsed metadata. fields: of the record; rest: the caller's own keys."""

    fields: dict[str, Any]
    rest: dict[str, Any]
    warnings: tuple[str, ...]


def _invalid(key: str, value: Any, expected: str) -> InvalidParameterError:
    return invalid_value(f"metadata.{key}", value, expected)


def _number(low: float, high: float) -> Callable[[str, Any], float]:
    def read(key: str, value: Any) -> float:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not low <= value <= high:
            raise _invalid(key, value, f"a number from {low:g} to {high:g}")
        return float(value)

    return read


def _boolean(key: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise _invalid(key, value, "true or false")
    return value


def _string(key: str, value: Any) -> str:
    if not isinstance(value, str):
        raise _invalid(key, value, "a string")
    return check_name(value, f"metadata.{key}")


def _strings(key: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(v, str) for v in value):
        raise _invalid(key, value, "a list of strings")
    return tuple(dict.fromkeys(check_name(v, f"metadata.{key}") for v in value))


def _time(key: str, value: Any) -> float:
    return parse_time(value, f"metadata.{key}")


def _word(allowed: tuple[str, ...], others: Mapping[str, str]) -> Callable[[str, Any], str]:
    def read(key: str, value: Any) -> str:
        word = others.get(value, value) if isinstance(value, str) else value
        if word not in allowed:
            near = get_close_matches(str(value), allowed, n=1)
            hint = f" (did you mean {near[0]!r}?)" if near else ""
            raise _invalid(key, value, f"one of {', '.join(allowed)}{hint}")
        return str(word)

    return read


_READERS: dict[str, Callable[[str, Any], Any]] = {
    "category": _word(CATEGORIES, {}),
    "kind": _word(KINDS, OTHER_KINDS),
    "importance": _number(MIN_IMPORTANCE, MAX_IMPORTANCE),
    "confidence": _number(0.0, 1.0),
    "verified": _boolean,
    "source": _word(SOURCES, OTHER_SOURCES),
    "source_id": _string,
    "tags": _strings,
    "exact_keys": _strings,
    "event_start": _time,
    "event_end": _time,
    "valid_from": _time,
    "valid_to": _time,
    "expires_at": _time,
    "created_at": _time,
    "last_access": _time,
    "agent_id": _string,
    "session_id": _string,
}
TAKEN = frozenset(_READERS) | {"timestamp"}
"""Keys of metadata that are always fields of the record."""
_NULLABLE = frozenset(
    {
        "position",
        "source_id",
        "event_start",
        "event_end",
        "valid_from",
        "valid_to",
        "expires_at",
        "agent_id",
        "session_id",
    }
)


def read_metadata(metadata: Mapping[str, Any], limit: int) -> Draft:
    """Parse metadata. limit: bytes of own keys, tags and exact keys, as JSON.

    None for a field means "not given"; for an own key it is stored. Raises `InvalidParameterError`.
    """
    fields: dict[str, Any] = {}
    rest: dict[str, Any] = {}
    warnings: list[str] = []
    for given, value in metadata.items():
        key = ALIASES.get(given, given)
        if key in FORBIDDEN:
            raise _invalid(key, value, f"no such key here: {FORBIDDEN[key]}")
        if key == "position" and _is_position(value):
            fields[key] = value
        elif key == "exact_keys" and isinstance(value, dict):
            fields[key], rest[KEY_NAMES] = _named_keys(value)
            warnings.append(f"exact_keys: the values are the keys, their names are kept in {KEY_NAMES}")
        elif key not in _READERS:
            rest[_own_key(key)] = _plain(key, value, 1)
            warnings.extend(_own_key_warnings(key, value))
        elif value is not None:
            _read_field(given, key, value, metadata, fields, warnings)
    lists = [list(fields.get(name, ())) for name in ("tags", "exact_keys")]
    _check_size([rest, *lists], limit)
    _check_ranges(fields)
    return Draft(fields, rest, tuple(warnings))


def read_own(metadata: Mapping[str, Any], limit: int) -> dict[str, Any]:
    """Metadata of own keys only; `limit` as above. Raises `InvalidParameterError`."""
    own = {_own_key(key): _plain(key, value, 1) for key, value in metadata.items()}
    _check_size([own], limit)
    return own


def _read_field(
    given: str,
    key: str,
    value: Any,
    metadata: Mapping[str, Any],
    fields: dict[str, Any],
    warnings: list[str],
) -> None:
    if key == "category" and value == _UNSORTED:
        warnings.append(f"category {value!r} taken as 'fact': a memory is system, core, fact or episode")
        value = "fact"
    if key == "category" and value not in CATEGORIES and metadata.get("kind") is None:
        kind = OTHER_KINDS.get(value, value) if isinstance(value, str) else None
        if kind in KINDS:
            fields["kind"] = kind
            warnings.append(f"category {value!r} is a kind: taken as kind {kind!r}, category fact")
            return
    is_foreign = given not in (key, "timestamp")
    read = _READERS[key](given if is_foreign else key, value)
    if key in fields and fields[key] != read:
        names = [name for name, field in ALIASES.items() if field == key]
        raise _invalid(key, value, f"one value: {' and '.join([*names, key])} are the same field")
    if is_foreign:
        warnings.append(f"{given} taken as {key}")
    if key in ("kind", "source") and read != value:
        warnings.append(f"{key} {value!r} taken as {read!r}")
    fields[key] = read


def _is_position(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53


def _named_keys(value: Mapping[Any, Any]) -> tuple[tuple[str, ...], dict[str, str]]:
    """The exact keys of `{name: key}`, and the object to store."""
    named: dict[str, str] = {}
    for name, key in value.items():
        if isinstance(key, bool) or not isinstance(key, str | int | float):
            raise _invalid(f"exact_keys.{name}", key, "a string or a number")
        named[_own_key(name)] = str(key)
    return _strings("exact_keys", list(named.values())), named


def _own_key_warnings(key: str, value: Any) -> list[str]:
    """Warnings about own keys that are named like fields."""
    if key == "parent_id" and value is not None:
        return ["parent_id is stored as your own key and links nothing; use supersede() for a successor"]
    if key == "position" and value is not None:
        return [f"position {abbreviate(value)} is not a whole number from 0: stored as your own key"]
    return []


def displaced_keys(draft: Draft) -> set[str]:
    """The own keys that the fields of an update replace."""
    gone = {"position"} & draft.fields.keys()
    return gone if "exact_keys" not in draft.fields else gone | ({KEY_NAMES} - draft.rest.keys())


def _own_key(key: Any) -> str:
    if not isinstance(key, str):
        raise _invalid(str(key), key, "string keys")
    return check_name(key, "metadata key")


def _plain(key: str, value: Any, depth: int) -> Any:
    if depth > _MAX_DEPTH:
        raise _invalid(key, "…", f"at most {_MAX_DEPTH} levels")
    if value is None or isinstance(value, bool | str):
        return _utf8(key, value)
    if isinstance(value, int) and -(2**63) <= value < 2**63:
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    if isinstance(value, list | tuple):
        return [_plain(key, item, depth + 1) for item in value]
    if isinstance(value, dict):
        return {_own_key(name): _plain(key, item, depth + 1) for name, item in value.items()}
    raise _invalid(key, value, "JSON values: strings, finite numbers, true, false, null, lists, maps")


def _utf8(key: str, value: Any) -> Any:
    if isinstance(value, str):
        if "\0" in value:  # older SQLites end a string of JSON there
            raise _invalid(key, value, "a string without NUL characters")
        try:
            value.encode("utf-8")
        except UnicodeEncodeError as error:
            raise _invalid(key, "a lone surrogate", "text that UTF-8 can carry") from error
    return value


def _size(value: Any) -> int:
    if isinstance(value, dict):
        return 2 + sum(_size(k) + _size(v) for k, v in value.items())
    if isinstance(value, list):
        return 2 + sum(_size(item) for item in value)
    return 4 + (len(value.encode("utf-8")) if isinstance(value, str) else 8)


def _check_size(given: list[Any], limit: int) -> None:
    size = _size(given)
    if size > limit:
        expected = f"at most {limit:,} bytes (setting limits.metadata_bytes); put long texts into the text"
        raise parameter_error("metadata", f"{size:,} bytes", expected)


def _check_ranges(fields: dict[str, Any]) -> None:
    for start, end in (("event_start", "event_end"), ("valid_from", "valid_to")):
        first, last = fields.get(start), fields.get(end)
        if first is not None and last is not None and last < first:
            raise _invalid(end, last, f"a time not before {start}")


def removed_keys(metadata: Mapping[str, Any]) -> tuple[set[str], set[str]]:
    """The fields and the own keys that an update removes: those with the value None."""
    given = {key for key, value in metadata.items() if value is None}
    fields = {ALIASES.get(key, key) for key in given} & {*_READERS, "position"}
    own = given - TAKEN
    return fields, own | {KEY_NAMES} if "exact_keys" in fields else own


def removed_value(field: str) -> Any:
    """The value of a removed field. Raises `InvalidParameterError` if it cannot be removed."""
    if field in _NULLABLE:
        return None
    if field in ("created_at", "last_access"):
        raise _invalid(field, None, "a time: this field cannot be removed")
    return Record.__dataclass_fields__[field].default
