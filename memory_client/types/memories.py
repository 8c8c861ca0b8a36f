"""Memories, and the replies of reading, changing and deleting them."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

from memory_client.types.vocabulary import Category, Kind, Metadata, Source, State


class MemoryItem(TypedDict):
    """One item of `add_many`."""

    text: str
    metadata: NotRequired[Metadata | None]


class Memory(TypedDict):
    """A stored memory."""

    id: str
    user_id: str
    agent_id: str | None
    session_id: str | None
    text: str
    category: Category
    kind: Kind
    importance: float
    """As it was last set; filters and orders use this value."""
    effective_importance: float
    """After decay; ranking uses this value."""
    confidence: float
    verified: bool
    source: Source
    source_id: str | None
    tags: list[str]
    exact_keys: list[str]
    position: int | None
    event_start: float | None
    event_end: float | None
    valid_from: float | None
    valid_to: float | None
    expires_at: float | None
    created_at: float
    updated_at: float
    last_access: float
    access_count: int
    version: int
    root_id: str
    parent_id: str | None
    state: State
    archived_because: str | None
    """`decay`, `expired`, `review`, `wrong` or `user`."""
    archived_at: float | None
    pinned: bool
    """Exempt from decay, expiry and review."""
    history_from: int
    """The oldest version that is kept separately."""
    metadata: Metadata
    indexed: bool
    """Whether it can be found by meaning; keyword search always finds it."""
    warnings: list[str]
    """What was changed or interpreted when it was stored, in words."""
    redactions: dict[str, Any]
    """Credentials replaced in the text: `{"secrets": {kind: count}}`; empty if none."""


class Page(TypedDict):
    """A page of memories; `cursor` is None on the last page."""

    items: list[Memory]
    cursor: str | None
    total: int
    omitted: list[str]
    """With `as_of`: memories that existed then but whose version of that time is no longer kept."""


class UpdateResult(TypedDict):
    """The reply of a change; `changed` is false if nothing differed."""

    id: str
    version: int
    changed: bool


class DeleteResult(TypedDict):
    """The reply of a delete."""

    ids: list[str]
    """Deleted, or with `dry_run` those that would be."""
    count: int
    sources: list[str]
    """Turns deleted with a memory because of `sources=True`."""
    also_stated_in: list[str]
    """Other memories (in any version) and turns that state the same as the deleted ones. Only the first 20
    deleted memories are checked."""
    skipped: list[str]
    """The first 1,000 memories that were kept because they are system, core or pinned; `force=True` deletes
    them."""
    skipped_count: int
    """All memories kept for that reason."""
    backups: list[str]
    """Backup files that still contain what was deleted."""


class ForgetCandidate(TypedDict):
    """A match of `forget`."""

    id: str
    type: Literal["memory", "turn", "triple"]
    text: str
    score: float
    """Of a triple: the score of the text that states it."""
    state: State | None
    """None unless it is a memory."""


class ForgetResult(DeleteResult):
    """The reply of `forget`; with `dry_run` its preview."""

    matches: list[ForgetCandidate]
    """What the query matches; empty after the deletion."""
    more_count: int
    """Further matches that are not shown, among the next 200 results."""


class DeleteAllResult(TypedDict):
    """The reply of `delete_all`."""

    user_id: str
    counts: dict[str, int]
    """Deleted: memories, turns, points."""
    backups: list[str]


class Stats(TypedDict):
    """Counts of the visible memories of a user; `turn_count` counts remembered turns."""

    total: int
    by_category: dict[str, int]
    by_kind: dict[str, int]
    by_source: dict[str, int]
    by_state: dict[str, int]
    character_count: int
    oldest: float | None
    newest: float | None
    turn_count: int
    pending_vector_count: int
    """Memories and turns that are not embedded yet, or whose token vectors are missing."""
    pending_triple_count: int
    """Memories from which triples are not extracted yet."""
