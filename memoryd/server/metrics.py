"""Counts and latencies per method."""

from __future__ import annotations

import threading
from collections import deque

_SAMPLES = 1024


class _Method:
    """The figures of one method; percentiles are over its latest calls."""

    __slots__ = ("count", "errors", "samples")

    def __init__(self) -> None:
        self.count = 0
        self.errors = 0
        self.samples: deque[float] = deque(maxlen=_SAMPLES)

    def summary(self) -> dict[str, float]:
        ordered = sorted(self.samples)
        return {
            "count": self.count,
            "error_count": self.errors,
            "p50_ms": _percentile(ordered, 0.50),
            "p95_ms": _percentile(ordered, 0.95),
        }


class MethodMetrics:
    """Calls, errors and latency per method, from receipt to reply. Thread-safe; memory is bounded.

    Callers record only declared methods by name.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._methods: dict[str, _Method] = {}

    def record(self, method: str, seconds: float, *, failed: bool) -> None:
        """Count one call."""
        with self._lock:
            entry = self._methods.setdefault(method, _Method())
            entry.count += 1
            entry.errors += failed
            entry.samples.append(seconds * 1000)

    def snapshot(self) -> dict[str, dict[str, float]]:
        """method -> `count error_count p50_ms p95_ms`, over the latest 1,024 calls."""
        with self._lock:
            return {name: entry.summary() for name, entry in sorted(self._methods.items())}


def _percentile(ordered: list[float], share: float) -> float:
    return round(ordered[min(len(ordered) - 1, int(len(ordered) * share))], 3)
