"""Checks of the rules in the annotations of a declaration: ids, names, bounds."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Annotated, Any, Union, get_args, get_origin

from memory_client.api.parameters import AppName, Between, EntityName, IdOf
from memory_client.errors import InvalidParameterError, MemorydError
from memoryd.core.ids import check_id, check_name
from memoryd.core.parameter_errors import invalid_value
from memoryd.language.triples.statement import parse_name

Check = Callable[[str, Any], object]
"""Raises `InvalidParameterError` or `WrongIdError`; takes the name of the value and the value."""

DELETE_ALL_HINT = "; delete_all deletes a whole user"


def compile_check(declared: Any) -> Check | None:
    """The check of the rules of an annotation; None if it has none."""
    origin, arguments = get_origin(declared), get_args(declared)
    if origin is Annotated:
        checks = [compile_check(arguments[0]), *map(_rule_check, arguments[1:])]
        return _all_of([check for check in checks if check is not None])
    if origin in (Union, types.UnionType):
        return _optional([check for check in map(compile_check, arguments) if check is not None])
    if origin in (list, dict):
        return _each(compile_check(arguments[-1]))
    return None


def check_range(name: str, value: float, low: float, high: float, what: str = "") -> None:
    """Raise `InvalidParameterError` unless low <= value <= high. what: the unit, such as ` items`."""
    if not low <= value <= high:
        raise invalid_value(name, value, f"{low:,} to {high:,}{what}", what.strip())


def check_one_given(hint: str = "", /, **given: object) -> None:
    """Raise `InvalidParameterError` unless exactly one of two parameters is given, and not empty."""
    if sum(map(bool, given.values())) != 1:
        first, second = given
        raise InvalidParameterError(
            f"{first}, {second}: give exactly one of them, and not empty{hint}",
            parameter=first,
            value=", ".join(f"{name}={value!r:.40}" for name, value in given.items()),
            expected=f"either {first} or {second}",
        )


def _all_of(checks: list[Check]) -> Check | None:
    if len(checks) < 2:
        return checks[0] if checks else None
    return lambda name, value: [check(name, value) for check in checks]


def _each(check: Check | None) -> Check | None:
    """The check of the items of a list, or the values of a map."""
    if check is None:
        return None

    def check_each(name: str, values: Any) -> None:
        try:
            for value in values.values() if isinstance(values, dict) else values:
                check(name, value)
        except MemorydError:  # names are built only now: there may be a million good values
            for key, value in values.items() if isinstance(values, dict) else enumerate(values):
                check(f"{name}[{key!r:.80}]", value)

    return check_each


def _optional(checks: list[Check]) -> Check | None:
    """The check of the one alternative that has one. None is the other alternative."""
    if not checks:
        return None
    (check,) = checks
    return lambda name, value: None if value is None else check(name, value)


def _rule_check(rule: object) -> Check | None:
    if isinstance(rule, IdOf) and len(rule.prefixes) == 1:
        return lambda name, id: check_id(id, rule.prefixes[0], name)
    if isinstance(rule, IdOf):
        return lambda name, id: check_id(id, _expected_prefix(id, rule.prefixes), name)
    if isinstance(rule, Between):
        return lambda name, value: _check_between(name, value, rule)
    if isinstance(rule, AppName):
        return lambda name, value: check_name(value, name)
    if isinstance(rule, EntityName):
        return lambda name, value: parse_name(value, name)
    return None


def _check_between(name: str, value: Any, rule: Between) -> None:
    if isinstance(value, list | dict):
        check_range(name, len(value), rule.low, rule.high, " items")
    else:
        check_range(name, value, rule.low, rule.high)


def _expected_prefix(id: str, prefixes: tuple[str, ...]) -> str:
    """The kind the id claims, if it is allowed; else the first."""
    claimed = id.partition("_")[0]
    return claimed if claimed in prefixes else prefixes[0]
