"""What a query means that could be forgotten: memories in any state, turns, and triples.

A search is never without an answer; here an answer is only what clearly meets the query: what holds all its
words, and where none of its words stands what is near in meaning. The bounds were chosen for precision, on a
hundred queries in Chinese and English over 60 memories with multilingual-e5-small: what was not meant scored
less, while cosines do not tell (.75 to .88 of unrelated texts).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from memory_client.types import ForgetCandidate
from memoryd.core.record import Record
from memoryd.core.scope import Scope
from memoryd.core.turn import TurnRecord
from memoryd.language.query.understanding import understand
from memoryd.language.query_match import contains_query, shares_words, topic
from memoryd.language.triples import OWN, Statement, display_statement
from memoryd.language.triples.graph_question import question_of
from memoryd.language.triples.names import key_of
from memoryd.retrieval.ranking.calibration import relevant_score
from memoryd.retrieval.request import SearchRequest
from memoryd.retrieval.results.hits import FoundRecord
from memoryd.retrieval.search import Search
from memoryd.storage.connection import Connection
from memoryd.storage.database import Database
from memoryd.storage.records import memories
from memoryd.storage.triples import entities, evidence, rows
from memoryd.storage.triples.rows import TripleCriteria

_MOST_TRIPLES = 50
"""Shown."""
_COUNTED = 200
"""Texts, and triples of one text or of all the entities that the query names, that are looked at beyond those
that are shown."""
_BESIDE_BEST = 0.5
"""Least share of the best score of what has no word of the query; the score itself has to be relevant."""


@dataclass(frozen=True, slots=True)
class Preview:
    """found: what is shown, best first, texts then triples; more: how many are not, of those looked at."""

    found: list[ForgetCandidate]
    more: int


class ForgetPreview:
    """The preview of forget."""

    def __init__(self, database: Database, search: Search) -> None:
        self._database = database
        self._search = search

    def preview(self, request: SearchRequest) -> Preview:
        """What the query means, with near-duplicates; no system memories."""
        asked = replace(request, query=topic(request.query), limit=request.limit + _COUNTED)
        found = self._search.find(asked)
        best = max((hit.fused.score for hit in found), default=0.0)
        meant = [hit for hit in found if is_meant(asked.query, hit, best)]
        scope = replace(request.scope, archived=True)
        with self._database.read() as connection:
            texts = _once(one for hit in meant for one in _texts(connection, scope, hit))
            triples = _once(_triples(connection, scope, asked.query, meant))
        shown = [*texts[: request.limit], *triples[:_MOST_TRIPLES]]
        return Preview(shown, len(texts) + len(triples) - len(shown))


def _once(found: Iterator[ForgetCandidate]) -> list[ForgetCandidate]:
    return list({one["id"]: one for one in found}.values())


def is_meant(query: str, hit: FoundRecord, best: float) -> bool:
    """Whether a hit is what the query names, says all of it, or is near to it where words do not tell.

    A name says whom it is about: whoever has another name is not meant. What has some of the words and not
    the others is about something else, however near it is.
    """
    record = hit.record
    keys = record.exact_keys if isinstance(record, Record) else ()
    text = "\n".join([record.text, *keys])
    if record.id == query.strip() or contains_query(query, text):
        return True
    if "semantic" not in hit.fused.raw or understand(query).names or shares_words(query, text):
        return False
    return hit.fused.score >= max(relevant_score(), _BESIDE_BEST * best)


def _texts(connection: Connection, scope: Scope, hit: FoundRecord) -> Iterator[ForgetCandidate]:
    """A hit, and those near-duplicates that a search shows as one with it."""
    record, score = hit.record, hit.fused.score
    if isinstance(record, TurnRecord):
        yield ForgetCandidate(id=record.id, type="turn", text=record.text, score=score, state=None)
    if not isinstance(record, Record):
        return
    same = memories.find(connection, scope, hit.same)
    for one in [record, *(same[id].record for id in hit.same if id in same)]:
        if one.category != "system":
            yield ForgetCandidate(id=one.id, type="memory", text=one.text, score=score, state=one.state)


def _triples(
    connection: Connection, scope: Scope, query: str, meant: Sequence[FoundRecord]
) -> Iterator[ForgetCandidate]:
    """What is stored of the entity that the query names, or says all of it, and what the hits are evidence
    of."""
    known = _named(connection, scope.user_id, query)
    whole = known.get(key_of(query))
    named = TripleCriteria(entity=whole or [number for numbers in known.values() for number in numbers])
    asked = [(named, 1.0)] if named.entity else []
    asked += [(TripleCriteria(row=hit.fused.row), hit.fused.score) for hit in meant]
    for wanted, score in asked:
        found = rows.page(connection, scope, wanted, None, _COUNTED)
        told = evidence.of(connection, scope, [one.number for one in found], 1)
        for one in found:
            shown = display_statement(evidence.worded(one.statement, told[one.number]))
            line = _line(shown)
            both = f"{line}\n{_line(one.statement)}"  # either language's words name it
            if whole or wanted is not named or contains_query(query, both):
                yield ForgetCandidate(id=one.id, type="triple", text=line, score=score, state=None)


def _named(connection: Connection, user_id: str, query: str) -> dict[str, list[int]]:
    """The named entities by key, except the user, whom every triple may be about."""
    keys = [key_of(query), *(one.key for one in question_of(query).mentions)]
    known = entities.find(connection, user_id, keys)
    return {
        key: list(entities.members(connection, user_id, one.root)) for key, one in known.items() if key != OWN
    }


def _line(statement: Statement) -> str:
    denied = "" if not statement.negation else "不 " if statement.language == "zh" else "not "
    line = f"{statement.subject} {denied}{statement.predicate} {statement.object}"
    more = [one for one in (statement.degree, statement.frequency, statement.condition) if one]
    return f"{line} ({', '.join(more)})" if more else line
