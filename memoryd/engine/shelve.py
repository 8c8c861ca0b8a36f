"""Putting memories away, and bringing them back."""

from __future__ import annotations

from dataclasses import replace

from memory_client.errors import InvalidStateError
from memory_client.types import Updated
from memoryd.core.decay import restored
from memoryd.core.record import Record
from memoryd.core.scope import Scope
from memoryd.engine.ageing import age_of
from memoryd.engine.change import Change, seen
from memoryd.engine.entries import screened_reason
from memoryd.engine.parts import Parts
from memoryd.storage import requests
from memoryd.storage.database import Transaction
from memoryd.storage.memories import Stored
from memoryd.storage.requests import RequestKey
from memoryd.storage.versions import Deed


class Shelve:
    """archive and restore."""

    def __init__(self, parts: Parts, change: Change) -> None:
        self._parts = parts
        self._change = change

    def archive(self, id: str, reason: str | None, scope: Scope, key: RequestKey | None) -> Updated:
        """Put an active memory away."""
        now = self._parts.clock()
        deed = Deed("archive", reason=screened_reason(reason))

        def apply(tx: Transaction) -> Updated:
            stored = seen(tx, scope, id)
            require_active(stored.record)
            put_away = replace(stored.record, state="archived", archived_because="user", archived_at=now)
            return self._change.apply(tx, stored, put_away, now, deed)

        return self._parts.database.write(lambda tx: requests.once(tx, key, now, lambda: apply(tx)))

    def restore(self, id: str, reason: str | None, scope: Scope, key: RequestKey | None) -> Updated:
        """Bring an archived memory back."""
        now = self._parts.clock()
        deed = Deed("restore", reason=screened_reason(reason))

        def apply(tx: Transaction) -> Updated:
            stored = seen(tx, scope, id)
            _require_archived(stored.record)
            return self.bring_back(tx, stored, now, deed)

        return self._parts.database.write(lambda tx: requests.once(tx, key, now, lambda: apply(tx)))

    def bring_back(self, tx: Transaction, stored: Stored, now: float, deed: Deed) -> Updated:
        """Make an archived memory active, with a clock that starts anew."""
        effective = age_of(tx.connection, self._parts.calendar, stored, now).effective
        back, was_expired = restored(stored.record, effective, now)
        if was_expired:
            back = replace(back, notices=(*back.notices, "expires_at had passed and was taken away"))
        return self._change.apply(tx, stored, back, now, deed)


def _require_archived(record: Record) -> None:
    if record.state != "archived":
        fix = "; what took its place can be reverted" if record.state == "superseded" else ""
        raise InvalidStateError(
            f"id: {record.id} is {record.state}; expected an archived memory{fix}",
            id=record.id,
            state=record.state,
            expected="archived",
        )


def require_active(record: Record) -> None:
    """Raise `InvalidStateError` for a memory that is archived or superseded."""
    if record.state != "active":
        because = f" ({record.archived_because})" if record.archived_because else ""
        raise InvalidStateError(
            f"id: {record.id} is {record.state}{because}; expected an active memory: restore it first",
            id=record.id,
            state=record.state,
            expected="active",
        )
