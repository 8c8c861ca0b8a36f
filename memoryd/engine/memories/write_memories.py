"""Storing and changing memories: each write one transaction over the truth and what is derived from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from memory_client.errors import InvalidParameterError
from memory_client.types import MemoryItem, UpdateResult
from memoryd.core.call_context import current_call
from memoryd.core.life.decay import carry_decay, with_importance
from memoryd.core.passage import Passage
from memoryd.core.record import Record, clamp_importance
from memoryd.core.scope import Scope
from memoryd.engine.author import Author
from memoryd.engine.context import Parts
from memoryd.engine.decay.effective_importance import Age, age_of, update_reviews
from memoryd.engine.embedding.batches import portions
from memoryd.engine.memories.memory_writer import MemoryWriter, get_memory
from memoryd.engine.memories.record_builder import new_record, redactions_of, screened_text, with_metadata
from memoryd.retrieval.semantic_index import EncodedText
from memoryd.storage.database import Transaction
from memoryd.storage.life import active_days
from memoryd.storage.requests import RequestKey


@dataclass(frozen=True, slots=True)
class Owner:
    """The owner of a new memory, as the call gives it."""

    user_id: str
    agent_id: str | None
    session_id: str | None


class MemoryEditor:
    """add, add_many and the updates."""

    def __init__(self, parts: Parts, writer: MemoryWriter) -> None:
        self._parts = parts
        self._writer = writer

    def add(self, text: str, metadata: Mapping[str, Any] | None, owner: Owner, key: RequestKey | None) -> str:
        """Store one memory, with its vector if that is ready in time."""
        known, reply = self._parts.find_reply(key)
        if known:
            return str(reply)
        record = self._record(text, metadata, owner, "text")
        embedded = self._parts.meaning.embed_in_time(record.text, self._parts.limits.add_cap)
        return self._parts.write_once(key, lambda tx: self._told(tx, record, embedded), record.updated_at)

    def add_many(self, items: Sequence[str | MemoryItem], owner: Owner, key: RequestKey | None) -> list[str]:
        """Store many, in chunks that are each embedded, committed and acknowledged as a whole."""
        records = [self._item(item, owner, f"items[{i}]") for i, item in enumerate(items)]
        given = [item if isinstance(item, str) else item["text"] for item in items]
        ids: list[str] = []
        for number, portion in enumerate(portions(given)):  # as given: a repeated request is cut alike
            call = current_call()
            call.deadline.check(f"storing; {len(ids)} of {len(records)} memories are stored")
            ids += self._add_chunk(records[portion], key and replace(key, part=number))
            call.report(len(ids), len(records), "stored")
        return ids

    def update_text(
        self, id: str, text: str, author: Author, scope: Scope, key: RequestKey | None
    ) -> UpdateResult:
        """Replace the text; the old one stays as a version."""
        screened, warnings, found = screened_text(text, self._parts.limits)
        embedded = self._parts.meaning.embed_in_time(screened, self._parts.limits.add_cap)

        def change(record: Record, _: Age, __: float) -> Record:
            return replace(record, text=screened, warnings=tuple(warnings), redactions=redactions_of(found))

        return self._update(id, author, scope, key, change, embedded)

    def update_metadata(
        self, id: str, metadata: Mapping[str, Any], author: Author, scope: Scope, key: RequestKey | None
    ) -> UpdateResult:
        """Merge metadata."""
        limits = self._parts.limits

        def change(record: Record, age: Age, now: float) -> Record:
            changed = with_metadata(record, metadata, limits)
            return carry_decay(record, changed, age.effective, age.days, now, self._parts.decay)

        return self._update(id, author, scope, key, change, None)

    def update_importance(
        self,
        id: str,
        delta: float | None,
        value: float | None,
        author: Author,
        scope: Scope,
        key: RequestKey | None,
    ) -> UpdateResult:
        """Add to the importance or set it."""
        if (delta is None) == (value is None):
            raise InvalidParameterError(
                "delta, value: give exactly one of them",
                parameter="delta" if value is None else "value",
                value=repr(delta),
                expected="either delta or value",
            )

        def change(record: Record, age: Age, now: float) -> Record:
            wanted = value if value is not None else age.effective + (delta or 0.0)
            return with_importance(record, clamp_importance(wanted), age.days, now, self._parts.decay)

        return self._update(id, author, scope, key, change, None)

    def _record(self, text: str, metadata: Mapping[str, Any] | None, owner: Owner, parameter: str) -> Record:
        now = self._parts.clock()
        return new_record(
            text,
            metadata,
            id=self._parts.ids.new("mem", now),
            user_id=owner.user_id,
            agent_id=owner.agent_id,
            session_id=owner.session_id,
            now=now,
            limits=self._parts.limits,
            rules=self._parts.decay,
            parameter=parameter,
        )

    def _item(self, item: str | MemoryItem, owner: Owner, parameter: str) -> Record:
        if isinstance(item, str):
            return self._record(item, None, owner, parameter)
        try:
            return self._record(item["text"], item.get("metadata"), owner, f"{parameter}.text")
        except InvalidParameterError as error:
            if error.message.startswith(parameter):
                raise
            raise type(error)(f"{parameter}.{error.message}", **error.data) from error

    def _add_chunk(self, chunk: Sequence[Record], key: RequestKey | None) -> list[str]:
        known, reply = self._parts.find_reply(key)
        if known:
            return list(reply)
        embedded = self._parts.meaning.embed_all([Passage(record.text) for record in chunk])

        def apply(tx: Transaction) -> list[str]:
            return [self._insert(tx, *pair) for pair in zip(chunk, embedded, strict=True)]

        return self._parts.write_once(key, apply, chunk[-1].updated_at)

    def _told(self, tx: Transaction, record: Record, embedded: EncodedText | None) -> str:
        """Store a new memory, and record today as an active day of the user."""
        active_days.record_activity(
            tx, self._parts.calendar, record.user_id, record.updated_at, record.created_at
        )
        return self._insert(tx, record, embedded)

    def _insert(self, tx: Transaction, record: Record, embedded: EncodedText | None) -> str:
        self._writer.insert(tx, record, embedded)
        return record.id

    def _update(
        self,
        id: str,
        author: Author,
        scope: Scope,
        key: RequestKey | None,
        change: Callable[[Record, Age, float], Record],
        embedded: EncodedText | None,
    ) -> UpdateResult:
        now = self._parts.clock()

        def apply(tx: Transaction) -> UpdateResult:
            stored = get_memory(tx.connection, scope, id)
            age = age_of(tx.connection, self._parts.calendar, stored, now)
            new = change(stored.record, age, now)
            updated = self._writer.apply(tx, stored, new, now, author.cause("update"), embedded)
            old = stored.record
            if (new.importance, new.decay_from) != (old.importance, old.decay_from):
                if not updated["changed"]:  # the same number, but decay starts again
                    self._writer.touch(tx, stored, new)
                update_reviews(tx, self._parts, new, age.effective, new.importance, now)
            return updated

        return self._parts.write_once(key, apply, now)
