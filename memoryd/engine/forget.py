"""Destroying memories: in one transaction everywhere, physically within the hour, or at once for a user."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TypedDict, TypeVar

from memory_client.errors import InvalidParameterError
from memory_client.types import Deleted, UserDeleted
from memoryd.core.filters import And, Compare, Node, Not
from memoryd.core.scope import Scope
from memoryd.engine.change import Change, all_known, every, seen
from memoryd.engine.echoes import still_said
from memoryd.engine.forget_turns import ForgetTurns
from memoryd.engine.knowledge import Knowledge
from memoryd.engine.parts import Parts
from memoryd.engine.removal import Removal
from memoryd.engine.triples import triple_not_found
from memoryd.storage import (
    boosts,
    conflicts,
    days,
    memories,
    passes,
    requests,
    reviews,
    sessions,
    texts,
    tombstones,
    turns,
    versions,
)
from memoryd.storage.database import Transaction
from memoryd.storage.memories import Stored
from memoryd.storage.requests import RequestKey
from memoryd.storage.triples import evidence as triples
from memoryd.storage.triples import rows
from memoryd.storage.turns import StoredTurn

T = TypeVar("T")
_SYSTEM = Compare("category", "eq", "system")


class Gone(TypedDict):
    """What a delete did, as it is kept for a repeated request: ids alone."""

    ids: list[str]
    sources: list[str]
    still: list[str]
    kept: list[str]


class Forget:
    """delete, delete_many, forget and delete_all."""

    def __init__(
        self, parts: Parts, change: Change, removal: Removal, turns: ForgetTurns, knowledge: Knowledge
    ) -> None:
        self._parts = parts
        self._change = change
        self._removal = removal
        self._turns = turns
        self._knowledge = knowledge

    def delete(self, id: str, *, sources: bool, force: bool, scope: Scope, key: RequestKey | None) -> Deleted:
        """Destroy one memory, with `sources` also the turn it came from."""

        def apply(tx: Transaction) -> Gone:
            stored = seen(tx, scope, id)
            if stored.record.category == "system" and not force:
                raise InvalidParameterError(
                    f"force: {id} is a system memory; pass force=True to destroy it",
                    parameter="force",
                    value=False,
                    expected="True",
                )
            said = turns.find(tx.connection, scope, _source_ids([stored]) if sources else [])
            return self._destroy(tx, scope, [stored], list(said.values()))

        return self._receipt(self._write(key, apply))

    def delete_ids(
        self, ids: Sequence[str], *, dry_run: bool, scope: Scope, key: RequestKey | None
    ) -> Deleted:
        """Destroy memories by id, all or none; system memories are left."""
        wanted = list(dict.fromkeys(ids))
        return self._delete(lambda connection: all_known(connection, scope, wanted), dry_run, scope, key)

    def delete_found(self, node: Node, *, dry_run: bool, scope: Scope, key: RequestKey | None) -> Deleted:
        """Destroy the active memories a filter finds; system memories are left."""
        wanted = And((node, Not(_SYSTEM)))

        def found(connection: sqlite3.Connection) -> list[Stored]:
            found_rows = texts.rows_of(connection, "memory", scope, wanted)
            return list(memories.by_rows(connection, scope, found_rows).values())

        return self._delete(found, dry_run, scope, key)

    def forget(self, ids: Sequence[str], scope: Scope, key: RequestKey | None) -> Deleted:
        """Destroy memories, turns and triples by id, all or none; system memories are left."""
        of_memories, of_turns, of_triples = (
            [id for id in dict.fromkeys(ids) if id.startswith(kind)] for kind in ("mem", "trn", "tri")
        )

        def apply(tx: Transaction) -> Gone:
            chosen, kept = _apart(all_known(tx.connection, scope, of_memories))
            said = every(of_turns, turns.find(tx.connection, scope, of_turns), "turn")
            for id in of_triples:  # before what says so, which would take them along
                self._bury_triple(tx, scope, id)
            gone = self._destroy(tx, scope, chosen, said)
            gone_ids = [*gone["ids"], *gone["sources"], *of_triples]
            return {"ids": gone_ids, "sources": [], "still": gone["still"], "kept": kept}

        return self._receipt(self._write(key, apply))

    def would(self, ids: Iterable[str]) -> Deleted:
        """The receipt of what is not carried out."""
        return self._removal.receipt(list(ids))

    def delete_all(self, user_id: str, key: RequestKey | None) -> UserDeleted:
        """Destroy all of a user; the caller removes it physically before it answers."""

        def apply(tx: Transaction) -> dict[str, int]:
            owned = memories.all_of_user(tx.connection, user_id)
            self._parts.lexical.forget_user(tx, user_id)
            self._parts.vectors.forget_user(tx, user_id)
            versions.forget_user(tx, user_id)
            for table in (boosts, conflicts, days, passes, reviews, tombstones, triples):
                table.forget_user(tx, user_id)
            requests.forget_user(tx, user_id)
            memories.remove(tx, (row for row, _ in owned))
            points = self._knowledge.forget_rows(tx, user_id)
            said = turns.forget_user(tx, user_id)
            sessions.forget_user(tx, user_id)
            self._removal.queue(tx, delay=0.0)
            return {"memories": len(owned), "turns": said, "points": points}

        with self._knowledge.saving:  # no version may come between the files and the rows
            known, counts = requests.replied_before(self._parts.database, key)
            if not known:  # or what came since would go
                self._knowledge.forget_files(user_id)
                counts = self._write(key, apply)
        return UserDeleted(user_id=user_id, counts=counts, backups=self._removal.backups())

    def _delete(
        self,
        found: Callable[[sqlite3.Connection], list[Stored]],
        dry_run: bool,
        scope: Scope,
        key: RequestKey | None,
    ) -> Deleted:
        if dry_run:
            with self._parts.database.read() as connection:
                chosen, kept = _apart(found(connection))
            return self._removal.receipt([stored.record.id for stored in chosen], kept=kept)

        def apply(tx: Transaction) -> Gone:
            chosen, kept = _apart(found(tx.connection))
            return {**self._destroy(tx, scope, chosen), "kept": kept}

        return self._receipt(self._write(key, apply))

    def _write(self, key: RequestKey | None, apply: Callable[[Transaction], T]) -> T:
        now = self._parts.clock()
        return self._parts.database.write(lambda tx: requests.once(tx, key, now, lambda: apply(tx)))

    def _receipt(self, gone: Gone | list[str]) -> Deleted:
        """A list is what an older version kept of a request."""
        return self._removal.receipt(gone) if isinstance(gone, list) else self._removal.receipt(**gone)

    def _destroy(
        self, tx: Transaction, scope: Scope, stored: Sequence[Stored], said: Sequence[StoredTurn] = ()
    ) -> Gone:
        """Destroy memories of one user, and turns; leave tombstones for what the memories said."""
        records = [one.record for one in stored]
        tombstones.bury_texts(tx, scope.user_id, records, self._parts.clock())
        gone = self._turns.destroy(tx, said)
        ids = self._change.destroy(tx, stored)
        if ids:
            self._removal.queue(tx)
        still = still_said(tx.connection, self._parts.lexical, scope, records)
        return {"ids": ids, "sources": gone, "still": still, "kept": []}

    def _bury_triple(self, tx: Transaction, scope: Scope, id: str) -> None:
        """Destroy a triple and leave a tombstone."""
        stored = rows.find(tx.connection, replace(scope, archived=True), id)
        if stored is None:
            raise triple_not_found(id)
        triples.bury(tx, scope, stored, self._parts.clock())
        self._removal.queue(tx)


def _apart(chosen: Sequence[Stored]) -> tuple[list[Stored], list[str]]:
    """Those that may go, and the ids of those of category system, which stay."""
    of_system = [one.record.id for one in chosen if one.record.category == "system"]
    return [one for one in chosen if one.record.category != "system"], of_system


def _source_ids(stored: Sequence[Stored]) -> list[str]:
    return [one.record.source_id for one in stored if one.record.source_id is not None]
