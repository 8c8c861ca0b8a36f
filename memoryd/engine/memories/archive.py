"""Archiving memories and restoring them."""

from __future__ import annotations

from dataclasses import replace

from memory_client.errors import InvalidStateError
from memory_client.types import UpdateResult
from memoryd.core.filters.grammar import Compare
from memoryd.core.life.decay import restore
from memoryd.core.record import Record
from memoryd.core.scope import Scope
from memoryd.engine.author import Author
from memoryd.engine.context import Parts
from memoryd.engine.decay.effective_importance import age_of
from memoryd.engine.memories.memory_writer import MemoryWriter, get_memory
from memoryd.storage.connection import Connection
from memoryd.storage.database import Transaction
from memoryd.storage.records import memories, versions
from memoryd.storage.records.memories import StoredMemory
from memoryd.storage.records.versions import Cause
from memoryd.storage.requests import RequestKey


class MemoryArchive:
    """archive and restore."""

    def __init__(self, parts: Parts, writer: MemoryWriter) -> None:
        self._parts = parts
        self._writer = writer

    def archive(self, id: str, author: Author, scope: Scope, key: RequestKey | None) -> UpdateResult:
        """Archive an active memory."""
        now = self._parts.clock()
        cause = author.cause("archive")

        def apply(tx: Transaction) -> UpdateResult:
            stored = get_memory(tx.connection, scope, id)
            require_active(stored.record)
            put_away = replace(stored.record, state="archived", archived_because="user", archived_at=now)
            return self._writer.apply(tx, stored, put_away, now, cause)

        return self._parts.write_once(key, apply, now)

    def restore(self, id: str, author: Author, scope: Scope, key: RequestKey | None) -> UpdateResult:
        """Restore an archived memory, or a superseded one whose successors are not active."""
        now = self._parts.clock()
        cause = author.cause("restore")

        def apply(tx: Transaction) -> UpdateResult:
            stored = get_memory(tx.connection, scope, id)
            if stored.record.state == "superseded":
                _require_nothing_in_its_place(tx.connection, scope, stored.record)
                valid_to = _valid_to_before(tx.connection, stored.record)
                return self._back(tx, stored, replace(stored.record, valid_to=valid_to), now, cause)
            _require_archived(stored.record)
            return self.bring_back(tx, stored, now, cause)

        return self._parts.write_once(key, apply, now)

    def bring_back(self, tx: Transaction, stored: StoredMemory, now: float, cause: Cause) -> UpdateResult:
        """Make an archived memory active; its decay starts again."""
        return self._back(tx, stored, stored.record, now, cause)

    def _back(
        self, tx: Transaction, stored: StoredMemory, record: Record, now: float, cause: Cause
    ) -> UpdateResult:
        """record: what comes back."""
        effective = age_of(tx.connection, self._parts.calendar, stored, now).effective
        back, was_expired = restore(record, effective, now, self._parts.decay)
        if was_expired:
            back = replace(back, warnings=(*back.warnings, "expires_at had passed and was taken away"))
        return self._writer.apply(tx, stored, back, now, cause)


def _require_archived(record: Record) -> None:
    if record.state != "archived":
        raise InvalidStateError(
            f"id: {record.id} is {record.state}; expected an archived or superseded memory",
            id=record.id,
            state=record.state,
            expected="archived",
        )


def _require_nothing_in_its_place(connection: Connection, scope: Scope, record: Record) -> None:
    """Raise `InvalidStateError` while another of the same chain is active."""
    of_chain = Compare("root_id", "eq", record.root_id)
    active = replace(scope, archived=False)
    found = memories.page(
        connection, active, of_chain, order="created_at", descending=True, after=None, limit=1
    )
    if found:
        successor = found[0].record.id
        raise InvalidStateError(
            f"id: {record.id} is superseded, {successor} has taken its place; "
            f"expected that {successor} is archived or deleted first, then {record.id} can be restored",
            id=record.id,
            state=record.state,
            successor=successor,
            expected="a successor that is not active",
        )


def _valid_to_before(connection: Connection, record: Record) -> float | None:
    """The `valid_to` of a memory before it was superseded, unless it was changed since."""
    ended = [
        one.number
        for one in versions.history(connection, record, record.version + 1, record.version)
        if one.cause.operation == "supersede"
    ]
    at = ended[-1] if ended else record.version
    told = versions.records_by_number(connection, record, [max(at - 1, record.history_from), at])
    return told[min(told)].valid_to if told[at].valid_to == record.valid_to else record.valid_to


def require_active(record: Record) -> None:
    """Raise `InvalidStateError` for a memory that is archived or superseded."""
    if record.state != "active":
        because = f" ({record.archived_because})" if record.archived_because else ""
        fix = "restore it first"
        if record.state == "superseded":
            fix = "take what took its place (restore names it), or archive that and restore this one"
        raise InvalidStateError(
            f"id: {record.id} is {record.state}{because}; expected an active memory: {fix}",
            id=record.id,
            state=record.state,
            expected="active",
        )
