"""Keyword search among chosen texts alone: what else their owner has stored changes no score."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from memoryd.core.row_ranges import TextKind
from memoryd.index.keyword import forward_index
from memoryd.index.keyword.partitions import Partition
from memoryd.index.keyword.query import KeywordQuery, best_visible
from memoryd.language.fold import query_terms
from memoryd.storage.records.filters import Sql

_TERMS_READ = 200


@dataclass(frozen=True, slots=True)
class SubsetQuery(KeywordQuery):
    """A query among some texts. partition: made up of these; documents: their terms."""

    documents: forward_index.Documents

    def candidates(self, connection: sqlite3.Connection, condition: Sql, limit: int) -> dict[int, float]:
        """The best rows under a condition over `m`: row -> BM25."""
        scores = self.scores(self.documents, list(self.frequencies))
        return best_visible(connection, self.partition.kind, condition, self.documents.rows, scores, limit)


@dataclass(frozen=True, slots=True)
class TextSubset:
    """Some texts of a kind. documents: their terms."""

    kind: TextKind
    documents: forward_index.Documents

    def read(self, query: str) -> SubsetQuery | None:
        """The query's terms as they stand in these texts, None when none of them does."""
        frequencies = {term: self.frequency(term) for term in query_terms(query)[:_TERMS_READ]}
        occurring = sorted((n, term) for term, n in frequencies.items() if n)
        if not occurring:
            return None
        lengths = self.documents.lengths
        partition = Partition(0, self.kind, len(lengths), int(lengths.sum()))
        return SubsetQuery(partition, {term: n for n, term in occurring}, self.documents)

    def frequency(self, term: str) -> int:
        """How many of the texts a term stands in."""
        return int((self.documents.counts(forward_index.numbers_of([term])) > 0).sum())
