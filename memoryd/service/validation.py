"""Validates parameters against their declared types and rules."""

from __future__ import annotations

import functools
import re
import typing
from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from typing import Any, NamedTuple

import msgspec

from memory_client.api import MethodSpec
from memory_client.errors import InvalidParameterError
from memory_client.types import KnowledgeItem
from memoryd.core.parameter_errors import abbreviate
from memoryd.service.parameters import Check, compile_check

Types = dict[str, Any]
_PATH = re.compile(r" - at (?:`key` in )?`\$\.?(.*?)`")
_STEP = re.compile(r"\[(\d+)\]|(\w+)")


class DeclaredParameter(NamedTuple):
    """type: as validated here; check: of the rules of the annotation."""

    type: Any
    check: Check | None


@functools.cache
def declared_parameters(function: Callable[..., Any]) -> dict[str, DeclaredParameter]:
    """The parameters of a declared method by name."""
    types = typing.get_type_hints(function)
    annotations = typing.get_type_hints(function, include_extras=True)
    return {
        name: DeclaredParameter(_validated_type(types[name]), compile_check(annotation))
        for name, annotation in annotations.items()
        if name != "return"
    }


def _validated_type(declared: Any) -> Any:
    """The type to validate here; the engine validates knowledge points, with errors of their own class."""
    return list[Any] if declared == list[KnowledgeItem] else declared


def validate_parameters(spec: MethodSpec, params: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters, converted to the declared types.

    Raises `UnknownParameterError`, `InvalidParameterError`, `WrongIdError`.
    """
    spec.check_names(params)
    parameters = declared_parameters(spec.function)
    values = {name: _convert(name, value, parameters[name].type) for name, value in params.items()}
    for name, value in values.items():
        if (check := parameters[name].check) is not None:
            check(name, value)
    return values


def _convert(name: str, value: Any, declared: Any) -> Any:
    try:
        converted = msgspec.convert(value, declared)
    except msgspec.ValidationError as error:
        fault = str(error)
        where = _PATH.search(fault)
        inner = where.group(1) if where else ""
        place = name + (inner if inner.startswith("[") or not inner else f".{inner}")
        found = abbreviate(_at(value, inner))
        key, hint = _key_of(inner, declared)
        raise InvalidParameterError(
            f"{place}: {found}: {_PATH.sub('', fault)}; {key or name} is {_describe(hint)}",
            parameter=place,
            value=found,
            expected=_describe(hint),
        ) from error
    if converted is not value:
        _refuse_lost_keys(name, value, converted, declared)
    return converted


def _at(value: Any, path: str) -> Any:
    """The value at a path such as `[3].text`; that of the longest path if there is none."""
    for index, key in _STEP.findall(path):
        try:
            value = value[int(index)] if index else value[key]
        except (LookupError, TypeError):
            break
    return value


def _key_of(path: str, declared: Any) -> tuple[str, Any]:
    """The declared key at the end of a path such as `[3].text`, and its type; '' and `declared` if none."""
    key = path.rpartition(".")[2]
    return next(((key, hints[key]) for hints in _maps_in(declared) if key in hints), ("", declared))


def _refuse_lost_keys(name: str, value: Any, converted: Any, declared: Any) -> None:
    """Raise `InvalidParameterError` for a key that a typed map does not declare and msgspec drops."""
    if isinstance(value, list | tuple) and isinstance(converted, list):
        for i, pair in enumerate(zip(value, converted, strict=True)):
            _refuse_lost_keys(f"{name}[{i}]", *pair, declared)
    elif isinstance(value, dict) and isinstance(converted, dict) and len(value) != len(converted):
        lost = sorted(str(key) for key in value.keys() - converted.keys())[0]
        known = [key for hints in _maps_in(declared) for key in hints]
        near = get_close_matches(lost, known, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise InvalidParameterError(
            f"{name}: unknown key {abbreviate(lost)}; expected {', '.join(known)}{hint}",
            parameter=name,
            value=abbreviate(lost),
            expected=", ".join(known),
        )


def _maps_in(declared: Any) -> Iterator[Types]:
    """The fields of each typed map in a type."""
    if typing.is_typeddict(declared):
        yield typing.get_type_hints(declared)
    for part in typing.get_args(declared):
        yield from _maps_in(part)


def _describe(declared: Any) -> str:
    if isinstance(declared, type) and not typing.get_args(declared):
        return declared.__name__
    return re.sub(r"\b(?:typing|memory_client\.types(?:\.\w+)?|builtins)\.", "", str(declared))
