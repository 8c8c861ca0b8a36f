"""Candidates of a keyword query out of a partition.

FTS5's BM25 touches every row a term stands in, and counts it first: a word that stands in every row would
cost 100 ms at 100k rows. So candidates come from the rarer terms, and the common ones only add to their
scores, by the same formula, from the terms kept of each text.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from memoryd.index import terms
from memoryd.index.partitions import Partition
from memoryd.storage.filters import Sql
from memoryd.storage.texts import TABLES

COMMON_ROWS = 1000
"""Below it a term is never common: scoring its rows is cheap."""
_COMMON_SHARE = 0.05
_CANDIDATE_BUDGET = 2000  # rows that FTS5 scores for a query, about 1.5 µs each
_POOL = 100  # best candidates that are scored by the common terms too
_NEWEST = 50  # candidates where there are common terms only


@dataclass(frozen=True, slots=True)
class LexicalQuery:
    """A query in one partition. frequencies: its terms that occur there, rarest first, with their rows."""

    partition: Partition
    frequencies: Mapping[str, int]

    def idf(self, term: str) -> float:
        return self.partition.idf(self.frequencies[term])

    @property
    def best(self) -> float:
        """The highest score a text could get."""
        return sum(map(self.idf, self.frequencies)) * (terms.K1 + 1)

    def scores(self, documents: terms.Documents, wanted: Sequence[str]) -> terms.Floats:
        """What some of the terms add to the BM25 of chosen texts, (n,)."""
        idfs = np.array([self.idf(term) for term in wanted])
        counts = documents.counts(terms.numbers_of(wanted))
        return terms.bm25(counts, documents.lengths, idfs, self.partition.mean_length)

    def candidates(self, connection: sqlite3.Connection, condition: Sql, limit: int) -> dict[int, float]:
        """The best rows under a condition over `m`, at least `limit` when there are: row -> BM25."""
        rare, middling, common = _split(self.frequencies, self.partition.documents)
        if rare:
            found = _by_rare(connection, self.partition, rare, middling, condition, max(_POOL, 2 * limit))
        else:
            found = _newest(connection, self.partition, common, condition, max(_NEWEST, 2 * limit))
        if common and found:
            documents = terms.load(connection, list(found))
            gains = self.scores(documents, common)
            for row, gain in zip(documents.rows.tolist(), gains.tolist(), strict=True):
                found[row] += gain
        return found


def _split(frequencies: Mapping[str, int], documents: int) -> tuple[list[str], list[str], list[str]]:
    """Of terms with their rows, rarest first: those that give candidates, within the budget, those that are
    too many for that, and the common ones."""
    limit = max(COMMON_ROWS, _COMMON_SHARE * documents)
    rarer = [term for term, frequency in frequencies.items() if frequency <= limit]
    rows = list(accumulate(frequencies[term] for term in rarer))
    taken = sum(place == 0 or so_far <= _CANDIDATE_BUDGET for place, so_far in enumerate(rows))
    return rarer[:taken], rarer[taken:], list(frequencies)[len(rarer) :]


def _by_rare(
    connection: sqlite3.Connection,
    partition: Partition,
    rare: Sequence[str],
    middling: Sequence[str],
    condition: Sql,
    limit: int,
) -> dict[int, float]:
    """The best rows that hold a rare term, by the BM25 of the rare and the middling ones: row -> score."""
    # CROSS JOIN: left to itself SQLite may ask the table of terms about every memory of the user
    sql = (
        f"SELECT m.row, -bm25({partition.table}) AS score "
        f"FROM {partition.table} CROSS JOIN {TABLES[partition.kind]} m ON m.row = {partition.table}.rowid "
        f"WHERE {partition.table} MATCH ? AND {condition[0]} "
        f"ORDER BY score DESC, m.row DESC LIMIT {limit:d}"
    )
    scores: dict[int, float] = dict(connection.execute(sql, [_match(rare, "OR"), *condition[1]]).fetchall())
    if middling:
        both = f"({_match(rare, 'OR')}) AND ({_match(middling, 'OR')})"
        scores |= connection.execute(sql, [both, *condition[1]]).fetchall()
    return dict(sorted(scores.items(), key=lambda item: item[1], reverse=True))


def _newest(
    connection: sqlite3.Connection,
    partition: Partition,
    common: Sequence[str],
    condition: Sql,
    limit: int,
) -> dict[int, float]:
    """Nothing rare to go by: the newest rows with the two rarest terms, then with the rarest."""
    sql = (
        f"SELECT m.row FROM {partition.table} "
        f"CROSS JOIN {TABLES[partition.kind]} m ON m.row = {partition.table}.rowid "
        f"WHERE {partition.table} MATCH ? AND {condition[0]} "
        f"ORDER BY {partition.table}.rowid DESC LIMIT {limit:d}"
    )
    rows: dict[int, float] = {}
    for count in range(min(2, len(common)), 0, -1):
        found = connection.execute(sql, [_match(common[:count], "AND"), *condition[1]])
        rows |= dict.fromkeys((int(row) for (row,) in found), 0.0)
        if len(rows) >= limit:
            break
    return rows


def _match(wanted: Iterable[str], operator: str) -> str:
    return f" {operator} ".join('"' + term.replace('"', '""') + '"' for term in wanted)
