"""The cache of query encodings."""

from __future__ import annotations

import threading
import unicodedata
from collections import OrderedDict

from memoryd.models.base import Encoding, FloatMatrix

_MOST_BYTES = 2**25
"""The limit of all vectors: 1000 queries of 40 tokens. A query of 10 KB takes 2 MB."""


class QueryCache:
    """The `limit` most recently used query encodings, by space and NFC text. Thread-safe."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._lock = threading.Lock()
        self._encodings: OrderedDict[tuple[str, str], Encoding] = OrderedDict()
        self._bytes = 0
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
        """Keep an encoding, its arrays read-only from now on.

        Evicts the least recently used beyond the limits of count and size.
        """
        for array in _arrays(encoding):
            array.flags.writeable = False
        key = _key(fingerprint, text)
        with self._lock:
            self._forget(key)
            self._encodings[key] = encoding
            self._bytes += _size(encoding)
            while len(self._encodings) > self._limit or self._bytes > _MOST_BYTES:
                self._forget(next(iter(self._encodings)))

    def clear(self) -> None:
        """Forget all encodings."""
        with self._lock:
            self._encodings.clear()
            self._bytes = 0

    def counters(self) -> dict[str, int]:
        """size, limit, hits, misses."""
        with self._lock:
            return {
                "size": len(self._encodings),
                "limit": self._limit,
                "hits": self._hits,
                "misses": self._misses,
            }

    def _forget(self, key: tuple[str, str]) -> None:
        encoding = self._encodings.pop(key, None)
        if encoding is not None:
            self._bytes -= _size(encoding)


def _arrays(encoding: Encoding) -> list[FloatMatrix]:
    return [array for array in (encoding.vector, encoding.tokens) if array is not None]


def _size(encoding: Encoding) -> int:
    return sum(array.nbytes for array in _arrays(encoding))


def _key(fingerprint: str, text: str) -> tuple[str, str]:
    return fingerprint, unicodedata.normalize("NFC", text)
