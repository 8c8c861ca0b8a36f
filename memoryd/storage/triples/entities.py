"""The entities table: names, and which of them are other names of one thing.

An alias is an entity that points at another. Each entity knows the root of its chain, so that what is asked
of one is asked of all that share a root, and taking an alias back undoes nothing else.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memoryd.language.triples import key_of
from memoryd.storage.database import Transaction

_COLUMNS = "number, key, name, degree, alias_of, root"


@dataclass(frozen=True, slots=True)
class Entity:
    """A name. degree: of how many triples it is an end; root: the number it goes by."""

    number: int
    key: str
    name: str
    degree: int
    alias_of: int | None
    root: int


def find(connection: sqlite3.Connection, user_id: str, keys: Sequence[str]) -> dict[str, Entity]:
    """The entities of a user that have one of the keys, by key."""
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM entities WHERE user_id = ? AND key IN (SELECT value FROM json_each(?))",
        (user_id, json.dumps(keys, ensure_ascii=False)),
    )
    return {row["key"]: Entity(*row) for row in rows}


def by_numbers(connection: sqlite3.Connection, user_id: str, numbers: Iterable[int]) -> dict[int, Entity]:
    """Entities by number."""
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM entities WHERE number IN (SELECT value FROM json_each(?)) AND +user_id = ?",
        (json.dumps(list(numbers)), user_id),
    )
    return {row["number"]: Entity(*row) for row in rows}


def members(connection: sqlite3.Connection, user_id: str, root: int) -> list[int]:
    """The numbers of all names of the entity with this root."""
    return list(degrees(connection, user_id, root))


def degrees(connection: sqlite3.Connection, user_id: str, root: int) -> dict[int, int]:
    """Of how many triples each of them is an end, by number; the root first."""
    rows = connection.execute(
        "SELECT number, degree FROM entities WHERE number = ? AND +user_id = ? UNION ALL "
        "SELECT number, degree FROM entities WHERE root = ? AND alias_of IS NOT NULL AND +user_id = ?",
        (root, user_id, root, user_id),
    )
    return dict(rows.fetchall())


def ensure(tx: Transaction, user_id: str, name: str) -> int:
    """The number of the entity of a name, which is made when it is new."""
    key = key_of(name)
    row = tx.execute("SELECT number FROM entities WHERE user_id = ? AND key = ?", (user_id, key)).fetchone()
    if row is not None:
        return int(row[0])
    values = {"user_id": user_id, "key": key, "name": name, "degree": 0, "root": 0}
    number = tx.insert("entities", values, key="number")
    tx.execute("UPDATE entities SET root = ? WHERE number = ?", (number, number))
    return number


def point(tx: Transaction, user_id: str, alias: int, entity: int | None) -> None:
    """Make an entity another name of a second, or, with None, a thing of its own. No circles."""
    tx.execute("UPDATE entities SET alias_of = ? WHERE number = ? AND user_id = ?", (entity, alias, user_id))
    root = alias if entity is None else by_numbers(tx.connection, user_id, [entity])[entity].root
    tx.execute(
        """
        WITH RECURSIVE below (number) AS (
            VALUES (:alias)
            UNION
            SELECT e.number FROM below b
            JOIN entities e ON e.root = :former AND e.alias_of = b.number AND +e.user_id = :user
        )
        UPDATE entities SET root = :root WHERE number IN (SELECT number FROM below)
        """,
        {
            "alias": alias,
            "former": by_numbers(tx.connection, user_id, [alias])[alias].root,
            "root": root,
            "user": user_id,
        },
    )


def aliases(
    connection: sqlite3.Connection, user_id: str, root: int | None, limit: int
) -> list[tuple[str, str]]:
    """(alias, name of what it points at) by alias, of one entity or of all."""
    condition = "" if root is None else "AND a.root = :root"
    rows = connection.execute(
        "SELECT a.name, e.name FROM entities a JOIN entities e ON e.number = a.alias_of "
        f"WHERE a.user_id = :user AND a.alias_of IS NOT NULL {condition} "
        "ORDER BY a.name, a.number LIMIT :limit",
        {"user": user_id, "root": root, "limit": limit},
    )
    return [(str(alias), str(name)) for alias, name in rows]


def count_ends(tx: Transaction, user_id: str, ends: Iterable[int], by: int) -> None:
    """Note that entities are ends of one triple more, or fewer."""
    tx.executemany(
        "UPDATE entities SET degree = degree + ? WHERE number = ? AND +user_id = ?",
        [(by, number, user_id) for number in ends],
    )


def drop_unnamed(tx: Transaction, user_id: str, numbers: Iterable[int]) -> None:
    """Delete those of some entities that no triple and no alias names."""
    tx.execute(
        "DELETE FROM entities WHERE number IN (SELECT value FROM json_each(?)) AND +user_id = ? "
        "AND degree = 0 AND alias_of IS NULL AND NOT EXISTS "
        "(SELECT 1 FROM entities a WHERE a.root = entities.number AND a.alias_of IS NOT NULL)",
        (json.dumps(list(numbers)), user_id),
    )
