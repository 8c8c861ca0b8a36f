"""Vectors of recent queries."""

from __future__ import annotations

import threading
import unicodedata
from collections import OrderedDict

from memoryd.models.base import FloatVector


class QueryCache:
    """The `limit` most recently used query vectors, by space and NFC text. Thread-safe."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._lock = threading.Lock()
        self._vectors: OrderedDict[tuple[str, str], FloatVector] = OrderedDict()
        self._hits = 0
        self._misses = 0

    def get(self, fingerprint: str, text: str) -> FloatVector | None:
        """The vector, counted as a hit or a miss."""
        key = _key(fingerprint, text)
        with self._lock:
            vector = self._vectors.get(key)
            if vector is None:
                self._misses += 1
                return None
            self._hits += 1
            self._vectors.move_to_end(key)
            return vector

    def put(self, fingerprint: str, text: str, vector: FloatVector) -> None:
        """Keep a vector, read-only from now on; the least recently used one goes when there are too many."""
        vector.flags.writeable = False
        with self._lock:
            self._vectors[_key(fingerprint, text)] = vector
            while len(self._vectors) > self._limit:
                self._vectors.popitem(last=False)

    def counters(self) -> dict[str, int]:
        """size, limit, hits, misses."""
        with self._lock:
            return {
                "size": len(self._vectors),
                "limit": self._limit,
                "hits": self._hits,
                "misses": self._misses,
            }


def _key(fingerprint: str, text: str) -> tuple[str, str]:
    return fingerprint, unicodedata.normalize("NFC", text)
