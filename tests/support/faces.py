"""The two ways to a store: in this process, and through a daemon."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from memory_client import KnowledgeClient
from memory_client.paths import DataPaths
from memoryd.knowledge_base import KnowledgeBase
from support.daemons import SpawnedDaemon

FACES = ("in-process", "daemon")


@dataclass(frozen=True, slots=True)
class Face:
    """One way to the same store. home: its data directory, shared by the tests of a session."""

    name: str
    kb: KnowledgeBase | KnowledgeClient
    home: Path

    @property
    def paths(self) -> DataPaths:
        return DataPaths(self.home)


def opened(name: str, home: Path, **settings: object) -> KnowledgeBase | KnowledgeClient:
    """Open a data directory through one of `FACES`."""
    if name == "in-process":
        return KnowledgeBase(home, settings=settings)
    SpawnedDaemon(home, "daemon.port=0", *(f"{key}={value}" for key, value in settings.items()))
    return KnowledgeClient(home)
