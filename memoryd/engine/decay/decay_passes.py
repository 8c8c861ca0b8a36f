"""Decay passes: they archive faded memories and queue reviews, a fraction at a time, and can be undone."""

from __future__ import annotations

import logging
import math
from collections import Counter
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
import numpy.typing as npt

from memory_client.errors import InvalidStateError, NotFoundError
from memory_client.types import DecayOutcome, DecayPass, DecayPreview, FadingMemory, PassInfo, UndoPassResult
from memoryd.core.life import decay
from memoryd.core.life.active_days import ClockJump, Floats
from memoryd.core.life.decay import OUTCOMES, Cohort
from memoryd.core.operators import CALLER, DECAY, SYSTEM
from memoryd.core.record import CATEGORIES, Record
from memoryd.core.scope import ALL_AGENTS, Scope
from memoryd.engine.context import Parts
from memoryd.engine.decay.effective_importance import find_clock_jump
from memoryd.engine.memories.archive import MemoryArchive
from memoryd.engine.memories.memory_writer import MemoryWriter
from memoryd.storage.connection import Connection
from memoryd.storage.database import Transaction
from memoryd.storage.life import active_days as days
from memoryd.storage.life import decay_passes, reviews
from memoryd.storage.life.decay_passes import PassRow
from memoryd.storage.life.reviews import ReviewRow
from memoryd.storage.records import memories
from memoryd.storage.records.memories import StoredMemory
from memoryd.storage.records.versions import Cause
from memoryd.storage.requests import RequestKey

log = logging.getLogger(__name__)

_AT_LEAST = 20
_MOST = 1000
"""Of each outcome in one pass: it is one transaction."""
_SHOWN_PASSES = 10
_NOTES: dict[ClockJump, str] = {
    "behind": "the clock seems to be set back, as the user was active on later dates; "
    "passes are skipped until it is right",
    "ahead": "the clock seems to be set ahead, as the user was not active for over a year; "
    "passes are skipped for some more days",
}
_ENDS: tuple[DecayOutcome, ...] = ("expired", "decay")
_OUTCOMES: tuple[DecayOutcome, ...] = (*_ENDS, "review")


@dataclass(frozen=True, slots=True)
class _Plan:
    """What a pass will do. places: in the cohort, by outcome; remaining: memories left for later passes."""

    cohort: Cohort
    days: Floats
    effective: Floats
    active: int
    places: dict[DecayOutcome, list[int]]
    remaining: int

    def rows(self, outcome: DecayOutcome) -> list[int]:
        return [int(self.cohort.rows[place]) for place in self.places[outcome]]


class DecayPasses:
    """preview, run and undo_pass. share: of a user's active memories that one pass may archive."""

    def __init__(
        self, parts: Parts, writer: MemoryWriter, memory_archive: MemoryArchive, share: float
    ) -> None:
        self._parts = parts
        self._writer = writer
        self._memory_archive = memory_archive
        self._share = share

    def preview(self, limit: int, scope: Scope) -> DecayPreview:
        """What a pass would do now, the first `limit` of it by name."""
        now = self._parts.clock()
        with self._parts.database.read() as connection:
            plan = self._plan(connection, scope, now)
            jump = find_clock_jump(connection, self._parts.calendar, scope.user_id, now)
            latest = decay_passes.latest(connection, scope, _SHOWN_PASSES)
            items = _faded(connection, scope, plan, limit)
        counts = {str(outcome): len(plan.places[outcome]) for outcome in _OUTCOMES}
        return DecayPreview(
            items=items,
            counts={"active": plan.active, **counts, "remaining": plan.remaining},
            passes=[_info(one) for one in latest],
            clock_behind=jump == "behind",
            note=jump and _NOTES[jump],
        )

    def run(self, scope: Scope, key: RequestKey | None, operator: str = CALLER) -> DecayPass:
        """Make a pass over one user's memories. operator: who wanted it."""
        known, reply = self._parts.find_reply(key)
        if known:
            return cast(DecayPass, reply)
        now = self._parts.clock()
        with self._parts.database.read() as connection:
            jump = find_clock_jump(connection, self._parts.calendar, scope.user_id, now)
            plan = None if jump else self._plan(connection, scope, now)

        def apply(tx: Transaction) -> DecayPass:
            if jump:
                return self._skip(tx, scope, jump, operator, now)
            return self._carry_out(tx, scope, cast(_Plan, plan), operator, now)

        return self._parts.write_once(key, apply, now)

    def run_all(self) -> None:
        """Make a pass over everybody's memories."""
        with self._parts.database.read() as connection:
            users = decay_passes.users(connection)
        for user_id in users:
            self.run(Scope(user_id, ALL_AGENTS), None, SYSTEM)

    def undo_pass(self, pass_id: str, scope: Scope, key: RequestKey | None) -> UndoPassResult:
        """Bring back what a pass archived, as `restore` does, and withdraw its open reviews."""
        now = self._parts.clock()

        def apply(tx: Transaction) -> UndoPassResult:
            _require_done(decay_passes.find(tx.connection, scope, pass_id), pass_id)
            put_away = decay_passes.archived_by(tx.connection, scope, pass_id)
            stored = list(memories.find(tx.connection, scope, put_away).values())
            for one in stored:
                self._memory_archive.bring_back(
                    tx, one, now, Cause("restore", reason=f"{pass_id} was undone")
                )
            decay_passes.undo(tx, scope, pass_id, now)
            withdrawn = reviews.withdraw_pass(tx, scope, pass_id)
            return UndoPassResult(
                id=pass_id, restored=[one.record.id for one in stored], withdrawn_count=withdrawn
            )

        return self._parts.write_once(key, apply, now)

    def _skip(self, tx: Transaction, scope: Scope, jump: ClockJump, operator: str, now: float) -> DecayPass:
        """Report the jump; dates of skipped passes distinguish a long absence from a clock set ahead."""
        log.warning("a decay pass was skipped: %s", _NOTES[jump])
        if jump == "ahead":
            id = self._parts.ids.new("pas", now)
            decay_passes.insert(tx, id, scope.user_id, now, operator, Counter(), Counter())
        return DecayPass(id=None, archived=[], reviewed=[], remaining_count=0, note=_NOTES[jump])

    def _plan(self, connection: Connection, scope: Scope, now: float) -> _Plan:
        cohort = Cohort.of(
            decay_passes.fading_rows(connection, scope, self._parts.decay.lasting), self._parts.decay
        )
        passed, outcomes = self._judged(connection, cohort, scope.user_id, now)
        active = decay_passes.count_active(connection, scope)
        cap = min(_MOST, max(_AT_LEAST, math.ceil(self._share * active)))
        effective, remaining = cohort.effective(passed), 0
        places: dict[DecayOutcome, list[int]] = {}
        for number, outcome in enumerate(OUTCOMES[1:], 1):
            found = np.flatnonzero(outcomes == number)
            weakest = found[np.argsort(effective[found], kind="stable")]
            most = _MOST if outcome == "expired" else cap
            places[outcome] = weakest[:most].tolist()
            remaining += max(0, len(found) - most)
        return _Plan(cohort, passed, effective, active, places, remaining)

    def _carry_out(self, tx: Transaction, scope: Scope, plan: _Plan, operator: str, now: float) -> DecayPass:
        id = self._parts.ids.new("pas", now)
        archived: list[Record] = []
        for outcome in _ENDS:
            for one, left in self._still(tx, scope, plan, outcome, now):
                self._archive(tx, one, outcome, left, id, now)
                archived.append(one.record)
        reviewed: list[Record] = []
        for one, left in self._still(tx, scope, plan, "review", now):
            self._ask(tx, one, left, id, now)
            reviewed.append(one.record)
        decay_passes.insert(tx, id, scope.user_id, now, operator, _by_agent(archived), _by_agent(reviewed))
        return DecayPass(
            id=id,
            archived=_ids(archived),
            reviewed=_ids(reviewed),
            remaining_count=plan.remaining,
            note=None,
        )

    def _still(
        self, tx: Transaction, scope: Scope, plan: _Plan, outcome: DecayOutcome, now: float
    ) -> list[tuple[StoredMemory, float]]:
        """The memories that still have this outcome, with their effective importance."""
        found = memories.by_rows(tx.connection, scope, plan.rows(outcome))
        stored = [found[row] for row in plan.rows(outcome) if row in found]
        cohort = Cohort.of(
            [decay.decay_input(one.record, one.row, one.decay_seq) for one in stored], self._parts.decay
        )
        passed, outcomes = self._judged(tx.connection, cohort, scope.user_id, now)
        left = cohort.effective(passed).tolist()
        return [(one, left[at]) for at, one in enumerate(stored) if OUTCOMES[outcomes[at]] == outcome]

    def _judged(
        self, connection: Connection, cohort: Cohort, user_id: str, now: float
    ) -> tuple[Floats, npt.NDArray[np.int8]]:
        """The days and the outcome of each."""
        passed = cohort.days(days.of_user(connection, self._parts.calendar, user_id, now))
        asked = np.array(reviews.asked_rows(connection, user_id), np.int64)
        return passed, cohort.outcomes(passed, now, np.isin(cohort.rows, asked))

    def _archive(
        self,
        tx: Transaction,
        stored: StoredMemory,
        outcome: DecayOutcome,
        left: float,
        pass_id: str,
        now: float,
    ) -> None:
        reason = "expires_at has passed" if outcome == "expired" else f"importance has fallen to {left:.2f}"
        put_away = replace(
            stored.record, state="archived", archived_because=outcome, archived_at=now, archived_by=pass_id
        )
        self._writer.apply(tx, stored, put_away, now, Cause("archive", DECAY, reason))

    def _ask(self, tx: Transaction, stored: StoredMemory, left: float, pass_id: str, now: float) -> None:
        record = stored.record
        review = ReviewRow(
            id=self._parts.ids.new("rev", now),
            user_id=record.user_id,
            memory_id=record.id,
            kind="decay",
            importance=left,
            decay_from=record.decay_from,
            created_at=now,
            pass_id=pass_id,
        )
        reviews.insert(tx, review)


def _by_agent(records: list[Record]) -> Counter[str | None]:
    return Counter(record.agent_id for record in records)


def _ids(records: list[Record]) -> list[str]:
    return [record.id for record in records]


def _require_done(found: PassRow | None, id: str) -> None:
    if found is None:
        raise NotFoundError(f"no pass {id} over this user's memories", id=id)
    if found.undone_at is not None:
        raise InvalidStateError(
            f"id: the pass {id} is undone already", id=id, state="undone", expected="a pass not yet undone"
        )


def _info(one: PassRow) -> PassInfo:
    return PassInfo(
        id=one.id,
        at=one.at,
        operator=one.operator,
        archived_count=one.archived_count,
        review_count=one.review_count,
        undone_at=one.undone_at,
    )


def _faded(connection: Connection, scope: Scope, plan: _Plan, limit: int) -> list[FadingMemory]:
    """The first of what a plan will do, by name."""
    wanted = [(outcome, place) for outcome in _OUTCOMES for place in plan.places[outcome]][:limit]
    cohort = plan.cohort
    names = memories.ids_of(connection, scope, [int(cohort.rows[place]) for _, place in wanted])
    return [
        FadingMemory(
            id=names[int(cohort.rows[place])],
            outcome=outcome,
            category=CATEGORIES[cohort.categories[place]],
            importance=float(cohort.importance[place]),
            effective_importance=float(plan.effective[place]),
            elapsed_days=float(plan.days[place]),
        )
        for outcome, place in wanted
    ]
