"""What is deleted leaves nothing behind: no row, and once it is removed physically, no byte."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from memoryd.knowledge_base import KnowledgeBase
from support.every_write import Life
from support.faces import Face, opened
from support.schema_tables import OF_STORE, OF_USERS, SET_APART, contents
from support.waiting import eventually

KB = Any
STAYS = {*OF_STORE, *SET_APART, "outbox"}
"""Tables about the store; the outbox keeps the rows, by number, that LanceDB has yet to remove."""


def files_with(home: Path, words: list[str]) -> dict[str, list[str]]:
    """The files that hold words, as they are or in lower case, by word; backups excepted."""
    found: dict[str, list[str]] = {}
    for path in sorted(home.rglob("*")):
        if not path.is_file() or home / "backups" in path.parents:
            continue
        content = path.read_bytes()
        for word in words:
            if word.encode() in content or word.lower().encode() in content:
                found.setdefault(word, []).append(path.name)
    return found


def rows(home: Path) -> dict[str, int]:
    """Rows of each table."""
    with closing(sqlite3.connect(f"file:{home / 'memory.sqlite3'}?mode=ro", uri=True)) as connection:
        names = [
            name
            for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            if name != "keywords" and not name.startswith("keywords_")
        ]
        return {name: connection.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for name in names}


def places_of(home: Path, value: str) -> list[str]:
    """`table.column` of every column that holds a value."""
    found = []
    with closing(sqlite3.connect(f"file:{home / 'memory.sqlite3'}?mode=ro", uri=True)) as connection:
        for name in rows(home):
            for column in [row[1] for row in connection.execute(f'PRAGMA table_info("{name}")')]:
                sql = f'SELECT count(*) FROM "{name}" WHERE "{column}" = ?'
                if connection.execute(sql, (value,)).fetchone()[0]:
                    found.append(f"{name}.{column}")
    return found


@pytest.fixture
def lived(ready: Face, user: str) -> Life:
    """One who has stored whatever can be stored."""
    life = Life(ready.kb, f"Rumpelstilz-{user}", f"friend of {user[-6:]}")
    life.run()
    eventually("the vectors are in the store", lambda: ready.kb.status()["pending_vector_count"] == 0, 60)
    return life


def test_delete_all_leaves_no_byte_of_anything(ready: Face, lived: Life) -> None:
    marks = list(lived.marks)
    ready.kb.search(" ".join(marks[:5]), user_id=lived.user, scope="all")
    stored = files_with(ready.home, marks)
    seen = {lived.marks[mark] for mark in stored}
    assert set(lived.marks.values()) == seen, "what is looked for would be found"
    owned = contents(ready.home / "memory.sqlite3", OF_USERS, lived.user)
    assert [name for name, rows in owned.items() if not rows and name != "grants"] == [], "in every table"

    ready.kb.delete_all(lived.user, request_id=lived.word("memory.delete_all"))

    left = files_with(ready.home, list(lived.marks))
    assert {lived.marks[mark]: files for mark, files in left.items()} == {}
    assert files_with(ready.home, ["Rumpelstilz"]) == {}
    assert places_of(ready.home, lived.user) == []
    assert all(one["ok"] for one in ready.kb.admin.doctor() if one["check"] != "disk")


def test_delete_all_leaves_no_row(tmp_path: Path) -> None:
    """Of tables that do not name users, too: when the only one leaves, the store is as empty as it was."""
    home = tmp_path / "home"
    with KnowledgeBase(home, settings={"embedder.model": "none"}) as kb:
        before = rows(home)
        life = Life(kb, "leaver", "friend")
        life.run()
        assert {name for name, count in rows(home).items() if count > before[name]} >= OF_USERS
        kb.delete_all("leaver")
        after = rows(home)
        assert places_of(home, "leaver") == []
    grown = {name: after[name] for name in after if after[name] > before.get(name, 0)}
    assert grown.keys() <= STAYS, grown


def test_delete_all_empties_every_cache(ready: Face, lived: Life) -> None:
    """They hold queries, terms and texts."""
    ready.kb.search(" ".join(lived.marks), user_id=lived.user, scope="all")
    caches = ready.kb.admin.metrics()["caches"]
    assert caches["results"]["size"]
    assert caches["query_vectors"]["size"]
    ready.kb.delete_all(lived.user)
    assert {
        name: one["size"] for name, one in ready.kb.admin.metrics()["caches"].items() if one["size"]
    } == {}


@pytest.mark.parametrize("storage", ["files", "sqlite"])
def test_a_repeated_delete_all_leaves_what_came_since(tmp_path: Path, storage: str) -> None:
    with opened(
        "in-process", tmp_path / "home", **{"embedder.model": "none", "knowledge.storage": storage}
    ) as kb:
        point = {"content": "the sky is blue", "type": "WorldModel", "score": 80}
        kb.knowledge.save_knowledge("ann", None, [point])
        first = kb.delete_all("ann", request_id="d1")
        kb.knowledge.save_knowledge("ann", None, [point])
        id = kb.add("new", user_id="ann")
        assert kb.delete_all("ann", request_id="d1") == first
        assert kb.get(id, user_id="ann") is not None
        assert [one["content"] for one in kb.knowledge.load_knowledge("ann", "latest")] == ["the sky is blue"]


def test_what_one_user_deletes_is_no_other_users(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with KnowledgeBase(home, settings={"embedder.model": "none"}) as kb:
        stays = Life(kb, "stayer", "friend")
        stays.run()
        before = rows(home)
        leaves = Life(kb, "leaver", "friend")
        leaves.run()
        kb.delete_all("leaver")
        after = rows(home)
    assert {
        name: (before[name], after[name]) for name in before if before[name] != after[name]
    }.keys() <= STAYS


def test_a_deleted_memory_leaves_no_byte(tmp_path: Path) -> None:
    """Of itself, its versions, reasons, reviews, conflicts and triples, once the removal has been done."""
    home = tmp_path / "home"
    with KnowledgeBase(home, settings={"embedder.model": "none"}) as kb:
        life = Life(kb, "ann", "friend")
        life.run()
        stays = kb.add("Dachshundrede, a word that stays", user_id="ann")
        own = [mark for mark, of in life.marks.items() if of.startswith("memory.") or of == "review.decide"]
        own = [mark for mark in own if life.marks[mark] != "memory.delete"]  # its reason is kept
        gone = [one["id"] for one in kb.get_all("ann", include_archived=True, agent_id="*")]
        gone.remove(stays)
        for id in gone:
            kb.delete(id, user_id="ann", agent_id="*")
        _let_requests_go(kb)
        kb._app._maintenance.remove_physically()
        left = files_with(home, own)
        assert {life.marks[mark]: files for mark, files in left.items()} == {}
        assert files_with(home, ["Dachshundrede"])


def _let_requests_go(kb: KB) -> None:
    """A request's id is the app's own word, kept for a day."""
    kb._app._parts.database.write(lambda tx: tx.execute("DELETE FROM requests"))
