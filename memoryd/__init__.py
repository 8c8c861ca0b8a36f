"""A local memory for companion apps and agents. Names are loaded when they are first used."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memory_client.errors import (
        AuthenticationError,
        BusyError,
        ConfigurationError,
        DaemonUnavailableError,
        DatabaseCorruptError,
        DataDirectoryError,
        DataDirectoryInUse,
        DeadlineExceededError,
        DiskFullError,
        HistoryLimitError,
        InternalError,
        InvalidFilterError,
        InvalidParameterError,
        InvalidRequestError,
        InvalidStateError,
        KnowledgeValidationError,
        LaunchError,
        LLMExtractionError,
        MalformedMessageError,
        MemorydError,
        MemorySystemError,
        MessageTooLargeError,
        ModelUnavailableError,
        NotFoundError,
        RequestIdConflict,
        SchemaVersionError,
        SpaceMismatchError,
        StorageError,
        UnknownMethodError,
        UnknownParameterError,
        UnsafeDirectoryError,
        VersionError,
        WrongIdError,
    )
    from memory_client.types import ConversationMessage, KnowledgePoint
    from memoryd.core.knowledge.config import MemoryConfig
    from memoryd.core.knowledge.point import validate_knowledge_point
    from memoryd.knowledge_base import KnowledgeBase
    from memoryd.memory_manager import MemoryManager
    from memoryd.storage.knowledge.base import MemStorage
    from memoryd.storage.knowledge.files import MemStorageFileSys
    from memoryd.storage.knowledge.sqlite import MemStorageSQLite

_HOMES = {
    "ConversationMessage": "memory_client.types",
    "KnowledgeBase": "memoryd.knowledge_base",
    "KnowledgePoint": "memory_client.types",
    "MemStorage": "memoryd.storage.knowledge.base",
    "MemStorageFileSys": "memoryd.storage.knowledge.files",
    "MemStorageSQLite": "memoryd.storage.knowledge.sqlite",
    "MemoryConfig": "memoryd.core.knowledge.config",
    "MemoryManager": "memoryd.memory_manager",
    "validate_knowledge_point": "memoryd.core.knowledge.point",
}

__all__ = [
    "AuthenticationError",
    "BusyError",
    "ConfigurationError",
    "ConversationMessage",
    "DaemonUnavailableError",
    "DataDirectoryError",
    "DataDirectoryInUse",
    "DatabaseCorruptError",
    "DeadlineExceededError",
    "DiskFullError",
    "HistoryLimitError",
    "InternalError",
    "InvalidFilterError",
    "InvalidParameterError",
    "InvalidRequestError",
    "InvalidStateError",
    "KnowledgeBase",
    "KnowledgePoint",
    "KnowledgeValidationError",
    "LLMExtractionError",
    "LaunchError",
    "MalformedMessageError",
    "MemStorage",
    "MemStorageFileSys",
    "MemStorageSQLite",
    "MemoryConfig",
    "MemoryManager",
    "MemorySystemError",
    "MemorydError",
    "MessageTooLargeError",
    "ModelUnavailableError",
    "NotFoundError",
    "RequestIdConflict",
    "SchemaVersionError",
    "SpaceMismatchError",
    "StorageError",
    "UnknownMethodError",
    "UnknownParameterError",
    "UnsafeDirectoryError",
    "VersionError",
    "WrongIdError",
    "validate_knowledge_point",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES.get(name, "memory_client.errors")), name)
