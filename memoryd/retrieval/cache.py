"""The answers of recent searches, as long as nothing they depend on has changed."""

from __future__ import annotations

import hashlib
import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, fields

import msgpack

from memory_client.types import Hits
from memoryd.language.times import TimeRange
from memoryd.retrieval.request import SearchRequest

log = logging.getLogger(__name__)

_OVERHEAD_BYTES = 400
"""What an entry takes beside its answer: its key, its place, the objects around them."""


@dataclass(frozen=True, slots=True)
class _Kept:
    packed: bytes
    until: float

    @property
    def nbytes(self) -> int:
        return len(self.packed) + _OVERHEAD_BYTES


class ResultCache:
    """The most recently used answers of one version of the store, as bytes. Thread-safe.

    limit: bytes of the answers kept, 0 for none; seconds: how long one is good for; clock: monotonic seconds.
    """

    def __init__(self, limit: int, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._limit = limit
        self._seconds = seconds
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: OrderedDict[bytes, _Kept] = OrderedDict()
        self._version: Hashable = None
        self._nbytes = 0
        self._hits = 0
        self._misses = 0

    def get(self, key: Hashable, version: Hashable) -> Hits | None:
        """A copy of the answer to the same question over the same version of the store."""
        with self._lock:
            self._keep_only(version)
            digest = _digest(key)
            kept = self._kept.get(digest)
            if kept is not None and kept.until < self._clock():
                self._drop(digest)
                kept = None
            if kept is None:
                self._misses += 1
                return None
            self._hits += 1
            self._kept.move_to_end(digest)
        return Hits.from_wire(msgpack.unpackb(kept.packed))

    def put(self, key: Hashable, version: Hashable, result: Hits) -> None:
        """Keep an answer, which the caller may change afterwards; not one over half of the limit."""
        try:
            packed = msgpack.packb(result.to_wire(list(result)))
        except (TypeError, ValueError, OverflowError) as error:
            log.debug("an answer that msgpack cannot carry is not kept: %s", error)
            return
        kept = _Kept(packed, self._clock() + self._seconds)
        if kept.nbytes * 2 > self._limit:
            return
        with self._lock:
            self._keep_only(version)
            digest = _digest(key)
            self._drop(digest)
            self._kept[digest] = kept
            self._nbytes += kept.nbytes
            while self._nbytes > self._limit:
                self._drop(next(iter(self._kept)))

    def clear(self) -> None:
        """Forget all answers."""
        with self._lock:
            self._drop_all()

    def counters(self) -> dict[str, int]:
        """size (answers), bytes, limit (bytes), hits, misses."""
        with self._lock:
            return {
                "size": len(self._kept),
                "bytes": self._nbytes,
                "limit": self._limit,
                "hits": self._hits,
                "misses": self._misses,
            }

    def _keep_only(self, version: Hashable) -> None:
        """Drop the answers of another version: no search asks for them again."""
        if version != self._version:
            self._drop_all()
            self._version = version

    def _drop_all(self) -> None:
        self._kept.clear()
        self._nbytes = 0

    def _drop(self, digest: bytes) -> None:
        if (kept := self._kept.pop(digest, None)) is not None:
            self._nbytes -= kept.nbytes


def request_key(request: SearchRequest, times: TimeRange | None) -> Hashable:
    """What two requests with the same answer have in common: all but the deadline, and of the reference only
    the times that it gives the query."""
    return (
        *(getattr(request, name) for name in _PLAIN_FIELDS),
        None if times is None else (times.start, times.end),
        repr(request.node),
        tuple(sorted(request.weights.items())),
    )


_PLAIN_FIELDS = tuple(
    one.name for one in fields(SearchRequest) if one.name not in ("deadline", "reference", "node", "weights")
)


def _digest(key: Hashable) -> bytes:
    """A key of fixed size: a query may have 100,000 characters."""
    return hashlib.blake2b(repr(key).encode("utf-8", "surrogatepass"), digest_size=16).digest()
