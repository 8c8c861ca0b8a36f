"""Answers of recent searches, as long as nothing they rest on has changed."""

from __future__ import annotations

import copy
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass

from memory_client.types import Hits


@dataclass(frozen=True, slots=True)
class _Kept:
    version: Hashable
    until: float
    hits: Hits


class ResultCache:
    """The most recently used answers. Thread-safe.

    limit: answers kept, 0 for none; seconds: how long one is good for; clock: monotonic seconds.
    """

    def __init__(self, limit: int, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._limit = limit
        self._seconds = seconds
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: OrderedDict[Hashable, _Kept] = OrderedDict()
        self._hits = 0
        self._misses = 0

    def get(self, key: Hashable, version: Hashable) -> Hits | None:
        """A copy of the answer to the same question over the same store."""
        with self._lock:
            kept = self._kept.get(key)
            if kept is None or kept.version != version or kept.until < self._clock():
                self._kept.pop(key, None)
                self._misses += 1
                return None
            self._hits += 1
            self._kept.move_to_end(key)
        return copy.deepcopy(kept.hits)

    def put(self, key: Hashable, version: Hashable, hits: Hits) -> None:
        """Keep an answer, which the caller may change afterwards."""
        if not self._limit:
            return
        kept = _Kept(version, self._clock() + self._seconds, copy.deepcopy(hits))
        with self._lock:
            self._kept[key] = kept
            self._kept.move_to_end(key)
            while len(self._kept) > self._limit:
                self._kept.popitem(last=False)

    def clear(self) -> None:
        """Forget all answers."""
        with self._lock:
            self._kept.clear()

    def counters(self) -> dict[str, int]:
        """size, limit, hits, misses."""
        with self._lock:
            return {
                "size": len(self._kept),
                "limit": self._limit,
                "hits": self._hits,
                "misses": self._misses,
            }
