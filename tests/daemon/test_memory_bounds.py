"""What a daemon keeps for itself is bounded, however many requests run at once."""

from __future__ import annotations

import re
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import pytest

from memory_client import KnowledgeClient
from support.daemons import SpawnedDaemon

_HEAP_BYTES = 2**26
"""glibc reserves an aligned stretch of this size for each heap of an arena beside the main one."""
_MAPPED = re.compile(r"([0-9a-f]+)-([0-9a-f]+) (\S+) \S+ \S+ 0\s*$")


def allocator_heaps(pid: int) -> int:
    """Stretches of memory in use that begin and whose reserve ends where a heap does."""
    lines = Path(f"/proc/{pid}/maps").read_text(encoding="ascii").splitlines()
    found = [match for line in lines if (match := _MAPPED.match(line))]
    areas = [(int(each[1], 16), int(each[2], 16), each[3]) for each in found]
    return sum(
        start % _HEAP_BYTES == 0 and end == reserve and reserve_end == start + _HEAP_BYTES
        for (start, end, mode), (reserve, reserve_end, reserve_mode) in pairwise(areas)
        if mode.startswith("rw") and reserve_mode.startswith("---")
    )


@pytest.mark.skipif(sys.platform != "linux", reason="arenas are glibc's")
def test_many_requests_at_once_leave_few_arenas(home: Path) -> None:
    daemon = SpawnedDaemon(home)
    try:
        with KnowledgeClient(home) as client, ThreadPoolExecutor(16) as pool:
            ids = list(pool.map(lambda number: client.add(f"the meeting of day {number}"), range(64)))
            list(pool.map(lambda number: client.search(f"meeting {number}", 10), range(64)))
            assert len(set(ids)) == 64
        assert allocator_heaps(daemon.info.pid) <= 2
    finally:
        daemon.stop()
