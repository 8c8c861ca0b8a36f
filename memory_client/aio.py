"""The asynchronous client. `aio.pyi` gives its methods their types; `scripts/generate_stubs.py` writes it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from memory_client.api import MethodSpec, bind
from memory_client.async_core import AsyncCore


@bind("admin")
class AsyncAdminClient:
    """Group `admin` of an asynchronous client."""

    def __init__(self, invoke: Callable[[MethodSpec, dict[str, Any]], Any]) -> None:
        self._invoke = invoke


@bind("memory")
class AsyncKnowledgeClient(AsyncCore):
    """The methods of `KnowledgeClient`, awaited; the same arguments, rules and errors."""

    def _adopt(self) -> None:
        self.admin = AsyncAdminClient(self._invoke)
