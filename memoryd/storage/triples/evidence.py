"""The evidence table: which memories and turns say so, and what goes when they go."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from memory_client.types import Language
from memoryd.core.row_ranges import TextKind, kind_of
from memoryd.core.scope import Scope
from memoryd.language.triples import Statement
from memoryd.storage.database import Transaction
from memoryd.storage.triples import entities, rows
from memoryd.storage.triples.rows import FIRST_TURN, MANUAL, StoredTriple, agent_condition


@dataclass(frozen=True, slots=True)
class EvidenceText:
    """A piece of evidence.

    id, version: of the memory or turn, None for a caller's own word; language, degree, words: None for what
    was stored before they were kept and is not read again yet.
    """

    kind: Literal["memory", "manual", "turn"]
    id: str | None
    version: int | None
    is_active: bool
    agent_id: str | None
    language: Language | None = None
    degree: str | None = None
    words: str | None = None


def of(
    connection: sqlite3.Connection, scope: Scope, numbers: Sequence[int], most: int
) -> dict[int, list[EvidenceText]]:
    """The evidence of triples that the scope sees, by the triple's number, at most so many of each: what is
    active first, then archived memories, newest first."""
    agent, params = agent_condition(scope)
    told = connection.execute(
        "SELECT e.triple, e.row, e.version, m.id, m.state, u.id, nullif(e.agent_id, ''), "
        "e.language, e.degree, e.words FROM evidence e "
        "LEFT JOIN memories m ON m.row = e.row LEFT JOIN turns u ON u.row = e.row "
        f"WHERE e.triple IN (SELECT value FROM json_each(?)) AND +e.user_id = ? AND {agent} "
        "ORDER BY e.triple, m.state IS NOT NULL AND m.state != 'active', e.row DESC",
        [json.dumps(list(numbers)), scope.user_id, *params],
    )
    found: dict[int, list[EvidenceText]] = {number: [] for number in numbers}
    for triple, row, version, memory, state, turn, *said in told:
        if len(found[triple]) >= most:
            continue
        if row == MANUAL:
            found[triple].append(EvidenceText("manual", None, None, True, *said))
        elif memory is not None:
            found[triple].append(EvidenceText("memory", memory, version, state == "active", *said))
        else:
            found[triple].append(EvidenceText("turn", turn, None, True, *said))
    return found


def worded(statement: Statement, told: Sequence[EvidenceText]) -> Statement:
    """The statement in the language and words of the newest evidence that counts; its degree is the newest
    that was stated in that language."""
    counting = [one for one in told if one.is_active] or told
    newest = next((one for one in counting if one.language), None)
    if newest is None:
        return statement
    degree = next((one.degree for one in counting if one.degree and one.language == newest.language), None)
    return replace(statement, language=newest.language, words=newest.words, degree=degree)


def texts_of(
    connection: sqlite3.Connection, scope: Scope, numbers: Sequence[int], kind: TextKind
) -> list[tuple[int, int]]:
    """(triple, row) of the texts of a kind that are evidence of triples and that the scope sees."""
    agent, params = agent_condition(scope)
    rows = connection.execute(
        "SELECT e.triple, e.row FROM evidence e "
        f"WHERE e.triple IN (SELECT value FROM json_each(?)) AND +e.user_id = ? AND e.row != 0 AND {agent}",
        [json.dumps(list(numbers)), scope.user_id, *params],
    )
    return [(int(triple), int(row)) for triple, row in rows if kind_of(row) == kind]


def withdraw(
    tx: Transaction, user_id: str, rows: Iterable[int], *, but_version: int | None = None
) -> list[int]:
    """Take back what memories or turns are evidence of; triples left without any are destroyed, and entities
    nobody names any more. Returns the numbers of the destroyed triples.

    but_version: what this version of the memory says stays.
    """
    gone = tx.execute(
        "DELETE FROM evidence WHERE user_id = ? AND row IN (SELECT value FROM json_each(?)) AND row != ? "
        "AND (? IS NULL OR version IS NOT ?) RETURNING triple",
        (user_id, json.dumps(list(rows)), MANUAL, but_version, but_version),
    )
    return _destroy_bare(tx, user_id, {int(number) for (number,) in gone})


def bury(tx: Transaction, scope: Scope, stored: StoredTriple, now: float) -> int:
    """Take back the evidence a scope sees and leave a tombstone; how much evidence went."""
    agent, params = agent_condition(scope)
    condition = agent.replace("e.agent_id", "agent_id")
    gone = tx.execute(
        f"DELETE FROM evidence WHERE +user_id = ? AND triple = ? AND {condition}",
        [scope.user_id, stored.number, *params],
    ).rowcount
    rows.bury(tx, scope, stored.number, now)
    _destroy_bare(tx, scope.user_id, {stored.number})
    return gone


def _destroy_bare(tx: Transaction, user_id: str, numbers: set[int]) -> list[int]:
    """Destroy those triples that have no evidence."""
    if not numbers:
        return []
    gone = tx.execute(
        "DELETE FROM triples WHERE number IN (SELECT value FROM json_each(?)) AND +user_id = ? "
        "AND NOT EXISTS (SELECT 1 FROM evidence e WHERE e.triple = triples.number) "
        "RETURNING number, subject, object",
        (json.dumps(list(numbers)), user_id),
    ).fetchall()
    ends = [end for _, subject, object in gone for end in (subject, object)]
    entities.count_ends(tx, user_id, ends, -1)
    entities.drop_unnamed(tx, user_id, set(ends))
    return [int(number) for number, _, _ in gone]


def forget_user(tx: Transaction, user_id: str) -> int:
    """Delete all triples, entities and evidence of a user; how many triples."""
    tx.execute("DELETE FROM evidence WHERE user_id = ?", (user_id,))
    gone = tx.execute("DELETE FROM triples WHERE user_id = ?", (user_id,)).rowcount
    tx.execute("DELETE FROM entities WHERE user_id = ?", (user_id,))
    return gone


def counts(connection: sqlite3.Connection, scope: Scope) -> Mapping[str, int]:
    """How many pieces of evidence the scope sees, by kind."""
    agent, params = agent_condition(scope)
    rows = connection.execute(
        f"SELECT e.row = 0, e.row >= ?, count(*) FROM evidence e WHERE e.user_id = ? AND {agent} "
        "GROUP BY 1, 2",
        [FIRST_TURN, scope.user_id, *params],
    )
    found = {"memory": 0, "manual": 0, "turn": 0}
    for is_manual, is_turn, count in rows:
        found["manual" if is_manual else "turn" if is_turn else "memory"] += count
    return found
