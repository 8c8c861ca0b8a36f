"""Handlers of group `memory`: use, feedback, pin, archive and restore."""

from __future__ import annotations

from memoryd.engine.memories.archive import MemoryArchive
from memoryd.engine.memories.usage import MemoryUsage


class LifeService:
    """What happens to a memory after it is stored."""

    def __init__(self, use: MemoryUsage, shelve: MemoryArchive) -> None:
        self.boost = use.boost
        self.mark_used = use.mark_used
        self.feedback = use.feedback
        self.pin = use.pin
        self.archive = shelve.archive
        self.restore = shelve.restore
