"""The effective importance of memories, and the reviews that a new importance queues or withdraws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memoryd.core.life import review
from memoryd.core.life.active_days import Calendar, ClockJump, clock_jump
from memoryd.core.life.decay import Cohort, decay_input
from memoryd.core.record import Record
from memoryd.engine.context import Parts
from memoryd.storage.connection import Connection
from memoryd.storage.database import Transaction
from memoryd.storage.life import active_days as days
from memoryd.storage.life import decay_passes, reviews
from memoryd.storage.life.reviews import ReviewRow
from memoryd.storage.records.memories import StoredMemory


@dataclass(frozen=True, slots=True)
class Age:
    """days: that count since the importance was set; effective: what is left of it."""

    days: float
    effective: float


def ages(connection: Connection, calendar: Calendar, stored: Sequence[StoredMemory], now: float) -> list[Age]:
    """The ages of memories of one user."""
    if not stored:
        return []
    cohort = Cohort.of([decay_input(one.record, one.row, one.decay_seq) for one in stored], calendar.rules)
    passed = cohort.days(days.of_user(connection, calendar, stored[0].record.user_id, now))
    left = cohort.effective(passed).tolist()
    return [Age(*pair) for pair in zip(passed.tolist(), left, strict=True)]


def age_of(connection: Connection, calendar: Calendar, stored: StoredMemory, now: float) -> Age:
    """The age of one memory."""
    return ages(connection, calendar, [stored], now)[0]


def update_reviews(
    tx: Transaction, parts: Parts, record: Record, before: float, after: float, now: float
) -> None:
    """Queue and withdraw the reviews of a write that moved the effective importance."""
    owner = record.user_id, record.id
    if review.is_lifted(after, parts.decay):
        reviews.withdraw(tx, *owner, kinds=["decay"])
    is_due = review.is_promotion_due(record, before, after, parts.decay)
    if is_due and reviews.pending_id(tx.connection, *owner, "promotion") is None:
        id = parts.ids.new("rev", now)
        reviews.insert(tx, ReviewRow(id, *owner, "promotion", after, record.decay_from, now))


def find_clock_jump(connection: Connection, calendar: Calendar, user_id: str, now: float) -> ClockJump | None:
    """Whether the clock seems to have jumped, by the dates of a user and of the decay passes."""
    passes = [calendar.day(at) for at in decay_passes.times(connection, user_id)]
    return clock_jump(calendar.day(now), days.recorded_days(connection, user_id), passes)
