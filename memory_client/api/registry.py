"""All declared methods by wire name, and their bodies in clients."""

from __future__ import annotations

import functools
from collections.abc import Callable
from difflib import get_close_matches
from typing import Any, TypeVar

from memory_client.api.admin import AdminAPI
from memory_client.api.conflicts import ConflictsAPI
from memory_client.api.conversation import ConversationAPI
from memory_client.api.decay import DecayAPI
from memory_client.api.forget import ForgetAPI
from memory_client.api.knowledge import KnowledgeAPI
from memory_client.api.life import LifeAPI
from memory_client.api.memory import MemoryAPI
from memory_client.api.review import ReviewAPI
from memory_client.api.spec import MethodSpec, declared
from memory_client.api.triples import TriplesAPI
from memory_client.api.versions import VersionsAPI
from memory_client.errors import UnknownMethodError

C = TypeVar("C", bound=type)

GROUPS: dict[str, tuple[type, ...]] = {
    "memory": (MemoryAPI, ForgetAPI, LifeAPI, VersionsAPI, ConflictsAPI),
    "conversation": (ConversationAPI,),
    "decay": (DecayAPI,),
    "review": (ReviewAPI,),
    "triples": (TriplesAPI,),
    "knowledge": (KnowledgeAPI,),
    "admin": (AdminAPI,),
}
"""The classes that declare a group's methods."""
METHODS: dict[str, MethodSpec] = {
    wire: spec
    for group, apis in GROUPS.items()
    for api in apis
    for wire, spec in declared(group, api).items()
}


def find(wire: str) -> MethodSpec:
    """The spec of a wire name. Raises `UnknownMethodError` with the nearest name."""
    spec = METHODS.get(wire)
    if spec is None:
        near = get_close_matches(wire, METHODS, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise UnknownMethodError(f"no method {wire!r}{hint}", method=wire)
    return spec


def bind(group: str) -> Callable[[C], C]:
    """Class decorator: give a subclass of an API class bodies that call `self._invoke(spec, arguments)`.

    Methods that the class defines itself are kept.
    """

    def decorate(cls: C) -> C:
        for spec in METHODS.values():
            if spec.group == group and spec.name not in vars(cls):
                setattr(cls, spec.name, _body(spec))
        return cls

    return decorate


def _body(spec: MethodSpec) -> Callable[..., Any]:
    @functools.wraps(spec.function)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        return self._invoke(spec, spec.arguments(args, kwargs))

    return call
