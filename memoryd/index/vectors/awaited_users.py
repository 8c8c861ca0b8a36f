"""The users whose searches wait for vectors: their texts are embedded before those of others."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager


class AwaitedUsers:
    """Thread-safe; a user stays in it for as long as one search waits."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts = Counter[str]()

    @contextmanager
    def awaiting(self, user_id: str) -> Iterator[None]:
        """Hold a user in it during the block."""
        with self._lock:
            self._counts[user_id] += 1
        try:
            yield
        finally:
            with self._lock:
                self._counts[user_id] -= 1
                self._counts += Counter()  # drops those at zero

    def ids(self) -> list[str]:
        """The users, in the order in which they came."""
        with self._lock:
            return list(self._counts)
