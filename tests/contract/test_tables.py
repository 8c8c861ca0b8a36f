"""Every table of the schema is covered by salvage, `delete_all` and isolation: none can be forgotten."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from memory_client.paths import DataPaths
from memoryd.knowledge_base import KnowledgeBase
from memoryd.storage.migrations import migrate
from memoryd.storage.salvage import NOT_COPIED, copied_tables, salvage
from support.every_write import Life
from support.schema_tables import (
    BY_NUMBER,
    DERIVED,
    LISTS,
    OF_STORE,
    OF_USERS,
    OWNERS,
    SET_APART,
    columns,
    contents,
    patterned,
    tables,
)

NO_MODEL = {"embedder.model": "none"}


@pytest.fixture
def schema(tmp_path: Path) -> Path:
    """An empty database."""
    migrate(tmp_path / "schema.sqlite3", tmp_path)
    return tmp_path / "schema.sqlite3"


@pytest.fixture
def lived(tmp_path: Path) -> Path:
    """The database of two users who have stored whatever can be stored."""
    home = tmp_path / "home"
    with KnowledgeBase(home, settings=NO_MODEL) as kb:
        for user in ("ann", "bob"):
            Life(kb, user, f"friend of {user}").run()
    return DataPaths.at(home).database


def test_every_table_is_in_one_list(lived: Path) -> None:
    names = {patterned(name) for name in tables(lived)} | {"tokens_*"}
    times = {name: sum(name in one for one in LISTS) for name in names.union(*LISTS)}
    assert {name: count for name, count in times.items() if count != 1} == {}
    assert names == set().union(*LISTS), "a table of the lists is no longer there"


def test_every_table_of_users_is_filled_by_a_life(lived: Path) -> None:
    """Or the tests that look for what is left of a user would not see it."""
    empty = [name for name, rows in contents(lived, OF_USERS).items() if not rows]
    assert empty == []


def test_every_table_of_users_names_its_user(schema: Path) -> None:
    with closing(sqlite3.connect(schema)) as connection:
        nameless = {name for name in OF_USERS if not set(OWNERS) & set(columns(connection, name))}
    assert nameless == set(BY_NUMBER)


def test_a_salvage_copies_every_table_but_those_named(schema: Path) -> None:
    with closing(sqlite3.connect(schema)) as connection:
        assert set(copied_tables(connection)) == OF_USERS | OF_STORE
    assert {patterned(name) for name in NOT_COPIED} <= DERIVED | SET_APART


def test_every_copied_table_is_the_same_after_a_salvage(lived: Path) -> None:
    with closing(sqlite3.connect(lived)) as connection, connection:
        connection.execute("INSERT INTO spaces VALUES (7, 'f', 'e', 'm', 3, 'former', 0)")
        connection.execute("INSERT INTO probes VALUES (7, 'query', 0, 'text', x'00')")
        connection.execute("INSERT INTO properties VALUES ('triples_unread', 3)")
    names = {*OF_USERS, *OF_STORE}
    before, highest = contents(lived, names), contents(lived, ["sqlite_sequence"])["sqlite_sequence"]
    properties = contents(lived, ["properties"])["properties"]
    salvage(lived, lived.parent / "backups")
    after = contents(lived, names)
    assert {name: (before[name], after[name]) for name in names if before[name] != after[name]} == {}
    assert all(before[name] for name in OF_USERS), "something to compare"
    copied = [row for row in highest if row[0] not in NOT_COPIED]
    assert set(copied) <= set(contents(lived, ["sqlite_sequence"])["sqlite_sequence"]), "never used again"
    assert contents(lived, ["properties"])["properties"] == properties
    with KnowledgeBase(lived.parent, settings=NO_MODEL) as kb:
        assert all(one["ok"] for one in kb.admin.doctor() if one["check"] != "disk")


def test_rows_without_a_key_are_copied_once(lived: Path) -> None:
    """A damaged table is read from both ends; boosts and passes have no key that would tell a row apart."""
    rows = [("ann", "mem_x", float(n), "boost", 0.3, "w" * 500) for n in range(400)]
    with closing(sqlite3.connect(lived)) as connection, connection:
        connection.execute("UPDATE memories SET id = 'mem_x' WHERE row = 1")
        connection.execute("DELETE FROM boosts")
        connection.executemany("INSERT INTO boosts VALUES (?, ?, ?, ?, ?, ?)", rows)
        root = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'boosts'").fetchone()[0]
        size = connection.execute("PRAGMA page_size").fetchone()[0]
    with closing(sqlite3.connect(lived)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    content = bytearray(lived.read_bytes())
    start = (root - 1) * size
    assert content[start] == 5, "an interior page"
    cells = int.from_bytes(content[start + 3 : start + 5])
    at = start + int.from_bytes(content[start + 12 + cells // 2 * 2 : start + 14 + cells // 2 * 2])
    leaf = int.from_bytes(content[at : at + 4])
    content[(leaf - 1) * size : leaf * size] = b"\\xff" * size
    lived.write_bytes(content)
    salvage(lived, lived.parent / "backups")
    times = [row[2] for row in contents(lived, ["boosts"])["boosts"]]
    assert len(times) == len(set(times))
    assert len(times) > 350


def test_what_is_about_a_lost_memory_goes(lived: Path) -> None:
    with closing(sqlite3.connect(lived)) as connection, connection:
        connection.execute("DELETE FROM memories WHERE user_id = 'ann'")
    salvage(lived, lived.parent / "backups")
    left = contents(lived, ["boosts", "reviews", "conflicts"], "ann")
    assert left == {"boosts": [], "reviews": [], "conflicts": []}
    assert all(contents(lived, ["boosts", "reviews", "conflicts"], "bob").values())


def test_delete_all_takes_every_row_of_a_user_and_none_of_another(lived: Path) -> None:
    before = contents(lived, OF_USERS - BY_NUMBER.keys(), "bob")
    with KnowledgeBase(lived.parent, settings=NO_MODEL) as kb:
        kb.delete_all("ann")
        kb.delete_all("friend of ann")
    after = contents(lived, OF_USERS - BY_NUMBER.keys(), "bob")
    assert {name: (before[name], after[name]) for name in before if before[name] != after[name]} == {}
    with KnowledgeBase(lived.parent, settings=NO_MODEL) as kb:
        kb.delete_all("bob")
        kb.delete_all("friend of bob")
    left = contents(lived, OF_USERS)
    assert {name: rows for name, rows in left.items() if rows} == {}
