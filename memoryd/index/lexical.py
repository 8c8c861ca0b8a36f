"""Keyword search: one FTS5 table a user and kind of text, so that neither cost nor scores depend on others.

The tables are contentless and hold the terms of `core.fold`; they change in the transaction of the truth.
FTS5's BM25 touches every row a term stands in, and counts it first: a word that stands in every row would
cost 100 ms at 100k rows. So candidates come from the rarer terms, and the common ones only add to their
scores, by the same formula, computed here.
"""

from __future__ import annotations

import heapq
import math
import sqlite3
import threading
from collections import Counter, OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from memoryd.core.filters import Node
from memoryd.core.fold import FOLD_VERSION, index_terms, query_terms
from memoryd.core.kinds import TextKind, kind_of
from memoryd.core.scope import Scope
from memoryd.storage.database import Transaction
from memoryd.storage.filters import Sql
from memoryd.storage.texts import EVERY_TEXT, TABLES, visible

_TERMS_READ = 2000  # of a long query; looking one up takes 10 to 50 µs
_TERMS_USED = 128  # the rarest of them
_COMMON_SHARE = 0.05
_COMMON_ROWS = 1000  # below this a term is never common: scoring its rows is cheap
_CANDIDATE_BUDGET = 2000  # rows that FTS5 scores for a query, about 1.5 µs each
_POOL = 100  # best candidates that are scored by the common terms too
_NEWEST = 50  # candidates where there are common terms only
_TEXT_CHARS = 1000  # of a candidate's text that are cut into terms for it, about 0.8 µs each
_POOL_CHARS = 40_000  # of all of them
_K1, _B = 1.2, 0.75  # FTS5's own constants
_MIN_IDF = 1e-6
_PLURAL: dict[TextKind, str] = {"memory": "memories", "turn": "turns"}
_CACHED_TERMS = 50_000


@dataclass(frozen=True, slots=True)
class LexicalHit:
    """A row with its BM25 score and that score's share of the best the query could have got, in [0, 1]."""

    row: int
    score: float
    share: float


@dataclass(frozen=True, slots=True)
class _Partition:
    number: int
    kind: TextKind
    documents: int
    terms: int

    @property
    def table(self) -> str:
        return f"lexical_{self.number}"

    @property
    def mean_length(self) -> float:
        return max(1.0, self.terms / max(1, self.documents))

    def idf(self, frequency: int) -> float:
        """FTS5's: log((N - n + 0.5) / (n + 0.5)), never below a millionth."""
        return max(_MIN_IDF, math.log((self.documents - frequency + 0.5) / (frequency + 0.5)))


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
        terms = index_terms(text)
        number = self._number(tx, user_id, row)
        tx.execute(f"INSERT INTO lexical_{number} (rowid, terms) VALUES (?, ?)", (row, " ".join(terms)))
        _count(tx, number, 1, len(terms))

    def remove(self, tx: Transaction, user_id: str, row: int, text: str) -> None:
        """Take a text out; it must be the one that was put."""
        terms = index_terms(text)
        table = f"lexical_{(number := self._number(tx, user_id, row))}"
        tx.execute(
            f"INSERT INTO {table} ({table}, rowid, terms) VALUES ('delete', ?, ?)", (row, " ".join(terms))
        )
        _count(tx, number, -1, -len(terms))

    def forget_user(self, tx: Transaction, user_id: str) -> None:
        """Drop a user's partitions."""
        for number in _numbers(tx, user_id):
            _drop(tx, number)
        tx.execute("DELETE FROM partitions WHERE user_id = ?", (user_id,))

    def optimize(self, tx: Transaction, user_id: str) -> None:
        """Merge a user's partitions into one segment each, which leaves no byte of what was removed."""
        for number in _numbers(tx, user_id):
            table = f"lexical_{number}"
            tx.execute(f"INSERT INTO {table} ({table}) VALUES ('optimize')")

    def rebuild(self, tx: Transaction) -> int:
        """Make the whole index again from the texts; return how many."""
        for (number,) in tx.execute("SELECT number FROM partitions").fetchall():
            _drop(tx, int(number))
        tx.execute("DELETE FROM partitions")
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
        partitions = {
            (row[1], row[2]): _Partition(row[0], row[2], row[3], row[4])
            for row in connection.execute("SELECT number, user_id, kind, documents, terms FROM partitions")
        }
        owners = connection.execute(f"SELECT DISTINCT user_id, kind FROM {EVERY_TEXT}").fetchall()
        without = len({owner[0] for owner in owners if tuple(owner) not in partitions})
        found = [f"{without} users are not in the keyword index"] if without else []
        for (user_id, _), partition in partitions.items():
            found += _differences(connection, user_id, partition)
        return found

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
        partition = _partition(connection, scope.user_id, kind)
        if partition is None:
            return []
        frequencies = self._known(connection, partition, query_terms(query)[:_TERMS_READ])
        if not frequencies:
            return []
        rare, middling, common = _split(frequencies, partition.documents)
        condition = visible(kind, scope, node)
        if rare:
            scores = _by_rare(connection, partition, rare, middling, condition, max(_POOL, 2 * limit))
        else:
            scores = _newest(connection, partition, common, condition, max(_NEWEST, 2 * limit))
        if common:
            idfs = {term: partition.idf(frequencies[term]) for term in common}
            _add_common(connection, scores, idfs, partition, limit)
        best = sum(partition.idf(n) for n in frequencies.values()) * (_K1 + 1)
        hits = [_hit(row, score, best) for row, score in scores.items()]
        return sorted(hits, key=lambda hit: (-hit.score, -hit.row))[:limit]

    def cache_counters(self) -> dict[str, int]:
        """Hits, misses and size of the term frequency cache."""
        return {"hits": self._hits, "misses": self._misses, "size": len(self._frequencies)}

    def _number(self, tx: Transaction, user_id: str, row: int) -> int:
        kind = kind_of(row)
        found = _partition(tx.connection, user_id, kind)
        return found.number if found is not None else _create(tx, user_id, kind)

    def _known(
        self, connection: sqlite3.Connection, partition: _Partition, terms: Sequence[str]
    ) -> dict[str, int]:
        """The rarest terms that occur, rarest first, with the number of rows they stand in."""
        found = {term: self._frequency(connection, partition, term) for term in terms}
        occurring = [(n, place, term) for place, (term, n) in enumerate(found.items()) if n]
        return {term: n for n, _, term in heapq.nsmallest(_TERMS_USED, occurring)}

    def _frequency(self, connection: sqlite3.Connection, partition: _Partition, term: str) -> int:
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
        if frequency > _COMMON_ROWS:
            self._remember(key, frequency, partition.documents)
        return frequency

    def _remember(self, key: tuple[int, str], frequency: int, documents: int) -> None:
        with self._lock:
            self._frequencies[key] = (frequency, documents)
            self._frequencies.move_to_end(key)
            while len(self._frequencies) > _CACHED_TERMS:
                self._frequencies.popitem(last=False)


def _numbers(tx: Transaction, user_id: str) -> list[int]:
    found = tx.execute("SELECT number FROM partitions WHERE user_id = ?", (user_id,)).fetchall()
    return [int(number) for (number,) in found]


def _create(tx: Transaction, user_id: str, kind: TextKind) -> int:
    sql = "INSERT INTO partitions (user_id, kind, documents, terms) VALUES (?, ?, 0, 0)"
    cursor = tx.execute(sql, (user_id, kind))
    table = f"lexical_{cursor.lastrowid}"
    # `ascii` takes every other character as part of a term, independent of its Unicode version
    tx.execute(
        f"CREATE VIRTUAL TABLE {table} USING fts5 (terms, content='', tokenize=\"ascii tokenchars '''+#'\")"
    )
    tx.execute(f"CREATE VIRTUAL TABLE {table}_terms USING fts5vocab ({table}, 'row')")
    tx.execute("INSERT OR IGNORE INTO properties VALUES ('fold_version', ?)", (FOLD_VERSION,))
    return int(cursor.lastrowid or 0)


def _drop(tx: Transaction, number: int) -> None:
    tx.execute(f"DROP TABLE lexical_{number}_terms")
    tx.execute(f"DROP TABLE lexical_{number}")


def _count(tx: Transaction, number: int, documents: int, terms: int) -> None:
    tx.execute(
        "UPDATE partitions SET documents = documents + ?, terms = terms + ? WHERE number = ?",
        (documents, terms, number),
    )


def _partition(connection: sqlite3.Connection, user_id: str, kind: TextKind) -> _Partition | None:
    row = connection.execute(
        "SELECT number, kind, documents, terms FROM partitions WHERE user_id = ? AND kind = ?",
        (user_id, kind),
    ).fetchone()
    return None if row is None else _Partition(*row)


def _split(frequencies: dict[str, int], documents: int) -> tuple[list[str], list[str], list[str]]:
    """Of terms with their rows, rarest first: those that give candidates, within the budget, those that are
    too many for that, and the common ones."""
    limit = max(_COMMON_ROWS, _COMMON_SHARE * documents)
    terms = [term for term, frequency in frequencies.items() if frequency <= limit]
    rows = list(accumulate(frequencies[term] for term in terms))
    taken = sum(place == 0 or so_far <= _CANDIDATE_BUDGET for place, so_far in enumerate(rows))
    return terms[:taken], terms[taken:], list(frequencies)[len(terms) :]


def _by_rare(
    connection: sqlite3.Connection,
    partition: _Partition,
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
    partition: _Partition,
    terms: Sequence[str],
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
    for count in range(min(2, len(terms)), 0, -1):
        found = connection.execute(sql, [_match(terms[:count], "AND"), *condition[1]])
        rows |= dict.fromkeys((int(row) for (row,) in found), 0.0)
        if len(rows) >= limit:
            break
    return rows


def _match(terms: Iterable[str], operator: str) -> str:
    return f" {operator} ".join('"' + term.replace('"', '""') + '"' for term in terms)


def _add_common(
    connection: sqlite3.Connection,
    scores: dict[int, float],
    idfs: dict[str, float],
    partition: _Partition,
    limit: int,
) -> None:
    """Add what common terms contribute to the scores, as FTS5's bm25() would.

    Best rows first, as long as they can still come among the best `limit`; where texts are long the last
    ones go without.
    """
    table = TABLES[partition.kind]
    sql = f"SELECT substr(text, 1, {_TEXT_CHARS}), length(text) FROM {table} WHERE row = ?"
    most = sum(idfs.values()) * (_K1 + 1)
    best: list[float] = []
    characters = 0
    for row, score in scores.items():
        if len(best) == limit and score + most < best[0]:
            break
        text, length = connection.execute(sql, (row,)).fetchone()
        characters += len(text)
        if characters > _POOL_CHARS:
            break
        scores[row] = score + _bm25(text, length, idfs, partition)
        (heapq.heappush if len(best) < limit else heapq.heappushpop)(best, scores[row])


def _bm25(text: str, length: int, idfs: dict[str, float], partition: _Partition) -> float:
    """The part of some terms in a text's score. length: of the whole text, whose beginning `text` is."""
    terms = index_terms(text)
    counts = Counter(term for term in terms if term in idfs)
    norm = _K1 * (1 - _B + _B * len(terms) * length / len(text) / partition.mean_length)
    return sum(idfs[term] * n * (_K1 + 1) / (n + norm) for term, n in counts.items())


def _hit(row: int, score: float, best: float) -> LexicalHit:
    return LexicalHit(row, score, min(1.0, max(0.0, score / best)))


def _differences(connection: sqlite3.Connection, user_id: str, partition: _Partition) -> list[str]:
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
