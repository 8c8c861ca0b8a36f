"""The state of the process and its store."""

from __future__ import annotations

from typing import Any, Literal, TypedDict

from memory_client.types.vocabulary import Stage


class PingResult(TypedDict):
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
    uptime_seconds: float
    data_dir: str
    embedder: dict[str, Any]
    reranker: dict[str, Any]
    """model, state (off, loading, ready, unavailable), device, error, answered_count, timeout_count."""
    counts: dict[str, int]
    """memories, turns, sessions, users, versions."""
    pending_vector_count: int
    """Texts that wait to be embedded, their token vectors included."""
    pending_triple_count: int
    """Memories that are not read for triples yet."""
    memory_bytes: dict[str, int]
    """resident, hot_index."""
    disk_bytes: dict[str, int]
    """database, vectors, hot_index, models, logs, backups, free."""
    jobs: dict[str, int]
    settings_from_environment: list[str]
    """Settings whose value came from the environment of whoever started the daemon."""
    warnings: list[str]


class ReindexResult(TypedDict):
    """What `admin.reindex` rebuilt."""

    keyword_count: int
    vector_count: int
    pending_count: int


class CompactResult(TypedDict):
    """What `admin.compact` achieved, in bytes on disk."""

    bytes_before: int
    bytes_after: int


class CheckResult(TypedDict):
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
    """method -> count, error_count, p50_ms, p95_ms."""
    queue: dict[str, int]
    caches: dict[str, dict[str, int]]
