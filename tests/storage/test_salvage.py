from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from memory_client.errors import DatabaseCorruptError
from memory_client.paths import DataPaths
from memoryd.knowledge_base import KnowledgeBase
from memoryd.storage.check import check_database
from memoryd.storage.migrations import SCHEMA
from memoryd.storage.salvage import salvage
from support.schema_fixtures import NO_MODEL, restore
from support.small_store import SmallStore, small_store
from support.waiting import eventually

COUNT = 600


def text(number: int) -> str:
    return f"memory{number} {'字' * 300}"


@pytest.fixture
def closed(tmp_path: Path) -> SmallStore:
    """A closed database of many pages. Memory n is called `memoryn`."""
    with small_store(tmp_path) as store:
        for start in range(0, COUNT, 50):
            store.add(*(text(number) for number in range(start, start + 50)))
    return store


def pages_of(path: Path, table: str) -> tuple[int, list[int]]:
    """The page size, and the leaf pages of a table in the order of its rows."""
    content = path.read_bytes()
    with closing(sqlite3.connect(path)) as connection:
        size = int(connection.execute("PRAGMA page_size").fetchone()[0])
        sql = "SELECT rootpage FROM sqlite_master WHERE name = ?"
        root = int(connection.execute(sql, (table,)).fetchone()[0])
    return size, leaves(content, size, root)


def leaves(content: bytes, size: int, page: int) -> list[int]:
    """The file format of SQLite, section 1.6: an interior page of a table has type 5."""
    start = (page - 1) * size + (100 if page == 1 else 0)
    if content[start] != 5:
        return [page]
    cells = int.from_bytes(content[start + 3 : start + 5])
    found = []
    for cell in range(cells):
        at = start + 12 + 2 * cell
        offset = (page - 1) * size + int.from_bytes(content[at : at + 2])
        found += leaves(content, size, int.from_bytes(content[offset : offset + 4]))
    return found + leaves(content, size, int.from_bytes(content[start + 8 : start + 12]))


def overwrite(path: Path, size: int, pages: Sequence[int]) -> None:
    with path.open("r+b") as file:
        for page in pages:
            file.seek((page - 1) * size)
            file.write(os.urandom(size))


def damage(path: Path, *shares: float, table: str = "memories") -> None:
    """Overwrite the pages at these places of a table, 0 for the first and 1 for the last."""
    size, pages = pages_of(path, table)
    assert len(pages) > 50
    overwrite(path, size, [pages[int(share * (len(pages) - 1))] for share in shares])


def numbers(path: Path) -> set[int]:
    with closing(sqlite3.connect(path)) as connection:
        found = connection.execute("SELECT text FROM memories").fetchall()
    return {int(one.split()[0].removeprefix("memory")) for (one,) in found}


def test_a_sound_file_is_sound(closed: SmallStore) -> None:
    before = closed.path.read_bytes()
    finding = check_database(closed.path)
    assert finding["ok"]
    assert closed.path.read_bytes() == before


def test_no_file_yet_is_no_problem(tmp_path: Path) -> None:
    assert check_database(tmp_path / "memory.sqlite3")["ok"]


@pytest.mark.parametrize("shares", [(0.5,), (0.0,), (1.0,)])
def test_the_check_sees_the_damage_names_the_repair_and_changes_nothing(
    closed: SmallStore, shares: tuple[float, ...]
) -> None:
    damage(closed.path, *shares)
    before = closed.path.read_bytes()
    finding = check_database(closed.path)
    assert not finding["ok"]
    assert finding["fix"] == "memoryd stop && memoryd doctor --repair"
    assert closed.path.read_bytes() == before


def test_the_check_sees_what_is_no_database(tmp_path: Path) -> None:
    path = tmp_path / "memory.sqlite3"
    path.write_bytes(os.urandom(8192))
    finding = check_database(path)
    assert not finding["ok"]
    assert str(path) in finding["detail"]


def test_the_check_sees_a_newer_schema(closed: SmallStore) -> None:
    with closing(sqlite3.connect(closed.path)) as connection:
        connection.execute(f"PRAGMA user_version = {SCHEMA + 1}")
    finding = check_database(closed.path)
    assert not finding["ok"]
    assert "newer" in finding["detail"]


@pytest.mark.parametrize("shares", [(0.5,), (0.0,), (1.0,), (0.1, 0.9), (0.0, 0.3, 0.31, 0.6, 1.0)], ids=str)
def test_every_row_that_is_not_on_a_damaged_page_is_saved(
    closed: SmallStore, shares: tuple[float, ...]
) -> None:
    damage(closed.path, *shares)
    broken = closed.path.read_bytes()
    damaged = salvage(closed.path, closed.backups)
    assert damaged.parent == closed.backups
    assert damaged.read_bytes() == broken
    saved = numbers(closed.path)
    assert len(saved) >= COUNT - 8 * len(shares)
    assert check_database(closed.path)["ok"]
    with closing(sqlite3.connect(closed.path)) as connection:
        rows = connection.execute("SELECT row, text FROM memories").fetchall()
        versions = connection.execute("SELECT count(*) FROM versions").fetchone()[0]
    assert all(body == text(row - 1) for row, body in rows)
    assert versions >= len(saved)
    assert sorted(path.name for path in closed.path.parent.iterdir()) == ["backups", "memory.sqlite3"]


def test_writes_that_are_still_in_the_wal_are_saved_and_stay_there(tmp_path: Path) -> None:
    with small_store(tmp_path / "living") as store:
        store.add(*(text(number) for number in range(COUNT)))
        store.database.maintain(lambda c: c.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall())
        store.add(text(COUNT))
        (tmp_path / "dead").mkdir()
        for suffix in ("", "-wal"):  # as a process leaves them that is killed
            shutil.copy(f"{store.path}{suffix}", tmp_path / "dead" / f"memory.sqlite3{suffix}")
    path = tmp_path / "dead" / "memory.sqlite3"
    size, pages = pages_of(store.path, "memories")
    overwrite(path, size, pages[100:101])
    broken, wal = path.read_bytes(), Path(f"{path}-wal").read_bytes()
    assert not check_database(path)["ok"]
    damaged = salvage(path, store.backups)
    assert COUNT in numbers(path)
    assert len(numbers(path)) >= COUNT - 7
    assert (damaged.read_bytes(), Path(f"{damaged}-wal").read_bytes()) == (broken, wal)


def test_nothing_readable_is_said_and_everything_left_as_it_was(tmp_path: Path) -> None:
    path, backups = tmp_path / "memory.sqlite3", tmp_path / "backups"
    backups.mkdir()
    path.write_bytes(os.urandom(65536))
    before = path.read_bytes()
    with pytest.raises(DatabaseCorruptError, match="nothing readable") as caught:
        salvage(path, backups)
    assert str(backups) in caught.value.message
    assert path.read_bytes() == before
    assert sorted(one.name for one in tmp_path.rglob("*")) == ["backups", "memory.sqlite3"]


def test_change_numbers_of_what_was_lost_are_not_given_again(closed: SmallStore) -> None:
    with closing(sqlite3.connect(closed.path)) as connection:
        before = connection.execute("SELECT value FROM counters").fetchone()[0]
    damage(closed.path, 1.0)
    salvage(closed.path, closed.backups)
    with closing(sqlite3.connect(closed.path)) as connection:
        after = connection.execute("SELECT value FROM counters").fetchone()[0]
    assert after > before + 1000


def test_spaces_keep_a_table_of_token_vectors(closed: SmallStore) -> None:
    with closing(sqlite3.connect(closed.path)) as connection:
        connection.execute("INSERT INTO spaces VALUES (7, 'f', 'e', 'm', 3, 'serving', 0)")
        connection.commit()
    salvage(closed.path, closed.backups)
    with closing(sqlite3.connect(closed.path)) as connection:
        assert connection.execute("SELECT count(*) FROM tokens_7").fetchone() == (0,)


def test_a_salvaged_store_opens_is_searched_and_remembers_requests(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with KnowledgeBase(home, settings=NO_MODEL) as kb:
        ids = kb.add_many([text(number) for number in range(COUNT)], request_id="many")
        first = kb.add("主人对花生过敏", request_id="first")
    path = home / "memory.sqlite3"
    damage(path, 0.4, 0.6)
    salvage(path, home / "backups")
    with KnowledgeBase(home, settings=NO_MODEL) as kb:
        eventually("the keyword index is filled", lambda: kb.search("花生", mode="lexical"))
        assert [hit["id"] for hit in kb.search("花生", mode="lexical")] == [first]
        assert [hit["id"] for hit in kb.search("memory299", mode="lexical")] == [ids[299]]
        assert kb.add("主人对花生过敏", request_id="first") == first
        kb.delete(ids[0])
        findings = {finding["check"]: finding for finding in kb.admin.doctor()}
        assert findings["database"]["ok"]
        assert findings["keyword index"]["ok"], findings


@pytest.mark.parametrize("lost", [False, True], ids=["sessions whole", "sessions lost"])
def test_conversations_are_salvaged_and_go_on(tmp_path: Path, lost: bool) -> None:
    home = tmp_path / "home"
    items = [{"role": "user", "content": text(number)} for number in range(COUNT)]
    with KnowledgeBase(home, settings=NO_MODEL) as kb:
        kb.conversation.append("other", "user", "花生", user_id="小明", agent_id="cook")
        ids = kb.conversation.extend("talk", items, request_id="r")["ids"]
    path = home / "memory.sqlite3"
    damage(path, 0.2, 0.4, 0.5, table="turns")
    if lost:
        overwrite(path, *pages_of(path, "sessions"))
    salvage(path, home / "backups")
    with KnowledgeBase(home, settings=NO_MODEL) as kb:
        page = kb.conversation.page("talk", limit=1000)
        assert page["total"] >= COUNT - 8 * 3
        assert {turn["id"]: turn["text"] for turn in page["items"]}.items() <= {
            id: item["content"] for id, item in zip(ids, items, strict=True)
        }.items()
        assert [turn["text"] for turn in kb.conversation.window("other", user_id="小明", agent_id="cook")]
        assert kb.conversation.extend("talk", items, request_id="r")["ids"] == ids
        assert kb.conversation.append("talk", "user", "on we go")["position"] == COUNT
        assert kb.conversation.append("new", "user", "another")["position"] == 0
        assert kb.conversation.end("talk")["closed"]
        kb.conversation.delete(session_id="talk")
        findings = {finding["check"]: finding for finding in kb.admin.doctor()}
        assert findings["database"]["ok"]
        assert findings["keyword index"]["ok"], findings


def test_a_database_without_conversations_is_salvaged(tmp_path: Path) -> None:
    """One of the schema before them: its own tables are all there is."""
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    (home / "backups").mkdir(mode=0o700)
    restore(1, home / "memory.sqlite3")
    salvage(home / "memory.sqlite3", home / "backups")
    with KnowledgeBase(home, settings=NO_MODEL) as kb:
        assert kb.count(user_id="小明", agent_id="*") == 5
        assert kb.conversation.append("s", "user", "hello")["position"] == 0


@pytest.mark.parametrize("lost", [False, True])
def test_triples_are_salvaged_and_stay_in_step(tmp_path: Path, lost: bool) -> None:
    with KnowledgeBase(tmp_path, settings=NO_MODEL) as kb:
        kb.add("主人喜欢拉面，小明住在苏州。")
        told = kb.add("小明喜欢茶")
        kb.triples.alias("明明", "小明")
        kb.triples.delete(kb.triples.page(object="拉面")["items"][0]["id"])
    path = DataPaths.at(tmp_path).database
    if lost:
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("DELETE FROM entities WHERE name = '苏州'")
            connection.execute("DELETE FROM entities WHERE name = '小明'")
    salvage(path, tmp_path / "backups")
    with KnowledgeBase(tmp_path, settings=NO_MODEL) as kb:
        kb.add("主人喜欢拉面")
        if lost:
            assert kb.triples.page(include_archived=True)["total"] == 0
            kb.update_text(told, "小明喜欢咖啡")
        else:
            assert kb.triples.query("明明")["entity"] == "小明"
            assert {one["object"] for one in kb.triples.page()["items"]} == {"苏州", "茶"}
        kb.triples.unalias("明明") if not lost else None
        kb.delete(told)
        assert kb.triples.stats()["entity_count"] == (0 if lost else 2)


@pytest.mark.parametrize("lost", [None, "points", "snapshots", "shared_sets"])
def test_knowledge_is_salvaged_and_goes_on(tmp_path: Path, lost: str | None) -> None:
    home, first = tmp_path / "home", "20260103174500"
    points = [{"content": text(number), "type": "WorldModel", "score": 50} for number in range(300)]
    with KnowledgeBase(home, settings=NO_MODEL) as kb:
        kb.knowledge.save_knowledge("u", first, points)  # type: ignore[arg-type]
        kb.knowledge.publish("set", filters={"type": "WorldModel"}, user_id="u")
        kb.knowledge.subscribe("u", "set", user_id="v")
    path = home / "memory.sqlite3"
    if lost is not None:
        with closing(sqlite3.connect(path)) as connection, connection:
            condition = "text LIKE '%7%'" if lost == "points" else "1"
            connection.execute(f"DELETE FROM {lost} WHERE {condition}")
    salvage(path, home / "backups")
    left = [one for one in points if lost != "points" or "7" not in str(one["content"])]
    with KnowledgeBase(home, settings=NO_MODEL) as kb:
        known = kb.knowledge.retrieve_relevant_knowledge("u", top_k=1000)
        assert {one["content"] for one in known} == {one["content"] for one in left}
        loaded = kb.knowledge.load_knowledge("u")
        assert len(loaded) == (0 if lost == "snapshots" else len(left))
        drawn = kb.knowledge.retrieve_knowledge_with_sampling("u", 1000)
        assert len(drawn) == len(loaded)
        found = kb.search("memory1", 5, scope=["shared"], user_id="v")
        assert bool(found) == (lost != "shared_sets")
        kb.knowledge.save_knowledge("w", None, points[:1])  # type: ignore[arg-type]
        kb.knowledge.publish("private", filters={"type": "WorldModel"}, user_id="w")
        assert [one["name"] for one in kb.knowledge.shared(user_id="v")] == (["set"] if found else [])
        findings = {finding["check"]: finding for finding in kb.admin.doctor()}
        assert findings["keyword index"]["ok"], findings


@pytest.mark.parametrize("number", range(1, SCHEMA + 1))
def test_a_database_of_an_earlier_schema_is_salvaged(number: int, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    path = home / "memory.sqlite3"
    restore(number, path)
    salvage(path, tmp_path)
    with KnowledgeBase(home, settings=NO_MODEL) as kb:
        assert kb.count(user_id="小明", agent_id="*") == 5
        assert kb.search("虾", user_id="小明", mode="lexical")[0]["metadata"]["mood"]
        assert [one for one in kb.admin.doctor() if not one["ok"] and one["check"] != "disk"] == []
