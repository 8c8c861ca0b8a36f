"""Versions of memories: a line for each, and the whole record of those that are no longer current.

Of a history that grew too long the oldest versions are gone; the line of version 1 stays, as it says since
when the memory is known.
"""

from __future__ import annotations

import functools
import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import msgspec

from memory_client.errors import HistoryLimitError
from memoryd.core.operators import CALLER
from memoryd.core.record import FIELD_NAMES, Record
from memoryd.core.scope import Scope
from memoryd.language.fold import hash_form
from memoryd.storage.database import Transaction
from memoryd.storage.records.texts import scoped
from memoryd.storage.salt import salted_hash

Operation = Literal["create", "update", "archive", "restore", "promote", "merge", "supersede", "revert"]


@dataclass(frozen=True, slots=True)
class Cause:
    """What makes a version. operator: the caller's own name, `decay`, `system` or `review:` with a name."""

    operation: Operation
    operator: str = CALLER
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class MemoryVersion:
    """A version of a memory. record: None for the current one, which the memory itself holds."""

    number: int
    cause: Cause
    at: float
    changed: tuple[str, ...]
    record: Record | None


@dataclass(frozen=True, slots=True)
class FormerVersion:
    """A memory as of a time, if it was changed later. record: None if that version is no longer kept."""

    row: int
    id: str
    record: Record | None


def append(tx: Transaction, record: Record, cause: Cause, changed: list[str], before: Record | None) -> None:
    """Add the version of `record`; `before` is the record it replaces, whose snapshot is kept."""
    if before is not None:
        tx.execute(
            "UPDATE versions SET snapshot = ? WHERE user_id = ? AND memory_id = ? AND version = ?",
            (_snapshot(before), before.user_id, before.id, before.version),
        )
        if record.history_from > before.history_from:
            _merge(tx, record)
    tx.execute(
        "INSERT INTO versions (user_id, memory_id, version, operation, at, changed, operator, reason, hash) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            record.user_id,
            record.id,
            record.version,
            cause.operation,
            record.updated_at,
            json.dumps(changed) if changed else None,
            cause.operator,
            cause.reason,
            hash_of(tx.connection, record.text),
        ),
    )


def hash_of(connection: sqlite3.Connection, text: str) -> bytes:
    """The hash of a text: equal for texts of one normal form, and telling nothing else."""
    return salted_hash(connection, hash_form(text).encode())


def history(connection: sqlite3.Connection, record: Record, before: int, limit: int) -> list[MemoryVersion]:
    """The newest versions of a memory below a number, oldest first."""
    found = connection.execute(
        f"SELECT {_VERSION} FROM versions WHERE user_id = ? AND memory_id = ? AND version >= ? "
        "AND version < ? ORDER BY version DESC LIMIT ?",
        (record.user_id, record.id, record.history_from, before, limit),
    ).fetchall()
    return [_version(*row) for row in reversed(found)]


def versions_by_number(
    connection: sqlite3.Connection, record: Record, numbers: Sequence[int]
) -> dict[int, MemoryVersion]:
    """Some of the versions of a memory, by number; unknown ones are left out.

    Raises `HistoryLimitError` for one that is no longer kept.
    """
    merged = [number for number in numbers if 1 <= number < record.history_from]
    if merged:
        raise _no_longer_told(record, f"version {merged[0]}")
    marks = ", ".join("?" * len(numbers))
    found = connection.execute(
        f"SELECT {_VERSION} FROM versions WHERE user_id = ? AND memory_id = ? AND version IN ({marks})",
        (record.user_id, record.id, *numbers),
    )
    return {one.number: one for one in (_version(*row) for row in found)}


def records_by_number(
    connection: sqlite3.Connection, record: Record, numbers: Sequence[int]
) -> dict[int, Record]:
    """What a memory was at some of its versions, as `chosen`."""
    return {
        number: one.record or record
        for number, one in versions_by_number(connection, record, numbers).items()
    }


def version_at(connection: sqlite3.Connection, record: Record, at: float) -> Record | None:
    """What was known of a memory at a time, None for nothing yet. record: the current one.

    Raises `HistoryLimitError` for a time whose version is no longer kept.
    """
    if record.updated_at <= at:
        return record
    row = connection.execute(
        "SELECT version, snapshot FROM versions WHERE user_id = ? AND memory_id = ? AND at <= ? "
        "ORDER BY version DESC LIMIT 1",
        (record.user_id, record.id, at),
    ).fetchone()
    if row is None:
        return None
    if row[0] < record.history_from:
        raise _no_longer_told(record, "that time")
    return _record(row[1])


def former_versions(connection: sqlite3.Connection, scope: Scope, at: float) -> Iterator[FormerVersion]:
    """What was known, at a time, of the memories in a scope that were changed after it, in any state."""
    owner, params = scoped(scope)
    sql = (
        "SELECT m.row, m.id, CASE WHEN v.version < m.history_from THEN NULL ELSE v.snapshot END "
        "FROM memories m JOIN versions v ON v.user_id = m.user_id AND v.memory_id = m.id "
        f"WHERE {owner} AND m.updated_at > ? AND v.version = (SELECT max(w.version) FROM versions w "
        "WHERE w.user_id = m.user_id AND w.memory_id = m.id AND w.at <= ?)"
    )
    for row, id, snapshot in connection.execute(sql, [*params, at, at]):
        yield FormerVersion(row, id, None if snapshot is None else _record(snapshot))


def ids_with_text(connection: sqlite3.Connection, scope: Scope, text: str) -> list[str]:
    """Ids of the memories in a scope that say a text, or said it in one of their versions."""
    owner, params = scoped(scope)
    # CROSS JOIN: left to itself SQLite walks through all of the user's memories
    sql = (
        "SELECT DISTINCT m.id FROM versions v "
        "CROSS JOIN memories m ON m.user_id = v.user_id AND m.id = v.memory_id "
        f"WHERE v.user_id = ? AND v.hash = ? AND v.version >= m.history_from AND {owner} ORDER BY m.id"
    )
    found = connection.execute(sql, [scope.user_id, hash_of(connection, text), *params])
    return [str(id) for (id,) in found]


def hashes(connection: sqlite3.Connection, user_id: str, ids: Sequence[str]) -> list[bytes]:
    """The hashes of the texts of former versions; schema 2 has none."""
    found = connection.execute(
        "SELECT DISTINCT hash, CASE WHEN hash IS NULL THEN snapshot END FROM versions "
        "WHERE user_id = ? AND memory_id IN (SELECT value FROM json_each(?)) "
        "AND coalesce(hash, snapshot) IS NOT NULL",
        (user_id, json.dumps(ids)),
    )
    return [
        hash_of(connection, _record(snapshot).text) if hash is None else bytes(hash)
        for hash, snapshot in found.fetchall()
    ]


def remove(tx: Transaction, user_id: str, ids: Iterable[str]) -> None:
    """Destroy all versions of memories."""
    tx.executemany("DELETE FROM versions WHERE user_id = ? AND memory_id = ?", ((user_id, id) for id in ids))


def forget_user(tx: Transaction, user_id: str) -> None:
    """Destroy all versions of a user's memories."""
    tx.execute("DELETE FROM versions WHERE user_id = ?", (user_id,))


_VERSION = "version, operation, operator, reason, at, changed, snapshot"


def _version(
    number: int,
    operation: Operation,
    operator: str,
    reason: str | None,
    at: float,
    changed: str | None,
    snapshot: str | None,
) -> MemoryVersion:
    return MemoryVersion(
        number,
        Cause(operation, operator, reason),
        at,
        tuple(json.loads(changed)) if changed else (),
        None if snapshot is None else _record(snapshot),
    )


def _merge(tx: Transaction, record: Record) -> None:
    """Let go of what lies before `history_from`, but for the line of version 1."""
    place = (record.user_id, record.id)
    tx.execute(
        "DELETE FROM versions WHERE user_id = ? AND memory_id = ? AND version > 1 AND version < ?",
        (*place, record.history_from),
    )
    tx.execute(
        "UPDATE versions SET snapshot = NULL, reason = NULL, changed = NULL, hash = NULL "
        "WHERE user_id = ? AND memory_id = ? AND version = 1",
        place,
    )


def _no_longer_told(record: Record, what: str) -> HistoryLimitError:
    return HistoryLimitError(
        f"{what} of {record.id} is no longer kept: its history goes back to version "
        f"{record.history_from} (setting versions.limit)",
        id=record.id,
        history_from=record.history_from,
    )


def _snapshot(record: Record) -> str:
    fields = {name: getattr(record, name) for name in FIELD_NAMES}  # `asdict` copies deep: a third of a pass
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))


def _record(snapshot: str) -> Record:
    """Fields that came later have their defaults."""
    return _decoder().decode(snapshot)


@functools.cache
def _decoder() -> msgspec.json.Decoder[Record]:
    return msgspec.json.Decoder(Record)
