"""The specification of a method, read from its declaration."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, TypeVar

from memory_client.errors import UnknownParameterError
from memory_client.types import Hits

F = TypeVar("F", bound=Callable[..., Any])


def long_running(function: F) -> F:
    """Mark a method whose duration grows with its input: no default time limit, progress is reported."""
    function.__long_running__ = True  # type: ignore[attr-defined]
    return function


@dataclass(frozen=True)
class MethodSpec:
    """One method of one group.

    api: the class that declares it. wire: `group.name`. positional: names that may be given without keyword,
    in order. is_write: takes a `request_id`. is_long: no default time limit.
    """

    group: str
    api: type
    name: str
    signature: inspect.Signature
    function: Callable[..., Any]
    is_long: bool

    @property
    def wire(self) -> str:
        return f"{self.group}.{self.name}"

    @functools.cached_property
    def parameters(self) -> dict[str, inspect.Parameter]:
        return {name: p for name, p in self.signature.parameters.items() if name != "self"}

    @functools.cached_property
    def positional(self) -> tuple[str, ...]:
        return tuple(n for n, p in self.parameters.items() if p.kind is p.POSITIONAL_OR_KEYWORD)

    @functools.cached_property
    def required(self) -> frozenset[str]:
        return frozenset(n for n, p in self.parameters.items() if p.default is p.empty)

    @functools.cached_property
    def defaults(self) -> dict[str, Any]:
        """Optional parameters with their defaults."""
        return {n: p.default for n, p in self.parameters.items() if p.default is not p.empty}

    @property
    def is_write(self) -> bool:
        return "request_id" in self.parameters

    def result(self, payload: Any) -> Any:
        """The payload of a reply as the declared type."""
        return Hits.from_wire(payload) if self.signature.return_annotation == Hits.__name__ else payload

    def arguments(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """The given arguments by name, defaults left out. Raises `UnknownParameterError`."""
        if len(args) > len(self.positional):
            raise UnknownParameterError(
                f"{self.name}() takes {len(self.positional)} positional arguments, got {len(args)}; "
                f"pass the others by keyword"
            )
        named = dict(zip(self.positional, args, strict=False))
        for name in kwargs:
            if name in named:
                raise UnknownParameterError(f"{self.name}() got {name!r} twice")
        named.update(kwargs)
        self.check_names(named)
        return named

    def check_names(self, params: Mapping[str, Any]) -> None:
        """Raise `UnknownParameterError` for an unknown name or a missing one."""
        for name in params:
            if name not in self.parameters:
                near = get_close_matches(str(name), self.parameters, n=1)
                hint = f"did you mean {near[0]!r}?" if near else f"it takes {', '.join(self.parameters)}"
                raise UnknownParameterError(f"{self.wire} has no parameter {name!r}; {hint}", parameter=name)
        for name in self.required:
            if name not in params:
                raise UnknownParameterError(f"{self.wire} needs the parameter {name!r}", parameter=name)


def declared(group: str, api: type) -> dict[str, MethodSpec]:
    """The specs of all public functions an API class declares, by wire name."""
    specs = [
        MethodSpec(group, api, name, inspect.signature(f), f, bool(getattr(f, "__long_running__", False)))
        for name, f in vars(api).items()
        if inspect.isfunction(f) and not name.startswith("_")
    ]
    return {spec.wire: spec for spec in specs}
