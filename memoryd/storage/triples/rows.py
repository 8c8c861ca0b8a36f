"""The triples table. A triple is read through its evidence: what a call does not see, or is put away, is not
there."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memoryd.core.row_ranges import rows_of_kind
from memoryd.core.scope import ALL_AGENTS, Scope
from memoryd.language.triples import Statement
from memoryd.storage.database import Transaction
from memoryd.storage.records import tombstones
from memoryd.storage.records.filters import Sql
from memoryd.storage.salt import salted_hash
from memoryd.storage.triples import entities

_COLUMNS = (
    "t.number, t.id, t.subject, s.name, t.predicate, t.object, o.name, t.negation, t.frequency, t.condition, "
    "t.created_at"
)
_FROM = "FROM triples t JOIN entities s ON s.number = t.subject JOIN entities o ON o.number = t.object"
MANUAL = 0
"""The row of a caller's own word, as evidence."""
FIRST_TURN = rows_of_kind("turn")[0]
_FEW = 5_000
"""Triples that are sorted in no time."""


@dataclass(frozen=True, slots=True)
class StoredTriple:
    """A triple with its place: its number, and those of its ends."""

    number: int
    id: str
    subject: int
    object: int
    statement: Statement
    created_at: float


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a triple rests on. row: of a memory or turn, 0 for a caller's own word; version: of the memory."""

    row: int
    agent_id: str | None
    version: int | None = None


def seen(scope: Scope) -> Sql:
    """The condition, over `t`, of the triples a scope sees: manual evidence, a turn, or an active memory."""
    agent, params = agent_condition(scope)
    alive = "" if scope.archived else " AND (e.row = 0 OR e.row >= ? OR m.state = 'active')"
    return (
        "EXISTS (SELECT 1 FROM evidence e LEFT JOIN memories m ON m.row = e.row "
        f"WHERE e.triple = t.number AND {agent}{alive})",
        [*params, *([] if scope.archived else [FIRST_TURN])],
    )


def agent_condition(scope: Scope) -> Sql:
    """The condition, over `e`, of the evidence a scope sees."""
    if scope.agent_id == ALL_AGENTS:
        return "1", []
    if scope.agent_id is None:
        return "e.agent_id = ''", []
    return "e.agent_id IN ('', ?)", [scope.agent_id]


def store(
    tx: Transaction,
    user_id: str,
    statement: Statement,
    new_id: str,
    evidence: Iterable[Evidence],
    now: float,
    *,
    by_hand: bool,
) -> str | None:
    """Store a statement, or its further evidence; its id. One that was deleted comes back only by hand: what
    else speaks for an agent for whom it was deleted is passed over, None when nothing is left."""
    identity = salted_hash(tx.connection, statement.identity)
    told = list(evidence)
    if by_hand:
        _lift(tx, user_id, identity, told)
    else:
        told = [one for one in told if not _is_buried(tx.connection, user_id, identity, one.agent_id)]
    if not told:
        return None
    row = tx.execute(
        "SELECT number, id FROM triples WHERE user_id = ? AND identity = ?", (user_id, identity)
    ).fetchone()
    number, id = (
        (int(row[0]), str(row[1]))
        if row
        else (_insert(tx, user_id, statement, new_id, identity, now), new_id)
    )
    for one in told:
        _insert_evidence(tx, user_id, number, one, statement, by_hand=by_hand)
    return id


def _insert_evidence(
    tx: Transaction, user_id: str, triple: int, evidence: Evidence, statement: Statement, *, by_hand: bool
) -> None:
    """Note what says so, in its words. A caller who names a text adds to what rules have read in it."""
    if not by_hand:
        update = "language = excluded.language, degree = excluded.degree, words = excluded.words"
    else:
        kept, given = ("excluded", "evidence") if evidence.row == MANUAL else ("evidence", "excluded")
        update = (
            f"language = coalesce({kept}.language, {given}.language), "
            f"words = coalesce({kept}.words, {given}.words), "
            "degree = coalesce(excluded.degree, evidence.degree)"
        )
    tx.execute(
        "INSERT INTO evidence (user_id, triple, row, agent_id, version, language, degree, words) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (triple, row, agent_id) "
        f"DO UPDATE SET version = excluded.version, {update}",
        (
            user_id,
            triple,
            evidence.row,
            evidence.agent_id or "",
            evidence.version,
            statement.language,
            statement.degree,
            statement.words,
        ),
    )


def bury(tx: Transaction, scope: Scope, number: int, now: float) -> None:
    """Leave tombstones of a triple for the agents whose evidence a scope sees."""
    identity = tx.execute("SELECT identity FROM triples WHERE number = ?", (number,)).fetchone()[0]
    agents = [ALL_AGENTS] if scope.agent_id == ALL_AGENTS else {"", scope.agent_id or ""}
    for agent in agents:
        tombstones.bury(tx, scope.user_id, "triple", _tombstone(tx.connection, identity, agent), now)


def _is_buried(connection: sqlite3.Connection, user_id: str, identity: bytes, agent_id: str | None) -> bool:
    return any(
        tombstones.is_buried(connection, user_id, "triple", _tombstone(connection, identity, agent))
        for agent in (agent_id or "", ALL_AGENTS)
    )


def _lift(tx: Transaction, user_id: str, identity: bytes, told: Iterable[Evidence]) -> None:
    for agent in {ALL_AGENTS, *(one.agent_id or "" for one in told)}:
        tombstones.lift(tx, user_id, "triple", _tombstone(tx.connection, identity, agent))


def _tombstone(connection: sqlite3.Connection, identity: bytes, agent: str) -> bytes:
    """Of a triple for one agent, '' for none and `*` for all. identity: as it is stored."""
    return salted_hash(connection, identity + agent.encode())


def _insert(tx: Transaction, user_id: str, statement: Statement, id: str, identity: bytes, now: float) -> int:
    ends = (
        entities.ensure(tx, user_id, statement.subject),
        entities.ensure(tx, user_id, statement.object),
    )
    entities.count_ends(tx, user_id, ends, 1)
    values = {
        "id": id,
        "user_id": user_id,
        "subject": ends[0],
        "predicate": statement.predicate,
        "object": ends[1],
        "negation": statement.negation,
        "frequency": statement.frequency,
        "condition": statement.condition,
        "identity": identity,
        "created_at": now,
    }
    return tx.insert("triples", values, key="number")


def find(connection: sqlite3.Connection, scope: Scope, id: str) -> StoredTriple | None:
    """A triple the scope sees."""
    condition, params = seen(scope)
    found = _select(connection, f"t.user_id = ? AND t.id = ? AND {condition}", [scope.user_id, id, *params])
    return found[0] if found else None


@dataclass(frozen=True, slots=True)
class TripleCriteria:
    """What a page holds: None does not narrow; subject, object: numbers of one entity; entity: at either end;
    row: of the memory or turn that is evidence."""

    subject: Sequence[int] | None = None
    predicates: Sequence[str] | None = None
    object: Sequence[int] | None = None
    entity: Sequence[int] | None = None
    negation: bool | None = None
    row: int | None = None


def page(
    connection: sqlite3.Connection, scope: Scope, wanted: TripleCriteria, before: str | None, limit: int
) -> list[StoredTriple]:
    """Triples the scope sees, newest first, older than the id `before`."""
    condition, params = _wanted(connection, scope, wanted)
    if before is not None:
        condition, params = f"{condition} AND t.id < ?", [*params, before]
    return _select(connection, condition, params, f"ORDER BY t.id DESC LIMIT {limit:d}")


def scan(connection: sqlite3.Connection, scope: Scope, after: str, limit: int) -> list[StoredTriple]:
    """Triples the scope sees, oldest first, after an id."""
    condition, params = seen(scope)
    return _select(
        connection,
        f"t.user_id = ? AND t.id > ? AND {condition}",
        [scope.user_id, after, *params],
        f"ORDER BY t.id LIMIT {limit:d}",
    )


def count(connection: sqlite3.Connection, scope: Scope, wanted: TripleCriteria) -> int:
    """How many of them there are."""
    condition, params = _wanted(connection, scope, wanted)
    return int(connection.execute(f"SELECT count(*) FROM triples t WHERE {condition}", params).fetchone()[0])


def _is_narrow(connection: sqlite3.Connection, scope: Scope, wanted: TripleCriteria) -> bool:
    """Whether so few triples fit that they are better sorted than met on the way through them all."""
    ends = [*(wanted.subject or ()), *(wanted.object or ()), *(wanted.entity or ())]
    if wanted.row is not None or not ends:
        return wanted.row is not None
    known = entities.by_numbers(connection, scope.user_id, ends)
    return sum(one.degree for one in known.values()) <= _FEW


def _wanted(connection: sqlite3.Connection, scope: Scope, wanted: TripleCriteria) -> Sql:
    """The plus keeps SQLite from going by the user."""
    narrow = "+" if _is_narrow(connection, scope, wanted) else ""
    parts, params = [f"{narrow}t.user_id = ?"], [scope.user_id]
    for column, numbers in (("subject", wanted.subject), ("object", wanted.object)):
        if numbers is not None:
            parts.append(f"t.{column} IN (SELECT value FROM json_each(?))")
            params.append(json.dumps(list(numbers)))
    if wanted.entity is not None:
        ends = json.dumps(list(wanted.entity))
        parts.append(
            "t.number IN (SELECT number FROM triples WHERE subject IN (SELECT value FROM json_each(?)) "
            "UNION SELECT number FROM triples WHERE object IN (SELECT value FROM json_each(?)))"
        )
        params += [ends, ends]
    if wanted.predicates is not None:
        parts.append(f"t.predicate IN ({', '.join('?' * len(wanted.predicates))})")
        params += wanted.predicates
    if wanted.negation is not None:
        parts.append("t.negation = ?")
        params.append(wanted.negation)  # type: ignore[arg-type]
    if wanted.row is not None:
        parts.append("t.number IN (SELECT triple FROM evidence WHERE user_id = ? AND row = ?)")
        params += [scope.user_id, wanted.row]  # type: ignore[list-item]
    condition, more = seen(scope)
    return " AND ".join([*parts, condition]), [*params, *more]


def _select(
    connection: sqlite3.Connection, condition: str, params: list[object], tail: str = ""
) -> list[StoredTriple]:
    cursor = connection.cursor()
    cursor.row_factory = None
    return [
        stored_of(row)
        for row in cursor.execute(f"SELECT {_COLUMNS} {_FROM} WHERE {condition} {tail}", params)
    ]


def stored_of(row: Sequence[object]) -> StoredTriple:
    """A row of the columns above."""
    number, id, subject, of, predicate, object, what, negation, frequency, condition, made = row
    statement = Statement(of, predicate, what, bool(negation), frequency, condition)  # type: ignore[arg-type]
    return StoredTriple(number, id, subject, object, statement, made)  # type: ignore[arg-type]
