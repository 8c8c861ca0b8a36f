"""Replies about the process and its store."""

from __future__ import annotations

from typing import Any, Literal, TypedDict

from memory_client.types.vocabulary import Stage


class PingResult(TypedDict):
    """The reply of `ping`."""

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
    """memories, turns, points, sessions, users, versions."""
    pending_vector_count: int
    """Texts that are not embedded yet, or whose token vectors are missing."""
    pending_triple_count: int
    """Memories from which triples are not extracted yet."""
    memory_bytes: dict[str, int]
    """resident, hot_index."""
    disk_bytes: dict[str, int]
    """database, vectors, hot_index, models, logs, backups, free."""
    jobs: dict[str, int]
    settings_from_environment: list[str]
    """Settings whose value comes from the environment of the process that started the daemon."""
    warnings: list[str]


class ReindexResult(TypedDict):
    """The reply of `admin.reindex`."""

    keyword_count: int
    """Texts in the rebuilt keyword index."""
    vector_count: int
    """Texts embedded again."""
    pending_count: int
    """Texts that are still to be embedded in the background."""


class CompactResult(TypedDict):
    """The reply of `admin.compact`: the size of the store on disk."""

    bytes_before: int
    bytes_after: int


class CheckResult(TypedDict):
    """One check of `doctor`."""

    check: str
    ok: bool
    detail: str
    fix: str | None
    """The command that repairs it, if any."""


class SettingValue(TypedDict):
    """One setting of `config`."""

    name: str
    value: Any
    default: Any
    source: Literal["default", "config.toml", "environment", "command line"]
    variable: str
    description: str


class Metrics(TypedDict):
    """Counters and latencies since the start of the process."""

    methods: dict[str, dict[str, float]]
    """method -> count, error_count, p50_ms, p95_ms; percentiles over the latest 1,024 calls."""
    queue: dict[str, int]
    caches: dict[str, dict[str, int]]
