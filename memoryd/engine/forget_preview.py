"""What a query finds that could be forgotten: memories in any state, turns, and triples."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import replace

from memory_client.types import Forgettable
from memoryd.core.record import Record
from memoryd.core.scope import Scope
from memoryd.core.triples import OWN, Statement
from memoryd.core.triples.question import question_of
from memoryd.core.turn import TurnRecord
from memoryd.retrieval.hits import Found
from memoryd.retrieval.request import SearchRequest
from memoryd.retrieval.search import Search
from memoryd.storage import memories
from memoryd.storage.database import Database
from memoryd.storage.triples import entities, rows
from memoryd.storage.triples.rows import Wanted

_MOST_TRIPLES = 50
"""Of one text, and of all the entities that the query names."""


class ForgetPreview:
    """The preview of forget."""

    def __init__(self, database: Database, search: Search) -> None:
        self._database = database
        self._search = search

    def preview(self, request: SearchRequest) -> list[Forgettable]:
        """What is found, best first: texts with near-duplicates, then triples; no system memories."""
        found = self._search.find(request)
        scope = replace(request.scope, archived=True)
        with self._database.read() as connection:
            texts = [one for hit in found for one in _texts(connection, scope, hit)]
            triples = list(_triples(connection, scope, request.query, found))
        return list({one["id"]: one for one in [*texts, *triples]}.values())


def _texts(connection: sqlite3.Connection, scope: Scope, hit: Found) -> Iterator[Forgettable]:
    """A hit, and those near-duplicates that a search shows as one with it."""
    record, score = hit.record, hit.fused.score
    if isinstance(record, TurnRecord):
        yield Forgettable(id=record.id, type="turn", text=record.text, score=score, state=None)
    if not isinstance(record, Record):
        return
    same = memories.find(connection, scope, hit.same)
    for one in [record, *(same[id].record for id in hit.same if id in same)]:
        if one.category != "system":
            yield Forgettable(id=one.id, type="memory", text=one.text, score=score, state=one.state)


def _triples(
    connection: sqlite3.Connection, scope: Scope, query: str, found: Sequence[Found]
) -> Iterator[Forgettable]:
    """What the hits are evidence of, and what is stored of the entities that the query names."""
    named = Wanted(entity=_named(connection, scope.user_id, query))
    asked = [(named, 1.0)] if named.entity else []
    asked += [(Wanted(row=hit.fused.row), hit.fused.score) for hit in found]
    for wanted, score in asked:
        for one in rows.page(connection, scope, wanted, None, _MOST_TRIPLES):
            yield Forgettable(id=one.id, type="triple", text=_line(one.statement), score=score, state=None)


def _named(connection: sqlite3.Connection, user_id: str, query: str) -> list[int]:
    """The entities named, but for the user, of whom everything is told."""
    known = entities.find(connection, user_id, [one.key for one in question_of(query).mentions])
    roots = {one.root for key, one in known.items() if key != OWN}
    return [number for root in sorted(roots) for number in entities.members(connection, user_id, root)]


def _line(statement: Statement) -> str:
    denied = "not " if statement.negation else ""
    line = f"{statement.subject} {denied}{statement.predicate} {statement.object}"
    more = [one for one in (statement.frequency, statement.condition) if one]
    return f"{line} ({', '.join(more)})" if more else line
