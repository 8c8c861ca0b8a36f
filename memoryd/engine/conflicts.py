"""Statements that exclude each other: found, told and resolved."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from memory_client.errors import InvalidParameterError
from memory_client.types import Conflict, ConflictSide, Resolved
from memoryd.core.call import current_call
from memoryd.core.conflicts.found import FoundConflict, Judge, Said
from memoryd.core.record import Record
from memoryd.core.scope import Scope
from memoryd.engine.change import Change, known, seen
from memoryd.engine.entries import screened_reason
from memoryd.engine.neighbours import KnownTriples, Neighbours
from memoryd.engine.parts import Parts
from memoryd.engine.shelve import require_active
from memoryd.storage import conflicts, memories, requests, versions
from memoryd.storage.conflicts import ConflictRow
from memoryd.storage.database import Transaction
from memoryd.storage.memories import Stored
from memoryd.storage.requests import RequestKey
from memoryd.storage.versions import Deed

_MOST = 1_000
"""Memories that are compared with their neighbours in one call, the newest."""
_VERSIONS = 1_000
_RANK = {"high": 0, "medium": 1, "low": 2}

Pair = tuple[Stored, Stored]


class Conflicts:
    """conflicts and resolve.

    judge: decides on each candidate pair; the rules by default, another may ask them first.
    """

    def __init__(
        self, parts: Parts, change: Change, triples: KnownTriples, judge: Judge | None = None
    ) -> None:
        self._parts = parts
        self._change = change
        self._triples = triples
        self._neighbours = Neighbours(parts, triples)
        self._judge = judge or _by_rules

    def find(self, memory_id: str | None, seconds: float, scope: Scope) -> list[Conflict]:
        """What excludes each other among the memories a scope sees, the gravest first, then the newest."""
        now = self._parts.clock()
        since = -math.inf if math.isinf(seconds) else now - seconds
        with self._parts.database.read() as connection:
            looked_at = self._looked_at(connection, memory_id, since, scope)
            found = list(
                self._found(connection, scope, [s for s in looked_at if s.record.state == "active"], now)
            )
            corrected = [
                one for stored in looked_at for one in self._corrected(connection, stored.record, since)
            ]
        self._note(found)
        with self._parts.database.read() as connection:
            told = _told(connection, scope, conflicts.open_ones(connection, scope, memory_id))
        return sorted([*told, *corrected], key=lambda one: (_RANK[one["severity"]], -one["created_at"]))

    def resolve(
        self,
        winner: str,
        loser: str,
        reason: str | None,
        keep_both: bool,
        scope: Scope,
        key: RequestKey | None,
    ) -> Resolved:
        """Archive the loser as wrong, or keep both; either way what was open between them is decided."""
        _refuse_one(winner, loser)
        now, why = self._parts.clock(), screened_reason(reason)

        def apply(tx: Transaction) -> Resolved:
            kept, lost = seen(tx, scope, winner), seen(tx, scope, loser)
            require_active(kept.record)
            require_active(lost.record)
            if keep_both:
                closed = conflicts.close(tx, scope.user_id, [winner, loser], "dismissed", why, now)
            else:
                closed = conflicts.close(tx, scope.user_id, [loser], "resolved", why, now)
                self._archive(tx, lost, why or f"conflict resolved in favour of {winner}", now)
            return Resolved(winner=winner, loser=loser, archived=not keep_both, closed=closed)

        return self._parts.database.write(lambda tx: requests.once(tx, key, now, lambda: apply(tx)))

    def _archive(self, tx: Transaction, lost: Stored, reason: str, now: float) -> None:
        wrong = replace(lost.record, state="archived", archived_because="wrong", archived_at=now)
        self._change.apply(tx, lost, wrong, now, Deed("archive", reason=reason))

    def _looked_at(
        self, connection: sqlite3.Connection, memory_id: str | None, since: float, scope: Scope
    ) -> list[Stored]:
        """What is compared with all others: one memory, or those of the window."""
        if memory_id is None:
            return memories.changed_since(connection, scope, since, _MOST)
        return [known(connection, scope, memory_id)]

    def _found(
        self, connection: sqlite3.Connection, scope: Scope, looked_at: Sequence[Stored], now: float
    ) -> Iterator[ConflictRow]:
        """The conflicts between memories that are not noted yet."""
        settled = conflicts.settled(connection, scope.user_id)
        said: dict[int, Said] = {}
        for first, second in self._candidates(connection, scope, looked_at, settled):
            for stored in (first, second):
                if stored.row not in said:
                    said[stored.row] = self._said(connection, scope, stored)
            if conflict := self._judge(said[first.row], said[second.row]):
                yield self._row(first.record, second.record, conflict, now)

    def _candidates(
        self,
        connection: sqlite3.Connection,
        scope: Scope,
        looked_at: Sequence[Stored],
        settled: set[tuple[str, str]],
    ) -> Iterator[Pair]:
        """Pairs of near memories of which nothing is known yet, each once, the older one first."""
        for done, stored in enumerate(looked_at):
            call = current_call()
            call.deadline.check(f"looking for conflicts; {done} of {len(looked_at)} memories are done")
            call.report(done, len(looked_at), "compared")
            rows = self._neighbours.of(connection, scope, stored)
            for other in memories.by_rows(connection, scope, rows).values():
                pair = _in_order(stored, other)
                ids = (pair[0].record.id, pair[1].record.id)
                if ids not in settled and _same_time(*pair):
                    settled.add(ids)
                    yield pair

    def _said(self, connection: sqlite3.Connection, scope: Scope, stored: Stored) -> Said:
        record = stored.record
        at = record.valid_from if record.valid_from is not None else record.created_at
        return Said(record.text, at, self._triples.statements(connection, scope, stored.row))

    def _row(self, first: Record, second: Record, found: FoundConflict, now: float) -> ConflictRow:
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
        )

    def _note(self, found: Sequence[ConflictRow]) -> None:
        if found:
            self._parts.database.write(lambda tx: [conflicts.queue(tx, row) for row in found])

    def _corrected(self, connection: sqlite3.Connection, record: Record, since: float) -> Iterator[Conflict]:
        """Versions of one memory that exclude the one before them."""
        if record.version == 1:
            return
        history = versions.history(connection, record, record.version + 1, _VERSIONS)
        for before, after in pairwise(history):
            if "text" not in after.changed or after.at < since:
                continue
            old, new = before.record or record, after.record or record
            if conflict := self._judge(Said(old.text, before.at), Said(new.text, before.at)):
                yield _between_versions(old, new, conflict, after.at)


def _by_rules(first: Said, second: Said) -> FoundConflict | None:
    from memoryd.core.conflicts.find import between  # its patterns take a tenth of a second to compile

    return between(first, second)


def _refuse_one(winner: str, loser: str) -> None:
    if winner == loser:
        raise InvalidParameterError(
            f"loser: {loser} is the winner, too; expected another memory",
            parameter="loser",
            value=loser,
            expected="another memory than the winner",
        )


def _in_order(a: Stored, b: Stored) -> Pair:
    """The older one first."""
    return (a, b) if (a.record.created_at, a.record.id) <= (b.record.created_at, b.record.id) else (b, a)


def _same_time(first: Stored, second: Stored) -> bool:
    """Whether what they say may be meant for the same time, by `valid_from` and `valid_to`."""
    return not (_ends_before(first.record, second.record) or _ends_before(second.record, first.record))


def _ends_before(a: Record, b: Record) -> bool:
    return a.valid_to is not None and b.valid_from is not None and a.valid_to <= b.valid_from


def _told(connection: sqlite3.Connection, scope: Scope, rows: Sequence[ConflictRow]) -> list[Conflict]:
    ids = list({id for row in rows for id in row.pair})
    found = memories.find(connection, scope, ids)
    return [_conflict(row, found) for row in rows]


def _conflict(row: ConflictRow, found: Mapping[str, Stored]) -> Conflict:
    first, second = (found[id].record.text for id in row.pair)
    return Conflict(
        id=row.id,
        first=ConflictSide(id=row.first_id, version=row.first_version, text=first),
        second=ConflictSide(id=row.second_id, version=row.second_version, text=second),
        type=row.type,
        severity=row.severity,
        detail=row.detail,
        state=row.state,
        source=row.source,
        created_at=row.created_at,
    )


def _between_versions(old: Record, new: Record, found: FoundConflict, at: float) -> Conflict:
    """The later version corrected the earlier one."""
    return Conflict(
        id=None,
        first=ConflictSide(id=old.id, version=old.version, text=old.text),
        second=ConflictSide(id=new.id, version=new.version, text=new.text),
        type=found.type,
        severity="low",
        detail=found.detail,
        state="resolved",
        source="found",
        created_at=at,
    )
