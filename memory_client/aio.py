"""The asynchronous client. `aio.pyi` gives its methods their types; `scripts/generate_stubs.py` writes it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from memory_client.api import MethodSpec, bind
from memory_client.async_core import AsyncCore


class _Group:
    def __init__(self, invoke: Callable[[MethodSpec, dict[str, Any]], Any]) -> None:
        self._invoke = invoke


@bind("conversation")
class AsyncConversationClient(_Group):
    """Group `conversation` of an asynchronous client."""


@bind("decay")
class AsyncDecayClient(_Group):
    """Group `decay` of an asynchronous client."""


@bind("review")
class AsyncReviewClient(_Group):
    """Group `review` of an asynchronous client."""


@bind("triples")
class AsyncTriplesClient(_Group):
    """Group `triples` of an asynchronous client."""


@bind("knowledge")
class AsyncKnowledgePointsClient(_Group):
    """Group `knowledge` of an asynchronous client."""


@bind("admin")
class AsyncAdminClient(_Group):
    """Group `admin` of an asynchronous client."""


@bind("memory")
class AsyncKnowledgeClient(AsyncCore):
    """The methods of `KnowledgeClient`, awaited; the same arguments, rules and errors."""

    def _adopt(self) -> None:
        self.conversation = AsyncConversationClient(self._invoke)
        self.decay = AsyncDecayClient(self._invoke)
        self.review = AsyncReviewClient(self._invoke)
        self.triples = AsyncTriplesClient(self._invoke)
        self.knowledge = AsyncKnowledgePointsClient(self._invoke)
        self.admin = AsyncAdminClient(self._invoke)
