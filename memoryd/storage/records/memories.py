"""The memories table. Every query carries the scope: user and agent are no filters but part of the key."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from memoryd.core.filters.grammar import EVERYTHING, Node
from memoryd.core.record import FIELD_NAMES, Record
from memoryd.core.scope import Scope
from memoryd.storage.database import Transaction
from memoryd.storage.records.record_columns import RecordColumns
from memoryd.storage.records.texts import scoped, visible

_COLUMNS = RecordColumns(
    Record,
    FIELD_NAMES,
    lists=("tags", "exact_keys", "warnings"),
    maps=("metadata", "redactions"),
    flags=("verified", "pinned"),
)
_IN_BATCH = 500


@dataclass(frozen=True, slots=True)
class StoredMemory:
    """A record with its place.

    row: what derived stores call it by; text_seq: the text's change number; decay_seq: that of decay_from.
    """

    row: int
    text_seq: int
    record: Record
    indexed: bool
    decay_seq: int = 0


def insert(tx: Transaction, record: Record) -> int:
    """Store a new record; return its row."""
    seqs = dict.fromkeys(("seq", "text_seq", "decay_seq"), tx.seq)
    return tx.insert("memories", _COLUMNS.values(record) | seqs, key="row")


def update(tx: Transaction, row: int, record: Record, *, text_changed: bool) -> None:
    """Overwrite a record."""
    values = _COLUMNS.values(record) | dict.fromkeys(
        ("seq", "text_seq") if text_changed else ("seq",), tx.seq
    )
    assignments = ", ".join(f"{name} = ?" for name in values)
    tx.execute(
        f"UPDATE memories SET {assignments}, "
        "decay_seq = CASE WHEN decay_from = ? THEN decay_seq ELSE ? END WHERE row = ?",
        [*values.values(), record.decay_from, tx.seq, row],
    )


def remove(tx: Transaction, rows: Iterable[int]) -> None:
    """Delete records by row."""
    tx.executemany("DELETE FROM memories WHERE row = ?", ((row,) for row in rows))


def find(connection: sqlite3.Connection, scope: Scope, ids: Sequence[str]) -> dict[str, StoredMemory]:
    """The visible memories of `ids`, by id."""
    owner, params = scoped(scope)
    found: dict[str, StoredMemory] = {}
    for batch in _batches(ids):
        condition = f"{owner} AND m.id IN (SELECT value FROM json_each(?))"
        for stored in _select(connection, condition, [*params, json.dumps(batch)]):
            found[stored.record.id] = stored
    return found


def by_rows(connection: sqlite3.Connection, scope: Scope, rows: Sequence[int]) -> dict[int, StoredMemory]:
    """The active visible memories at `rows`, by row."""
    condition, params = visible("memory", scope, EVERYTHING)
    found: dict[int, StoredMemory] = {}
    for batch in _batches(rows):
        wanted = f"m.row IN (SELECT value FROM json_each(?)) AND {condition}"
        for stored in _select(connection, wanted, [json.dumps(batch), *params], index="NOT INDEXED"):
            found[stored.row] = stored
    return found


def ids_of(connection: sqlite3.Connection, scope: Scope, rows: Sequence[int]) -> dict[int, str]:
    """The ids of the memories at `rows`, by row."""
    owner, params = scoped(scope)
    wanted = f"m.row IN (SELECT value FROM json_each(?)) AND {owner}"
    sql = f"SELECT m.row, m.id FROM memories m NOT INDEXED WHERE {wanted}"
    return {int(row): str(id) for row, id in connection.execute(sql, [json.dumps(rows), *params])}


def scan(
    connection: sqlite3.Connection, scope: Scope, after: tuple[float, str] | None, limit: int
) -> list[StoredMemory]:
    """Active memories oldest first, after `(created_at, id)`."""
    condition, params = visible("memory", scope, EVERYTHING)
    if after is not None:
        condition, params = f"{condition} AND (m.created_at, m.id) > (?, ?)", [*params, *after]
    return _select(connection, condition, params, f"ORDER BY m.created_at, m.id LIMIT {limit:d}")


def changed_since(
    connection: sqlite3.Connection, scope: Scope, since: float, limit: int
) -> list[StoredMemory]:
    """Active memories made or changed at `since` or later, newest first."""
    condition, params = visible("memory", scope, EVERYTHING)
    tail = f"ORDER BY m.updated_at DESC, m.id DESC LIMIT {limit:d}"
    return _select(connection, f"{condition} AND m.updated_at >= ?", [*params, since], tail)


def page(
    connection: sqlite3.Connection,
    scope: Scope,
    node: Node,
    *,
    order: str,
    descending: bool,
    after: tuple[Any, str] | None,
    limit: int,
) -> list[StoredMemory]:
    """Active memories in order, after `(order value, id)`; order must be a known column."""
    condition, params = visible("memory", scope, node)
    direction, sign = ("DESC", "<") if descending else ("ASC", ">")
    if after is not None:
        condition, params = f"{condition} AND (m.{order}, m.id) {sign} (?, ?)", [*params, *after]
    tail = f"ORDER BY m.{order} {direction}, m.id {direction} LIMIT {limit:d}"
    return _select(connection, condition, params, tail)


def count(connection: sqlite3.Connection, scope: Scope, node: Node) -> int:
    """How many active memories fit."""
    condition, params = visible("memory", scope, node)
    return int(connection.execute(f"SELECT count(*) FROM memories m WHERE {condition}", params).fetchone()[0])


def all_of_user(connection: sqlite3.Connection, user_id: str) -> list[tuple[int, str]]:
    """Row and id of every memory of a user, in any state and of any agent."""
    found = connection.execute("SELECT row, id FROM memories WHERE user_id = ? ORDER BY row", (user_id,))
    return [(int(row), str(id)) for row, id in found]


def _select(
    connection: sqlite3.Connection, condition: str, params: list[Any], tail: str = "", index: str = ""
) -> list[StoredMemory]:
    """index: `NOT INDEXED` goes by row numbers; SQLite would rather walk through all of a user's rows."""
    sql = (
        f"SELECT {_COLUMNS.selected}, m.row AS row, m.text_seq AS text_seq, m.decay_seq AS decay_seq, "
        "o.row IS NULL AS indexed "
        f"FROM memories m {index} "
        f"LEFT JOIN outbox o ON o.row = m.row AND o.operation = 'put' AND o.vector IS NULL "
        f"WHERE {condition} {tail}"
    )
    return [_stored(row) for row in connection.execute(sql, params)]


def _stored(row: sqlite3.Row) -> StoredMemory:
    return StoredMemory(
        row["row"], row["text_seq"], _COLUMNS.record(row), bool(row["indexed"]), row["decay_seq"]
    )


def _batches(values: Sequence[Any]) -> Iterable[Sequence[Any]]:
    for start in range(0, len(values), _IN_BATCH):
        yield values[start : start + _IN_BATCH]
