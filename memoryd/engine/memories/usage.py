"""What an app says of a memory it was shown: that it was used, how good it was, that it must stay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from memory_client.types import BoostResult, Feedback, FeedbackFinding, FeedbackResult, UpdateResult
from memoryd.core.life import boost, decay
from memoryd.core.life.active_days import DAY
from memoryd.core.record import Record
from memoryd.core.scope import Scope
from memoryd.engine.author import Author
from memoryd.engine.context import Parts
from memoryd.engine.decay.effective_importance import age_of, ages, update_reviews
from memoryd.engine.memories.archive import MemoryArchive, require_active
from memoryd.engine.memories.memory_writer import MemoryWriter, get_memories, get_memory
from memoryd.storage.database import Transaction
from memoryd.storage.life import active_days, boosts, reviews
from memoryd.storage.life.boosts import UseKind
from memoryd.storage.life.reviews import ReviewRow
from memoryd.storage.records.memories import StoredMemory
from memoryd.storage.records.versions import Cause
from memoryd.storage.requests import RequestKey

T = TypeVar("T")
_TRUST = 0.1
"""What being useful adds to the confidence."""
_LATELY = 2 * DAY
"""Seconds around now that a local date lies within, in any time zone."""


class MemoryUsage:
    """boost, mark_used, feedback and pin."""

    def __init__(self, parts: Parts, writer: MemoryWriter, memory_archive: MemoryArchive) -> None:
        self._parts = parts
        self._writer = writer
        self._memory_archive = memory_archive

    def boost(self, id: str, author: Author, scope: Scope, key: RequestKey | None) -> BoostResult:
        """Make a memory more important."""
        now = self._parts.clock()
        return self._parts.write_once(
            key, lambda tx: self._used(tx, scope, [id], "boost", author, now)[0], now
        )

    def mark_used(self, ids: Sequence[str], scope: Scope, key: RequestKey | None) -> list[BoostResult]:
        """The same for what a reply really used, all or none."""
        wanted, now = list(dict.fromkeys(ids)), self._parts.clock()
        return self._parts.write_once(
            key, lambda tx: self._used(tx, scope, wanted, "use", Author(), now), now
        )

    def feedback(
        self, id: str, finding: Feedback, author: Author, scope: Scope, key: RequestKey | None
    ) -> FeedbackResult:
        """Trust a memory more, or have somebody look at it."""
        now = self._parts.clock()

        def apply(tx: Transaction) -> FeedbackResult:
            stored = get_memory(tx.connection, scope, id)
            require_active(stored.record)
            confidence, review_id = stored.record.confidence, None
            if finding == "useful":
                confidence = round(min(1.0, confidence + _TRUST), 9)
                trusted = replace(stored.record, confidence=confidence)
                self._writer.apply(tx, stored, trusted, now, author.cause("update"))
            else:
                review_id = self._doubt(tx, stored, finding, author.reason, now)
            return FeedbackResult(id=id, confidence=confidence, review_id=review_id)

        return self._parts.write_once(key, apply, now)

    def pin(
        self, id: str, author: Author, *, pinned: bool, scope: Scope, key: RequestKey | None
    ) -> UpdateResult:
        """Take a memory out of the hands of clock and review, or give it back."""
        now = self._parts.clock()

        def apply(tx: Transaction) -> UpdateResult:
            stored = get_memory(tx.connection, scope, id)
            old, age = stored.record, age_of(tx.connection, self._parts.calendar, stored, now)
            new = decay.carry_decay(
                old, replace(old, pinned=pinned), age.effective, age.days, now, self._parts.decay
            )
            if pinned:
                reviews.withdraw(tx, old.user_id, id, kinds=["decay", "promotion"])
            return self._writer.apply(tx, stored, new, now, author.cause("update"))

        return self._parts.write_once(key, apply, now)

    def _used(
        self, tx: Transaction, scope: Scope, ids: list[str], kind: UseKind, author: Author, now: float
    ) -> list[BoostResult]:
        """Carry out a use of each memory; what decay had archived comes back first."""
        stored = get_memories(tx.connection, scope, ids)
        away = [one for one in stored if one.record.archived_because == "decay"]
        for one in away:
            self._memory_archive.bring_back(
                tx, one, now, Cause("restore", author.operator, author.reason or kind)
            )
        if away:
            stored = get_memories(tx.connection, scope, ids)
        for one in stored:
            require_active(one.record)
        if stored:
            active_days.record_activity(tx, self._parts.calendar, scope.user_id, now)
        known = ages(tx.connection, self._parts.calendar, stored, now)
        back = {one.record.id for one in away}
        return [
            self._lifted(tx, one, age.effective, kind, author.reason, now, is_back=one.record.id in back)
            for one, age in zip(stored, known, strict=True)
        ]

    def _lifted(
        self,
        tx: Transaction,
        stored: StoredMemory,
        effective: float,
        kind: UseKind,
        reason: str | None,
        now: float,
        *,
        is_back: bool,
    ) -> BoostResult:
        use = boost.effect_of_use(effective, *self._earlier(tx, stored, now), now, self._parts.boost)
        after = round(effective + use.applied, 9)
        if use.counts:
            self._count(tx, stored, after, now)
            self._note(tx, stored.record, kind, use.applied, reason, now)
            update_reviews(tx, self._parts, stored.record, effective, after, now)
        return BoostResult(
            id=stored.record.id,
            applied=use.applied,
            importance=after,
            limited_by=use.limited_by,
            restored=is_back,
        )

    def _earlier(self, tx: Transaction, stored: StoredMemory, now: float) -> tuple[float | None, float]:
        """The time of the last use that added something, nearest to now, and what today's have added."""
        found = boosts.between(
            tx.connection, stored.record.user_id, stored.record.id, now - _LATELY, now + _LATELY
        )
        day = self._parts.calendar.day
        last = min((at for at, _ in found), key=lambda at: abs(now - at), default=None)
        return last, sum(amount for at, amount in found if day(at) == day(now))

    def _note(
        self, tx: Transaction, record: Record, kind: UseKind, applied: float, reason: str | None, now: float
    ) -> None:
        """Record what was added, for as long as it has a bearing on the next use."""
        boosts.drop_before(tx, record.user_id, record.id, now - _LATELY)
        if applied > 0:
            boosts.append(tx, record.user_id, record.id, now, kind, applied, reason)

    def _count(self, tx: Transaction, stored: StoredMemory, importance: float, now: float) -> None:
        used = decay.restart_decay(stored.record, importance, now, self._parts.decay)
        used = replace(used, last_access=now, access_count=used.access_count + 1)
        self._writer.touch(tx, stored, used)

    def _doubt(
        self, tx: Transaction, stored: StoredMemory, finding: FeedbackFinding, note: str | None, now: float
    ) -> str:
        """Queue a review, or tell the one that is open what was found now; its id."""
        record = stored.record
        known = reviews.pending_id(tx.connection, record.user_id, record.id, "feedback")
        if known is not None:
            reviews.update_pending(tx, record.user_id, known, finding, note)
            return known
        effective = age_of(tx.connection, self._parts.calendar, stored, now).effective
        review = ReviewRow(
            id=self._parts.ids.new("rev", now),
            user_id=record.user_id,
            memory_id=record.id,
            kind="feedback",
            importance=effective,
            decay_from=record.decay_from,
            created_at=now,
            finding=finding,
            note=note,
        )
        reviews.insert(tx, review)
        return review.id
