"""Memories that changed after the time a search is about: no index has their former text.

They are read one by one from their versions. Memories that have not changed come from the other sources, and
both are ranked together.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from memoryd.core.filters.grammar import Node
from memoryd.core.filters.matching import filter_active_at, matches
from memoryd.core.passage import Passage
from memoryd.core.record import Record
from memoryd.core.scope import Scope
from memoryd.index.keyword import forward_index, partitions
from memoryd.index.keyword.query import KeywordQuery
from memoryd.language.fold import fold_case, query_terms
from memoryd.language.text_cache import text_cache
from memoryd.retrieval.ranking.fuse import Candidate
from memoryd.retrieval.semantic_index import EncodedText, SemanticIndex
from memoryd.storage.records import versions
from memoryd.storage.records.candidates import Place, Standing

EMBEDDED = 50
"""Texts that are embedded on the spot, in a third of a second."""
_TERMS_READ = 200


@dataclass(frozen=True, slots=True)
class FormerMemories:
    """The memories that changed, as they were, by row. terms: of their texts; unknown_count: of memories
    whose history does not go back to that time."""

    records: Mapping[int, Record]
    terms: Mapping[int, forward_index.Numbers]
    unknown_count: int = 0

    @classmethod
    def read(cls, connection: sqlite3.Connection, scope: Scope, node: Node, at: float) -> FormerMemories:
        """Those that pass a filter."""
        then = filter_active_at(node, at, archived=scope.archived)
        former = list(versions.former_versions(connection, scope, at))
        known = {one.row: one.record for one in former if one.record is not None}
        records = {row: known[row] for row in sorted(known) if matches(then, known[row])}
        terms = {row: _read_terms(one.text) for row, one in records.items()}
        return cls(records, terms, len(former) - len(known))

    def extend_query(
        self, connection: sqlite3.Connection, user_id: str, text: str, query: KeywordQuery | None
    ) -> KeywordQuery | None:
        """The keyword query with the terms that only these memories have."""
        partition = partitions.find(connection, user_id, "memory")
        if partition is None:
            return query
        wanted = query_terms(text)[:_TERMS_READ]
        counts = forward_index.to_documents(self.terms).counts(forward_index.numbers_of(wanted))
        own = (counts > 0).sum(axis=0).tolist()
        present = {} if query is None else query.frequencies
        found = {term: present.get(term, int(count)) for term, count in zip(wanted, own, strict=True)}
        occurring = sorted((count, term) for term, count in found.items() if count)
        return KeywordQuery(partition, {term: count for count, term in occurring}) if occurring else None

    def keyword_candidates(self, read: KeywordQuery | None) -> list[Candidate]:
        """Those with a term of the query, best first."""
        if read is None:
            return []
        scores = read.scores(forward_index.to_documents(self.terms), list(read.frequencies)).tolist()
        found = [
            Candidate(row, s, min(1.0, s / read.best)) for row, s in zip(self.records, scores, strict=True)
        ]
        return sorted((one for one in found if one.raw > 0), key=lambda one: (-one.raw, -one.row))

    def exact_matches(self, name: str, keys: Sequence[str], phrases: Sequence[str]) -> dict[int, str]:
        """Rows with the id, an exact key or a phrase, and which of them it was."""
        found: dict[int, str] = {}
        for row, record in self.records.items():
            text = fold_case(record.text)
            contained = [phrase for phrase in phrases if fold_case(phrase) in text]
            found_by = [*([name] if record.id == name else []), *_keys_in(record, keys), *contained]
            if found_by:
                found[row] = found_by[0]
        return found

    def temporal_rows(self, start: float | None, end: float | None) -> list[int]:
        """Rows of those made in, or about, [start, end), newest first; none without a time."""
        if start is None and end is None:
            return []
        low, high = (-np.inf if start is None else start), (np.inf if end is None else end)
        rows = [row for row, one in self.records.items() if _is_within(one, low, high)]
        return sorted(rows, key=lambda row: -self.records[row].created_at)

    def semantic_candidates(
        self, semantic: SemanticIndex, scope: Scope, query: EncodedText, words: Sequence[Candidate]
    ) -> list[Candidate]:
        """The best by embeddings, which are made on the spot, best first. words: the best by keywords."""
        rows = self._likely(semantic, scope, query, words)
        made = semantic.embed_all([Passage(self.records[row].text) for row in rows])
        found = [
            (row, float(one.encoding.vector @ query.encoding.vector))
            for row, one in zip(rows, made, strict=True)
            if one is not None and one.fingerprint == query.fingerprint
        ]
        found.sort(key=lambda one: -one[1])
        return [Candidate(row, cosine, min(1.0, max(0.0, cosine))) for row, cosine in found]

    def places(self, rows: Sequence[int]) -> dict[int, Place]:
        """The places of those among `rows`."""
        chosen = [(row, self.records[row]) for row in rows if row in self.records]
        return {
            row: Place(row, one.created_at, one.event_start, one.event_end, opening=one.text[:200])
            for row, one in chosen
        }

    def standings(self) -> dict[int, Standing]:
        """Their importance, confidence and last access, by row."""
        return {
            row: Standing(row, one.importance, one.confidence, one.last_access)
            for row, one in self.records.items()
        }

    def _likely(
        self, semantic: SemanticIndex, scope: Scope, query: EncodedText, words: Sequence[Candidate]
    ) -> list[int]:
        """Rows worth embedding: the best by keywords and by their present texts, and the newest."""
        if len(self.records) <= EMBEDDED:
            return list(self.records)
        now = semantic.cosines(scope, query, np.fromiter(self.records, np.int64), "memory")
        near = sorted(now, key=lambda row: -now[row])[: EMBEDDED // 2]
        by_words = [one.row for one in words[: EMBEDDED // 2]]
        return list(dict.fromkeys([*by_words, *near, *reversed(list(self.records))]))[:EMBEDDED]


_read_terms = text_cache(8192)(forward_index.term_numbers)
"""Cached, as reading terms takes most of the time and searches of one time tend to repeat."""


def _keys_in(record: Record, keys: Sequence[str]) -> list[str]:
    return [key for key in record.exact_keys if fold_case(key) in keys]


def _is_within(record: Record, low: float, high: float) -> bool:
    if low <= record.created_at < high:
        return True
    if record.event_start is None or record.event_start >= high:
        return False
    return record.event_start >= low or (record.event_end is not None and record.event_end > low)
