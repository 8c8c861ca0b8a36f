"""What the store knows of the process around it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from memory_client.types import Metrics, SettingValue

_NO_SERVER: Metrics = {"methods": {}, "queue": {}, "caches": {}}


@dataclass(slots=True)
class ProcessState:
    """Filled in by whoever runs the store. endpoint: None in process; started_at: epoch seconds."""

    started_at: float
    settings: list[SettingValue] = field(default_factory=list)
    from_environment: list[str] = field(default_factory=list)
    endpoint: str | None = None
    shutdown: Callable[[], None] | None = None
    server_metrics: Callable[[], Metrics] = lambda: _NO_SERVER
    result_cache: Callable[[], dict[str, int]] = dict
    is_stopping: bool = False
