"""Destroys turns everywhere in one transaction, and queues the turns after them for re-embedding."""

from __future__ import annotations

from collections.abc import Sequence

from memory_client.types import DeleteResult
from memoryd.core.scope import Scope
from memoryd.engine.context import Parts
from memoryd.engine.conversations.session_end import get_sessions
from memoryd.engine.deletion.removal import PhysicalRemoval
from memoryd.engine.memories.memory_writer import require_all
from memoryd.engine.triples import evidence
from memoryd.storage.database import Transaction
from memoryd.storage.records import sessions, turns
from memoryd.storage.records.turns import StoredTurn
from memoryd.storage.requests import RequestKey


class TurnDeletion:
    """delete, of turns and of sessions."""

    def __init__(self, parts: Parts, removal: PhysicalRemoval) -> None:
        self._parts = parts
        self._removal = removal

    def delete(self, ids: Sequence[str], scope: Scope, key: RequestKey | None) -> DeleteResult:
        """Destroy turns by id, all or none."""
        wanted = list(dict.fromkeys(ids))

        def apply(tx: Transaction) -> list[str]:
            return self.destroy(tx, require_all(wanted, turns.find(tx.connection, scope, wanted), "turn"))

        return self._removal.receipt(self._parts.write_once(key, apply))

    def delete_session(self, session_id: str, scope: Scope, key: RequestKey | None) -> DeleteResult:
        """Destroy a session with all its turns."""

        def apply(tx: Transaction) -> list[str]:
            numbers = [one.number for one in get_sessions(tx.connection, scope, session_id)]
            ids = self.destroy(tx, turns.of_sessions(tx.connection, numbers))
            sessions.remove(tx, numbers)
            return ids

        return self._removal.receipt(self._parts.write_once(key, apply))

    def destroy(self, tx: Transaction, stored: Sequence[StoredTurn]) -> list[str]:
        """Destroy turns of one user; return their ids."""
        remembered = [one for one in stored if one.record.remembered]
        for one in remembered:
            self._parts.lexical.remove(tx, one.record.user_id, one.row, one.record.text)
        if remembered:
            user_id = remembered[0].record.user_id
            self._parts.vectors.unstage(tx, user_id, [one.row for one in remembered])
        if stored:
            evidence.withdraw_evidence(tx, stored[0].record.user_id, [one.row for one in stored])
        turns.remove(tx, [one.row for one in stored])
        self._renew_context(tx, remembered)
        if stored:
            self._removal.queue(tx)
        return [one.record.id for one in stored]

    def _renew_context(self, tx: Transaction, gone: Sequence[StoredTurn]) -> None:
        """Re-embed the turns after the deleted ones, which were part of their vectors."""
        behind = turns.following_turns(tx.connection, gone)
        turns.mark_for_embedding(tx, behind)
        for row, agent_id in behind.items():
            self._parts.meaning.stage(tx, gone[0].record.user_id, row, agent_id, None)
