"""The turns table. As with memories, every query of a caller carries the scope."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from memoryd.core.filters.grammar import EVERYTHING, Node
from memoryd.core.passage import Passage, turn_line
from memoryd.core.scope import Scope
from memoryd.core.turn import TURN_FIELDS, TurnRecord
from memoryd.storage.database import Transaction
from memoryd.storage.records.record_columns import RecordColumns
from memoryd.storage.records.texts import CONTEXT_CHARS, CONTEXT_TURNS, scoped, visible

_COLUMNS = RecordColumns(
    TurnRecord, TURN_FIELDS, lists=("warnings",), maps=("metadata", "redactions"), flags=("remembered",)
)


@dataclass(frozen=True, slots=True)
class StoredTurn:
    """A turn with its place. row: what derived stores call it by; session: its session's number."""

    row: int
    session: int
    record: TurnRecord
    indexed: bool


@dataclass(frozen=True, slots=True)
class ContextTurn:
    """A remembered turn as it is read."""

    row: int
    line: str


def insert(tx: Transaction, record: TurnRecord, session: int) -> int:
    """Store a new turn; return its row."""
    seqs = dict.fromkeys(("seq", "text_seq"), tx.seq)
    return tx.insert("turns", _COLUMNS.values(record) | {"session": session} | seqs, key="row")


def find(connection: sqlite3.Connection, scope: Scope, ids: Sequence[str]) -> dict[str, StoredTurn]:
    """The visible turns of `ids`, by id."""
    owner, params = scoped(scope)
    condition = f"{owner} AND m.id IN (SELECT value FROM json_each(?))"
    return {one.record.id: one for one in _select(connection, condition, [*params, json.dumps(ids)])}


def by_rows(connection: sqlite3.Connection, scope: Scope, rows: Sequence[int]) -> dict[int, StoredTurn]:
    """The remembered visible turns at `rows`, by row."""
    condition, params = visible("turn", scope, EVERYTHING)
    wanted = f"m.row IN (SELECT value FROM json_each(?)) AND {condition}"
    return {
        one.row: one for one in _select(connection, wanted, [json.dumps(rows), *params], index="NOT INDEXED")
    }


def of_sessions(connection: sqlite3.Connection, numbers: Sequence[int]) -> list[StoredTurn]:
    """All turns of sessions, in order."""
    condition = "m.session IN (SELECT value FROM json_each(?))"
    return _select(connection, condition, [json.dumps(numbers)], "ORDER BY m.row")


def window(connection: sqlite3.Connection, scope: Scope, session_id: str, limit: int) -> list[StoredTurn]:
    """The newest turns of a session in order, those not to be remembered too."""
    owner, params = scoped(scope)
    tail = f"ORDER BY m.row DESC LIMIT {limit:d}"
    return _select(connection, f"{owner} AND m.session_id = ?", [*params, session_id], tail)[::-1]


def page(
    connection: sqlite3.Connection,
    scope: Scope,
    node: Node,
    *,
    in_session: bool,
    descending: bool,
    after: tuple[float, int] | None,
    limit: int,
) -> list[StoredTurn]:
    """Remembered turns by time, after `(created_at, row)`.

    in_session: the node asks for one; SQLite would rather walk through all of a user's turns in order.
    """
    condition, params = visible("turn", scope, node)
    direction, sign = ("DESC", "<") if descending else ("ASC", ">")
    if after is not None:
        condition, params = f"{condition} AND (m.created_at, m.row) {sign} (?, ?)", [*params, *after]
    tail = f"ORDER BY m.created_at {direction}, m.row {direction} LIMIT {limit:d}"
    return _select(connection, condition, params, tail, "INDEXED BY turns_by_session" if in_session else "")


def count(connection: sqlite3.Connection, scope: Scope, node: Node) -> int:
    """How many remembered turns fit."""
    condition, params = visible("turn", scope, node)
    return int(connection.execute(f"SELECT count(*) FROM turns m WHERE {condition}", params).fetchone()[0])


def last_turns(connection: sqlite3.Connection, session: int) -> list[ContextTurn]:
    """The last remembered turns of a session, as many as the next one is read with."""
    found = connection.execute(
        "SELECT row, speaker, text FROM turns WHERE session = ? AND remembered = 1 "
        f"ORDER BY position DESC LIMIT {CONTEXT_TURNS}",
        (session,),
    ).fetchall()
    return [ContextTurn(int(row), turn_line(speaker, text)) for row, speaker, text in reversed(found)]


def passages_of(before: Sequence[ContextTurn], lines: Sequence[str]) -> list[Passage]:
    """What is embedded of new turns, as `texts.passages` will have it. before: `last_turns`."""
    said = [*(one.line for one in before), *lines]
    starts = range(len(before), len(said))
    return [Passage(said[i], _context(said[max(0, i - CONTEXT_TURNS) : i])) for i in starts]


def _context(lines: Sequence[str]) -> str:
    return "\n".join(one[:CONTEXT_CHARS] for one in lines)


def following_turns(connection: sqlite3.Connection, gone: Iterable[StoredTurn]) -> dict[int, str | None]:
    """Row and agent of the turns that were read with these, which are no longer there."""
    found: dict[int, str | None] = {}
    for one in gone:
        rows = connection.execute(
            "SELECT row, agent_id FROM turns WHERE session = ? AND position > ? AND remembered = 1 "
            f"ORDER BY position LIMIT {CONTEXT_TURNS}",
            (one.session, one.record.position),
        )
        found |= {int(row): agent_id for row, agent_id in rows}
    return found


def mark_for_embedding(tx: Transaction, rows: Iterable[int]) -> None:
    """Give turns the change number of this transaction: what is embedded of them has changed."""
    tx.executemany(
        "UPDATE turns SET seq = ?, text_seq = ? WHERE row = ?", ((tx.seq, tx.seq, r) for r in rows)
    )


def remove(tx: Transaction, rows: Iterable[int]) -> None:
    """Delete turns by row."""
    tx.executemany("DELETE FROM turns WHERE row = ?", ((row,) for row in rows))


def remove_not_remembered(tx: Transaction, sessions: Sequence[int]) -> int:
    """Delete the turns of sessions that are not to be remembered; return how many."""
    sql = "DELETE FROM turns WHERE remembered = 0 AND session IN (SELECT value FROM json_each(?))"
    return tx.execute(sql, (json.dumps(sessions),)).rowcount


def forget_user(tx: Transaction, user_id: str) -> int:
    """Delete all turns of a user; return how many."""
    return tx.execute("DELETE FROM turns WHERE user_id = ?", (user_id,)).rowcount


def _select(
    connection: sqlite3.Connection, condition: str, params: list[Any], tail: str = "", index: str = ""
) -> list[StoredTurn]:
    """index: `NOT INDEXED` goes by row numbers, `INDEXED BY` by an index."""
    sql = (
        f"SELECT {_COLUMNS.selected}, m.row AS row, m.session AS session, "
        f"m.remembered = 1 AND o.row IS NULL AS indexed FROM turns m {index} "
        f"LEFT JOIN outbox o ON o.row = m.row AND o.operation = 'put' AND o.vector IS NULL "
        f"WHERE {condition} {tail}"
    )
    return [
        StoredTurn(row["row"], row["session"], _COLUMNS.record(row), bool(row["indexed"]))
        for row in connection.execute(sql, params)
    ]
