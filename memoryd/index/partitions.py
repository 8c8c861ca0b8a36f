"""The keyword index's partitions: one FTS5 table a user and kind of text, with its totals."""

from __future__ import annotations

import math
import sqlite3
from dataclasses import dataclass

from memoryd.core.kinds import TextKind
from memoryd.storage.database import Transaction

_MIN_IDF = 1e-6


@dataclass(frozen=True, slots=True)
class Partition:
    """number: part of its table's name. documents, terms: how many it holds."""

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
        return max(_MIN_IDF, math.log((max(0, self.documents - frequency) + 0.5) / (frequency + 0.5)))


def find(connection: sqlite3.Connection, user_id: str, kind: TextKind) -> Partition | None:
    """A user's partition of a kind."""
    row = connection.execute(
        "SELECT number, kind, documents, terms FROM partitions WHERE user_id = ? AND kind = ?",
        (user_id, kind),
    ).fetchone()
    return None if row is None else Partition(*row)


def numbers(connection: sqlite3.Connection, user_id: str) -> list[int]:
    """Of all of a user's partitions."""
    found = connection.execute("SELECT number FROM partitions WHERE user_id = ?", (user_id,))
    return [int(number) for (number,) in found]


def create(tx: Transaction, user_id: str, kind: TextKind) -> int:
    """Make an empty partition; return its number."""
    sql = "INSERT INTO partitions (user_id, kind, documents, terms) VALUES (?, ?, 0, 0)"
    cursor = tx.execute(sql, (user_id, kind))
    table = f"lexical_{cursor.lastrowid}"
    # `ascii` takes every other character as part of a term, independent of its Unicode version
    tx.execute(
        f"CREATE VIRTUAL TABLE {table} USING fts5 (terms, content='', tokenize=\"ascii tokenchars '''+#'\")"
    )
    tx.execute(f"CREATE VIRTUAL TABLE {table}_terms USING fts5vocab ({table}, 'row')")
    return int(cursor.lastrowid or 0)


def drop(tx: Transaction, number: int) -> None:
    """Remove a partition's tables."""
    tx.execute(f"DROP TABLE lexical_{number}_terms")
    tx.execute(f"DROP TABLE lexical_{number}")


def count(tx: Transaction, number: int, documents: int, terms: int) -> None:
    """Add to a partition's totals."""
    tx.execute(
        "UPDATE partitions SET documents = documents + ?, terms = terms + ? WHERE number = ?",
        (documents, terms, number),
    )
