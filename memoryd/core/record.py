"""The memory record: fields, allowed values and defaults."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, cast, get_args

from memory_client.types import Category, Kind, Memory, Source, State

CATEGORIES: tuple[Category, ...] = get_args(Category)
KINDS: tuple[Kind, ...] = get_args(Kind)
SOURCES: tuple[Source, ...] = get_args(Source)

OTHER_KINDS: dict[str, Kind] = {
    "WorldModel": "world_model",
    "ExperientialKnowledge": "experience",
    "OtherKnowledge": "other",
    "task_assignment": "task",
    "fact_statement": "fact",
    "user_opinion": "opinion",
}
OTHER_SOURCES: dict[str, Source] = {
    "user_input": "user",
    "conversation": "background_ai",
    "inference": "background_ai",
}

MIN_IMPORTANCE, MAX_IMPORTANCE = 0.0, 5.0
REPEATED_IN_METADATA = (
    "importance",
    "timestamp",
    "last_access",
    "category",
    "source",
    "verified",
)


def default_importance(category: str) -> float:
    """3.0 for core and system, 1.0 for other categories."""
    return 3.0 if category in ("core", "system") else 1.0


def clamp_importance(value: float) -> float:
    """The importance limited to 0 to 5."""
    return min(MAX_IMPORTANCE, max(MIN_IMPORTANCE, value))


@dataclass(frozen=True, slots=True)
class Record:
    """A stored memory.

    decay_from: when the importance was last set; grace: days until decay starts; pinned: exempt from decay
    and review; keep_count: number of KEEP verdicts; history_from: the earliest version in the history;
    archived_by: the decay pass that archived it, if any.
    """

    id: str
    user_id: str
    text: str
    created_at: float
    updated_at: float
    last_access: float
    decay_from: float
    agent_id: str | None = None
    session_id: str | None = None
    category: Category = "fact"
    kind: Kind = "fact"
    importance: float = 1.0
    grace: float = 0.0
    confidence: float = 1.0
    verified: bool = False
    source: Source = "user"
    source_id: str | None = None
    tags: tuple[str, ...] = ()
    exact_keys: tuple[str, ...] = ()
    position: int | None = None
    event_start: float | None = None
    event_end: float | None = None
    valid_from: float | None = None
    valid_to: float | None = None
    expires_at: float | None = None
    access_count: int = 0
    version: int = 1
    root_id: str = ""
    parent_id: str | None = None
    state: State = "active"
    archived_because: str | None = None
    archived_at: float | None = None
    archived_by: str | None = None
    pinned: bool = False
    keep_count: int = 0
    history_from: int = 1
    metadata: dict[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    redactions: dict[str, Any] = field(default_factory=dict)


FIELD_NAMES = tuple(f.name for f in fields(Record))
CONTENT_FIELDS = frozenset(FIELD_NAMES) - {
    "updated_at",
    "version",
    "last_access",
    "access_count",
    "decay_from",
    "grace",
    "keep_count",
    "history_from",
    "archived_at",
    "archived_by",
    "warnings",
    "redactions",
}
"""Fields whose change creates a new version."""

_PRIVATE = ("decay_from", "grace", "keep_count", "archived_by")


def changed_fields(old: Record, new: Record) -> list[str]:
    """The content fields in which two records differ."""
    return sorted(name for name in CONTENT_FIELDS if getattr(old, name) != getattr(new, name))


def public_metadata(record: Record) -> dict[str, Any]:
    """The metadata as callers see it: their own keys and a copy of some fields."""
    repeated = {
        name: record.created_at if name == "timestamp" else getattr(record, name)
        for name in REPEATED_IN_METADATA
    }
    return {**record.metadata, **repeated}


def to_memory(record: Record, *, indexed: bool, effective: float) -> Memory:
    """The memory as callers see it. effective: the importance after decay."""
    shown = {name: getattr(record, name) for name in FIELD_NAMES if name not in _PRIVATE}
    for name in ("tags", "exact_keys", "warnings"):
        shown[name] = list(shown[name])
    derived = {"effective_importance": effective, "metadata": public_metadata(record), "indexed": indexed}
    return cast("Memory", {**shown, **derived})
