"""The thin client of memoryd. Importing it starts the daemon in the background (see `autostart`).

    from memory_client import get_knowledge_client

    memory = get_knowledge_client()
    memory.add("我对花生过敏")
    memory.search("什么不能吃")

Names are loaded when they are first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from memory_client.autostart import start_in_background
from memory_client.version import VERSION as __version__

if TYPE_CHECKING:
    from memory_client.aio import AsyncKnowledgeClient
    from memory_client.client import KnowledgeClient, get_knowledge_client
    from memory_client.progress import on_progress
    from memory_client.proxy import KnowledgeBaseProxy

_HOMES = {
    "AsyncKnowledgeClient": "memory_client.aio",
    "KnowledgeClient": "memory_client.client",
    "get_knowledge_client": "memory_client.client",
    "KnowledgeBaseProxy": "memory_client.proxy",
    "on_progress": "memory_client.progress",
}

__all__ = [
    "AsyncKnowledgeClient",
    "KnowledgeBaseProxy",
    "KnowledgeClient",
    "__version__",
    "get_knowledge_client",
    "on_progress",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(home), name)


start_in_background()
