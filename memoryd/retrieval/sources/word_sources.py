"""The sources that need no embedding: keywords, literal matches, time, the graph.

Each applies the filters before it scores, and depends on no other.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

from memoryd.core.filters.grammar import And, Compare, Not
from memoryd.index.keyword import forward_index
from memoryd.index.keyword.keyword_index import best_of
from memoryd.index.keyword.subset_search import TextSubset
from memoryd.language.fold import fold, fold_case, index_terms
from memoryd.language.query.recency import Recency
from memoryd.retrieval.context import SearchContext, SourceQuery
from memoryd.retrieval.plan import RetrievalPlan, Source
from memoryd.retrieval.ranking.fuse import Candidate
from memoryd.retrieval.sources.graph import graph_candidates
from memoryd.storage.knowledge.grants import Granted
from memoryd.storage.records import candidates, sessions, texts
from memoryd.storage.records.texts import visible

_WORD_SOURCES: frozenset[Source] = frozenset({"lexical", "exact"})
"""The sources that read the query's terms."""
_MOST_EXACT = 50
_KEY_CHARS = 200


def find_by_words(context: SearchContext, query: SourceQuery) -> None:
    """Give a query its terms, and the candidates of every source that needs no embedding."""
    read_terms(context, query)
    sources, found = context.plan.sources, query.candidates
    if "lexical" in sources:
        with context.timed("lexical"):
            found["lexical"] = keyword_candidates(context, query)
    if "exact" in sources:
        with context.timed("exact"):
            query.keys = exact_matches(context, query)
            found["exact"] = [Candidate(row, 1.0, 1.0) for row in query.keys]
    if "temporal" in sources:
        with context.timed("temporal"):
            found["temporal"] = temporal_candidates(context, query)
    if "graph" in sources:
        with context.timed("graph"):
            found["graph"] = graph_candidates(context.connection, query, context.plan.depth)


def read_terms(context: SearchContext, query: SourceQuery) -> None:
    """Look the query's terms up. A speaker's name is no term of a query for turns: it names who spoke."""
    if query.former is None and not _WORD_SOURCES.intersection(context.plan.sources):
        return
    if query.granted is not None:
        _read_shared_terms(context, query, query.granted)
        return
    left_out = frozenset[str]()
    if query.kind == "turn":
        speakers = candidates.speakers(context.connection, query.scope.user_id)
        mentioned = [name for name in speakers if _is_mentioned(query.text, name)]
        query.speaker = mentioned[0] if len(mentioned) == 1 else None
        left_out = frozenset(term for name in mentioned for term in index_terms(name))
    connection, user_id = context.connection, query.scope.user_id
    query.words = context.keywords.read(connection, user_id, query.text, query.kind, left_out)
    if query.former is not None:
        query.words = query.former.extend_query(connection, user_id, query.text, query.words)
    if query.words is not None:
        query.frequency = functools.partial(context.keywords.frequency, connection, query.words.partition)


def _read_shared_terms(context: SearchContext, query: SourceQuery, granted: Granted) -> None:
    """Count terms in the shared texts alone: how rare they are in the owner's other texts stays private."""
    rows = texts.rows_of(context.connection, query.kind, query.scope, granted.node)
    shared = TextSubset(query.kind, forward_index.load(context.connection, rows))
    query.words, query.frequency = shared.read(query.text), shared.frequency


def _is_mentioned(text: str, name: str) -> bool:
    folded = f" {fold(text)} "
    wanted = fold(name).strip()
    at = folded.find(wanted) if wanted else -1
    while at >= 0:
        before, after = folded[at - 1], folded[at + len(wanted)]
        if not wanted.isascii() or not (before.isalnum() or after.isalnum()):
            return True
        at = folded.find(wanted, at + 1)
    return False


def keyword_candidates(context: SearchContext, query: SourceQuery) -> list[Candidate]:
    """The best by BM25, best first."""
    if query.words is None:
        return []
    condition = visible(query.kind, query.scope, query.node)
    found = query.words.candidates(context.connection, condition, context.plan.depth)
    return [
        Candidate(hit.row, hit.score, hit.share) for hit in best_of(query.words, found, context.plan.depth)
    ]


def exact_matches(context: SearchContext, query: SourceQuery) -> dict[int, str]:
    """Rows with the id, an exact key or a quoted phrase of the query, and which of them it was.

    Phrases are looked for among the best by keywords.
    """
    connection, found = context.connection, dict[int, str]()
    id = query.text.strip()
    row = candidates.row_of_id(connection, query.kind, query.scope, query.node, id)
    if row is not None:
        found[row] = id
    if query.kind == "memory":
        found |= candidates.rows_with_exact_key(
            connection, query.scope, query.node, possible_keys(id, context.plan), _MOST_EXACT
        )
    phrases = context.plan.understanding.phrases
    if phrases:
        likely = query.candidates.get("lexical") or keyword_candidates(context, query)
        found |= candidates.holding(connection, query.kind, [one.row for one in likely], phrases)
    return found


def temporal_candidates(context: SearchContext, query: SourceQuery) -> list[Candidate]:
    """Texts made in, or about, the time that the query or the caller names; newest first.

    For a request for the latest also the newest texts, which says nothing about their relevance.
    """
    start, end = named_time(context.plan)
    timely: Sequence[int] = []
    if start is not None or end is not None:
        depth = context.plan.depth
        timely = candidates.within(
            context.connection, query.kind, query.scope, query.node, start, end, depth
        )[:depth]
    latest = [] if context.plan.recency is None else _newest(context, query, context.plan.recency)
    others = dict.fromkeys(row for row in latest if row not in timely)
    return [*(Candidate(row, 1.0, 1.0) for row in timely), *(Candidate(row, 0.0, 0.0) for row in others)]


def _newest(context: SearchContext, query: SourceQuery, recency: Recency) -> list[int]:
    """The newest texts; for `previous` also those from before the current session."""
    connection, depth = context.connection, context.plan.depth
    rows = candidates.newest(connection, query.kind, query.scope, query.node, depth)
    current = sessions.under_way(connection, query.scope) if recency.kind == "previous" else None
    if current is None or query.kind == "point":
        return rows
    before = And((query.node, Not(Compare("session_id", "eq", current))))
    return [*candidates.newest(connection, query.kind, query.scope, before, depth), *rows]


def named_time(plan: RetrievalPlan) -> tuple[float | None, float | None]:
    """The time the caller or the query names, (None, None) for none."""
    times, span = plan.times, plan.span
    return (span.start, span.end) if span else (times.start, times.end) if times else (None, None)


def possible_keys(text: str, plan: RetrievalPlan) -> list[str]:
    """The query and the parts of it that may be an exact key, as `fold_case` returns them."""
    read = plan.understanding
    words = (text.strip(), *read.phrases, *read.names, *read.keywords)
    return [fold_case(word) for word in words if 0 < len(word) <= _KEY_CHARS]
