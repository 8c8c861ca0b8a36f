"""From a method name and parameters to the service that carries it out; both faces come through here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memory_client.api import MethodSpec, find
from memoryd.core.call_context import Call, calling
from memoryd.service.validation import checked


class Dispatcher:
    """The services by the class that declares their methods."""

    def __init__(self, services: Mapping[type, object]) -> None:
        self._services = services

    def dispatch(self, method: str, params: Mapping[str, Any], call: Call) -> Any:
        """The result of a call by its wire name; an iterator when the method streams.

        Raises `UnknownMethodError`, `UnknownParameterError`, `InvalidParameterError`, and the method's own.
        """
        return self.carry_out(find(method), params, call)

    def carry_out(self, spec: MethodSpec, params: Mapping[str, Any], call: Call) -> Any:
        """The same for a method that is known."""
        handler = getattr(self._services[spec.api], spec.name)
        with calling(call):
            return handler(**checked(spec, params))
