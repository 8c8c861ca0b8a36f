"""The partitions of the keyword index: one per user and kind of text, with its totals.

All partitions share one FTS5 table. A term is stored behind its partition's number, so a term of one user
never meets another user's. Numbers are never used again. Partitions of earlier schemas have a table each,
until the shared one holds their texts too.
"""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from memoryd.core.row_ranges import TextKind
from memoryd.storage.database import Transaction

State = Literal["serving", "filling"]

SHARED_TABLE = "keywords"
_MIN_IDF = 1e-6
_DROPPED_AT_ONCE = 5000
"""Texts: a table of more is set aside and deleted in slices, as dropping it holds the writer."""
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_SEPARATOR, _BEHIND_SEPARATOR = "#", "$"
_UNUSED = "unused"
_FIRST_RECORDS = 10
"""Ids of FTS5's averages and structure are not above; those of content are."""
_COLUMNS = "number, kind, documents, terms, is_shared, state, fold_version, filled_to, fill_end"


@dataclass(frozen=True, slots=True)
class Partition:
    """documents, terms: how many it holds.

    A filling one holds the rows up to `filled_to` and those above `fill_end`; searches go to the serving one
    of the same user and kind, if any.
    """

    number: int
    kind: TextKind
    documents: int
    terms: int
    is_shared: bool = True
    state: State = "serving"
    fold_version: str = ""
    filled_to: int = 0
    fill_end: int = 0

    @property
    def table(self) -> str:
        return SHARED_TABLE if self.is_shared else own_table(self.number)

    @property
    def prefix(self) -> str:
        """What its terms begin with in the table."""
        return prefix_of(self.number) if self.is_shared else ""

    @property
    def mean_length(self) -> float:
        return max(1.0, self.terms / max(1, self.documents))

    def idf(self, frequency: int) -> float:
        """FTS5's: log((N - n + 0.5) / (n + 0.5)), never below a millionth."""
        return max(_MIN_IDF, math.log((max(0, self.documents - frequency) + 0.5) / (frequency + 0.5)))

    def takes(self, row: int) -> bool:
        """Whether a row that is stored or removed now concerns this partition."""
        return self.state == "serving" or row <= self.filled_to or row > self.fill_end


def prefix_of(number: int) -> str:
    """The number in base 36 and a separator, which no number holds: no prefix begins with another."""
    digits = ""
    while number:
        number, digit = divmod(number, 36)
        digits = _DIGITS[digit] + digits
    return digits + _SEPARATOR


def term_range(number: int) -> tuple[str, str]:
    """The stored terms of a partition of the shared table: from the first string to below the second."""
    prefix = prefix_of(number)
    return prefix, prefix[:-1] + _BEHIND_SEPARATOR


def own_table(number: int | str) -> str:
    """The table of a partition of an earlier schema."""
    return f"lexical_{number}"


def get_all(connection: sqlite3.Connection, user_id: str, kind: TextKind) -> list[Partition]:
    """A user's partitions of a kind, the one that serves searches first."""
    sql = f"SELECT {_COLUMNS} FROM keyword_partitions WHERE user_id = ? AND kind = ? ORDER BY state DESC"
    return [_partition(row) for row in connection.execute(sql, (user_id, kind))]


def find(connection: sqlite3.Connection, user_id: str, kind: TextKind) -> Partition | None:
    """A user's partition of a kind, for searches."""
    return next(iter(get_all(connection, user_id, kind)), None)


def of_user(connection: sqlite3.Connection, user_id: str) -> list[Partition]:
    """All of a user's partitions."""
    sql = f"SELECT {_COLUMNS} FROM keyword_partitions WHERE user_id = ?"
    return [_partition(row) for row in connection.execute(sql, (user_id,))]


def create(
    tx: Transaction, user_id: str, kind: TextKind, fold_version: str, fill_end: int | None = None
) -> Partition:
    """Create an empty partition in the shared table. fill_end: the last row to be filled in, if any."""
    state: State = "serving" if fill_end is None else "filling"
    sql = (
        "INSERT INTO keyword_partitions "
        "(user_id, kind, state, is_shared, fold_version, filled_to, fill_end, documents, terms) "
        "VALUES (?, ?, ?, 1, ?, 0, ?, 0, 0)"
    )
    cursor = tx.execute(sql, (user_id, kind, state, fold_version, fill_end or 0))
    number = int(cursor.lastrowid or 0)
    return Partition(number, kind, 0, 0, True, state, fold_version, 0, fill_end or 0)


def drop(tx: Transaction, partition: Partition) -> None:
    """Remove a partition. What the shared table holds of it is left to physical removal."""
    if partition.is_shared:
        tx.execute("INSERT INTO abandoned_partitions VALUES (?)", (partition.number,))
    else:
        tx.execute(f"DROP TABLE IF EXISTS {partition.table}_terms")
        if partition.documents > _DROPPED_AT_ONCE:
            _set_aside(tx, partition.table)
        tx.execute(f"DROP TABLE IF EXISTS {partition.table}")
    tx.execute("DELETE FROM keyword_partitions WHERE number = ?", (partition.number,))


def _set_aside(tx: Transaction, table: str) -> None:
    """Leave a table of an earlier schema without its content, which goes into plain tables."""
    for part, column in (("data", "block"), ("docsize", "sz")):
        tx.execute(f"ALTER TABLE {table}_{part} RENAME TO {table}_{_UNUSED}_{part}")
        tx.execute(f"CREATE TABLE {table}_{part} (id INTEGER PRIMARY KEY, {column} BLOB)")
    tx.execute(  # FTS5 opens no table without these, and drops none that it cannot open
        f"INSERT INTO {table}_data SELECT id, block FROM {table}_{_UNUSED}_data WHERE id <= {_FIRST_RECORDS}"
    )


def set_aside(connection: sqlite3.Connection) -> list[str]:
    """Tables with the content of dropped tables of an earlier schema."""
    sql = "SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB ?"
    return [name for (name,) in connection.execute(sql, (f"{own_table('[0-9]*')}_{_UNUSED}_*",))]


def serve(tx: Transaction, partition: Partition) -> None:
    """Let a filled partition serve searches."""
    tx.execute("UPDATE keyword_partitions SET state = 'serving' WHERE number = ?", (partition.number,))


def count(tx: Transaction, number: int, documents: int, terms: int) -> None:
    """Add to a partition's totals."""
    tx.execute(
        "UPDATE keyword_partitions SET documents = documents + ?, terms = terms + ? WHERE number = ?",
        (documents, terms, number),
    )


def fill_up_to(tx: Transaction, number: int, row: int) -> None:
    """Note the last row that a filling partition holds."""
    tx.execute("UPDATE keyword_partitions SET filled_to = ? WHERE number = ?", (row, number))


def outdated(connection: sqlite3.Connection, fold_version: str) -> list[tuple[str, TextKind]]:
    """User and kind of the partitions to be filled: of an earlier schema or folding, or half done."""
    sql = (
        "SELECT user_id, kind FROM keyword_partitions "
        "WHERE state = 'filling' OR is_shared = 0 OR fold_version != ? GROUP BY user_id, kind"
    )
    return [(user_id, kind) for user_id, kind in connection.execute(sql, (fold_version,))]


def all_serve(connection: sqlite3.Connection) -> bool:
    """Whether each user and kind has a partition that serves searches."""
    sql = (
        "SELECT NOT EXISTS (SELECT 1 FROM keyword_partitions GROUP BY user_id, kind "
        "HAVING max(state) = 'filling')"
    )
    return bool(connection.execute(sql).fetchone()[0])


def abandoned(connection: sqlite3.Connection) -> list[int]:
    """Numbers of dropped partitions whose terms are still in the shared table."""
    return [number for (number,) in connection.execute("SELECT number FROM abandoned_partitions")]


def _partition(row: Sequence[object]) -> Partition:
    number, kind, documents, terms, is_shared, *rest = row
    return Partition(number, kind, documents, terms, bool(is_shared), *rest)  # type: ignore[arg-type]
