"""The sources of candidates. Each obeys the filters before it scores, and knows nothing of the others."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from memoryd.core.filters.grammar import And, Compare, Node, Not
from memoryd.core.row_ranges import TextKind
from memoryd.core.scope import Scope
from memoryd.index.keyword.keyword_index import best_of
from memoryd.index.keyword.query import LexicalQuery
from memoryd.language.letter_case import fold_case
from memoryd.language.query.recency import Recency
from memoryd.retrieval.plan import RetrievalPlan
from memoryd.retrieval.ranking.fuse import Candidate
from memoryd.retrieval.sources.as_of_source import Past
from memoryd.storage.knowledge.grants import Granted
from memoryd.storage.records import candidates, sessions
from memoryd.storage.records.texts import visible

_MOST_EXACT = 50
_KEY_CHARS = 200


@dataclass(frozen=True, slots=True)
class Ask:
    """What a source is asked: texts of one kind that a scope sees and the filters let through.

    granted: what another user shares, when that is all the scope stands for. past: what was known at the time
    that is asked for and has changed since; the node finds what has not.
    """

    query: str
    kind: TextKind
    scope: Scope
    node: Node
    depth: int
    plan: RetrievalPlan
    granted: Granted | None = None
    past: Past | None = None


class GraphSource(Protocol):
    """Candidates by what the query's entities are related to."""

    def related(self, connection: sqlite3.Connection, ask: Ask) -> list[Candidate]:
        """The texts that are evidence of it, best first."""
        ...


def lexical(connection: sqlite3.Connection, ask: Ask, read: LexicalQuery | None) -> list[Candidate]:
    """By words: BM25."""
    if read is None:
        return []
    found = read.candidates(connection, visible(ask.kind, ask.scope, ask.node), ask.depth)
    return [Candidate(hit.row, hit.score, hit.share) for hit in best_of(read, found, ask.depth)]


def exact(
    connection: sqlite3.Connection, ask: Ask, read: LexicalQuery | None, words: Sequence[Candidate]
) -> tuple[list[Candidate], Mapping[int, str]]:
    """What is named literally: an id, a memory's exact key, a quoted phrase; and what each row was found by.

    words: candidates by words, among which phrases are looked for; without them the best by words are.
    """
    by: dict[int, str] = {}
    name = ask.query.strip()
    row = candidates.named(connection, ask.kind, ask.scope, ask.node, name)
    if row is not None:
        by[row] = name
    if ask.kind == "memory":
        wanted = keys_of(ask)
        by |= candidates.keyed(connection, ask.scope, ask.node, wanted, _MOST_EXACT)
    phrases = ask.plan.understanding.phrases
    if phrases:
        likely = words or lexical(connection, ask, read)
        by |= candidates.holding(connection, ask.kind, [one.row for one in likely], phrases)
    return [Candidate(row, 1.0, 1.0) for row in by], by


def temporal(connection: sqlite3.Connection, ask: Ask) -> list[Candidate]:
    """What was made in, or speaks of, the time that is named; newest first.

    For a request for what was last also the newest texts, which says nothing of their relevance.
    """
    start, end = named_time(ask)
    timely: list[int] = []
    if start is not None or end is not None:
        timely = candidates.within(connection, ask.kind, ask.scope, ask.node, start, end, ask.depth)[
            : ask.depth
        ]
    latest = [] if ask.plan.recency is None else _newest(connection, ask, ask.plan.recency)
    others = dict.fromkeys(row for row in latest if row not in timely)
    return [*(Candidate(row, 1.0, 1.0) for row in timely), *(Candidate(row, 0.0, 0.0) for row in others)]


def _newest(connection: sqlite3.Connection, ask: Ask, recency: Recency) -> list[int]:
    """The newest texts; for `previous` those from before the session under way, too."""
    rows = candidates.newest(connection, ask.kind, ask.scope, ask.node, ask.depth)
    present = sessions.under_way(connection, ask.scope) if recency.kind == "previous" else None
    if present is None or ask.kind == "point":
        return rows
    before = And((ask.node, Not(Compare("session_id", "eq", present))))
    return [*candidates.newest(connection, ask.kind, ask.scope, before, ask.depth), *rows]


def named_time(ask: Ask) -> tuple[float | None, float | None]:
    """The time the caller or the query names, (None, None) for none."""
    times, span = ask.plan.times, ask.plan.span
    return (span.start, span.end) if span else (times.start, times.end) if times else (None, None)


def keys_of(ask: Ask) -> list[str]:
    """What of the query may be an exact key, as `fold_case` returns it."""
    read = ask.plan.understanding
    words = (ask.query.strip(), *read.phrases, *read.names, *read.keywords)
    return [fold_case(word) for word in words if 0 < len(word) <= _KEY_CHARS]
