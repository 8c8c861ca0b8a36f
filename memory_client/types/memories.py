"""Memories: what is stored, counted, changed and deleted."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

from memory_client.types.vocabulary import Category, Kind, Metadata, Source, State


class MemoryItem(TypedDict):
    """One item of `add_many`."""

    text: str
    metadata: NotRequired[Metadata | None]


class Memory(TypedDict):
    """A stored memory with all its fields."""

    id: str
    user_id: str
    agent_id: str | None
    session_id: str | None
    text: str
    category: Category
    kind: Kind
    importance: float
    """As it was set last; filters and orders see this one."""
    effective_importance: float
    """What time has left of it; ranking uses this one."""
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
    """Exempt from the clock and from review."""
    history_from: int
    """The earliest version that is still told apart."""
    metadata: Metadata
    indexed: bool
    """Whether the vector is in the index; keyword search finds the memory in any case."""
    warnings: list[str]
    """What was changed or understood differently on the way in, in words."""
    redactions: dict[str, Any]
    """What screening replaced: `{"secrets": {kind: count}}`, empty when nothing was."""


class Page(TypedDict):
    """A page of memories; `cursor` is None on the last one."""

    items: list[Memory]
    cursor: str | None
    total: int
    left_out: list[str]
    """With `as_of` memories that were known by then, but whose history no longer tells what."""


class UpdateResult(TypedDict):
    """The receipt of an update; `changed` is false when nothing differed."""

    id: str
    version: int
    changed: bool


class DeleteResult(TypedDict):
    """The receipt of a delete."""

    ids: list[str]
    """Deleted, or with `dry_run` those that would be."""
    count: int
    sources: list[str]
    """Turns that were deleted with a memory, as `sources=True` asks."""
    also_stated_in: list[str]
    """What still says the same as the deleted memories: others, now or in a former version, and turns. Of
    many the first 20 are looked at."""
    skipped: list[str]
    """The first 1,000 memories that were left because they are system, core or pinned; `force=True` destroys
    them too."""
    skipped_count: int
    """How many were left for that reason."""
    backups: list[str]
    """Backup files that still hold what was deleted."""


class ForgetCandidate(TypedDict):
    """What `forget` found."""

    id: str
    type: Literal["memory", "turn", "triple"]
    text: str
    score: float
    """Of a triple that of the text that says so."""
    state: State | None
    """Of a memory."""


class ForgetResult(DeleteResult):
    """The receipt of `forget`; with `dry_run` its preview."""

    matches: list[ForgetCandidate]
    """What the query means; empty once it is deleted."""
    more_count: int
    """How many more the query means that are not shown, of 200 looked at beyond them."""


class DeleteAllResult(TypedDict):
    """The receipt of `delete_all`."""

    user_id: str
    counts: dict[str, int]
    """memories, turns, points."""
    backups: list[str]


class Stats(TypedDict):
    """Counts over the visible memories of a user; `turns` over the remembered turns beside them."""

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
    """Memories and turns that wait to be embedded, their token vectors included."""
    pending_triple_count: int
    """Memories that are not read for triples yet."""
