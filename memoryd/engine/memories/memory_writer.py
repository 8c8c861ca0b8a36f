"""Every change of a memory and of everything derived from it, in the caller's transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from memory_client.errors import NotFoundError
from memory_client.types import ReviewKind, UpdateResult
from memoryd.core.operators import DECAY, is_caller
from memoryd.core.record import Record, changed_fields
from memoryd.core.row_ranges import TextKind
from memoryd.core.scope import Scope
from memoryd.engine.context import Parts
from memoryd.engine.triples import evidence
from memoryd.retrieval.semantic_index import EncodedText
from memoryd.storage.connection import Connection
from memoryd.storage.database import Transaction
from memoryd.storage.life import boosts, conflicts, reviews
from memoryd.storage.records import deletions, memories, tombstones, versions
from memoryd.storage.records.deletions import Deletion
from memoryd.storage.records.memories import StoredMemory
from memoryd.storage.records.versions import Cause

T = TypeVar("T")
CREATE = Cause("create")


class MemoryWriter:
    """Memories, their versions and their entries in every index, kept in step."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def insert(
        self, tx: Transaction, record: Record, embedded: EncodedText | None, cause: Cause = CREATE
    ) -> int:
        """Store a new memory; return its row."""
        row = memories.insert(tx, record)
        self._parts.lexical.put(tx, record.user_id, row, record.text)
        versions.append(tx, record, cause, [], None)
        _unbury(tx, record, cause)
        self._parts.meaning.stage(tx, record.user_id, row, record.agent_id, embedded)
        evidence.add_evidence(tx, record, row, self._parts.ids)
        return row

    def apply(
        self,
        tx: Transaction,
        stored: StoredMemory,
        new: Record,
        now: float,
        cause: Cause,
        embedded: EncodedText | None = None,
    ) -> UpdateResult:
        """Make `new` the next version of a memory; nothing happens when its content is the same.

        embedded: what a model made of the new text; None to have it embedded later.
        """
        old = stored.record
        changed = changed_fields(old, new)
        if not changed:
            return UpdateResult(id=old.id, version=old.version, changed=False)
        version = old.version + 1
        history_from = max(old.history_from, version + 1 - self._parts.limits.versions)
        new = replace(new, version=version, history_from=history_from, updated_at=now)
        memories.update(tx, stored.row, new, text_changed="text" in changed)
        versions.append(tx, new, cause, changed, old)
        if "text" in changed:
            self._parts.lexical.remove(tx, old.user_id, stored.row, old.text)
            self._parts.lexical.put(tx, old.user_id, stored.row, new.text)
            self._parts.meaning.stage(tx, old.user_id, stored.row, old.agent_id, embedded)
            evidence.replace_evidence(tx, new, stored.row, self._parts.ids)
            _unbury(tx, new, cause)
        if (old.state == "active") != (new.state == "active"):
            shelved = new.state != "active"
            self._parts.vectors.set_archived(tx, old.user_id, [stored.row], archived=shelved)
            if shelved:
                reviews.withdraw(tx, old.user_id, old.id, kinds=_settled_by(cause))
        return UpdateResult(id=new.id, version=new.version, changed=True)

    def touch(self, tx: Transaction, stored: StoredMemory, new: Record) -> None:
        """Store a change that makes no version: importance by use and decay, access, review marks."""
        memories.update(tx, stored.row, new, text_changed=False)

    def destroy(self, tx: Transaction, stored: Sequence[StoredMemory], deletion: Deletion) -> list[str]:
        """Destroy memories of one user and everything derived from them alone; return their ids."""
        if not stored:
            return []
        deletions.record(tx, [one.record for one in stored], deletion)
        user_id = stored[0].record.user_id
        ids = [one.record.id for one in stored]
        for one in stored:
            self._parts.lexical.remove(tx, user_id, one.row, one.record.text)
        rows = [one.row for one in stored]
        self._parts.vectors.unstage(tx, user_id, rows)
        versions.remove(tx, user_id, ids)
        boosts.remove(tx, user_id, ids)
        reviews.remove(tx, user_id, ids)
        conflicts.remove(tx, user_id, ids)
        evidence.withdraw_evidence(tx, user_id, rows)
        memories.remove(tx, rows)
        return ids


def _settled_by(cause: Cause) -> list[ReviewKind]:
    """The kinds of reviews that archiving a memory settles, [] for all; decay settles no feedback."""
    return ["decay", "promotion"] if cause.operator == DECAY else []


def _unbury(tx: Transaction, record: Record, cause: Cause) -> None:
    """Lift the tombstone of a text that the user states again."""
    if is_caller(cause.operator) and record.source == "user":
        tombstones.lift(tx, record.user_id, "memory", versions.hash_of(tx.connection, record.text))


def get_memory(connection: Connection, scope: Scope, id: str) -> StoredMemory:
    """A memory the scope sees, in any state. Raises `NotFoundError`."""
    return get_memories(connection, scope, [id])[0]


def get_memories(connection: Connection, scope: Scope, ids: Sequence[str]) -> list[StoredMemory]:
    """Memories the scope sees, in any state, in the order of their ids. Raises `NotFoundError`."""
    return require_all(ids, memories.find(connection, scope, ids))


def require_all(ids: Sequence[str], found: Mapping[str, T], kind: TextKind = "memory") -> list[T]:
    """What was found of each id, in their order. Raises `NotFoundError` when there is none of some."""
    unknown = [id for id in ids if id not in found]
    if unknown:
        raise unknown_ids_error(unknown, kind)
    return [found[id] for id in ids]


def unknown_ids_error(ids: Sequence[str], kind: TextKind = "memory") -> NotFoundError:
    """The error for ids that are unknown to this user and agent."""
    shown = ", ".join(ids[:5]) + (f" and {len(ids) - 5} more" if len(ids) > 5 else "")
    return NotFoundError(
        f"no {kind} {shown} for this user and agent; it was never stored, was deleted, or is another's",
        id=ids[0],
    )
