"""Searches for statements that exclude each other: near memories as candidates, then the rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from memory_client.types import Conflict, ConflictSide
from memoryd.core.call_context import current_call
from memoryd.core.record import Record
from memoryd.core.scope import Scope
from memoryd.engine.conflicts.neighbours import Neighbours
from memoryd.engine.context import Parts
from memoryd.engine.triples.stated_triples import statements_of
from memoryd.language.conflicts.types import ConflictDetector, DatedText, DetectedConflict
from memoryd.storage.connection import Connection
from memoryd.storage.life import conflicts
from memoryd.storage.life.conflicts import ConflictRow
from memoryd.storage.records import memories, versions
from memoryd.storage.records.memories import StoredMemory
from memoryd.storage.records.versions import MemoryVersion

_VERSIONS = 1_000

Pair = tuple[StoredMemory, StoredMemory]


class ConflictSearch:
    """Between memories, and between the versions of one."""

    def __init__(self, parts: Parts, detect: ConflictDetector) -> None:
        self._parts = parts
        self._neighbours = Neighbours(parts)
        self._detect = detect

    def between_memories(
        self, connection: Connection, scope: Scope, looked_at: Sequence[StoredMemory], now: float
    ) -> Iterator[ConflictRow]:
        """The conflicts of memories with those near them that are not recorded yet."""
        known = conflicts.settled_pairs(connection, scope.user_id)
        texts: dict[int, DatedText] = {}
        for pair in self._candidates(connection, scope, looked_at, known):
            for stored in pair:
                if stored.row not in texts:
                    texts[stored.row] = self._dated_text(connection, scope, stored)
            if found := self._detect(*(texts[stored.row] for stored in pair)):
                yield self._row(connection, pair[0].record, pair[1].record, found, now)

    def between_versions(self, connection: Connection, record: Record, since: float) -> Iterator[Conflict]:
        """The versions of a memory, made at `since` or later, that exclude the one before them."""
        if record.version == 1:
            return
        history = versions.history(connection, record, record.version + 1, _VERSIONS)
        for before, after in pairwise(history):
            if "text" not in after.changed or after.at < since:
                continue
            old, new = before.record or record, after.record or record
            if found := self._detect(DatedText(old.text, before.at), DatedText(new.text, before.at)):
                yield _corrected(_side(before, old), _side(after, new), found)

    def _candidates(
        self,
        connection: Connection,
        scope: Scope,
        looked_at: Sequence[StoredMemory],
        known: set[tuple[str, str]],
    ) -> Iterator[Pair]:
        """Pairs of near memories of which nothing is known yet, each once, the older one first."""
        for done, stored in enumerate(looked_at):
            call = current_call()
            call.deadline.check(f"looking for conflicts; {done} of {len(looked_at)} memories are done")
            call.report(done, len(looked_at), "compared")
            rows = self._neighbours.of(connection, scope, stored)
            for other in memories.by_rows(connection, scope, rows).values():
                pair = in_order(stored, other)
                ids = (pair[0].record.id, pair[1].record.id)
                if ids not in known and _same_time(*pair):
                    known.add(ids)
                    yield pair

    def _dated_text(self, connection: Connection, scope: Scope, stored: StoredMemory) -> DatedText:
        record = stored.record
        at = record.valid_from if record.valid_from is not None else record.created_at
        return DatedText(record.text, at, statements_of(connection, scope, stored.row))

    def _row(
        self,
        connection: Connection,
        first: Record,
        second: Record,
        found: DetectedConflict,
        now: float,
    ) -> ConflictRow:
        return ConflictRow(
            id=self._parts.ids.new("cnf", now),
            user_id=first.user_id,
            first_id=first.id,
            first_version=first.version,
            second_id=second.id,
            second_version=second.version,
            type=found.type,
            severity=found.severity,
            detail=found.detail,
            source="found",
            created_at=now,
            first_hash=versions.hash_of(connection, first.text),
            second_hash=versions.hash_of(connection, second.text),
        )


def in_order(a: StoredMemory, b: StoredMemory) -> Pair:
    """The older one first."""
    return (a, b) if (a.record.created_at, a.record.id) <= (b.record.created_at, b.record.id) else (b, a)


def _same_time(first: StoredMemory, second: StoredMemory) -> bool:
    """Whether what they say may be meant for the same time, by `valid_from` and `valid_to`."""
    return not (_ends_before(first.record, second.record) or _ends_before(second.record, first.record))


def _ends_before(a: Record, b: Record) -> bool:
    return a.valid_to is not None and b.valid_from is not None and a.valid_to <= b.valid_from


def _side(version: MemoryVersion, record: Record) -> ConflictSide:
    return ConflictSide(
        id=record.id,
        version=version.number,
        text=record.text,
        at=version.at,
        operator=version.cause.operator,
        reason=version.cause.reason,
    )


def _corrected(old: ConflictSide, new: ConflictSide, found: DetectedConflict) -> Conflict:
    """The later version corrected the earlier one."""
    return Conflict(
        id=None,
        first=old,
        second=new,
        type=found.type,
        severity="low",
        detail=found.detail,
        state="resolved",
        source="found",
        created_at=new["at"],
        decided_at=new["at"],
        decided_by=new["operator"],
        decision=new["reason"],
    )
