"""The memory that the C library keeps for itself. Only glibc is adjusted; elsewhere nothing happens.

glibc gives each thread an arena of its own and keeps what is freed in it: after a few minutes of load that
is hundreds of megabytes that nothing uses.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable

_ARENA_MAX, _MMAP_THRESHOLD, _TRIM_THRESHOLD = -8, -3, -1
"""Parameters of `mallopt`."""
_ARENAS = 2
"""Python holds the GIL for most allocations; more arenas than cores that use them only spread the holes."""
_LARGE_BYTES = 2**18
"""Blocks from here on are mapped by themselves and go back when freed. Unset, glibc raises this to 32 MB."""
_KEPT_BYTES = 2**20
_QUIET_SECONDS = 10.0
_LONGEST_SECONDS = 30.0


def limit_arenas() -> None:
    """Bound what glibc keeps. Call it before the process has many threads."""
    libc = _glibc()
    if libc is not None:
        libc.mallopt(_ARENA_MAX, _ARENAS)
        libc.mallopt(_MMAP_THRESHOLD, _LARGE_BYTES)
        libc.mallopt(_TRIM_THRESHOLD, _KEPT_BYTES)


def release_unused() -> None:
    """Give the free pages of all arenas back to the system."""
    libc = _glibc()
    if libc is not None:
        libc.malloc_trim(0)


class Release:
    """When to give memory back: all that is possible once after work, what the C library keeps during it.

    Times are monotonic seconds.
    """

    def __init__(self, now: float, after: Callable[[], None], during: Callable[[], None]) -> None:
        self._after = after
        self._during = during
        self._done_at = now

    def tick(self, last_work: float, now: float) -> None:
        """Release memory if there was work since the last time, and it ended or takes long."""
        if last_work < self._done_at:
            return
        if now - last_work >= _QUIET_SECONDS:
            self._done_at = now
            self._after()
        elif now - self._done_at >= _LONGEST_SECONDS:
            self._done_at = now
            self._during()


def _glibc() -> ctypes.CDLL | None:
    """The C library if it is glibc: musl has no `malloc_trim`."""
    if sys.platform != "linux":
        return None
    libc = ctypes.CDLL(None)
    return libc if hasattr(libc, "malloc_trim") else None
