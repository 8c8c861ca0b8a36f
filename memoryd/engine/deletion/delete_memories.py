"""Destroys memories everywhere in one transaction; bytes go within the hour, or at once for a user."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypedDict, TypeVar

from memory_client.errors import InvalidParameterError
from memory_client.types import DeleteAllResult, DeleteResult
from memoryd.core.filters.grammar import Node
from memoryd.core.record import Record
from memoryd.core.scope import Scope
from memoryd.engine.author import Author
from memoryd.engine.context import Parts
from memoryd.engine.deletion.delete_turns import TurnDeletion
from memoryd.engine.deletion.remaining_mentions import find_remaining_mentions
from memoryd.engine.deletion.removal import PhysicalRemoval
from memoryd.engine.knowledge.knowledge_store import KnowledgeStore
from memoryd.engine.memories.memory_writer import MemoryWriter, get_memories, get_memory, require_all
from memoryd.engine.triples.triple_store import triple_not_found
from memoryd.storage import requests
from memoryd.storage.connection import Connection
from memoryd.storage.database import Transaction
from memoryd.storage.life import active_days, boosts, conflicts, decay_passes, reviews
from memoryd.storage.records import deletions, memories, sessions, texts, tombstones, turns, versions
from memoryd.storage.records.memories import StoredMemory
from memoryd.storage.records.turns import StoredTurn
from memoryd.storage.requests import RequestKey
from memoryd.storage.triples import evidence as triples
from memoryd.storage.triples import rows

T = TypeVar("T")
_SHOWN_SKIPPED = 1_000
_PROTECTED = ("system", "core")
"""Categories that a delete of several memories skips, as it does what is pinned."""


class Skipped(TypedDict):
    """What a delete of several memories skipped."""

    skipped: list[str]
    skipped_count: int


class DeletionReply(TypedDict):
    """The reply of a delete that is kept for a repeated request: ids only."""

    ids: list[str]
    sources: list[str]
    also_stated_in: list[str]
    skipped: list[str]
    skipped_count: int


@dataclass(frozen=True, slots=True)
class Selection:
    """What a delete of several memories destroys, and the ids of those it skips."""

    stored: list[StoredMemory]
    skipped: list[str]

    @property
    def left(self) -> Skipped:
        """The skipped ones as a receipt shows them."""
        return {"skipped": self.skipped[:_SHOWN_SKIPPED], "skipped_count": len(self.skipped)}


class MemoryDeletion:
    """delete, delete_many, forget and delete_all."""

    def __init__(
        self,
        parts: Parts,
        writer: MemoryWriter,
        removal: PhysicalRemoval,
        turns: TurnDeletion,
        knowledge: KnowledgeStore,
        clear_caches: Callable[[], None],
    ) -> None:
        self._parts = parts
        self._writer = writer
        self._removal = removal
        self._turns = turns
        self._knowledge = knowledge
        self._clear_caches = clear_caches

    def delete(
        self, id: str, author: Author, *, sources: bool, force: bool, scope: Scope, key: RequestKey | None
    ) -> DeleteResult:
        """Destroy one memory, with `sources` also the turn it came from."""

        def apply(tx: Transaction) -> DeletionReply:
            stored = get_memory(tx.connection, scope, id)
            if stored.record.category == "system" and not force:
                raise InvalidParameterError(
                    f"force: {id} is a system memory; pass force=True to destroy it",
                    parameter="force",
                    value=False,
                    expected="True",
                )
            said = turns.find(tx.connection, scope, _source_ids([stored]) if sources else [])
            return self._destroy(tx, scope, author, [stored], list(said.values()))

        return self._removal.receipt(**self._parts.write_once(key, apply))

    def delete_many(
        self,
        wanted: Sequence[str] | Node,
        author: Author,
        *,
        dry_run: bool,
        force: bool,
        scope: Scope,
        key: RequestKey | None,
    ) -> DeleteResult:
        """Destroy memories by id, all known or none, or the active ones a filter finds."""

        def found(connection: Connection) -> Selection:
            return _choose(_wanted(connection, scope, wanted), force=force)

        if dry_run:
            with self._parts.database.read() as connection:
                chosen = found(connection)
            return self._removal.receipt([one.record.id for one in chosen.stored], **chosen.left)

        def apply(tx: Transaction) -> DeletionReply:
            chosen = found(tx.connection)
            return {**self._destroy(tx, scope, author, chosen.stored), **chosen.left}

        return self._removal.receipt(**self._parts.write_once(key, apply))

    def forget(
        self, ids: Sequence[str], author: Author, *, force: bool, scope: Scope, key: RequestKey | None
    ) -> DeleteResult:
        """Destroy memories, turns and triples by id, all known or none."""
        of_memories, of_turns, of_triples = (
            [id for id in dict.fromkeys(ids) if id.startswith(kind)] for kind in ("mem", "trn", "tri")
        )

        def apply(tx: Transaction) -> DeletionReply:
            chosen = _choose(get_memories(tx.connection, scope, of_memories), force=force)
            said = require_all(of_turns, turns.find(tx.connection, scope, of_turns), "turn")
            for id in of_triples:  # before what says so, which would take them along
                self._bury_triple(tx, scope, id)
            gone = self._destroy(tx, scope, author, chosen.stored, said)
            gone_ids = [*gone["ids"], *gone["sources"], *of_triples]
            return {**gone, "ids": gone_ids, "sources": [], **chosen.left}

        return self._removal.receipt(**self._parts.write_once(key, apply))

    def preview(self, ids: Sequence[str], *, force: bool, scope: Scope) -> DeleteResult:
        """The receipt of a `forget` that is not carried out."""
        with self._parts.database.read() as connection:
            stored = memories.find(connection, scope, [id for id in ids if id.startswith("mem")])
        chosen = _choose(list(stored.values()), force=force)
        skipped = set(chosen.skipped)
        return self._removal.receipt([id for id in ids if id not in skipped], **chosen.left)

    def delete_all(self, user_id: str, key: RequestKey | None) -> DeleteAllResult:
        """Destroy all of a user; the caller removes it physically before it answers."""

        def apply(tx: Transaction) -> dict[str, int]:
            owned = memories.all_of_user(tx.connection, user_id)
            self._parts.lexical.forget_user(tx, user_id)
            self._parts.vectors.forget_user(tx, user_id)
            versions.forget_user(tx, user_id)
            for table in (
                boosts,
                conflicts,
                active_days,
                deletions,
                decay_passes,
                reviews,
                tombstones,
                triples,
            ):
                table.forget_user(tx, user_id)
            requests.forget_user(tx, user_id)
            memories.remove(tx, (row for row, _ in owned))
            points = self._knowledge.forget_rows(tx, user_id)
            said = turns.forget_user(tx, user_id)
            sessions.forget_user(tx, user_id)
            self._removal.queue(tx, delay=0.0)
            return {"memories": len(owned), "turns": said, "points": points}

        with self._knowledge.saving:  # no version may come between the files and the rows
            known, counts = self._parts.find_reply(key)
            if not known:  # or what came since would go
                self._knowledge.forget_files(user_id)
                counts = self._parts.write_once(key, apply)
                self._clear_caches()
        return DeleteAllResult(user_id=user_id, counts=counts, backups=self._removal.backups())

    def _destroy(
        self,
        tx: Transaction,
        scope: Scope,
        author: Author,
        stored: Sequence[StoredMemory],
        said: Sequence[StoredTurn] = (),
    ) -> DeletionReply:
        """Destroy memories of one user, and turns; leave tombstones for what the memories said."""
        records, now = [one.record for one in stored], self._parts.clock()
        tombstones.bury_texts(tx, scope.user_id, records, now)
        gone = self._turns.destroy(tx, said)
        ids = self._writer.destroy(tx, stored, author.deletion(now))
        if ids:
            self._removal.queue(tx)
        others = find_remaining_mentions(tx.connection, self._parts.lexical, scope, records)
        return {"ids": ids, "sources": gone, "also_stated_in": others, "skipped": [], "skipped_count": 0}

    def _bury_triple(self, tx: Transaction, scope: Scope, id: str) -> None:
        """Destroy a triple and leave a tombstone."""
        stored = rows.find(tx.connection, replace(scope, archived=True), id)
        if stored is None:
            raise triple_not_found(id)
        triples.bury(tx, scope, stored, self._parts.clock())
        self._removal.queue(tx)


def _wanted(connection: Connection, scope: Scope, wanted: Sequence[str] | Node) -> list[StoredMemory]:
    """The memories of ids, or the active ones of a filter. Raises `NotFoundError`."""
    if isinstance(wanted, Sequence):
        return get_memories(connection, scope, list(dict.fromkeys(wanted)))
    found_rows = texts.rows_of(connection, "memory", scope, wanted)
    return list(memories.by_rows(connection, scope, found_rows).values())


def _choose(found: Sequence[StoredMemory], *, force: bool) -> Selection:
    """Skip what is system, core or pinned, unless forced."""
    skipped = [] if force else [one.record.id for one in found if _is_protected(one.record)]
    left = set(skipped)
    return Selection([one for one in found if one.record.id not in left], skipped)


def _is_protected(record: Record) -> bool:
    return record.category in _PROTECTED or record.pinned


def _source_ids(stored: Sequence[StoredMemory]) -> list[str]:
    return [one.record.source_id for one in stored if one.record.source_id is not None]
