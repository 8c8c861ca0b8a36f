"""What the ranker reads of a query's candidates, and of the turns beside the best of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from memoryd.index.keyword import forward_index
from memoryd.language.text_features import text_language
from memoryd.retrieval.context import SearchContext, SourceQuery
from memoryd.retrieval.plan import RetrievalPlan
from memoryd.retrieval.ranking.features import RankingInput, terms_of, token_weights
from memoryd.retrieval.ranking.frame import frame_of
from memoryd.retrieval.ranking.fuse import Fused
from memoryd.retrieval.ranking.late_interaction import LateInteraction
from memoryd.retrieval.semantic_index import EncodedText
from memoryd.retrieval.sources.as_of_source import FormerMemories
from memoryd.retrieval.sources.vector_source import space_of
from memoryd.storage.records import candidates
from memoryd.storage.records.candidates import Place

_BEST = 64
"""Candidates whose neighbours are ranked, too."""


def read_ranking_input(
    context: SearchContext, query: SourceQuery, encoded: EncodedText, found: Mapping[int, Fused]
) -> RankingInput:
    """Read the candidates and the turns beside the best of them. found: the candidates by row."""
    if query.former is not None and query.has_former:
        return _former_input(context, query, encoded, query.former, found)
    connection = context.connection
    with context.timed("places"):
        places = candidates.places(connection, query.kind, sorted(found))
    with context.timed("late interaction"):
        words = encoded.encoding.words
        weights = token_weights(words, _idf(query, words))
        space, language = space_of(query, encoded), text_language(query.text)
        late = LateInteraction(context.semantic, connection, encoded, weights, space, language)
        late.read(sorted(places))
        best = late.best(_BEST) if late.has_tokens else sorted(places)[:_BEST]
        beside = sorted({row for at in best for row in _rows_beside(places[at])} - places.keys())
        if beside:
            places |= candidates.places(connection, query.kind, beside)
            late.read(beside)
        frame = frame_of(places)
    with context.timed("cosines"):
        dense = context.semantic.cosines(query.scope, encoded, frame.rows, query.kind)
    with context.timed("terms"):
        documents = forward_index.load(connection, frame.rows.tolist())
    return RankingInput(
        frame=frame,
        matches=late.over(frame) if late.has_tokens else None,
        centred=late.centred_over(frame) if late.has_tokens else None,
        word_weights=weights,
        documents=documents,
        lexical=query.words,
        dense=dense,
        understanding=context.plan.understanding,
        named=query.speaker,
        span=_span(context.plan),
        exact=dict.fromkeys(query.keys, 1.0),
    )


def _former_input(
    context: SearchContext,
    query: SourceQuery,
    encoded: EncodedText,
    former: FormerMemories,
    found: Mapping[int, Fused],
) -> RankingInput:
    """The same with candidates that are no longer stored, which have no token vectors."""
    then = former.places(list(found))
    rows = sorted(found.keys() - then.keys())
    frame = frame_of(candidates.places(context.connection, query.kind, rows) | then)
    dense = context.semantic.cosines(query.scope, encoded, np.array(rows, np.int64), query.kind)
    made = {row: found[row].raw["semantic"] for row in then if "semantic" in found[row].raw}
    terms = forward_index.load_numbers(context.connection, rows) | {row: former.terms[row] for row in then}
    return RankingInput(
        frame=frame,
        matches=None,
        word_weights=np.empty(0),
        documents=forward_index.to_documents({row: terms[row] for row in sorted(terms)}),
        lexical=query.words,
        dense=dense | made,
        understanding=context.plan.understanding,
        named=query.speaker,
        span=_span(context.plan),
        exact=dict.fromkeys(query.keys, 1.0),
    )


def _rows_beside(place: Place) -> list[int]:
    return [row for row in (place.before, place.behind) if row is not None]


def _span(plan: RetrievalPlan) -> tuple[float, float] | None:
    """The time the query names, open ends at infinity."""
    times = plan.times
    if times is None or times.invalid:
        return None
    return -np.inf if times.start is None else times.start, np.inf if times.end is None else times.end


def _idf(query: SourceQuery, words: Sequence[str]) -> dict[str, float]:
    """The rarity of the terms of some words among the texts that are searched."""
    if query.words is None:
        return {}
    partition = query.words.partition
    wanted = {term for word in words for term in terms_of(word)}
    counts = {term: query.frequency(term) for term in wanted}
    return {term: partition.idf(count) for term, count in counts.items() if count}
