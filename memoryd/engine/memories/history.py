"""The versions of memories: listed, compared and restored."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

from memory_client.errors import NotFoundError
from memory_client.types import (
    Comparison,
    Difference,
    TextPiece,
    UpdateResult,
    Version,
    VersionDiff,
    VersionInfo,
)
from memoryd.core.life.decay import carry_decay
from memoryd.core.record import Record, changed_fields, public_metadata
from memoryd.core.scope import Scope
from memoryd.engine.author import Author
from memoryd.engine.context import Parts
from memoryd.engine.decay.effective_importance import age_of
from memoryd.engine.memories.archive import require_active
from memoryd.engine.memories.memory_writer import MemoryWriter, get_memory, unknown_ids_error
from memoryd.language.text_diff import Piece, readable, text_diff
from memoryd.storage import requests
from memoryd.storage.connection import Connection
from memoryd.storage.database import Transaction
from memoryd.storage.records import deletions, memories, versions
from memoryd.storage.requests import RequestKey

_NEWEST = 2**62
CONTENT_FIELDS = (
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
    "warnings",
    "redactions",
)
"""The content of a memory; the other fields are its owner and its life cycle."""


class VersionHistory:
    """history, compare and revert."""

    def __init__(self, parts: Parts, writer: MemoryWriter) -> None:
        self._parts = parts
        self._writer = writer

    def history(self, id: str, scope: Scope, before: int | None, limit: int) -> list[Version]:
        """The newest versions below a number, oldest first."""
        with self._parts.database.read() as connection:
            current = _existing(connection, scope, id)
            found = versions.history(connection, current, _NEWEST if before is None else before, limit + 1)
        told = [(one, one.record or current) for one in found]
        earlier = [None, *(record for _, record in told)]
        shown = [_version(*one, was) for one, was in zip(told, earlier, strict=False)]
        return shown[-limit:]

    def compare(self, id: str, scope: Scope, a: int | None, b: int | None) -> Comparison:
        """How two versions differ, by default the newest and the one before."""
        with self._parts.database.read() as connection:
            current = _existing(connection, scope, id)
            later = current.version if b is None else b
            earlier = max(current.history_from, later - 1) if a is None else a
            told = versions.versions_by_number(connection, current, [earlier, later])
        first, second = _one_of(told, current, earlier), _one_of(told, current, later)
        old, new = first.record or current, second.record or current
        pieces = text_diff(old.text, new.text)
        fields, metadata = _fields_apart(old, new), _apart(old.metadata, new.metadata)
        return Comparison(
            id=id,
            a=earlier,
            b=later,
            first=_info(first, old),
            second=_info(second, new),
            change_count=_changes(pieces) + len(fields) + len(metadata),
            text=[TextPiece(op=one.op, a=one.a, b=one.b) for one in pieces],
            readable=readable(pieces),
            fields=fields,
            metadata=metadata,
        )

    def revert(self, id: str, to: int, author: Author, scope: Scope, key: RequestKey | None) -> UpdateResult:
        """Make the content of an old version the newest one."""
        now, cause = self._parts.clock(), author.cause("revert")
        with self._parts.database.read() as connection:
            done, reply = requests.find_reply(connection, key)
            if done:
                return cast(UpdateResult, reply)
            wanted = _told(connection, get_memory(connection, scope, id).record, to)
        embedded = self._parts.meaning.embed_in_time(wanted.text, self._parts.limits.add_cap)

        def apply(tx: Transaction) -> UpdateResult:
            stored = get_memory(tx.connection, scope, id)
            require_active(stored.record)
            said = _told(tx.connection, stored.record, to)
            new = replace(stored.record, **{name: getattr(said, name) for name in CONTENT_FIELDS})
            age = age_of(tx.connection, self._parts.calendar, stored, now)
            new = carry_decay(stored.record, new, age.effective, age.days, now, self._parts.decay)
            return self._writer.apply(tx, stored, new, now, cause, embedded)

        return self._parts.write_once(key, apply, now)


def _told(connection: Connection, current: Record, number: int) -> Record:
    return (
        _one_of(versions.versions_by_number(connection, current, [number]), current, number).record or current
    )


def _existing(connection: Connection, scope: Scope, id: str) -> Record:
    """A memory the scope sees. Raises `NotFoundError`, which names who deleted it, when and why, if so."""
    stored = memories.find(connection, scope, [id]).get(id)
    if stored is not None:
        return stored.record
    gone = deletions.find(connection, scope, id)
    if gone is None:
        raise unknown_ids_error([id])
    why = f": {gone.reason}" if gone.reason else ""
    raise NotFoundError(
        f"no memory {id}: {gone.operator} deleted it at {gone.at:.0f} (epoch seconds){why}",
        id=id,
        deleted_at=gone.at,
        operator=gone.operator,
        reason=gone.reason,
    )


def _one_of(told: dict[int, versions.MemoryVersion], current: Record, number: int) -> versions.MemoryVersion:
    if number not in told:
        there = f"{current.history_from} to {current.version}" if current.version > 1 else "version 1 alone"
        raise NotFoundError(
            f"no version {number} of {current.id}; there is {there}",
            id=current.id,
            version=number,
            versions=[current.history_from, current.version],
        )
    return told[number]


def _info(version: versions.MemoryVersion, record: Record) -> VersionInfo:
    return VersionInfo(
        id=f"ver_{record.id.partition('_')[2]}.{version.number}",
        version=version.number,
        operation=version.cause.operation,
        operator=version.cause.operator,
        reason=version.cause.reason,
        at=version.at,
        content_hash=hashlib.sha256(record.text.encode()).hexdigest(),
    )


def _version(version: versions.MemoryVersion, record: Record, before: Record | None) -> Version:
    return Version(
        **_info(version, record),
        changed=list(version.changed),
        diff=None if before is None else _diff(before, record),
        text=record.text,
        metadata=public_metadata(record),
        state=record.state,
    )


def _diff(old: Record, new: Record) -> VersionDiff:
    pieces = text_diff(old.text, new.text) if old.text != new.text else []
    fields, metadata = _fields_apart(old, new), _apart(old.metadata, new.metadata)
    return VersionDiff(
        readable=readable(pieces) if pieces else None,
        fields=fields,
        metadata=metadata,
        change_count=_changes(pieces) + len(fields) + len(metadata),
    )


def _changes(pieces: Sequence[Piece]) -> int:
    return sum(piece.op != "equal" for piece in pieces)


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
