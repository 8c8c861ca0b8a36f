"""Wait for a condition, and check that no thread is left running."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")

PATIENCE = 20.0
"""Longest wait of a test, in seconds, for what normally happens at once."""


def eventually(what: str, probe: Callable[[], T], seconds: float = PATIENCE) -> T:
    """Wait until `probe` returns a true value, and return it. Fails with `what`."""
    until = time.monotonic() + seconds
    while not (value := probe()):
        assert time.monotonic() < until, f"within {seconds:g} s not: {what}"
        time.sleep(0.01)
    return value


_OF_THE_PROCESS = frozenset({"LanceDBBackgroundEventLoop", "GarbageCollectorThread"})
"""Threads, by name or class, that lancedb and pyzmq (for large frames) start once and never end."""


def _threads() -> set[threading.Thread]:
    return {t for t in threading.enumerate() if not {t.name, type(t).__name__} & _OF_THE_PROCESS}


@contextmanager
def no_new_threads() -> Iterator[None]:
    """Fail when threads that were started inside are still alive a little later."""
    before = _threads()
    yield
    until = time.monotonic() + 5
    while (left := _threads() - before) and time.monotonic() < until:
        time.sleep(0.01)
    assert not left, f"threads left running: {sorted(thread.name for thread in left)}"
