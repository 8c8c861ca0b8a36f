"""Memories as they were known at a time and no longer are: no index has them, so they are read one by one.

What has stayed the same since is found as ever; both are ranked together.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from memoryd.core.filters.as_of import held
from memoryd.core.filters.grammar import Node
from memoryd.core.filters.matching import matches
from memoryd.core.passage import Passage
from memoryd.core.record import Record
from memoryd.core.scope import Scope
from memoryd.index.keyword import forward_index, partitions
from memoryd.index.keyword.query import LexicalQuery
from memoryd.language.fold import query_terms
from memoryd.language.letter_case import fold_case
from memoryd.language.text_cache import text_cache
from memoryd.retrieval.ranking.fuse import Candidate
from memoryd.retrieval.sources.meaning_source import Encoded, MeaningSource
from memoryd.storage.records import versions
from memoryd.storage.records.candidates import Place, Standing

EMBEDDED = 50
"""Texts that are embedded on the spot, a third of a second of work."""
_TERMS_READ = 200


@dataclass(frozen=True, slots=True)
class Past:
    """What was known, by row. kept: their terms; untold: how many more there were that no history tells."""

    records: Mapping[int, Record]
    kept: Mapping[int, forward_index.Numbers]
    untold: int = 0

    @classmethod
    def read(cls, connection: sqlite3.Connection, scope: Scope, node: Node, at: float) -> Past:
        """What a filter lets through of it."""
        then = held(node, at, archived=scope.archived)
        former = list(versions.known_otherwise(connection, scope, at))
        known = {one.row: one.record for one in former if one.record is not None}
        records = {row: known[row] for row in sorted(known) if matches(then, known[row])}
        return cls(
            records, {row: _terms_of(one.text) for row, one in records.items()}, len(former) - len(known)
        )

    def widened(
        self, connection: sqlite3.Connection, user_id: str, query: str, read: LexicalQuery | None
    ) -> LexicalQuery | None:
        """The query with the words that stand in these texts alone."""
        partition = partitions.find(connection, user_id, "memory")
        if partition is None:
            return read
        wanted = query_terms(query)[:_TERMS_READ]
        held = (
            (forward_index.documents(self.kept).counts(forward_index.numbers_of(wanted)) > 0)
            .sum(axis=0)
            .tolist()
        )
        present = {} if read is None else read.frequencies
        found = {term: present.get(term, int(count)) for term, count in zip(wanted, held, strict=True)}
        occurring = sorted((count, term) for term, count in found.items() if count)
        return LexicalQuery(partition, {term: count for count, term in occurring}) if occurring else None

    def by_words(self, read: LexicalQuery | None) -> list[Candidate]:
        """Those with a word of the query, best first."""
        if read is None:
            return []
        scores = read.scores(forward_index.documents(self.kept), list(read.frequencies)).tolist()
        found = [
            Candidate(row, s, min(1.0, s / read.best)) for row, s in zip(self.records, scores, strict=True)
        ]
        return sorted((one for one in found if one.raw > 0), key=lambda one: (-one.raw, -one.row))

    def by_name(self, name: str, keys: Sequence[str], phrases: Sequence[str]) -> dict[int, str]:
        """Those with an id, an exact key or a phrase, with what they were found by."""
        found: dict[int, str] = {}
        for row, record in self.records.items():
            text = fold_case(record.text)
            held = [phrase for phrase in phrases if fold_case(phrase) in text]
            found_by = [*([name] if record.id == name else []), *_keys_in(record, keys), *held]
            if found_by:
                found[row] = found_by[0]
        return found

    def within(self, start: float | None, end: float | None) -> list[int]:
        """Rows of those that were made in, or speak of, a time in [start, end), newest first; none for no
        time."""
        if start is None and end is None:
            return []
        low, high = (-np.inf if start is None else start), (np.inf if end is None else end)
        rows = [row for row, one in self.records.items() if _is_within(one, low, high)]
        return sorted(rows, key=lambda row: -self.records[row].created_at)

    def by_meaning(
        self, meaning: MeaningSource, scope: Scope, query: Encoded, words: Sequence[Candidate]
    ) -> list[Candidate]:
        """The best of them by what a model makes of their texts, best first."""
        rows = self._likely(meaning, scope, query, words)
        made = meaning.embed_all([Passage(self.records[row].text) for row in rows])
        found = [
            (row, float(one.encoding.vector @ query.encoding.vector))
            for row, one in zip(rows, made, strict=True)
            if one is not None and one.fingerprint == query.fingerprint
        ]
        found.sort(key=lambda one: -one[1])
        return [Candidate(row, cosine, min(1.0, max(0.0, cosine))) for row, cosine in found]

    def places(self, rows: Sequence[int]) -> dict[int, Place]:
        """Where those at some rows stand."""
        chosen = [(row, self.records[row]) for row in rows if row in self.records]
        return {
            row: Place(row, one.created_at, one.event_start, one.event_end, opening=one.text[:200])
            for row, one in chosen
        }

    def standings(self) -> dict[int, Standing]:
        """What their weights depend on."""
        return {
            row: Standing(row, one.importance, one.confidence, one.last_access)
            for row, one in self.records.items()
        }

    def _likely(
        self, meaning: MeaningSource, scope: Scope, query: Encoded, words: Sequence[Candidate]
    ) -> list[int]:
        """Rows worth embedding: the best by words, by what their memories say today, and the newest."""
        if len(self.records) <= EMBEDDED:
            return list(self.records)
        now = meaning.cosines(scope, query, np.fromiter(self.records, np.int64), "memory")
        near = sorted(now, key=lambda row: -now[row])[: EMBEDDED // 2]
        by_words = [one.row for one in words[: EMBEDDED // 2]]
        return list(dict.fromkeys([*by_words, *near, *reversed(list(self.records))]))[:EMBEDDED]


_terms_of = text_cache(8192)(forward_index.read)
"""Whoever looks at the past looks at it again: cutting a text takes most of the time."""


def _keys_in(record: Record, keys: Sequence[str]) -> list[str]:
    return [key for key in record.exact_keys if fold_case(key) in keys]


def _is_within(record: Record, low: float, high: float) -> bool:
    if low <= record.created_at < high:
        return True
    if record.event_start is None or record.event_start >= high:
        return False
    return record.event_start >= low or (record.event_end is not None and record.event_end > low)
