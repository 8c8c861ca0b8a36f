"""Candidates of a keyword query in one partition, with their BM25.

FTS5 finds the rows that hold a term; scores are computed here, from the term counts kept of each text. A word
of every text would give too many rows, so candidates come from the rarer terms, and the common ones only add
to their scores.
"""

from __future__ import annotations

import itertools
import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from memoryd.core.row_ranges import TextKind
from memoryd.index.keyword import forward_index
from memoryd.index.keyword.partitions import Partition
from memoryd.index.vectors.rounding import Rows
from memoryd.storage.records.filters import Sql
from memoryd.storage.records.texts import EVERY_TEXT, TABLES

COMMON_ROWS = 1000
"""Below it a term is never common: scoring its rows is cheap."""
_COMMON_SHARE = 0.05
_CANDIDATE_BUDGET = 2000  # rows that are scored for a query, about 3 µs each
_NEWEST = 50  # candidates where there are common terms only


@dataclass(frozen=True, slots=True)
class KeywordQuery:
    """A query in one partition. frequencies: its terms that occur there, rarest first, with their rows."""

    partition: Partition
    frequencies: Mapping[str, int]

    def idf(self, term: str) -> float:
        return self.partition.idf(self.frequencies[term])

    @property
    def best(self) -> float:
        """The highest score a text could get."""
        return sum(map(self.idf, self.frequencies)) * (forward_index.K1 + 1)

    def scores(self, documents: forward_index.Documents, wanted: Sequence[str]) -> forward_index.Floats:
        """What some of the terms add to the BM25 of chosen texts, (n,)."""
        return self._bm25(documents, documents.counts(forward_index.numbers_of(wanted)), wanted)

    def candidates(self, connection: sqlite3.Connection, condition: Sql, limit: int) -> dict[int, float]:
        """The best rows under a condition over `m`, at most `limit`, best first: row -> BM25."""
        rare, middling, common = _split(self.frequencies, self.partition.documents)
        if rare:
            rows = _holding_any(connection, self.partition, rare)
        else:
            rows = _newest(connection, self.partition, common, condition, max(_NEWEST, 2 * limit))
        documents = _documents(connection, rows)
        wanted = [*rare, *middling, *common]
        counts = documents.counts(forward_index.numbers_of(wanted))
        self._count_unkept(connection, documents, counts, [*rare, *middling])
        scores = self._bm25(documents, counts, wanted)
        return best_visible(connection, self.partition.kind, condition, documents.rows, scores, limit)

    def _bm25(
        self, documents: forward_index.Documents, counts: forward_index.Floats, wanted: Sequence[str]
    ) -> forward_index.Floats:
        idfs = np.array([self.idf(term) for term in wanted])
        return forward_index.bm25(counts, documents.lengths, idfs, self.partition.mean_length)

    def _count_unkept(
        self,
        connection: sqlite3.Connection,
        documents: forward_index.Documents,
        counts: forward_index.Floats,
        wanted: Sequence[str],
    ) -> None:
        """Count a term once that is only in the part of a long text of which no terms are kept."""
        is_long = documents.lengths > forward_index.MOST_KEPT
        if not is_long.any():
            return
        table = self.partition.table
        sql = f"SELECT rowid FROM {table} WHERE {table} MATCH ?"
        for place, term in enumerate(wanted):
            found = _column(connection, sql, [_match(self.partition, [term], "OR")])
            is_held = np.isin(documents.rows, found)
            counts[:, place] = np.maximum(counts[:, place], is_long & is_held)


def _split(frequencies: Mapping[str, int], documents: int) -> tuple[list[str], list[str], list[str]]:
    """Of terms with their rows, rarest first: those that give candidates, within the budget, those that are
    too many for that, and the common ones."""
    limit = max(COMMON_ROWS, _COMMON_SHARE * documents)
    rarer = [term for term, frequency in frequencies.items() if frequency <= limit]
    rows = list(accumulate(frequencies[term] for term in rarer))
    taken = sum(place == 0 or so_far <= _CANDIDATE_BUDGET for place, so_far in enumerate(rows))
    return rarer[:taken], rarer[taken:], list(frequencies)[len(rarer) :]


def _holding_any(connection: sqlite3.Connection, partition: Partition, wanted: Sequence[str]) -> list[int]:
    """The rows with one of the terms, visible or not."""
    sql = f"SELECT rowid FROM {partition.table} WHERE {partition.table} MATCH ?"
    return _column(connection, sql, [_match(partition, wanted, "OR")])


def _newest(
    connection: sqlite3.Connection,
    partition: Partition,
    common: Sequence[str],
    condition: Sql,
    limit: int,
) -> list[int]:
    """Without a rare term: the newest rows with the two rarest terms, then with the rarest."""
    sql = (
        f"SELECT m.row FROM {partition.table} "
        f"CROSS JOIN {TABLES[partition.kind]} m ON m.row = {partition.table}.rowid "
        f"WHERE {partition.table} MATCH ? AND {condition[0]} "
        f"ORDER BY {partition.table}.rowid DESC LIMIT {limit:d}"
    )
    rows: dict[int, None] = {}
    for count in range(min(2, len(common)), 0, -1):
        found = _column(connection, sql, [_match(partition, common[:count], "AND"), *condition[1]])
        rows |= dict.fromkeys(found)
        if len(rows) >= limit:
            break
    return list(rows)


def _documents(connection: sqlite3.Connection, rows: Sequence[int]) -> forward_index.Documents:
    """The terms of texts, read from those of which nothing is kept: schema 1 kept none."""
    found = forward_index.load(connection, rows)
    if len(found.rows) == len(rows):
        return found
    kept = forward_index.load_numbers(connection, rows)
    wanted = json.dumps([row for row in rows if row not in kept])
    sql = f"SELECT row, text FROM {EVERY_TEXT} WHERE row IN (SELECT value FROM json_each(?))"
    kept |= {row: forward_index.term_numbers(text) for row, text in connection.execute(sql, (wanted,))}
    return forward_index.to_documents({row: kept[row] for row in sorted(kept)})


def best_visible(
    connection: sqlite3.Connection,
    kind: TextKind,
    condition: Sql,
    rows: Rows,
    scores: forward_index.Floats,
    limit: int,
) -> dict[int, float]:
    """The highest scores above zero of rows under a condition over `m`, equal ones newest first."""
    order = np.lexsort((-rows, -scores))
    order = order[scores[order] > 0]
    best: dict[int, float] = {}
    sql = (
        f"SELECT m.row FROM {TABLES[kind]} m NOT INDEXED "
        f"WHERE m.row IN (SELECT value FROM json_each(?)) AND {condition[0]}"
    )
    start, size = 0, 2 * limit
    while start < len(order) and len(best) < limit:
        chosen = order[start : start + size]
        tried = rows[chosen].tolist()
        allowed = set(_column(connection, sql, [json.dumps(tried), *condition[1]]))
        best |= {
            row: score for row, score in zip(tried, scores[chosen].tolist(), strict=True) if row in allowed
        }
        start, size = start + size, 2 * size
    return dict(itertools.islice(best.items(), limit))


def _column(connection: sqlite3.Connection, sql: str, params: Sequence[object]) -> list[int]:
    cursor = connection.cursor()
    cursor.row_factory = None  # plain tuples: half the time of rows by name
    return [row for (row,) in cursor.execute(sql, params)]


def _match(partition: Partition, wanted: Iterable[str], operator: str) -> str:
    quoted = ((partition.prefix + term).replace('"', '""') for term in wanted)
    return f" {operator} ".join(f'"{term}"' for term in quoted)
