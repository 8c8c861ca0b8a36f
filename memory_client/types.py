"""The shapes that cross the interface: plain dicts in hand and on the wire, in both faces.

Times are UTC epoch seconds. Scores and confidences are in [0, 1], importance in [0, 5].
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

Category = Literal["system", "core", "fact", "episode"]
Kind = Literal[
    "fact",
    "preference",
    "context",
    "skill",
    "relationship",
    "decision",
    "task",
    "qa",
    "opinion",
    "world_model",
    "experience",
    "other",
]
Source = Literal["user", "background_ai", "system", "document", "import"]
State = Literal["active", "archived", "superseded"]
Mode = Literal["auto", "hybrid", "semantic", "lexical", "exact", "temporal"]
Intent = Literal["fact", "reasoning", "contextual", "preference", "skill"]
SearchScope = Literal["memory", "turn"]
Order = Literal["created_at", "last_access", "importance", "confidence"]
SearchOrder = Literal["relevance", "created_at", "last_access", "importance", "confidence"]
Direction = Literal["asc", "desc"]
Stage = Literal["starting", "ready", "stopping"]
Role = Literal["user", "assistant", "system", "tool"]

Metadata = dict[str, Any]
Filters = dict[str, Any]


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
    metadata: Metadata
    indexed: bool
    """Whether the vector is in the index; keyword search finds the memory in any case."""
    notices: list[str]
    """What was changed or understood differently on the way in, in words."""
    gate: dict[str, Any]
    """What screening replaced: `{"secrets": {kind: count}}`, empty when nothing was."""


class Snippet(TypedDict):
    """The stretch of a text that matches best; `marks`: [start, end] of the matches in it."""

    text: str
    marks: list[list[int]]


class Explanation(TypedDict):
    """How a hit came about, and what the search as a whole could not do."""

    mode: str
    """The mode that was carried out, which may differ from the one asked for."""
    notes: list[str]
    ranks: dict[str, int]
    """source -> rank, from 1."""
    missing_vectors: int
    """Memories of this user that meaning cannot find yet."""
    milliseconds: dict[str, float]
    """Of each source and step of the search."""
    terms: list[str]
    """What of the query stands in the text, as it stands there."""
    keys: list[str]
    """The id, exact key or quoted phrase it was found by."""
    snippet: Snippet
    same: list[str]
    """Near-duplicates of the hit that were left out."""
    recipe: str
    """How the candidates were fused."""
    fusion: dict[str, dict[str, float]]
    """feature or source -> its value and what it adds to the score (before the logistic function)."""
    plan: dict[str, Any]


class Hit(TypedDict):
    """One result of `search`; `score` is comparable only inside one reply."""

    id: str
    type: SearchScope
    text: str
    score: float
    metadata: Metadata
    """Of a turn also `session_id position role speaker timestamp`."""
    category: Category | None
    """None for a turn."""
    importance: float | None
    """None for a turn."""
    created_at: float
    scores: dict[str, float]
    """source (`semantic` cosine, `lexical` BM25, `exact`, `temporal`, `reranker`) -> raw score."""
    explain: NotRequired[Explanation]


class SearchReport(TypedDict):
    """A search with its reasons, also where nothing was found."""

    hits: list[Hit]
    plan: dict[str, Any]
    mode: str
    notes: list[str]
    milliseconds: dict[str, float]


class Page(TypedDict):
    """A page of memories; `cursor` is None on the last one."""

    items: list[Memory]
    cursor: str | None
    total: int


class TurnItem(TypedDict):
    """One item of `conversation.extend`; `content` is `text`, `timestamp` is `at`."""

    role: Role
    text: NotRequired[str | None]
    content: NotRequired[str | None]
    at: NotRequired[float | str | None]
    timestamp: NotRequired[float | str | None]
    tz: NotRequired[str | None]
    speaker: NotRequired[str | None]
    metadata: NotRequired[Metadata | None]
    remember: NotRequired[bool]
    user_id: NotRequired[str | None]


class Turn(TypedDict):
    """A stored turn with all its fields."""

    id: str
    user_id: str
    agent_id: str | None
    session_id: str
    position: int
    role: Role
    speaker: str | None
    text: str
    created_at: float
    """When it was said."""
    tz: str | None
    received_at: float
    event_start: float | None
    """The time the text speaks of, up to `event_end`, where it names one."""
    event_end: float | None
    remembered: bool
    """False: in the window only, until the session is closed."""
    metadata: Metadata
    indexed: bool
    """Whether the vector is in the index; keyword search finds a remembered turn in any case."""
    notices: list[str]
    gate: dict[str, Any]
    """What screening replaced: `{"secrets": {kind: count}}`, empty when nothing was."""


class TurnPage(TypedDict):
    """A page of turns; `cursor` is None on the last one."""

    items: list[Turn]
    cursor: str | None
    total: int


class Appended(TypedDict):
    """The receipt of `conversation.append`."""

    id: str
    session_id: str
    position: int
    topic: str
    """`unknown`: topics are not recognised."""
    anchors: list[str]
    """Empty: no anchors are recognised."""


class Extended(TypedDict):
    """The receipt of `conversation.extend`; ids in the order of the items."""

    ids: list[str]
    session_id: str
    count: int


class Ended(TypedDict):
    """The receipt of `conversation.end`."""

    session_id: str
    closed: bool
    """False when it was closed already."""
    dropped: int
    """Turns not to be remembered, which went with the closing."""


class Updated(TypedDict):
    """The receipt of an update; `changed` is false when nothing differed."""

    id: str
    version: int
    changed: bool


class Deleted(TypedDict):
    """The receipt of a delete."""

    ids: list[str]
    """Deleted, or with `dry_run` those that would be."""
    count: int
    backups: list[str]
    """Backup files that still hold what was deleted."""


class UserDeleted(TypedDict):
    """The receipt of `delete_all`."""

    user_id: str
    counts: dict[str, int]
    """memories, turns."""
    backups: list[str]


class Stats(TypedDict):
    """Counts over the visible memories of a user; `turns` over the remembered turns beside them."""

    total: int
    by_category: dict[str, int]
    by_kind: dict[str, int]
    by_source: dict[str, int]
    by_state: dict[str, int]
    characters: int
    oldest: float | None
    newest: float | None
    turns: int
    pending_vectors: int


class Pong(TypedDict):
    """The answer to `ping`."""

    pid: int
    stage: Stage
    version: str
    protocol: int


class Status(TypedDict):
    """The state of the process that owns the store."""

    pid: int
    endpoint: str | None
    """None in process."""
    version: str
    protocol: int
    schema: int
    stage: Stage
    uptime: float
    data_dir: str
    embedder: dict[str, Any]
    reranker: dict[str, Any]
    """model, state (off, loading, ready, unavailable), device, error, answered, late."""
    counts: dict[str, int]
    """memories, turns, sessions, users, versions."""
    pending_vectors: int
    memory: dict[str, int]
    """Bytes: resident, hot_index."""
    disk: dict[str, int]
    """Bytes: database, vectors, hot_index, models, logs, backups, free."""
    jobs: dict[str, int]
    settings_from_starter: list[str]
    """Settings whose value came from the environment of whoever started the daemon."""
    warnings: list[str]


class Reindexed(TypedDict):
    """What `admin.reindex` rebuilt."""

    lexical: int
    vectors: int
    pending: int


class Compacted(TypedDict):
    """What `admin.compact` achieved, in bytes on disk."""

    before: int
    after: int


class Finding(TypedDict):
    """One line of `doctor`."""

    check: str
    ok: bool
    detail: str
    fix: str | None


class SettingValue(TypedDict):
    """One line of `config`."""

    name: str
    value: Any
    default: Any
    source: Literal["default", "config.toml", "environment", "command line"]
    variable: str
    description: str


class Metrics(TypedDict):
    """Counters and latencies since the start, milliseconds."""

    methods: dict[str, dict[str, float]]
    """method -> count, errors, p50, p95."""
    queue: dict[str, int]
    caches: dict[str, dict[str, int]]
