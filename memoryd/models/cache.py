"""What was made of recent queries."""

from __future__ import annotations

import threading
import unicodedata
from collections import OrderedDict

from memoryd.models.base import Encoding


class QueryCache:
    """The `limit` most recently used query encodings, by space and NFC text. Thread-safe."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._lock = threading.Lock()
        self._encodings: OrderedDict[tuple[str, str], Encoding] = OrderedDict()
        self._hits = 0
        self._misses = 0

    def get(self, fingerprint: str, text: str) -> Encoding | None:
        """The encoding, counted as a hit or a miss."""
        key = _key(fingerprint, text)
        with self._lock:
            encoding = self._encodings.get(key)
            if encoding is None:
                self._misses += 1
                return None
            self._hits += 1
            self._encodings.move_to_end(key)
            return encoding

    def put(self, fingerprint: str, text: str, encoding: Encoding) -> None:
        """Keep an encoding, its vector read-only from now on.

        The least recently used one goes when there are too many.
        """
        encoding.vector.flags.writeable = False
        with self._lock:
            self._encodings[_key(fingerprint, text)] = encoding
            while len(self._encodings) > self._limit:
                self._encodings.popitem(last=False)

    def counters(self) -> dict[str, int]:
        """size, limit, hits, misses."""
        with self._lock:
            return {
                "size": len(self._encodings),
                "limit": self._limit,
                "hits": self._hits,
                "misses": self._misses,
            }


def _key(fingerprint: str, text: str) -> tuple[str, str]:
    return fingerprint, unicodedata.normalize("NFC", text)
