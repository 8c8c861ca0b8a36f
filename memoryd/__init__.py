"""A local memory for companion apps and agents. Names are loaded when they are first used."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memory_client.types import KnowledgePoint
    from memoryd.core.knowledge.point import validate_knowledge_point
    from memoryd.knowledge_base import KnowledgeBase
    from memoryd.memory_manager import MemoryManager
    from memoryd.storage.knowledge.base import MemStorage
    from memoryd.storage.knowledge.files import MemStorageFileSys
    from memoryd.storage.knowledge.sqlite import MemStorageSQLite

_HOMES = {
    "KnowledgeBase": "memoryd.knowledge_base",
    "KnowledgePoint": "memory_client.types",
    "MemStorage": "memoryd.storage.knowledge.base",
    "MemStorageFileSys": "memoryd.storage.knowledge.files",
    "MemStorageSQLite": "memoryd.storage.knowledge.sqlite",
    "MemoryManager": "memoryd.memory_manager",
    "validate_knowledge_point": "memoryd.core.knowledge.point",
}

__all__ = [
    "KnowledgeBase",
    "KnowledgePoint",
    "MemStorage",
    "MemStorageFileSys",
    "MemStorageSQLite",
    "MemoryManager",
    "validate_knowledge_point",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
