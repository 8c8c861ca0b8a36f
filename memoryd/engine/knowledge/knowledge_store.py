"""Users' knowledge points: saved in versions, searched, sampled, compared, rolled back.

The catalogue in the database is what search works with. It is the truth, too, unless the versions are kept
in files: then these are, and the catalogue follows them.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from memory_client.deadline import Deadline
from memory_client.errors import InvalidParameterError
from memory_client.types import (
    DamagedLine,
    KnowledgeComparison,
    KnowledgePoint,
    KnowledgeVersion,
    RelevantPoint,
    VersionKind,
)
from memoryd.core.filters.grammar import Compare
from memoryd.core.knowledge import comparison
from memoryd.core.knowledge.point import HIGHEST, PointRecord
from memoryd.core.knowledge.versions import Version, is_effective, next_version_id
from memoryd.core.scope import Scope
from memoryd.engine.context import Parts
from memoryd.engine.memories.record_builder import screened_own
from memoryd.language.redact import redact_text
from memoryd.retrieval.request import SearchRequest
from memoryd.retrieval.search import Search
from memoryd.storage.database import Transaction
from memoryd.storage.knowledge import grants, snapshots
from memoryd.storage.knowledge.base import EVERY, VersionStorage, best, checked_points, unknown_version
from memoryd.storage.knowledge.files import MemStorageFileSys
from memoryd.storage.knowledge.sqlite import MemStorageSQLite
from memoryd.storage.requests import RequestKey

_PORTION = 250
"""Points made known in one transaction, a tenth of a second; the version itself comes last and as a whole."""


class KnowledgeStore:
    """The knowledge of all users. in_files: whether the files are the truth; saving: held while a version
    is made."""

    def __init__(
        self,
        parts: Parts,
        catalogue: MemStorageSQLite,
        files: MemStorageFileSys,
        search: Search,
        *,
        in_files: bool,
    ) -> None:
        self._parts = parts
        self._catalogue = catalogue
        self._files = files
        self._in_files = in_files
        self._search = search
        self.saving = threading.RLock()
        self.storage: VersionStorage = files if in_files else catalogue
        self.config = self.storage.memory_config

    def save(
        self,
        user_id: str,
        version_id: str | None,
        points: Sequence[Mapping[str, Any]],
        key: RequestKey | None,
    ) -> KnowledgeVersion:
        """Store an increment; its id is the time where none is given."""
        limits = self._parts.limits
        checked = checked_points(
            points,
            user_id,
            self.config.max_knowledge_points,
            content_chars=limits.text_chars,
            metadata_bytes=limits.metadata_bytes,
        )
        screened = [_screened(point) for point in checked]
        return self.keep(user_id, "increment", (), screened, key, version_id=version_id)

    def keep(
        self,
        user_id: str,
        kind: VersionKind,
        parents: tuple[str, ...],
        points: Sequence[KnowledgePoint],
        key: RequestKey | None,
        *,
        version_id: str | None = None,
        also: Callable[[Transaction, str], Any] | None = None,
    ) -> KnowledgeVersion:
        """Store a version, whole or not at all.

        also: done in its transaction, given its id; what it returns is the reply kept for the request, by
        default the id.
        """
        now = self._parts.clock()
        with self.saving:
            known, reply = self._parts.find_reply(key)
            if known:
                return self._described(user_id, str(reply))
            self.settle(user_id)
            id = version_id or next_version_id(now, self.storage.get_latest_version_id(user_id))
            is_there = version_id is not None and self.storage.holds(user_id, id, points)
            version = Version(id, kind, parents, now, len(points))
            if not is_there:
                self._refuse_uncounted(user_id, version)
            if self._in_files:
                self._files.save_knowledge(user_id, id, points, kind=kind, parents=parents)
            if not is_there:
                self._register(user_id, version, points)

            def apply(tx: Transaction) -> Any:
                if not is_there:
                    self._catalogue.record(tx, user_id, version, points)
                return id if also is None else also(tx, id)

            self._parts.write_once(key, apply, now)
        return self._described(user_id, id)

    def load(self, user_id: str, version_id: str | None, top_k: int | None) -> Iterator[KnowledgePoint]:
        """The points of a version, or a sample. Raises `NotFoundError` at once."""
        if version_id is None:
            return iter(self.sample(user_id, top_k, None))
        found = self.storage.resolve(user_id, version_id)
        if not found:
            return iter(())
        points = self.storage.read(user_id, found)
        return points if top_k is None else iter(best(points, top_k))

    def points(self, user_id: str, version_id: str) -> Iterator[KnowledgePoint]:
        """The points of a version as the catalogue has them."""
        return self._catalogue.read(user_id, version_id)

    def sample(self, user_id: str, count: int | None, seed: int | None) -> list[KnowledgePoint]:
        """Points drawn by score from the newest versions."""
        self.settle(user_id)
        return self._catalogue.load_knowledge(user_id, None, count, seed=seed)

    def relevant(
        self, user_id: str, query: str | None, count: int, deadline: Deadline
    ) -> list[RelevantPoint]:
        """What is known that has to do with a query; without one, or where nothing has, the best scores."""
        self.settle(user_id)
        found = [] if query is None else self._found(user_id, query, count, deadline)
        if found:
            return [_relevant(one, relevance) for one, relevance in found]
        with self._parts.database.read() as connection:
            known = snapshots.best(connection, user_id, self.config.min_score_threshold, count)
        return [_relevant(record, record.score / HIGHEST) for record in known]

    def _found(
        self, user_id: str, query: str, count: int, deadline: Deadline
    ) -> list[tuple[PointRecord, float]]:
        """Points by meaning and words, best first, with their relevance.

        While vectors are missing, search by words as well: by meaning alone these points are not found or
        have nothing of their score.
        """
        is_missing = self._parts.meaning.missing(user_id) > 0
        best: dict[str, tuple[PointRecord, float]] = {}
        for mode in ("auto", "lexical") if is_missing else ("auto",):
            request = SearchRequest(
                query=query,
                scope=Scope(user_id),
                deadline=deadline,
                reference=datetime.fromtimestamp(self._parts.clock(), UTC).astimezone(self._parts.zone()),
                targets=("point",),
                limit=count,
                mode=mode,
                node=Compare("score", "gte", self.config.min_score_threshold),
            )
            for found in self._search.find(request):
                record, relevance = found.record, found.fused.score
                if isinstance(record, PointRecord) and relevance >= best.get(record.id, (record, 0.0))[1]:
                    best[record.id] = (record, relevance)
        return sorted(best.values(), key=lambda one: -one[1])[:count]

    def describe(self, user_id: str, version_id: str) -> KnowledgeVersion | None:
        """A version without its points, None when nothing is known yet. Raises `NotFoundError`."""
        found = self.storage.resolve(user_id, version_id)
        return self._described(user_id, found) if found else None

    def compare(self, user_id: str, first: str, second: str) -> KnowledgeComparison:
        """What differs between two versions. Raises `NotFoundError`."""
        ids = [self.storage.resolve(user_id, one) for one in (first, second)]
        points = [self.storage.read(user_id, id) if id else iter(()) for id in ids]
        found = comparison.compare_points(*points)
        return KnowledgeComparison(
            versions=[self._described(user_id, id) for id in ids if id],
            added=found.added,
            removed=found.removed,
            changed=found.changed,
            unchanged_count=found.same,
        )

    def rollback(self, user_id: str, version_id: str, key: RequestKey | None) -> KnowledgeVersion:
        """Make a new version that equals an old one; going back to the newest changes nothing."""
        with self.saving:
            known, reply = self._parts.find_reply(key)
            if known:
                return self._described(user_id, str(reply))
            id = self.storage.resolve(user_id, version_id)
            points = list(self.storage.read(user_id, id))
            is_newest = id == self.storage.get_latest_version_id(user_id)
            return self.keep(user_id, "rollback", (id,), points, key, version_id=id if is_newest else None)

    def answer(self, key: RequestKey | None, reply: Any) -> None:
        """Keep the reply of a request that changed nothing."""
        if key is not None:
            self._parts.write_once(key, lambda _: reply)

    def settle(self, user_id: str) -> None:
        """Let the catalogue follow the files, and the files have what was saved before there were any."""
        if not self._in_files:
            return
        with self.saving:
            there = self._files.get_recent_versions(user_id, EVERY)
            known = self._catalogue.get_recent_versions(user_id, EVERY)
            with self._parts.database.read() as connection:
                held = snapshots.in_files(connection, user_id)
            for id in reversed(there):
                if id not in known:
                    self._follow(user_id, id)
            self._write_out(user_id, [id for id in known if id not in held])
            gone = [id for id in known if id in held and id not in there]
            if gone:
                self._parts.database.write(lambda tx: self._catalogue.drop(tx, user_id, gone))

    def prune(self) -> None:
        """Forget points that were made known for a version that never came."""
        with self.saving:
            with self._parts.database.read() as connection:
                owners = snapshots.with_orphans(connection)
            for user_id in owners:
                self._parts.database.write(functools.partial(self._catalogue.prune, user_id=user_id))

    def forget_files(self, user_id: str) -> None:
        """Destroy the files of a user, before the rows go; there may be some though they are used no more."""
        with self.saving:
            self._files.forget_user(user_id)

    @staticmethod
    def forget_rows(tx: Transaction, user_id: str) -> int:
        """Delete points, versions, sets and grants of a user; return how many points."""
        grants.forget_user(tx, user_id)
        return snapshots.forget_user(tx, user_id)

    def _refuse_uncounted(self, user_id: str, version: Version) -> None:
        """Raise `InvalidParameterError` for an increment before what was merged or gone back from since."""
        with self._parts.database.read() as connection:
            known = snapshots.versions(connection, user_id)
        if version.kind == "increment" and not is_effective(version, known):
            raise InvalidParameterError(
                f"version_id: {version.id} lies before a merge or rollback and would never count; expected a "
                f"time after {known[0].id}, or None for now",
                parameter="version_id",
                value=version.id,
                expected=f"a time after {known[0].id}, or None",
            )

    def _follow(self, user_id: str, id: str) -> None:
        """Enter a version that somebody put among the files."""
        version = self.storage.describe(user_id, id)
        if version is None:
            return
        points = [_screened(point) for point in self.storage.read(user_id, id)]
        self._register(user_id, version, points)
        self._parts.database.write(lambda tx: self._catalogue.record(tx, user_id, version, points))

    def _write_out(self, user_id: str, ids: Sequence[str]) -> None:
        """Put versions of the catalogue among the files."""
        for id in ids:
            version = self._catalogue.describe(user_id, id)
            if version is not None and not self._files.has(user_id, id):
                points = list(self._catalogue.read(user_id, id))
                self._files.save_knowledge(user_id, id, points, kind=version.kind, parents=version.parents)
        if ids:
            self._parts.database.write(lambda tx: snapshots.mark_in_files(tx, user_id, ids))

    def _register(self, user_id: str, version: Version, points: Sequence[KnowledgePoint]) -> None:
        """Make the texts of a large version known beforehand: no other write waits for all of it."""
        if len(points) <= _PORTION:
            return
        for start in range(0, len(points), _PORTION):
            self._parts.database.write(
                functools.partial(
                    self._catalogue.register,
                    user_id=user_id,
                    version=version,
                    points=points[start : start + _PORTION],
                )
            )

    def _described(self, user_id: str, id: str) -> KnowledgeVersion:
        damaged: list[DamagedLine] = []
        found = self.storage.describe(user_id, id, damaged)
        if found is None:
            raise unknown_version(id)
        return KnowledgeVersion(
            version_id=id,
            kind=found.kind,
            parents=list(found.parents),
            created_at=found.created_at,
            point_count=found.point_count,
            damaged=damaged,
        )


def _screened(point: KnowledgePoint) -> KnowledgePoint:
    """The point without credentials. Raises `InvalidParameterError` for one in a key."""
    return {
        **point,
        "content": redact_text(point["content"])[0],
        "metadata": screened_own(point["metadata"])[0],
    }


def _relevant(record: PointRecord, relevance: float) -> RelevantPoint:
    return RelevantPoint(
        content=record.text,
        type=record.type,
        score=record.score,
        user_id=record.user_id,
        metadata=record.metadata,
        id=record.id,
        version_id=record.version_id,
        relevance=round(relevance, 6),
    )
