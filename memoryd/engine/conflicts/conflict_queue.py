"""The queue of conflicts: statements that exclude each other, found and resolved."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from memory_client.errors import InvalidParameterError
from memory_client.types import Conflict, ConflictSide, ConflictState, ResolveResult
from memoryd.core.record import Record
from memoryd.core.scope import Scope
from memoryd.engine.author import Author
from memoryd.engine.conflicts.conflict_search import ConflictSearch, in_order
from memoryd.engine.context import Parts
from memoryd.engine.memories.archive import require_active
from memoryd.engine.memories.memory_writer import MemoryWriter, get_memory, unknown_ids_error
from memoryd.language.conflicts.detector import detect_conflict
from memoryd.language.conflicts.types import ConflictDetector
from memoryd.storage.connection import Connection
from memoryd.storage.database import Transaction
from memoryd.storage.life import conflicts
from memoryd.storage.life.conflicts import ConflictRow, ConflictStatement, RecordedConflict
from memoryd.storage.records import memories
from memoryd.storage.records.memories import StoredMemory
from memoryd.storage.records.versions import Cause
from memoryd.storage.requests import RequestKey

_MOST = 1_000
"""Memories that are compared with their neighbours in one call, the newest."""
_MOST_REPORTED = 1_000
"""Conflicts in one reply, the gravest."""
_RANK = {"high": 0, "medium": 1, "low": 2}


class ConflictQueue:
    """conflicts and resolve.

    detect: compares each candidate pair; by rules unless given.
    """

    def __init__(
        self,
        parts: Parts,
        writer: MemoryWriter,
        detect: ConflictDetector = detect_conflict,
    ) -> None:
        self._parts = parts
        self._writer = writer
        self._search = ConflictSearch(parts, detect)

    def find(self, memory_id: str | None, seconds: float, scope: Scope) -> list[Conflict]:
        """What excludes each other among the memories a scope sees, the gravest first, then the newest."""
        now = self._parts.clock()
        since = -math.inf if math.isinf(seconds) else now - seconds
        with self._parts.database.read() as connection:
            looked_at = self._looked_at(connection, memory_id, since, scope)
            found = list(self._search.between_memories(connection, scope, looked_at, now))
            corrected = [
                conflict
                for stored in looked_at
                for conflict in self._search.between_versions(connection, stored.record, since)
            ]
        self._note(found)
        with self._parts.database.read() as connection:
            found_open = [
                _open(one) for one in conflicts.get_open(connection, scope, memory_id, _MOST_REPORTED)
            ]
        return sorted([*found_open, *corrected], key=_by_gravity)[:_MOST_REPORTED]

    def decided(self, memory_id: str | None, seconds: float, scope: Scope) -> list[Conflict]:
        """What was decided within `seconds` and still holds, in the order of `find`."""
        since = -math.inf if math.isinf(seconds) else self._parts.clock() - seconds
        with self._parts.database.read() as connection:
            if memory_id is not None:
                get_memory(connection, scope, memory_id)
            return [
                _decided(one)
                for one in conflicts.get_decided(connection, scope, memory_id, since, _MOST_REPORTED)
            ]

    def resolve(
        self,
        winner: str,
        loser: str,
        author: Author,
        keep_both: bool,
        scope: Scope,
        key: RequestKey | None,
    ) -> ResolveResult:
        """Archive the loser as wrong, or keep both; either way what is open between them is decided."""
        _refuse_one(winner, loser)
        now = self._parts.clock()

        def apply(tx: Transaction) -> ResolveResult:
            kept, lost = get_memory(tx.connection, scope, winner), get_memory(tx.connection, scope, loser)
            require_active(kept.record)
            require_active(lost.record)
            if not keep_both:
                _refuse_system(lost.record)
            decided: ConflictState = "dismissed" if keep_both else "resolved"
            closed = conflicts.close(tx, scope.user_id, (winner, loser), decided, author.decision(now))
            if keep_both:
                self._keep(tx, kept, lost, author, now)
            else:
                reason = author.reason or f"conflict resolved in favour of {winner}"
                self._archive(tx, lost, Cause("archive", author.operator, reason), now)
            return ResolveResult(winner=winner, loser=loser, archived=not keep_both, closed_count=closed)

        return self._parts.write_once(key, apply, now)

    def keep_points(
        self, first: str, second: str, author: Author, scope: Scope, key: RequestKey | None
    ) -> ResolveResult:
        """Decide that two knowledge points do not exclude each other."""
        _refuse_one(first, second)
        now = self._parts.clock()

        def apply(tx: Transaction) -> ResolveResult:
            if not conflicts.is_recorded(tx.connection, scope.user_id, (first, second)):
                raise unknown_ids_error([first, second], "point")
            closed = conflicts.close(tx, scope.user_id, (first, second), "dismissed", author.decision(now))
            return ResolveResult(winner=first, loser=second, archived=False, closed_count=closed)

        return self._parts.write_once(key, apply, now)

    def _keep(
        self, tx: Transaction, one: StoredMemory, other: StoredMemory, author: Author, now: float
    ) -> None:
        first, second = in_order(one, other)
        id = self._parts.ids.new("cnf", now)
        conflicts.keep(tx, id, first.record, second.record, author.decision(now))

    def _archive(self, tx: Transaction, lost: StoredMemory, cause: Cause, now: float) -> None:
        wrong = replace(lost.record, state="archived", archived_because="wrong", archived_at=now)
        self._writer.apply(tx, lost, wrong, now, cause)

    def _looked_at(
        self, connection: Connection, memory_id: str | None, since: float, scope: Scope
    ) -> list[StoredMemory]:
        """The memories that are compared with others: one, or or the active ones of the window."""
        if memory_id is None:
            return memories.changed_since(connection, scope, since, _MOST)
        stored = get_memory(connection, scope, memory_id)
        return [stored] if stored.record.state == "active" else []

    def _note(self, found: Sequence[ConflictRow]) -> None:
        if found:
            self._parts.database.write(lambda tx: [conflicts.queue(tx, row) for row in found])


def _refuse_one(winner: str, loser: str) -> None:
    if winner == loser:
        raise InvalidParameterError(
            f"loser: {loser} is the winner, too; expected another memory",
            parameter="loser",
            value=loser,
            expected="another memory than the winner",
        )


def _refuse_system(loser: Record) -> None:
    if loser.category == "system":
        raise InvalidParameterError(
            f"loser: {loser.id} is a system memory and is not archived; make it the winner, pass "
            "keep_both=True, or destroy it with delete(force=True)",
            parameter="loser",
            value=loser.id,
            expected="a memory of another category than system",
        )


def _by_gravity(conflict: Conflict) -> tuple[int, float]:
    """The gravest first, then the newest."""
    return _RANK[conflict["severity"]], -conflict["created_at"]


def _open(recorded: RecordedConflict) -> Conflict:
    """Of a loser that was restored the former decision no longer counts."""
    return _conflict(
        recorded, replace(recorded.row, state="open", decided_at=None, operator=None, reason=None)
    )


def _decided(recorded: RecordedConflict) -> Conflict:
    return _conflict(recorded, recorded.row)


def _conflict(recorded: RecordedConflict, row: ConflictRow) -> Conflict:
    return Conflict(
        id=row.id,
        first=_side(row.first_id, row.first_version, recorded.first),
        second=_side(row.second_id, row.second_version, recorded.second),
        type=row.type,
        severity=row.severity,
        detail=row.detail,
        state=row.state,
        source=row.source,
        created_at=row.created_at,
        decided_at=row.decided_at,
        decided_by=row.operator,
        decision=row.reason,
    )


def _side(id: str, version: int, side: ConflictStatement) -> ConflictSide:
    return ConflictSide(
        id=id, version=version, text=side.text, at=side.at, operator=side.operator, reason=side.reason
    )
