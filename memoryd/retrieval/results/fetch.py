"""From ranked rows to what is stored there, near-duplicates as one."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from memoryd.core.record import Record
from memoryd.core.row_ranges import kind_of
from memoryd.language.fold import index_terms
from memoryd.language.near_duplicates import Groups
from memoryd.retrieval.plan import RetrievalPlan
from memoryd.retrieval.ranking.fuse import Fused
from memoryd.retrieval.ranking.ranking import Work
from memoryd.retrieval.ranking.recency_order import in_recency_order
from memoryd.retrieval.request import SearchRequest
from memoryd.retrieval.results.hits import Found, Recorded
from memoryd.storage.knowledge import grants, snapshots
from memoryd.storage.records import memories, turns

_NEAR_DUPLICATE = 0.9
"""Share of terms that two texts have in common before it is asked whether they say the same."""
_COMPARED = 1_000
"""Characters of a text whose terms are compared."""
_SPARE = 5
"""Hits fetched beyond the wanted ones, for those that collapse."""


@dataclass(frozen=True, slots=True)
class Fetch:
    """What is stored for one request. past: what was stored once, by row."""

    connection: sqlite3.Connection
    request: SearchRequest
    past: Mapping[int, Record]

    def best(self, merged: Sequence[Fused], wanted: int) -> list[Found]:
        """What is stored at the best rows, at least as many as are wanted where there are.

        Rows that vanished since they were ranked are passed over.
        """
        kept = Collapsed(self.request)
        for start in range(0, len(merged), wanted + _SPARE):
            kept.add(self.every(merged[start : start + wanted + _SPARE]))
            if len(kept) >= wanted:
                break
        return kept.best()

    def latest(self, merged: Sequence[Fused], wanted: int, plan: RetrievalPlan, work: Work) -> list[Found]:
        """The same in the order of a request for what was last."""
        every = self.every(merged)
        ordered = in_recency_order(self.connection, self.request.scope, plan, every, work.recipes)
        kept = Collapsed(self.request)
        kept.add(ordered[: wanted + _SPARE])
        return kept.best()

    def every(self, ranked: Sequence[Fused]) -> list[Found]:
        """What is stored at some ranked rows, in their order."""
        self.request.deadline.check("reading what was found")
        records = {**self._records([one.row for one in ranked]), **self.past}
        return [Found(records[one.row], one) for one in ranked if one.row in records]

    def _records(self, rows: Sequence[int]) -> dict[int, Recorded]:
        connection, request = self.connection, self.request
        of_memories = [row for row in rows if kind_of(row) == "memory"]
        of_turns = [row for row in rows if kind_of(row) == "turn"]
        of_points = [row for row in rows if kind_of(row) == "point"]
        found: dict[int, Recorded] = {}
        if of_memories:
            stored = memories.by_rows(connection, request.scope, of_memories)
            found |= {row: one.record for row, one in stored.items()}
        if of_turns:
            said = turns.by_rows(connection, request.scope, of_turns)
            found |= {row: one.record for row, one in said.items()}
        if of_points and "point" in request.targets:
            found |= snapshots.by_rows(connection, request.scope, of_points)
        if of_points and "shared" in request.targets:
            found |= grants.by_rows(connection, request.scope.user_id, of_points)
        return found


class Collapsed:
    """What was found, near-duplicates among memories as one, the best; turns stay word for word."""

    def __init__(self, request: SearchRequest) -> None:
        self._deadline = request.deadline
        self._found: list[Found] = []
        self._own: list[Found] = []
        self._groups = Groups(_NEAR_DUPLICATE)

    def __len__(self) -> int:
        """How many are left."""
        return len(self._found) - len(self._own) + len(self._groups)

    def add(self, found: Sequence[Found]) -> None:
        """Take some more, best first. Raises `DeadlineExceededError`."""
        own = [one for one in found if isinstance(one.record, Record)]
        texts = [one.record.text for one in own]
        self._groups.add(texts, [frozenset(index_terms(text[:_COMPARED])) for text in texts], self._check)
        self._found += found
        self._own += own

    def best(self) -> list[Found]:
        """Those that are left, each with the ids of its near-duplicates."""
        own = self._own
        same = {
            own[group[0]].record.id: tuple(own[at].record.id for at in group[1:])
            for group in self._groups.positions()
        }
        return [
            replace(one, same=same.get(one.record.id, ()))
            for one in self._found
            if not isinstance(one.record, Record) or one.record.id in same
        ]

    def _check(self) -> None:
        self._deadline.check("comparing near-duplicates")
