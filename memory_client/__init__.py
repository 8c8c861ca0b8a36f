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
    from memory_client.progress import on_progress
    from memory_client.proxy import KnowledgeBaseProxy
    from memory_client.types import (
        Appended,
        Category,
        Compacted,
        Deleted,
        Direction,
        Ended,
        Explanation,
        Extended,
        Filters,
        Finding,
        Hit,
        Kind,
        Memory,
        MemoryItem,
        Metadata,
        Metrics,
        Mode,
        Order,
        Page,
        Pong,
        Reindexed,
        Role,
        SearchOrder,
        SettingValue,
        Source,
        Stage,
        State,
        Stats,
        Status,
        Turn,
        TurnItem,
        TurnPage,
        Updated,
        UserDeleted,
    )

_HOMES = {
    "AsyncKnowledgeClient": "aio",
    "KnowledgeBaseProxy": "proxy",
    "KnowledgeClient": "client",
    "get_knowledge_client": "client",
    "on_progress": "progress",
}

__all__ = [
    "Appended",
    "AsyncKnowledgeClient",
    "AuthenticationError",
    "BusyError",
    "Category",
    "Compacted",
    "ConfigurationError",
    "DaemonUnavailableError",
    "DataDirectoryError",
    "DataDirectoryInUse",
    "DatabaseCorruptError",
    "DeadlineExceededError",
    "Deleted",
    "Direction",
    "DiskFullError",
    "Ended",
    "Explanation",
    "Extended",
    "Filters",
    "Finding",
    "Hit",
    "InternalError",
    "InvalidFilterError",
    "InvalidParameterError",
    "InvalidRequestError",
    "InvalidStateError",
    "Kind",
    "KnowledgeBaseProxy",
    "KnowledgeClient",
    "KnowledgeValidationError",
    "LLMExtractionError",
    "LaunchError",
    "MalformedMessageError",
    "Memory",
    "MemoryItem",
    "MemorySystemError",
    "MemorydError",
    "MessageTooLargeError",
    "Metadata",
    "Metrics",
    "Mode",
    "ModelUnavailableError",
    "NotFoundError",
    "Order",
    "Page",
    "Pong",
    "Reindexed",
    "RequestIdConflict",
    "Role",
    "SchemaVersionError",
    "SearchOrder",
    "SettingValue",
    "Source",
    "SpaceMismatchError",
    "Stage",
    "State",
    "Stats",
    "Status",
    "StorageError",
    "Turn",
    "TurnItem",
    "TurnPage",
    "UnknownMethodError",
    "UnknownParameterError",
    "UnsafeDirectoryError",
    "Updated",
    "UserDeleted",
    "VersionError",
    "WrongIdError",
    "__version__",
    "get_knowledge_client",
    "on_progress",
]


def __getattr__(name: str) -> Any:
    if name in __all__:
        for home in [_HOMES[name]] if name in _HOMES else ["errors", "types"]:
            module = importlib.import_module(f"memory_client.{home}")
            if hasattr(module, name):
                return getattr(module, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


start_in_background()
