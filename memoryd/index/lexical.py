"""Keyword search: one FTS5 table a user and kind of text, so that neither cost nor scores depend on others.

The tables are contentless and hold the terms of `core.fold`; they change in the transaction of the truth.
"""

from __future__ import annotations

import heapq
import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memoryd.core.cues import cues_of
from memoryd.core.filters import Node
from memoryd.core.fold import FOLD_VERSION, index_terms, query_terms
from memoryd.core.kinds import TextKind, kind_of
from memoryd.core.scope import Scope
from memoryd.index import partitions, terms
from memoryd.index.lexical_query import COMMON_ROWS, LexicalQuery
from memoryd.index.partitions import Partition
from memoryd.storage.database import Transaction
from memoryd.storage.texts import EVERY_TEXT, visible

_TERMS_READ = 2000  # of a long query; looking one up takes 10 to 50 µs
_TERMS_USED = 128  # the rarest of them
_CACHED_TERMS = 50_000
_PLURAL: dict[TextKind, str] = {"memory": "memories", "turn": "turns", "point": "knowledge points"}


@dataclass(frozen=True, slots=True)
class LexicalHit:
    """A row with its BM25 score and that score's share of the best the query could have got, in [0, 1]."""

    row: int
    score: float
    share: float


class LexicalIndex:
    """The keyword index of all users."""

    def __init__(self) -> None:
        self._frequencies: OrderedDict[tuple[int, str], tuple[int, int]] = OrderedDict()
        self._lock = threading.Lock()
        self._hits = 0
        self._misses = 0

    def is_current(self, connection: sqlite3.Connection) -> bool:
        """Whether the index was made by today's folding."""
        row = connection.execute("SELECT value FROM properties WHERE name = 'fold_version'").fetchone()
        return row is not None and row[0] == FOLD_VERSION

    def put(self, tx: Transaction, user_id: str, row: int, text: str) -> None:
        """Index a text."""
        found = index_terms(text)
        number = self._number(tx, user_id, row)
        tx.execute(f"INSERT INTO lexical_{number} (rowid, terms) VALUES (?, ?)", (row, " ".join(found)))
        terms.put(tx, row, found, cues_of(text))
        partitions.count(tx, number, 1, len(found))

    def remove(self, tx: Transaction, user_id: str, row: int, text: str) -> None:
        """Take a text out; it must be the one that was put."""
        found = index_terms(text)
        table = f"lexical_{(number := self._number(tx, user_id, row))}"
        tx.execute(
            f"INSERT INTO {table} ({table}, rowid, terms) VALUES ('delete', ?, ?)", (row, " ".join(found))
        )
        terms.remove(tx, row)
        partitions.count(tx, number, -1, -len(found))

    def forget_user(self, tx: Transaction, user_id: str) -> None:
        """Drop a user's partitions. Call it before the texts' rows go."""
        rows = f"SELECT row FROM {EVERY_TEXT} WHERE user_id = ?"
        tx.execute(f"DELETE FROM text_terms WHERE row IN ({rows})", (user_id,))
        for number in partitions.numbers(tx.connection, user_id):
            partitions.drop(tx, number)
        tx.execute("DELETE FROM partitions WHERE user_id = ?", (user_id,))

    def optimize(self, tx: Transaction, user_id: str) -> None:
        """Merge a user's partitions into one segment each, which leaves no byte of what was removed."""
        for number in partitions.numbers(tx.connection, user_id):
            table = f"lexical_{number}"
            tx.execute(f"INSERT INTO {table} ({table}) VALUES ('optimize')")

    def rebuild(self, tx: Transaction) -> int:
        """Make the whole index again from the texts; return how many."""
        for (number,) in tx.execute("SELECT number FROM partitions").fetchall():
            partitions.drop(tx, int(number))
        tx.execute("DELETE FROM partitions")
        tx.execute("DELETE FROM text_terms")
        count = 0
        for row, user_id, text in tx.execute(f"SELECT row, user_id, text FROM {EVERY_TEXT} ORDER BY row"):
            self.put(tx, user_id, row, text)
            count += 1
        tx.execute("INSERT OR REPLACE INTO properties VALUES ('fold_version', ?)", (FOLD_VERSION,))
        with self._lock:
            self._frequencies.clear()
        return count

    def check(self, connection: sqlite3.Connection) -> list[str]:
        """Disagreements with the truth, in words."""
        known = {
            (row[1], row[2]): Partition(row[0], row[2], row[3], row[4])
            for row in connection.execute("SELECT number, user_id, kind, documents, terms FROM partitions")
        }
        owners = connection.execute(f"SELECT DISTINCT user_id, kind FROM {EVERY_TEXT}").fetchall()
        without = len({owner[0] for owner in owners if tuple(owner) not in known})
        found = [f"{without} users are not in the keyword index"] if without else []
        for (user_id, _), partition in known.items():
            found += _differences(connection, user_id, partition)
        return found

    def read(
        self,
        connection: sqlite3.Connection,
        user_id: str,
        query: str,
        kind: TextKind,
        leave_out: frozenset[str] = frozenset(),
    ) -> LexicalQuery | None:
        """The query's terms as they stand in a partition, None when none of them does.

        leave_out: terms that are not looked for, unless there are no others.
        """
        partition = partitions.find(connection, user_id, kind)
        if partition is None:
            return None
        wanted = query_terms(query)[:_TERMS_READ]
        wanted = [term for term in wanted if term not in leave_out] or wanted
        frequencies = self._known(connection, partition, wanted)
        return LexicalQuery(partition, frequencies) if frequencies else None

    def search(
        self,
        connection: sqlite3.Connection,
        scope: Scope,
        query: str,
        limit: int,
        node: Node,
        kind: TextKind = "memory",
    ) -> list[LexicalHit]:
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

    def _number(self, tx: Transaction, user_id: str, row: int) -> int:
        kind = kind_of(row)
        found = partitions.find(tx.connection, user_id, kind)
        if found is not None:
            return found.number
        tx.execute("INSERT OR IGNORE INTO properties VALUES ('fold_version', ?)", (FOLD_VERSION,))
        return partitions.create(tx, user_id, kind)

    def _known(
        self, connection: sqlite3.Connection, partition: Partition, wanted: Sequence[str]
    ) -> dict[str, int]:
        """The rarest terms that occur, rarest first, with the number of rows they stand in."""
        found = {term: self.frequency(connection, partition, term) for term in wanted}
        occurring = [(n, place, term) for place, (term, n) in enumerate(found.items()) if n]
        return {term: n for n, _, term in heapq.nsmallest(_TERMS_USED, occurring)}

    def frequency(self, connection: sqlite3.Connection, partition: Partition, term: str) -> int:
        """How many rows a term stands in: exact for rare terms, at most a tenth stale for common ones."""
        key = (partition.number, term)
        with self._lock:
            cached = self._frequencies.get(key)
            if cached and abs(cached[1] - partition.documents) * 10 <= partition.documents:
                self._frequencies.move_to_end(key)
                self._hits += 1
                return cached[0]
            self._misses += 1
        row = connection.execute(
            f"SELECT doc FROM {partition.table}_terms WHERE term = ?", (term,)
        ).fetchone()
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


def best_of(query: LexicalQuery, scores: Mapping[int, float], limit: int) -> list[LexicalHit]:
    """The best of scored rows, best first; equal scores newest first."""
    order = sorted(scores.items(), key=lambda item: (-item[1], -item[0]))[:limit]
    best = query.best
    return [LexicalHit(row, score, min(1.0, max(0.0, score / best))) for row, score in order]


def _differences(connection: sqlite3.Connection, user_id: str, partition: Partition) -> list[str]:
    docsize = f"{partition.table}_docsize"  # FTS5's own: a row for every text it holds
    texts = f"SELECT row FROM {EVERY_TEXT} WHERE user_id = ? AND kind = '{partition.kind}'"
    missing = f"{texts} EXCEPT SELECT id FROM {{0}}"
    foreign = f"SELECT id FROM {{0}} EXCEPT {texts}"
    held = "SELECT count(*) FROM {0}"
    counts = [
        int(connection.execute(f"SELECT count(*) FROM ({sql.format(docsize)})", (user_id,)).fetchone()[0])
        for sql in (missing, foreign)
    ]
    found = [
        f"{n} {what}"
        for n, what in zip(
            counts,
            (
                f"{_PLURAL[partition.kind]} are not in the keyword index",
                f"texts in the keyword index are of no {partition.kind}",
            ),
            strict=True,
        )
        if n
    ]
    documents = int(connection.execute(held.format(docsize)).fetchone()[0])
    if documents != partition.documents:
        found.append(f"{partition.documents} texts counted in the keyword index, {documents} in it")
    return found
