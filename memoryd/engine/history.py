"""What memories were: their versions, told, compared and brought back."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from typing import Any, cast

from memory_client.errors import NotFoundError
from memory_client.types import Comparison, Difference, TextPiece, Updated, Version
from memoryd.core.decay import moved
from memoryd.core.record import Record, changed_fields, metadata_out
from memoryd.core.scope import Scope
from memoryd.core.textdiff import readable, text_diff
from memoryd.engine.ageing import age_of
from memoryd.engine.change import Change, known, seen
from memoryd.engine.entries import screened_reason
from memoryd.engine.parts import Parts
from memoryd.engine.shelve import require_active
from memoryd.storage import requests, versions
from memoryd.storage.database import Transaction
from memoryd.storage.requests import RequestKey
from memoryd.storage.versions import Deed

_NEWEST = 2**62
SAID = (
    "text",
    "metadata",
    "category",
    "kind",
    "confidence",
    "verified",
    "source",
    "source_id",
    "tags",
    "exact_keys",
    "position",
    "event_start",
    "event_end",
    "valid_from",
    "valid_to",
    "expires_at",
    "notices",
    "gate",
)
"""What a memory says; the other fields are its place and its life."""


class History:
    """history, compare and revert."""

    def __init__(self, parts: Parts, change: Change) -> None:
        self._parts = parts
        self._change = change

    def history(self, id: str, scope: Scope, before: int | None, limit: int) -> list[Version]:
        """The newest versions below a number, oldest first."""
        with self._parts.database.read() as connection:
            current = known(connection, scope, id).record
            found = versions.history(connection, current, _NEWEST if before is None else before, limit)
        return [_version(one, one.record or current) for one in found]

    def compare(self, id: str, scope: Scope, a: int | None, b: int | None) -> Comparison:
        """How two versions differ, by default the newest and the one before."""
        with self._parts.database.read() as connection:
            current = known(connection, scope, id).record
            later = current.version if b is None else b
            earlier = max(current.history_from, later - 1) if a is None else a
            told = versions.told(connection, current, [earlier, later])
        old, new = _version_of(told, current, earlier), _version_of(told, current, later)
        pieces = text_diff(old.text, new.text)
        return Comparison(
            id=id,
            a=earlier,
            b=later,
            text=[TextPiece(op=one.op, a=one.a, b=one.b) for one in pieces],
            readable=readable(pieces),
            fields=_fields_apart(old, new),
            metadata=_apart(old.metadata, new.metadata),
        )

    def revert(self, id: str, to: int, reason: str | None, scope: Scope, key: RequestKey | None) -> Updated:
        """Make what a version said the next one."""
        now = self._parts.clock()
        deed = Deed("revert", reason=screened_reason(reason))
        with self._parts.database.read() as connection:
            done, reply = requests.earlier_reply(connection, key)
            if done:
                return cast(Updated, reply)
            wanted = _told(connection, known(connection, scope, id).record, to)
        embedded = self._parts.meaning.embed_in_time(wanted.text, self._parts.limits.add_cap)

        def apply(tx: Transaction) -> Updated:
            stored = seen(tx, scope, id)
            require_active(stored.record)
            said = _told(tx.connection, stored.record, to)
            new = replace(stored.record, **{name: getattr(said, name) for name in SAID})
            age = age_of(tx.connection, self._parts.calendar, stored, now)
            new = moved(stored.record, new, age.effective, age.days, now)
            return self._change.apply(tx, stored, new, now, deed, embedded)

        return self._parts.database.write(lambda tx: requests.once(tx, key, now, lambda: apply(tx)))


def _told(connection: sqlite3.Connection, current: Record, number: int) -> Record:
    return _version_of(versions.told(connection, current, [number]), current, number)


def _version_of(told: dict[int, Record], current: Record, number: int) -> Record:
    if number not in told:
        there = f"{current.history_from} to {current.version}" if current.version > 1 else "version 1 alone"
        raise NotFoundError(
            f"no version {number} of {current.id}; there is {there}",
            id=current.id,
            version=number,
            versions=[current.history_from, current.version],
        )
    return told[number]


def _version(version: versions.Version, record: Record) -> Version:
    return Version(
        version=version.number,
        operation=version.deed.operation,
        operator=version.deed.operator,
        reason=version.deed.reason,
        at=version.at,
        changed=list(version.changed),
        text=record.text,
        metadata=metadata_out(record),
        state=record.state,
    )


def _fields_apart(old: Record, new: Record) -> dict[str, Difference]:
    names = [name for name in changed_fields(old, new) if name not in ("text", "metadata")]
    return {name: Difference(a=_plain(old, name), b=_plain(new, name)) for name in names}


def _plain(record: Record, name: str) -> Any:
    value = getattr(record, name)
    return list(value) if isinstance(value, tuple) else value


def _apart(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Difference]:
    found: dict[str, Difference] = {}
    for key in sorted(old.keys() | new.keys()):
        if key not in new:
            found[key] = Difference(a=old[key])
        elif key not in old:
            found[key] = Difference(b=new[key])
        elif old[key] != new[key]:
            found[key] = Difference(a=old[key], b=new[key])
    return found
