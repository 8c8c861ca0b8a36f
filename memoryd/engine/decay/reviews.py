"""The queue of reviews and the effects of verdicts."""

from __future__ import annotations

from dataclasses import replace

from memory_client.errors import InvalidStateError, NotFoundError
from memory_client.types import DecideResult, Review, ReviewKind, ReviewPage, ReviewState, Verdict
from memoryd.core.life import decay
from memoryd.core.life.review import verdict_refusal
from memoryd.core.record import Record
from memoryd.core.scope import Scope
from memoryd.engine.author import Author
from memoryd.engine.context import Parts
from memoryd.engine.decay.effective_importance import Age, age_of, ages
from memoryd.engine.memories.archive import require_active
from memoryd.engine.memories.memory_writer import MemoryWriter, get_memory
from memoryd.engine.page_cursor import decode, encode, mark_of
from memoryd.storage.database import Transaction
from memoryd.storage.life import reviews
from memoryd.storage.life.reviews import ReviewRow
from memoryd.storage.records import memories
from memoryd.storage.records.memories import StoredMemory
from memoryd.storage.records.versions import Cause
from memoryd.storage.requests import RequestKey


class ReviewQueue:
    """page and decide."""

    def __init__(self, parts: Parts, writer: MemoryWriter) -> None:
        self._parts = parts
        self._writer = writer

    def page(
        self, state: ReviewState, kind: ReviewKind | None, cursor: str | None, limit: int, scope: Scope
    ) -> ReviewPage:
        """Reviews in a state, the oldest first."""
        mark = mark_of(state, kind)
        after = None if cursor is None else decode(cursor, mark, str)
        with self._parts.database.read() as connection:
            found = reviews.page(connection, scope, state, kind, after, limit + 1)
            total = reviews.count(connection, scope, state, kind)
            page, more = found[:limit], len(found) > limit
            stored = memories.find(connection, scope, [one.memory_id for one in page])
            about = [stored[one.memory_id] for one in page]
            known = ages(connection, self._parts.calendar, about, self._parts.clock())
        following = encode(page[-1].created_at, page[-1].id, mark) if more else None
        items = [_shown(*one) for one in zip(page, about, known, strict=True)]
        return ReviewPage(items=items, cursor=following, total=total)

    def decide(
        self,
        id: str,
        verdict: Verdict,
        author: Author,
        scope: Scope,
        key: RequestKey | None,
    ) -> DecideResult:
        """Carry out a verdict. author: whose it is."""
        now, cause = self._parts.clock(), Cause("update", f"review:{author.operator}", author.reason)

        def apply(tx: Transaction) -> DecideResult:
            review = _pending(reviews.find(tx.connection, scope, id), id)
            stored = get_memory(tx.connection, scope, review.memory_id)
            _require_open_to(verdict, stored.record)
            reviews.decide(tx, review, verdict, author.operator, author.reason, now)
            if verdict == "promote":
                version = self._promote(tx, stored, cause, now)
            elif verdict == "delete":
                version = self._put_away(tx, stored, review, cause, now)
            else:
                version = self._keep(tx, stored, review, now)
            return DecideResult(id=id, memory_id=review.memory_id, verdict=verdict, version=version)

        return self._parts.write_once(key, apply, now)

    def _promote(self, tx: Transaction, stored: StoredMemory, cause: Cause, now: float) -> int:
        old, age = stored.record, age_of(tx.connection, self._parts.calendar, stored, now)
        core = decay.carry_decay(
            old, replace(old, category="core"), age.effective, age.days, now, self._parts.decay
        )
        reviews.withdraw(tx, old.user_id, old.id, kinds=["decay", "promotion"])
        return self._writer.apply(tx, stored, core, now, replace(cause, operation="promote"))["version"]

    def _put_away(
        self, tx: Transaction, stored: StoredMemory, review: ReviewRow, cause: Cause, now: float
    ) -> int:
        because = "wrong" if review.finding == "wrong" else "review"
        put_away = replace(stored.record, state="archived", archived_because=because, archived_at=now)
        return self._writer.apply(tx, stored, put_away, now, replace(cause, operation="archive"))["version"]

    def _keep(self, tx: Transaction, stored: StoredMemory, review: ReviewRow, now: float) -> int:
        old = stored.record
        rules = self._parts.decay
        is_fading = decay.can_fade(old.category, old.importance, pinned=old.pinned, rules=rules)
        if review.kind == "decay" and is_fading:
            self._writer.touch(tx, stored, decay.extend_grace(old, now, rules))
        return old.version


def _pending(found: ReviewRow | None, id: str) -> ReviewRow:
    if found is None:
        raise NotFoundError(
            f"no review {id} for this user and agent; it never was, was withdrawn, or is another's", id=id
        )
    if found.state != "pending":
        raise InvalidStateError(
            f"id: {id} was decided already ({found.verdict}); expected a pending review",
            id=id,
            state=found.state,
            expected="pending",
        )
    return found


def _require_open_to(verdict: Verdict, record: Record) -> None:
    require_active(record)
    fix = verdict_refusal(verdict, record.category)
    if fix is not None:
        raise InvalidStateError(
            f"verdict: {verdict!r}, but {record.id} is {record.category}; expected {fix}",
            id=record.id,
            state=record.category,
            expected=fix,
        )


def _shown(review: ReviewRow, stored: StoredMemory, age: Age) -> Review:
    return Review(
        id=review.id,
        memory_id=review.memory_id,
        kind=review.kind,
        state=review.state,
        text=stored.record.text,
        category=stored.record.category,
        effective_importance=age.effective,
        importance=review.importance,
        finding=review.finding,
        note=review.note,
        created_at=review.created_at,
        verdict=review.verdict,
        operator=review.operator,
        reason=review.reason,
        decided_at=review.decided_at,
    )
