"""Merging a user's increments into one version, by the clock or when asked."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from memory_client.types import KnowledgeMergeResult, KnowledgePoint
from memoryd.core.knowledge.merge import Merge, merge_points, unique_points
from memoryd.core.knowledge.similar_texts import similar_texts
from memoryd.core.knowledge.versions import Version, effective_versions, unmerged_increments
from memoryd.core.scope import Scope
from memoryd.engine.context import Parts
from memoryd.engine.knowledge.knowledge_store import KnowledgeStore
from memoryd.index.vectors.rounding import int64
from memoryd.index.vectors.scan import near_pairs
from memoryd.language.conflicts.types import ConflictDetector, DatedText, DetectedConflict
from memoryd.storage.database import Transaction
from memoryd.storage.knowledge import grants, snapshots
from memoryd.storage.life import conflicts
from memoryd.storage.life.conflicts import ConflictRow
from memoryd.storage.requests import RequestKey

log = logging.getLogger(__name__)

MERGE = "knowledge"
"""The job that merges what is due, one user at a time."""
_DAY = 86_400.0
_JUDGED = 2_000
"""Pairs looked at for contradictions in one merge, some milliseconds each, the best points first."""
_TRIES = 3

Clash = tuple[str, str, DetectedConflict]
"""Two contents, the newer second, and what is the matter."""


@dataclass(frozen=True, slots=True)
class MergeRule:
    """When a merge is due. days: age of the oldest increment; increments: more than so many; 0 never."""

    days: float = 7.0
    increments: int = 20

    def is_due(self, waiting: Sequence[Version], now: float) -> bool:
        """waiting: the increments since the last merge."""
        if not waiting:
            return False
        oldest = min(version.created_at for version in waiting)
        by_count = 0 < self.increments < len(waiting)
        return by_count or (self.days > 0 and now - oldest >= self.days * _DAY)


@dataclass(frozen=True, slots=True)
class _MergePlan:
    """A merge that is ready. parents: what it holds, oldest first; kept: its points."""

    parents: tuple[str, ...]
    kept: list[KnowledgePoint]
    omitted: int
    absorbed: list[tuple[str, str]]
    clashes: list[Clash]


class KnowledgeMerger:
    """merge, and the job. detect: returns the conflict of two points; on_due: has the job carried out."""

    def __init__(
        self,
        parts: Parts,
        knowledge: KnowledgeStore,
        rule: MergeRule,
        detect: ConflictDetector,
        on_due: Callable[[], None],
    ) -> None:
        self._parts = parts
        self._knowledge = knowledge
        self._rule = rule
        self._detect = detect
        self._on_due = on_due

    def merge(self, user_id: str, key: RequestKey | None) -> KnowledgeMergeResult:
        """Merge the newest merge and the increments after it into one version, if there are any."""
        known, reply = self._parts.find_reply(key)
        if known:
            return _receipt(*reply)
        self._knowledge.settle(user_id)
        for _ in range(_TRIES):
            if not self._unmerged(user_id):
                break
            ready = self._ready(user_id, self._effective(user_id))
            with self._knowledge.saving:
                known, reply = self._parts.find_reply(key)
                if known:  # sent again while it was carried out
                    return _receipt(*reply)
                # after a rollback meanwhile what was merged no longer counts; what came among it is missing
                counting = {version.id for version in self._effective(user_id)}
                if {id for id in counting if id <= max(ready.parents)} == set(ready.parents):
                    return self._keep(user_id, ready, key)
        self._knowledge.answer(key, [None, [], 0, 0, 0, 0])
        return _receipt(None, [], 0, 0, 0, 0)

    def expect(self, user_id: str) -> None:
        """Queue the job if it is due for a user, without waiting for its schedule."""
        if self._rule.is_due(self._unmerged(user_id), self._parts.clock()):
            self._on_due()

    def run_due(self) -> bool:
        """Merge for one user for whom it is due; return whether it is due for another one."""
        self._knowledge.prune()
        with self._parts.database.read() as connection:
            users = snapshots.users(connection)
        now = self._parts.clock()
        due = (user for user in users if self._rule.is_due(self._unmerged(user), now))
        user_id = next(due, None)
        if user_id is None:
            return False
        receipt = self.merge(user_id, None)
        log.info("knowledge merged: %d points, %d merged", receipt["point_count"], receipt["merged_count"])
        return next(due, None) is not None

    def _effective(self, user_id: str) -> list[Version]:
        with self._parts.database.read() as connection:
            return effective_versions(snapshots.versions(connection, user_id))

    def _unmerged(self, user_id: str) -> list[Version]:
        with self._parts.database.read() as connection:
            return unmerged_increments(snapshots.versions(connection, user_id))

    def _ready(self, user_id: str, versions: Sequence[Version]) -> _MergePlan:
        given = unique_points(self._points(user_id, versions))
        found = merge_points(given, self._near(user_id, [point["content"] for point in given]))
        most = self._knowledge.config.max_knowledge_points
        return _MergePlan(
            parents=tuple(sorted(version.id for version in versions)),
            kept=found.points[:most],
            omitted=max(0, len(found.points) - most),
            absorbed=found.absorbed,
            clashes=self._clashes(user_id, given, found),
        )

    def _points(self, user_id: str, versions: Sequence[Version]) -> Iterator[KnowledgePoint]:
        for version in versions:
            yield from self._knowledge.points(user_id, version.id)

    def _near(self, user_id: str, contents: Sequence[str]) -> dict[int, list[int]]:
        """Earlier places of points that might say the same: near in meaning, or in their words."""
        near = self._near_in_meaning(user_id, contents)
        for place, others in similar_texts(contents).items():
            near[place] = list(dict.fromkeys([*near.get(place, ()), *others]))
        return near

    def _near_in_meaning(self, user_id: str, contents: Sequence[str]) -> dict[int, list[int]]:
        with self._parts.database.read() as connection:
            rows = snapshots.rows_of(connection, user_id, contents)
        vectors = self._parts.vectors.vectors(Scope(user_id), int64(sorted(rows.values())))
        places = [place for place, content in enumerate(contents) if rows.get(content) in vectors]
        if not places:
            return {}
        return near_pairs(np.stack([vectors[rows[contents[place]]] for place in places]), int64(places))

    def _clashes(self, user_id: str, given: Sequence[KnowledgePoint], found: Merge) -> list[Clash]:
        """The contradictions among points that are near each other, the older one first."""
        with self._parts.database.read() as connection:
            made = snapshots.creation_times(connection, user_id)
        clashes: list[Clash] = []
        for pair in found.apart[:_JUDGED]:
            contents = sorted((given[place]["content"] for place in pair), key=lambda one: made.get(one, 0.0))
            first, second = (DatedText(one, made.get(one, 0.0)) for one in contents)
            conflict = self._detect(first, second)
            if conflict is not None:
                clashes.append((first.text, second.text, conflict))
        return clashes

    def _keep(self, user_id: str, ready: _MergePlan, key: RequestKey | None) -> KnowledgeMergeResult:
        reply: list[Any] = []

        def also(tx: Transaction, version_id: str) -> list[Any]:
            contents = [one for pair in ready.absorbed for one in pair]
            contents += [one for first, second, _ in ready.clashes for one in (first, second)]
            rows = snapshots.rows_of(tx.connection, user_id, contents)
            grants.carry_over(tx, ((rows[stays], rows[gone]) for stays, gone in ready.absorbed))
            queued = self._queue(tx, user_id, rows, ready.clashes)
            counts = (len(ready.kept), len(ready.absorbed), ready.omitted, queued)
            reply[:] = [version_id, list(ready.parents), *counts]
            return reply

        self._knowledge.keep(user_id, "merge", ready.parents, ready.kept, key, also=also)
        return _receipt(*reply)

    def _queue(self, tx: Transaction, user_id: str, rows: dict[str, int], clashes: Sequence[Clash]) -> int:
        """Record the contradictions; return how many are new."""
        ids = snapshots.ids(tx.connection, user_id, list(rows.values()))
        now = self._parts.clock()
        noted = [
            conflicts.queue(
                tx,
                ConflictRow(
                    id=self._parts.ids.new("cnf", now),
                    user_id=user_id,
                    first_id=ids[rows[first]],
                    first_version=0,
                    second_id=ids[rows[second]],
                    second_version=0,
                    type=found.type,
                    severity=found.severity,
                    detail=found.detail,
                    source="merge",
                    created_at=now,
                ),
            )
            for first, second, found in clashes
        ]
        return sum(noted)


def _receipt(
    version_id: str | None, parents: list[str], points: int, merged: int, omitted: int, queued: int
) -> KnowledgeMergeResult:
    return KnowledgeMergeResult(
        version_id=version_id,
        parents=list(parents),
        point_count=points,
        merged_count=merged,
        omitted_count=omitted,
        conflict_count=queued,
    )
