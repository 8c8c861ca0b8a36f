"""Ranking of texts that are in no index by the words of a query."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from memoryd.index.keyword import forward_index
from memoryd.language.fold import query_terms


def keyword_scores(texts: Sequence[str], query: str) -> list[float]:
    """The BM25 of each text, 0 where no word of the query occurs."""
    wanted = query_terms(query)
    if not texts or not wanted:
        return [0.0] * len(texts)
    documents = forward_index.to_documents(
        {place: forward_index.term_numbers(text) for place, text in enumerate(texts)}
    )
    counts = documents.counts(forward_index.numbers_of(wanted))
    frequencies = (counts > 0).sum(axis=0).tolist()
    # never negative, unlike FTS5's: in a handful of texts a word of most of them still tells them apart
    idfs = [math.log(1 + (len(texts) - n + 0.5) / (n + 0.5)) for n in frequencies]
    mean_length = max(1.0, float(documents.lengths.mean()))
    scores: list[float] = forward_index.bm25(counts, documents.lengths, np.array(idfs), mean_length).tolist()
    return scores
