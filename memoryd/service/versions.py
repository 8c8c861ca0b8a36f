"""Handlers of group `memory`: versions and successors."""

from __future__ import annotations

from memoryd.engine.memories.history import VersionHistory
from memoryd.engine.memories.supersede import MemorySuccession


class VersionsService:
    """Versions of a memory, and its successors."""

    def __init__(self, history: VersionHistory, supersede: MemorySuccession) -> None:
        self.history = history.history
        self.compare = history.compare
        self.revert = history.revert
        self.supersede = supersede.supersede
