"""Destroying memories: in one transaction everywhere, physically within the hour, or at once for a user."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from typing import TypeVar

from memory_client.errors import InvalidParameterError
from memory_client.types import Deleted, UserDeleted
from memoryd.core.filters import And, Compare, Node, Not
from memoryd.core.scope import Scope
from memoryd.engine.change import Change, not_found, seen
from memoryd.engine.knowledge import Knowledge
from memoryd.engine.parts import Parts
from memoryd.engine.removal import Removal
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

T = TypeVar("T")
_SYSTEM = Compare("category", "eq", "system")


class Forget:
    """delete, delete_many and delete_all."""

    def __init__(self, parts: Parts, change: Change, removal: Removal, knowledge: Knowledge) -> None:
        self._parts = parts
        self._change = change
        self._removal = removal
        self._knowledge = knowledge

    def delete(self, id: str, *, force: bool, scope: Scope, key: RequestKey | None) -> Deleted:
        """Destroy one memory."""

        def apply(tx: Transaction) -> list[str]:
            stored = seen(tx, scope, id)
            if stored.record.category == "system" and not force:
                raise InvalidParameterError(
                    f"force: {id} is a system memory; pass force=True to destroy it",
                    parameter="force",
                    value=False,
                    expected="True",
                )
            return self._destroy(tx, [stored])

        return self._removal.receipt(self._write(key, apply))

    def delete_ids(
        self, ids: Sequence[str], *, dry_run: bool, scope: Scope, key: RequestKey | None
    ) -> Deleted:
        """Destroy memories by id, all or none; system memories are left."""
        wanted = list(dict.fromkeys(ids))

        def found(connection: sqlite3.Connection) -> list[Stored]:
            stored = memories.find(connection, scope, wanted)
            unknown = [id for id in wanted if id not in stored]
            if unknown:
                raise not_found(unknown)
            return [stored[id] for id in wanted if stored[id].record.category != "system"]

        return self._delete(found, dry_run, key)

    def delete_found(self, node: Node, *, dry_run: bool, scope: Scope, key: RequestKey | None) -> Deleted:
        """Destroy the active memories a filter finds; system memories are left."""
        wanted = And((node, Not(_SYSTEM)))

        def found(connection: sqlite3.Connection) -> list[Stored]:
            rows = texts.rows_of(connection, "memory", scope, wanted)
            return list(memories.by_rows(connection, scope, rows).values())

        return self._delete(found, dry_run, key)

    def delete_all(self, user_id: str, key: RequestKey | None) -> UserDeleted:
        """Destroy all of a user; the caller removes it physically before it answers."""

        def apply(tx: Transaction) -> dict[str, int]:
            rows = memories.all_of_user(tx.connection, user_id)
            self._parts.lexical.forget_user(tx, user_id)
            self._parts.vectors.forget_user(tx, user_id)
            versions.forget_user(tx, user_id)
            for table in (boosts, conflicts, days, passes, reviews, tombstones, triples):
                table.forget_user(tx, user_id)
            requests.forget_user(tx, user_id)
            memories.remove(tx, (row for row, _ in rows))
            points = self._knowledge.forget_rows(tx, user_id)
            said = turns.forget_user(tx, user_id)
            sessions.forget_user(tx, user_id)
            self._removal.queue(tx, delay=0.0)
            return {"memories": len(rows), "turns": said, "points": points}

        self._knowledge.forget_files(user_id)
        return UserDeleted(user_id=user_id, counts=self._write(key, apply), backups=self._removal.backups())

    def _delete(
        self, found: Callable[[sqlite3.Connection], list[Stored]], dry_run: bool, key: RequestKey | None
    ) -> Deleted:
        if dry_run:
            with self._parts.database.read() as connection:
                return self._removal.receipt([stored.record.id for stored in found(connection)])
        return self._removal.receipt(self._write(key, lambda tx: self._destroy(tx, found(tx.connection))))

    def _write(self, key: RequestKey | None, apply: Callable[[Transaction], T]) -> T:
        now = self._parts.clock()
        return self._parts.database.write(lambda tx: requests.once(tx, key, now, lambda: apply(tx)))

    def _destroy(self, tx: Transaction, stored: Sequence[Stored]) -> list[str]:
        ids = self._change.destroy(tx, stored)
        if ids:
            self._removal.queue(tx)
        return ids
