"""From a method name and parameters to the handler; the server and the in-process face both call it.

A handler is the public attribute of a service that has the method's name. It names what it needs: declared
parameters by name, and values derived from them by type (`Scope`, `Author`, `RequestKey | None`, `Deadline`).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from memory_client.api import METHODS, MethodSpec, find
from memory_client.deadline import Deadline
from memoryd.core.call_context import Call
from memoryd.core.scope import Scope
from memoryd.engine.author import Author
from memoryd.service.validation import validate_parameters
from memoryd.storage.requests import RequestKey

Values = Mapping[str, Any]


class Dispatcher:
    """The handlers of all declared methods.

    services: per class that declares methods, the object with their handlers. Raises `TypeError` for a method
    without a handler, a handler without a declaration, and parameters that do not fit each other.
    """

    def __init__(self, services: Mapping[type, object]) -> None:
        for api, service in services.items():
            _refuse_undeclared(api, service)
        self.handlers = {spec.wire: bind_handler(spec, services.get(spec.api)) for spec in METHODS.values()}

    def dispatch(self, method: str, params: Values, call: Call) -> Any:
        """The result of a call by its wire name; an iterator when the method streams.

        Raises `UnknownMethodError`, `UnknownParameterError`, `InvalidParameterError`, and the method's own.
        """
        return self.call_method(find(method), params, call)

    def call_method(self, spec: MethodSpec, params: Values, call: Call) -> Any:
        """As `dispatch`, for a known method. The caller makes `call` the current one."""
        return self.handlers[spec.wire](spec.defaults | validate_parameters(spec, params), call)


@dataclass(frozen=True, slots=True)
class MethodHandler:
    """A function bound to a declaration. taken: parameters passed by name; derived: name -> factory."""

    spec: MethodSpec
    function: Callable[..., Any]
    taken: tuple[str, ...]
    derived: tuple[tuple[str, Factory], ...]

    def __call__(self, values: Values, call: Call) -> Any:
        arguments = {name: values[name] for name in self.taken}
        for name, derive in self.derived:
            arguments[name] = derive(self.spec, values, call)
        return self.function(**arguments)


def bind_handler(spec: MethodSpec, service: object) -> MethodHandler:
    """The handler of a method. Raises `TypeError` if there is none, or its parameters do not fit."""
    function = getattr(service, spec.name, None)
    if function is None:
        raise TypeError(
            f"{spec.wire} has no handler: define {spec.name}() on the service of {spec.api.__name__}"
        )
    parameters = inspect.signature(function).parameters
    derived = {name: _DERIVED[p.annotation] for name, p in parameters.items() if p.annotation in _DERIVED}
    sources = {source for one in derived.values() for source in one.sources}
    takes_rest = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    taken = {
        name
        for name in spec.parameters
        if name not in derived and (name in parameters or (takes_rest and name not in sources))
    }
    _check_fit(spec, taken | sources, set(spec.parameters), "its handler leaves out the declared")
    _check_fit(
        spec, set(spec.parameters), _demanded(parameters, derived), "its handler demands the undeclared"
    )
    return MethodHandler(
        spec, function, tuple(taken), tuple((name, one.make) for name, one in derived.items())
    )


def _demanded(parameters: Mapping[str, inspect.Parameter], derived: Mapping[str, _Derived]) -> set[str]:
    """The declared parameters a handler cannot do without."""
    by_name = {
        name
        for name, p in parameters.items()
        if name not in derived and p.default is p.empty and p.kind is not p.VAR_KEYWORD
    }
    return by_name.union(*(one.sources[:1] for one in derived.values()))


def _check_fit(spec: MethodSpec, offered: set[str], wanted: set[str], problem: str) -> None:
    if lacking := sorted(wanted - offered):
        raise TypeError(f"{spec.wire}: {problem} {', '.join(lacking)}")


def _refuse_undeclared(api: type, service: object) -> None:
    declared = {spec.name for spec in METHODS.values() if spec.api is api}
    for name in dir(service):
        if not name.startswith("_") and name not in declared:
            raise TypeError(f"{type(service).__name__}.{name} handles no method that {api.__name__} declares")


def _scope(_: MethodSpec, values: Values, __: Call) -> Scope:
    return Scope(values["user_id"], values.get("agent_id"), values.get("include_archived", False))


def _author(_: MethodSpec, values: Values, __: Call) -> Author:
    return Author.checked(values["operator"], values["reason"])


def _deadline(_: MethodSpec, __: Values, call: Call) -> Deadline:
    return call.deadline


def _request_key(spec: MethodSpec, values: Values, _: Call) -> RequestKey | None:
    """None without an id and for a dry run. Parameters at their defaults do not count: one that is declared
    later leaves the keys of earlier requests unchanged."""
    request_id = values["request_id"]
    if request_id is None or values.get("dry_run"):
        return None
    given = {
        name: value
        for name, value in values.items()
        if name not in _NO_PARTS_OF_A_KEY and not (name in spec.defaults and value == spec.defaults[name])
    }
    return RequestKey.of(values["user_id"], spec.wire, request_id, given)


Factory = Callable[[MethodSpec, Values, Call], Any]


@dataclass(frozen=True, slots=True)
class _Derived:
    """How a value is made, and from which parameters; the first must be declared."""

    make: Factory
    sources: tuple[str, ...] = ()


_NO_PARTS_OF_A_KEY = ("user_id", "request_id")
_DERIVED = {
    "Scope": _Derived(_scope, ("user_id", "agent_id", "include_archived")),
    "Author": _Derived(_author, ("operator", "reason")),
    "RequestKey | None": _Derived(_request_key, ("request_id",)),
    "Deadline": _Derived(_deadline),
}
"""By the annotation of the handler's parameter."""
