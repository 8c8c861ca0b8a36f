"""From ranked rows to their records, near-duplicates as one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memoryd.core.record import Record
from memoryd.core.row_ranges import TEXT_KINDS, TextKind, kind_of
from memoryd.language.fold import index_terms
from memoryd.language.near_duplicates import DuplicateGroups
from memoryd.retrieval.context import SearchContext
from memoryd.retrieval.ranking.fuse import Fused
from memoryd.retrieval.ranking.recency_order import in_recency_order
from memoryd.retrieval.request import SearchRequest
from memoryd.retrieval.results.hits import FoundRecord, Recorded
from memoryd.storage.knowledge import grants, snapshots
from memoryd.storage.records import memories, sessions, turns

_NEAR_DUPLICATE = 0.9
"""Share of terms that two texts have in common before it is asked whether they say the same."""
_COMPARED = 1_000
"""Characters of a text whose terms are compared."""
_SPARE = 5
"""Hits fetched beyond the wanted ones, for those that collapse."""


def fetch_hits(context: SearchContext, ranked: Sequence[Fused], wanted: int) -> list[FoundRecord]:
    """The records of the best rows, near-duplicates as one; at least as many as wanted, if there are.

    Rows that vanished since they were ranked are left out. A request for the latest orders by time first.
    """
    collapsed = HitCollapser(context.request)
    recency, query = context.plan.recency, context.plan.understanding.query
    if recency is not None:
        is_previous = recency.kind == "previous"
        current = sessions.under_way(context.connection, context.request.scope) if is_previous else None
        ordered = in_recency_order(_read(context, ranked), query, recency, context.fusion_methods, current)
        collapsed.add(ordered[: wanted + _SPARE])
        return collapsed.best()
    for start in range(0, len(ranked), wanted + _SPARE):
        collapsed.add(_read(context, ranked[start : start + wanted + _SPARE]))
        if len(collapsed) >= wanted:
            break
    return collapsed.best()


def _read(context: SearchContext, ranked: Sequence[Fused]) -> list[FoundRecord]:
    """The records of ranked rows, in their order."""
    context.request.deadline.check("reading what was found")
    records = _records(context, [one.row for one in ranked])
    if context.former is not None:
        records |= context.former.records
    return [FoundRecord(records[one.row], one) for one in ranked if one.row in records]


def _records(context: SearchContext, rows: Sequence[int]) -> dict[int, Recorded]:
    connection, scope, targets = context.connection, context.request.scope, context.request.targets
    of_kind: dict[TextKind, list[int]] = {kind: [] for kind in TEXT_KINDS}
    for row in rows:
        of_kind[kind_of(row)].append(row)
    found: dict[int, Recorded] = {}
    if of_kind["memory"]:
        stored = memories.by_rows(connection, scope, of_kind["memory"])
        found |= {row: one.record for row, one in stored.items()}
    if of_kind["turn"]:
        said = turns.by_rows(connection, scope, of_kind["turn"])
        found |= {row: one.record for row, one in said.items()}
    if of_kind["point"] and "point" in targets:
        found |= snapshots.by_rows(connection, scope, of_kind["point"])
    if of_kind["point"] and "shared" in targets:
        found |= grants.by_rows(connection, scope.user_id, of_kind["point"])
    return found


class HitCollapser:
    """What was found, near-duplicates among memories as one, the best; turns stay word for word."""

    def __init__(self, request: SearchRequest) -> None:
        self._deadline = request.deadline
        self._found: list[FoundRecord] = []
        self._own: list[FoundRecord] = []
        self._groups = DuplicateGroups(_NEAR_DUPLICATE)

    def __len__(self) -> int:
        """How many are left."""
        return len(self._found) - len(self._own) + len(self._groups)

    def add(self, found: Sequence[FoundRecord]) -> None:
        """Take some more, best first. Raises `DeadlineExceededError`."""
        own = [one for one in found if isinstance(one.record, Record)]
        texts = [one.record.text for one in own]
        self._groups.add(texts, [frozenset(index_terms(text[:_COMPARED])) for text in texts], self._check)
        self._found += found
        self._own += own

    def best(self) -> list[FoundRecord]:
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
