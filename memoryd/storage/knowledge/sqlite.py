"""Versions in the daemon's database."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

from memory_client.types import DamagedLine, KnowledgePoint, VersionKind
from memoryd.core.ids import IdFactory, check_name
from memoryd.core.knowledge.config import MemoryConfig
from memoryd.core.knowledge.versions import Version, effective_versions
from memoryd.storage.database import Database, Transaction
from memoryd.storage.knowledge import snapshots
from memoryd.storage.knowledge.base import VersionStorage
from memoryd.storage.knowledge.snapshots import Indexing, NoIndexing


class MemStorageSQLite(VersionStorage):
    """Versions in a database. Thread-safe.

    indexing: receives every text added or removed; in_files: whether files hold the versions, too.
    """

    def __init__(
        self,
        database: Database,
        memory_config: MemoryConfig,
        *,
        clock: Callable[[], float] = time.time,
        indexing: Indexing | None = None,
        ids: IdFactory | None = None,
        in_files: bool = False,
    ) -> None:
        super().__init__(memory_config)
        self._database = database
        self._clock = clock
        self._indexing = indexing or NoIndexing()
        self._ids = ids or IdFactory()
        self._in_files = in_files

    def get_recent_versions(self, user_id: str, count: int) -> list[str]:
        with self._database.read() as connection:
            found = snapshots.versions(connection, check_name(user_id, "user_id"))
        return [version.id for version in found[:count]]

    def counting_versions(self, user_id: str) -> list[str]:
        with self._database.read() as connection:
            found = snapshots.versions(connection, check_name(user_id, "user_id"))
        return [version.id for version in effective_versions(found)]

    def describe(
        self,
        user_id: str,
        version_id: str,
        damaged: list[DamagedLine] | None = None,  # noqa: ARG002
    ) -> Version | None:
        with self._database.read() as connection:
            return snapshots.find(connection, user_id, version_id)

    def read(
        self,
        user_id: str,
        version_id: str,
        damaged: list[DamagedLine] | None = None,  # noqa: ARG002
    ) -> Iterator[KnowledgePoint]:
        with self._database.read() as connection:
            yield from snapshots.points(connection, user_id, version_id)

    def forget_user(self, user_id: str) -> None:
        def apply(tx: Transaction) -> None:
            self.drop(tx, user_id, [version.id for version in snapshots.versions(tx.connection, user_id)])

        self._database.write(apply)

    def record(
        self, tx: Transaction, user_id: str, version: Version, points: Sequence[KnowledgePoint]
    ) -> None:
        """Store a checked version that is not there yet, within somebody's transaction."""
        snapshots.insert(
            tx, user_id, version, points, ids=self._ids, indexing=self._indexing, in_files=self._in_files
        )

    def register(
        self, tx: Transaction, user_id: str, version: Version, points: Sequence[KnowledgePoint]
    ) -> None:
        """Store points of a version that is about to come, within somebody's transaction."""
        snapshots.register(tx, user_id, version, points, ids=self._ids, indexing=self._indexing)

    def drop(self, tx: Transaction, user_id: str, ids: Sequence[str]) -> None:
        """Forget versions and the points only they say, within somebody's transaction."""
        snapshots.drop(tx, user_id, ids)
        self.prune(tx, user_id)

    def prune(self, tx: Transaction, user_id: str) -> None:
        """Forget points that no version says, within somebody's transaction."""
        snapshots.prune(tx, user_id, self._indexing)

    def _store(
        self,
        user_id: str,
        version_id: str,
        kind: VersionKind,
        parents: tuple[str, ...],
        points: Sequence[KnowledgePoint],
    ) -> None:
        version = Version(version_id, kind, parents, self._clock(), len(points))
        self._database.write(lambda tx: self.record(tx, user_id, version, points))

    def _sample(self, user_id: str, count: int, seed: int | None) -> list[KnowledgePoint]:
        with self._database.read() as connection:
            return snapshots.sample(
                connection,
                user_id,
                count,
                seed,
                version_count=self.memory_config.recent_versions_count,
                least_score=self.memory_config.min_score_threshold,
            )
