"""The thin client of memoryd. Importing it starts the daemon in the background (see `autostart`).

    from memory_client import get_knowledge_client

    memory = get_knowledge_client()
    memory.add("我对花生过敏")
    memory.search("什么不能吃")

Names are loaded when they are first used.
"""

# ruff: noqa: F403, F405  (`__all__` lists what the star imports bring to type checkers)
from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from memory_client.autostart import start_in_background
from memory_client.version import VERSION as __version__

if TYPE_CHECKING:
    from memory_client.aio import AsyncKnowledgeClient
    from memory_client.client import KnowledgeClient, get_knowledge_client
    from memory_client.errors import *
    from memory_client.progress import on_progress
    from memory_client.proxy import KnowledgeBaseProxy
    from memory_client.types import *

_HOMES = {
    "AsyncKnowledgeClient": "aio",
    "KnowledgeBaseProxy": "proxy",
    "KnowledgeClient": "client",
    "get_knowledge_client": "client",
    "on_progress": "progress",
}

__all__ = [
    "AppendResult",
    "AsyncKnowledgeClient",
    "AuthenticationError",
    "BoostResult",
    "BusyError",
    "Category",
    "CheckResult",
    "CompactResult",
    "Comparison",
    "ConfigurationError",
    "Conflict",
    "ConflictSide",
    "ConflictSource",
    "ConflictState",
    "ConflictType",
    "ConversationMessage",
    "DaemonUnavailableError",
    "DamagedLine",
    "DataDirectoryError",
    "DataDirectoryInUse",
    "DatabaseCorruptError",
    "DeadlineExceededError",
    "DecayOutcome",
    "DecayPass",
    "DecayPreview",
    "DecideResult",
    "DeleteAllResult",
    "DeleteResult",
    "Difference",
    "Direction",
    "DiskFullError",
    "EndResult",
    "EvidenceKind",
    "Explanation",
    "ExtendResult",
    "FadingMemory",
    "Feedback",
    "FeedbackFinding",
    "FeedbackResult",
    "Filters",
    "ForgetCandidate",
    "ForgetResult",
    "HistoryLimitError",
    "Hit",
    "Hits",
    "Intent",
    "InternalError",
    "InvalidFilterError",
    "InvalidParameterError",
    "InvalidRequestError",
    "InvalidStateError",
    "Kind",
    "KnowledgeBaseProxy",
    "KnowledgeChange",
    "KnowledgeClient",
    "KnowledgeComparison",
    "KnowledgeItem",
    "KnowledgeMergeResult",
    "KnowledgePoint",
    "KnowledgeType",
    "KnowledgeValidationError",
    "KnowledgeVersion",
    "LLMExtractionError",
    "Language",
    "LaunchError",
    "MalformedMessageError",
    "Memory",
    "MemoryItem",
    "MemorySystemError",
    "MemorydError",
    "MessageTooLargeError",
    "Metadata",
    "Metrics",
    "MissingEvidence",
    "Mode",
    "ModelUnavailableError",
    "NotFoundError",
    "Operation",
    "Order",
    "Page",
    "PassInfo",
    "PingResult",
    "ReindexResult",
    "RelatedTriple",
    "RelevantPoint",
    "RequestIdConflict",
    "ResolveResult",
    "Review",
    "ReviewKind",
    "ReviewPage",
    "ReviewState",
    "Role",
    "SchemaVersionError",
    "SearchOrder",
    "SearchReport",
    "SearchScope",
    "SettingValue",
    "Severity",
    "SharedSet",
    "Snippet",
    "Source",
    "SpaceMismatchError",
    "Stage",
    "State",
    "Stats",
    "Status",
    "StorageError",
    "TextPiece",
    "Threshold",
    "Triple",
    "TripleAlias",
    "TripleEvidence",
    "TripleImport",
    "TriplePage",
    "TriplePath",
    "TripleQuery",
    "TripleShape",
    "TripleStats",
    "Turn",
    "TurnItem",
    "TurnPage",
    "UndoPassResult",
    "UnknownMethodError",
    "UnknownParameterError",
    "UnsafeDirectoryError",
    "UpdateResult",
    "Verdict",
    "Version",
    "VersionDiff",
    "VersionError",
    "VersionInfo",
    "VersionKind",
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
