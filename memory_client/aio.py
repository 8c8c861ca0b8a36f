"""The asynchronous client. `aio.pyi` gives its methods their types; `scripts/generate_stubs.py` writes it."""

from __future__ import annotations

from memory_client.async_core import AsyncCore
from memory_client.groups import Methods


class AsyncKnowledgeClient(AsyncCore, Methods):
    """The methods of `KnowledgeClient`, awaited; the same arguments, rules and errors."""
