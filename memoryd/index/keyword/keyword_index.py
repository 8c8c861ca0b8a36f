"""Keyword search: the index changes in the transaction of the texts; terms are those of `language.fold`."""

from __future__ import annotations

import heapq
import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memoryd.core.filters.grammar import Node
from memoryd.core.row_ranges import TextKind, kind_of
from memoryd.core.scope import Scope
from memoryd.index.keyword import forward_index, partitions
from memoryd.index.keyword.partitions import Partition
from memoryd.index.keyword.query import COMMON_ROWS, KeywordQuery
from memoryd.language.fold import FOLD_VERSION, index_terms, query_terms
from memoryd.language.text_features import feature_bits
from memoryd.storage.database import Transaction
from memoryd.storage.records.texts import EVERY_TEXT, visible

_TERMS_READ = 2000  # of a long query; looking one up takes 10 to 50 µs
_TERMS_USED = 128  # the rarest of them
_CACHED_TERMS = 50_000


@dataclass(frozen=True, slots=True)
class KeywordHit:
    """A row with its BM25 score and that score's share of the best the query could have got, in [0, 1]."""

    row: int
    score: float
    share: float


class KeywordIndex:
    """The keyword index of all users."""

    def __init__(self) -> None:
        self._frequencies: OrderedDict[tuple[int, str], tuple[int, int]] = OrderedDict()
        self._lock = threading.Lock()
        self._hits = 0
        self._misses = 0

    def put(self, tx: Transaction, user_id: str, row: int, text: str) -> None:
        """Index a text."""
        found = index_terms(text)
        kind = kind_of(row)
        known = partitions.get_all(tx.connection, user_id, kind)
        for partition in known or [partitions.create(tx, user_id, kind, FOLD_VERSION)]:
            if partition.takes(row):
                insert_terms(tx, partition, row, found)
        forward_index.put(tx, row, found, feature_bits(text))

    def remove(self, tx: Transaction, user_id: str, row: int, text: str) -> None:
        """Take a text out; it must be the one that was put."""
        found = index_terms(text)
        for partition in partitions.get_all(tx.connection, user_id, kind_of(row)):
            if partition.takes(row):
                _delete_terms(tx, partition, row, found)
        forward_index.remove(tx, row)

    def forget_user(self, tx: Transaction, user_id: str) -> None:
        """Drop a user's partitions. Call it before the texts' rows go."""
        rows = f"SELECT row FROM {EVERY_TEXT} WHERE user_id = ?"
        tx.execute(f"DELETE FROM text_terms WHERE row IN ({rows})", (user_id,))
        for partition in partitions.of_user(tx.connection, user_id):
            partitions.drop(tx, partition)

    def read(
        self,
        connection: sqlite3.Connection,
        user_id: str,
        query: str,
        kind: TextKind,
        leave_out: frozenset[str] = frozenset(),
    ) -> KeywordQuery | None:
        """The query's terms as they are in a partition, None when it holds none of them.

        leave_out: terms that are not looked for, unless there are no others.
        """
        partition = partitions.find(connection, user_id, kind)
        if partition is None:
            return None
        wanted = query_terms(query)[:_TERMS_READ]
        wanted = [term for term in wanted if term not in leave_out] or wanted
        frequencies = self._known(connection, partition, wanted)
        return KeywordQuery(partition, frequencies) if frequencies else None

    def search(
        self,
        connection: sqlite3.Connection,
        scope: Scope,
        query: str,
        limit: int,
        node: Node,
        kind: TextKind = "memory",
    ) -> list[KeywordHit]:
        """The best visible texts of a kind in the scope by BM25, best first; equal scores newest first."""
        asked = self.read(connection, scope.user_id, query, kind)
        if asked is None:
            return []
        return best_of(asked, asked.candidates(connection, visible(kind, scope, node), limit), limit)

    def clear_cache(self) -> None:
        """Forget the terms of the frequency cache."""
        with self._lock:
            self._frequencies.clear()

    def cache_counters(self) -> dict[str, int]:
        """Hits, misses and size of the term frequency cache."""
        return {"hits": self._hits, "misses": self._misses, "size": len(self._frequencies)}

    def _known(
        self, connection: sqlite3.Connection, partition: Partition, wanted: Sequence[str]
    ) -> dict[str, int]:
        """The rarest terms that occur, rarest first, with the number of rows that hold them."""
        found = {term: self.frequency(connection, partition, term) for term in wanted}
        occurring = [(n, place, term) for place, (term, n) in enumerate(found.items()) if n]
        return {term: n for n, _, term in heapq.nsmallest(_TERMS_USED, occurring)}

    def frequency(self, connection: sqlite3.Connection, partition: Partition, term: str) -> int:
        """How many rows hold a term: exact for rare terms, at most a tenth stale for common ones."""
        key = (partition.number, term)
        with self._lock:
            cached = self._frequencies.get(key)
            if cached and abs(cached[1] - partition.documents) * 10 <= partition.documents:
                self._frequencies.move_to_end(key)
                self._hits += 1
                return cached[0]
            self._misses += 1
        sql = f"SELECT doc FROM {partition.table}_terms WHERE term = ?"
        row = connection.execute(sql, (partition.prefix + term,)).fetchone()
        frequency = int(row[0]) if row else 0
        if frequency > COMMON_ROWS:
            self._remember(key, frequency, partition.documents)
        return frequency

    def _remember(self, key: tuple[int, str], frequency: int, documents: int) -> None:
        with self._lock:
            self._frequencies[key] = (frequency, documents)
            self._frequencies.move_to_end(key)
            while len(self._frequencies) > _CACHED_TERMS:
                self._frequencies.popitem(last=False)


def insert_terms(tx: Transaction, partition: Partition, row: int, found: Sequence[str]) -> None:
    """Add a text's terms to a partition."""
    sql = f"INSERT INTO {partition.table} (rowid, terms) VALUES (?, ?)"
    tx.execute(sql, (row, _stored(partition, found)))
    partitions.count(tx, partition.number, 1, len(found))


def _delete_terms(tx: Transaction, partition: Partition, row: int, found: Sequence[str]) -> None:
    """Remove a text's terms. Those of another folding are not known; they go with the partition."""
    if partition.fold_version == FOLD_VERSION:
        sql = f"INSERT INTO {partition.table} ({partition.table}, rowid, terms) VALUES ('delete', ?, ?)"
        tx.execute(sql, (row, _stored(partition, found)))
    partitions.count(tx, partition.number, -1, -len(found))


def _stored(partition: Partition, found: Sequence[str]) -> str:
    return " ".join([partition.prefix + term for term in found])


def best_of(query: KeywordQuery, scores: Mapping[int, float], limit: int) -> list[KeywordHit]:
    """The best of scored rows, best first; equal scores newest first."""
    order = sorted(scores.items(), key=lambda item: (-item[1], -item[0]))[:limit]
    best = query.best
    return [KeywordHit(row, score, min(1.0, max(0.0, score / best))) for row, score in order]
