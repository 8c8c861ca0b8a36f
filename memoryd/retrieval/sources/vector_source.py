"""The vector source, and the former memories, which are searched by every source's rules at once."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace

import numpy as np

from memoryd.core.filters.grammar import EVERYTHING
from memoryd.index.vectors.rounding import Rows
from memoryd.language.text_features import text_language
from memoryd.retrieval.context import SearchContext, SourceQuery
from memoryd.retrieval.plan import Source
from memoryd.retrieval.ranking.fuse import Candidate
from memoryd.retrieval.ranking.trained_space import TrainedSpace, trained_space
from memoryd.retrieval.semantic_index import EncodedText
from memoryd.retrieval.sources.as_of_source import FormerMemories
from memoryd.retrieval.sources.word_sources import named_time, possible_keys
from memoryd.storage.records import texts


def find_by_vectors(context: SearchContext, query: SourceQuery) -> None:
    """Add the nearest texts and the former memories to a query's candidates; drop sources without any."""
    if context.encoded is not None and "semantic" in context.plan.sources:
        with context.timed("vectors"):
            query.candidates["semantic"] = _nearest(context, query, context.encoded)
    if query.former is not None and query.has_former:
        _add_former(context, query, query.former)
    if len(context.plan.sources) > 1:
        query.candidates = {source: found for source, found in query.candidates.items() if found}


def _nearest(context: SearchContext, query: SourceQuery, encoded: EncodedText) -> list[Candidate]:
    allowed = None
    if query.node != EVERYTHING:
        rows = texts.rows_of(context.connection, query.kind, query.scope, query.node)
        allowed = np.array(rows, dtype=np.int64)
    depth = context.plan.depth
    nearest = context.semantic.nearest(query.scope, encoded, depth, allowed, query.kind)
    across: list[tuple[int, float]] = []
    if context.plan.fusion_method == "ranked":  # by cosine alone they would come last
        across = _across_languages(context, query, encoded, allowed, {row for row, _ in nearest})
    return [Candidate(row, cosine, min(1.0, max(0.0, cosine))) for row, cosine in (*nearest, *across)]


def _across_languages(
    context: SearchContext, query: SourceQuery, encoded: EncodedText, allowed: Rows | None, known: Set[int]
) -> list[tuple[int, float]]:
    """The nearest texts of the other language, which those of the query's own may crowd out; best first."""
    space = space_of(query, encoded)
    if space is None or len(known) < context.plan.depth:  # fewer than asked for: no text was crowded out
        return []
    vector = space.translated(encoded.encoding.vector, text_language(query.text))
    moved = replace(encoded, encoding=replace(encoded.encoding, vector=vector))
    found = context.semantic.nearest(query.scope, moved, context.plan.depth // 2, allowed, query.kind)
    rows = np.array(sorted({row for row, _ in found} - known), np.int64)
    cosines = context.semantic.cosines(query.scope, encoded, rows, query.kind)
    return sorted(cosines.items(), key=lambda one: -one[1])


def space_of(query: SourceQuery, encoded: EncodedText) -> TrainedSpace | None:
    """The trained space of an embedding, for memories; turns are ranked with their neighbours instead."""
    return trained_space(encoded.fingerprint) if query.kind == "memory" else None


def _add_former(context: SearchContext, query: SourceQuery, former: FormerMemories) -> None:
    """Merge the former memories into the candidates of every source."""
    plan, encoded = context.plan, context.encoded
    by_words = former.keyword_candidates(query.words)
    own: dict[Source, list[Candidate]] = {"lexical": by_words[: plan.depth]}
    name = query.text.strip()
    keys = former.exact_matches(name, possible_keys(name, plan), plan.understanding.phrases)
    own["exact"] = [Candidate(row, 1.0, 1.0) for row in keys]
    own["temporal"] = [Candidate(row, 1.0, 1.0) for row in former.temporal_rows(*named_time(plan))]
    if plan.recency is not None:
        own["temporal"] += [Candidate(row, 0.0, 0.0) for row in former.records]
    if "semantic" in query.candidates and encoded is not None:
        with context.timed("past texts"):
            own["semantic"] = former.semantic_candidates(context.semantic, query.scope, encoded, by_words)
    for source in query.candidates.keys() & own.keys():
        query.candidates[source] = sorted([*query.candidates[source], *own[source]], key=lambda one: -one.raw)
    if "exact" in query.candidates:
        query.keys |= keys
