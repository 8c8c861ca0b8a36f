from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from memory_client.errors import DatabaseCorruptError, RequestIdConflict, SchemaVersionError, StorageError
from memoryd.core.filters.grammar import EVERYTHING
from memoryd.core.scope import Scope
from memoryd.index.keyword.keyword_index import KeywordIndex
from memoryd.knowledge_base import KnowledgeBase
from memoryd.storage.database import Database
from memoryd.storage.migrations import SCHEMA, STEPS, Step, migrate
from support.schema_fixtures import NO_MODEL, fill, fixture, restore
from support.small_store import SmallStore, small_store
from support.waiting import eventually

Apply = Callable[[sqlite3.Connection], None]


def add_moods(connection: sqlite3.Connection) -> None:
    connection.execute("CREATE TABLE moods (name TEXT PRIMARY KEY)")
    connection.execute("ALTER TABLE memories ADD COLUMN mood TEXT")
    connection.execute("UPDATE memories SET mood = 'calm'")


def add_more(connection: sqlite3.Connection) -> None:
    connection.execute("INSERT INTO moods VALUES ('calm')")


def fail_halfway(connection: sqlite3.Connection) -> None:
    add_moods(connection)
    connection.execute("DELETE FROM memories")
    raise RuntimeError("the step is wrong")


def steps(*applies: Apply) -> tuple[Step, ...]:
    return (*STEPS, *(Step(SCHEMA + number, apply) for number, apply in enumerate(applies, 1)))


def look(path: Path, sql: str) -> Any:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(sql).fetchall()


def version(path: Path) -> int:
    return int(look(path, "PRAGMA user_version")[0][0])


@pytest.fixture
def old(tmp_path: Path) -> SmallStore:
    """A closed database of today's schema with two memories in it."""
    with small_store(tmp_path) as store:
        store.add("主人对花生过敏", "the dog is called Biscuit")
    return store


def test_steps_are_in_order_and_without_gaps() -> None:
    assert [step.version for step in STEPS] == list(range(1, SCHEMA + 1))


def test_an_empty_directory_gets_todays_schema_and_needs_no_backup(tmp_path: Path) -> None:
    path = tmp_path / "memory.sqlite3"
    assert migrate(path, tmp_path) is None
    assert version(path) == SCHEMA
    assert list(tmp_path.glob("schema-*")) == []


def test_a_current_database_is_left_as_it_is(old: SmallStore) -> None:
    before = old.path.read_bytes()
    assert migrate(old.path, old.backups) is None
    assert old.path.read_bytes() == before


def test_a_step_is_taken_after_a_backup_and_keeps_the_data(old: SmallStore) -> None:
    backup = migrate(old.path, old.backups, steps(add_moods))
    assert backup is not None
    assert version(old.path) == SCHEMA + 1
    assert look(old.path, "SELECT text, mood FROM memories") == [
        ("主人对花生过敏", "calm"),
        ("the dog is called Biscuit", "calm"),
    ]
    assert backup.parent == old.backups
    assert version(backup) == SCHEMA
    assert look(backup, "SELECT text FROM memories") == [("主人对花生过敏",), ("the dog is called Biscuit",)]
    assert look(backup, "PRAGMA integrity_check") == [("ok",)]


def test_the_index_still_serves_after_a_step(old: SmallStore) -> None:
    migrate(old.path, old.backups, steps(add_moods))
    database = Database(old.path)
    try:
        with database.read() as connection:
            hits = KeywordIndex().search(connection, Scope("小明"), "花生", 5, EVERYTHING)
        assert len(hits) == 1
    finally:
        database.close()


def test_several_steps_have_one_backup_named_after_the_schema_before(old: SmallStore) -> None:
    backup = migrate(old.path, old.backups, steps(add_moods, add_more))
    assert backup is not None
    assert list(old.backups.iterdir()) == [backup]
    assert backup.name.startswith(f"schema-{SCHEMA}-")
    assert version(backup) == SCHEMA
    assert look(old.path, "SELECT name FROM moods") == [("calm",)]


def test_a_backup_has_its_name_only_once_it_is_complete(
    old: SmallStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    (old.backups / "schema-1-20260101000000.sqlite3.partial").write_bytes(b"of a process that was killed")

    def fail(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(StorageError):
        migrate(old.path, old.backups, steps(add_moods))
    assert list(old.backups.iterdir()) == []
    assert version(old.path) == SCHEMA


def test_a_step_that_fails_leaves_the_schema_before_and_every_row(old: SmallStore) -> None:
    with pytest.raises(RuntimeError, match="the step is wrong"):
        migrate(old.path, old.backups, steps(fail_halfway))
    assert version(old.path) == SCHEMA
    assert look(old.path, "SELECT count(*) FROM memories") == [(2,)]
    assert look(old.path, "SELECT 1 FROM sqlite_master WHERE name = 'moods'") == []
    assert len(list(old.backups.glob("schema-*.sqlite3"))) == 1
    migrate(old.path, old.backups, steps(add_moods))
    assert version(old.path) == SCHEMA + 1


def test_what_was_reached_before_a_failing_step_stays(old: SmallStore) -> None:
    with pytest.raises(RuntimeError, match="wrong"):
        migrate(old.path, old.backups, (*steps(add_moods), Step(SCHEMA + 2, _wrong)))
    assert version(old.path) == SCHEMA + 1
    assert look(old.path, "SELECT DISTINCT mood FROM memories") == [("calm",)]


def _wrong(connection: sqlite3.Connection) -> None:
    connection.execute("DELETE FROM memories")
    raise RuntimeError("wrong")


def test_a_newer_schema_is_refused_and_not_touched(old: SmallStore) -> None:
    migrate(old.path, old.backups, steps(add_moods))
    before = old.path.read_bytes()
    with pytest.raises(SchemaVersionError, match="install the newer memoryd") as caught:
        migrate(old.path, old.backups)
    assert caught.value.data == {"found": SCHEMA + 1, "supported": SCHEMA}
    assert str(old.path) in caught.value.message
    assert old.path.read_bytes() == before


def test_what_is_no_database_is_refused_and_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "memory.sqlite3"
    path.write_bytes(b"\0garbage" * 1000)
    with pytest.raises(DatabaseCorruptError, match="doctor --repair"):
        migrate(path, tmp_path)
    assert path.read_bytes() == b"\0garbage" * 1000


# Databases of released schemas, opened by today's code


@pytest.mark.parametrize("number", range(1, SCHEMA + 1))
def test_there_is_a_fixture_of_every_schema(number: int) -> None:
    assert fixture(number).exists(), (
        f"schema {number} has no fixture: run `python tests/support/schema_fixtures.py` and commit "
        f"what it writes; the fixtures of earlier schemas stay as they are"
    )


def test_the_fixture_of_todays_schema_is_made_by_its_steps(tmp_path: Path) -> None:
    restore(SCHEMA, tmp_path / "fixture.sqlite3")
    migrate(tmp_path / "fresh.sqlite3", tmp_path)
    tables = "SELECT name, sql FROM sqlite_master WHERE name NOT LIKE 'lexical_%' AND sql IS NOT NULL"
    found, expected = (
        {name: " ".join(sql.split()) for name, sql in look(tmp_path / f"{which}.sqlite3", tables)}
        for which in ("fixture", "fresh")
    )
    assert found == expected, (
        "a step was changed after its fixture was made. A released step never changes: add a new one. "
        "Before the release make the fixture again: `python tests/support/schema_fixtures.py`"
    )


@pytest.fixture(params=range(1, SCHEMA + 1))
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[KnowledgeBase]:
    yield from _opened(request.param, tmp_path)


@pytest.fixture(params=range(2, SCHEMA + 1))
def with_turns(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[KnowledgeBase]:
    """One of the schemas that have conversations."""
    yield from _opened(request.param, tmp_path)


def _opened(number: int, tmp_path: Path) -> Iterator[KnowledgeBase]:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    restore(number, home / "memory.sqlite3")
    with KnowledgeBase(home, settings=NO_MODEL) as kb:
        yield kb


def test_every_memory_of_an_old_database_is_read(opened: KnowledgeBase) -> None:
    texts = {memory["text"]: memory for memory in opened.get_all("小明", agent_id="*")}
    assert set(texts) == {
        "主人对花生和虾过敏",
        "Her dog is called Biscuit and hates the vet",
        "明天去爬山",
        "C盘空间不够了",
        "她剪了頭髮 👍🏽",
    }
    first = texts["主人对花生和虾过敏"]
    assert (first["category"], first["version"], first["importance"], first["tags"]) == ("core", 4, 3.5, [])
    assert first["metadata"]["mood"] == {"now": ["bad", 1.5, None]}
    assert first["created_at"] == 1767403800.0
    assert [memory["text"] for memory in opened.get_all("other/../user")] == ["Another user's peanut butter"]


_WITH_A_SECRET = """
    UPDATE memories SET notices = '["a notice"]', gate = '{"secrets": {"api_key": 1}}' WHERE version = 4;
    UPDATE turns SET notices = '["a notice"]', gate = '{"secrets": {"api_key": 2}}';
    UPDATE versions SET snapshot = json_set(
        snapshot, '$.notices', json('["an old notice"]'), '$.gate', json('{"secrets": {"password": 1}}')
    ) WHERE version = 1 AND snapshot IS NOT NULL;
"""


@pytest.mark.parametrize("number", range(3, 7))
def test_names_before_the_first_release_are_renamed_in_a_store(number: int, tmp_path: Path) -> None:
    """In columns, and in the snapshots of versions, which as-of reads and `revert` use."""
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    restore(number, home / "memory.sqlite3")
    with closing(sqlite3.connect(home / "memory.sqlite3")) as connection:
        connection.executescript(_WITH_A_SECRET)
    with KnowledgeBase(home, settings=NO_MODEL) as kb:
        (found,) = kb.search("虾", user_id="小明", mode="lexical")
        now = kb.get(found["id"], user_id="小明")
        assert now is not None
        assert (now["warnings"], now["redactions"]) == (["a notice"], {"secrets": {"api_key": 1}})
        first = kb.history(found["id"], user_id="小明")[0]
        then = kb.get(found["id"], as_of=first["at"], user_id="小明")
        assert then is not None
        assert (then["warnings"], then["redactions"]) == (["an old notice"], {"secrets": {"password": 1}})
        assert (then["text"], then["tags"]) == ("主人对花生过敏，不能吃花生酱", ["健康", "food"])
        turn = kb.conversation.page("chat", user_id="小明")["items"][0]
        assert (turn["warnings"], turn["redactions"]) == (["a notice"], {"secrets": {"api_key": 2}})
        kb.revert(found["id"], 1, user_id="小明")
        again = kb.get(found["id"], user_id="小明")
        assert again is not None
        assert (again["text"], again["redactions"]) == (then["text"], then["redactions"])
        assert [finding["check"] for finding in kb.admin.doctor() if not finding["ok"]] == []


def test_every_memory_of_an_old_database_is_found(opened: KnowledgeBase) -> None:
    for query, text in {
        "虾": "主人对花生和虾过敏",
        "vets": "Her dog is called Biscuit and hates the vet",
        "爬山": "明天去爬山",
        "c盘": "C盘空间不够了",
        "头发": "她剪了頭髮 👍🏽",
        "👍": "她剪了頭髮 👍🏽",
    }.items():
        hits = opened.search(query, user_id="小明", agent_id="*", mode="lexical")
        assert [hit["text"] for hit in hits] == [text], query
    assert opened.search("peanut secret", user_id="小明", agent_id="*") == []
    assert opened.count(user_id="小明", filters={"kind": "task", "timestamp": {"gte": "2026-01-03"}}) == 3
    assert [
        finding
        for finding in opened.admin.doctor()
        if finding["check"] in ("database", "keyword index") and not finding["ok"]
    ] == []


@pytest.fixture
def current(tmp_path: Path) -> Iterator[KnowledgeBase]:
    yield from _opened(SCHEMA, tmp_path)


def test_replies_of_todays_schema_are_kept(current: KnowledgeBase) -> None:
    first = current.search("花生", user_id="小明", mode="lexical")[0]["id"]
    again = current.update_text(first, "主人对花生和虾过敏", user_id="小明", request_id="better")
    assert again == {"id": first, "version": 2, "changed": True}
    with pytest.raises(RequestIdConflict):
        current.update_text(first, "其他", user_id="小明", request_id="better")
    said = current.conversation.append(
        "chat",
        "user",
        "我昨天去北京出差了",
        user_id="小明",
        at="2026-01-03T09:30:00",
        tz="Asia/Shanghai",
        speaker="小明",
        metadata={"mood": {"now": ["good", 1.5, None]}},
        request_id="said",
    )
    assert said["position"] == 0


@pytest.mark.parametrize("number", range(1, SCHEMA))
def test_replies_with_the_keys_of_old_clients_are_dropped(number: int, tmp_path: Path) -> None:
    path = tmp_path / "memory.sqlite3"
    restore(number, path)
    assert look(path, "SELECT count(*) FROM requests")[0][0] > 0
    migrate(path, tmp_path)
    assert look(path, "SELECT count(*) FROM requests") == [(0,)]


def test_an_old_database_goes_on(opened: KnowledgeBase) -> None:
    first = opened.search("花生", user_id="小明", mode="lexical")[0]["id"]
    opened.update_text(first, "主人什么都吃", user_id="小明")
    assert opened.search("花生", user_id="小明", mode="lexical") == []
    assert opened.delete(first, user_id="小明")["ids"] == [first]
    assert opened.delete_all("other/../user")["counts"] == {"memories": 1, "turns": 0, "points": 0}
    opened.add("新的记忆", user_id="小明")
    assert [hit["text"] for hit in opened.search("记忆", user_id="小明", mode="lexical")] == ["新的记忆"]
    finding = next(one for one in opened.admin.doctor() if one["check"] == "keyword index")
    assert finding["ok"], finding


def test_every_turn_of_an_old_database_is_read(with_turns: KnowledgeBase) -> None:
    first, second, third = with_turns.conversation.page(user_id="小明", agent_id="*")["items"]
    assert (first["text"], first["role"], first["speaker"]) == ("我昨天去北京出差了", "user", "小明")
    assert (first["created_at"], first["tz"], first["position"]) == (1767403800.0, "Asia/Shanghai", 0)
    assert first["metadata"] == {"mood": {"now": ["good", 1.5, None]}}
    assert (second["text"], second["created_at"]) == ("How was the flight?", 1767403860.5)
    assert second["position"] == 2
    assert (third["text"], third["agent_id"], third["session_id"]) == ("saffron rice", "cook", "kitchen")
    assert with_turns.status()["counts"]["sessions"] == 2


def test_a_conversation_of_an_old_database_goes_on(with_turns: KnowledgeBase) -> None:
    conversation = with_turns.conversation
    first = conversation.page("chat", user_id="小明")["items"][0]["id"]
    assert conversation.append("chat", "user", "and then", user_id="小明")["position"] == 4
    assert conversation.append("kitchen", "user", "x", user_id="小明", agent_id="cook")["position"] == 1
    assert conversation.delete([first], user_id="小明")["count"] == 1
    assert [finding["check"] for finding in with_turns.admin.doctor() if not finding["ok"]] == []
    assert with_turns.delete_all("小明")["counts"]["turns"] >= 4


def test_an_old_database_gets_conversations(opened: KnowledgeBase) -> None:
    id = opened.conversation.append("new", "user", "新的话", user_id="小明")["id"]
    assert opened.conversation.get(id, user_id="小明")["text"] == "新的话"
    assert opened.stats(user_id="小明")["turn_count"] >= 1


def test_what_fills_a_fixture_still_runs(tmp_path: Path) -> None:
    with KnowledgeBase(tmp_path / "home", settings=NO_MODEL) as kb:
        fill(kb)
        assert kb.count(user_id="小明", agent_id="*") == 5


def test_versions_of_an_old_database_are_whole(opened: KnowledgeBase) -> None:
    path = Path(opened.status()["data_dir"]) / "memory.sqlite3"
    first = opened.search("虾", user_id="小明", mode="lexical")[0]["id"]
    found = look(
        path,
        f"SELECT version, operation, changed, snapshot IS NULL FROM versions WHERE memory_id = '{first}'",
    )
    assert found == [
        (1, "create", None, 0),
        (2, "update", '["text"]', 0),
        (3, "update", '["metadata", "tags"]', 0),
        (4, "update", '["importance"]', 1),
    ]


def test_an_old_version_of_an_old_database_is_read_and_made_the_next(opened: KnowledgeBase) -> None:
    (hit,) = opened.search("虾", user_id="小明", mode="lexical")
    first, *_ = opened.history(hit["id"], user_id="小明")
    then = opened.get(hit["id"], as_of=first["at"], user_id="小明")
    assert then is not None
    assert (then["version"], then["text"], then["tags"]) == (
        1,
        "主人对花生过敏，不能吃花生酱",
        ["健康", "food"],
    )
    opened.revert(hit["id"], 1, user_id="小明")
    now = opened.get(hit["id"], user_id="小明")
    assert now is not None
    assert {**then, "version": 5} == {**now, **{name: then[name] for name in _LIFE}}  # type: ignore[literal-required]
    assert [one["check"] for one in opened.admin.doctor() if not one["ok"]] == []


_LIFE = ("importance", "effective_importance", "updated_at", "metadata")
"""What `revert` leaves; `metadata` repeats the importance."""


@pytest.mark.parametrize("number", range(3, SCHEMA + 1))
def test_counts_of_passes_and_versions_have_their_name(number: int, tmp_path: Path) -> None:
    path = tmp_path / "memory.sqlite3"
    restore(number, path)
    migrate(path, tmp_path)
    assert look(path, "SELECT archived_count, review_count FROM passes") == [(0, 0)]
    assert look(path, "SELECT point_count FROM snapshots ORDER BY version_id") == [(1,), (2,)]
    assert look(path, "SELECT DISTINCT keep_count FROM memories") == [(0,)]


@pytest.mark.parametrize("number", [1, 2])
def test_memories_of_an_old_database_are_read_for_triples(number: int, tmp_path: Path) -> None:
    for kb in _opened(number, tmp_path):
        eventually(
            "all are read",
            lambda kb=kb: kb.triples.page(user_id="小明", agent_id="*")["total"] == 2,  # type: ignore[misc]
        )
        found = kb.triples.page(predicate="allergic_to", user_id="小明", agent_id="*")["items"]
        assert {one["object"] for one in found} == {"花生", "虾"}
        for one in found:
            kb.triples.delete(one["id"], user_id="小明", agent_id="*")
    with KnowledgeBase(tmp_path / "home", settings=NO_MODEL) as kb:  # they are read once
        assert kb.triples.page(user_id="小明", agent_id="*")["total"] == 0
        assert (
            look(
                tmp_path / "home" / "memory.sqlite3", "SELECT 1 FROM properties WHERE name = 'triples_unread'"
            )
            == []
        )


def test_triples_of_an_old_database_are_read_again_for_their_words(tmp_path: Path) -> None:
    restore(3, tmp_path / "fixture.sqlite3")
    ids = {id for (id,) in look(tmp_path / "fixture.sqlite3", "SELECT id FROM triples")}
    assert ids
    for kb in _opened(3, tmp_path):

        def shown(kb: KnowledgeBase = kb) -> list[Any]:
            return list(kb.triples.page(user_id="小明", agent_id="*")["items"])

        eventually("all are read", lambda: all(one["language"] == "zh" for one in shown()))
        assert {(one["subject"], one["predicate"], one["object"]) for one in shown()} == {
            ("主人", "对…过敏", "花生"),
            ("主人", "对…过敏", "虾"),
        }
        assert {one["id"] for one in shown()} == ids
        assert {one["evidence"][0]["words"] for one in shown()} == {"主人对花生和虾过敏"}


_FORGET_WORDS = """
    UPDATE evidence SET language = NULL, degree = NULL, words = NULL;
    DELETE FROM properties WHERE name = 'triples_unread';
    INSERT INTO properties SELECT 'triples_unread', max(row) FROM memories;
"""
"""Makes rows as schema 4 left them."""


def test_reading_again_keeps_ids_tombstones_aliases_and_rows_made_by_hand(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with KnowledgeBase(home, settings=NO_MODEL) as kb:
        kb.add_many([f"我非常喜欢第{i}号茶" for i in range(250)])
        kb.add("小明住在苏州")
        kb.triples.alias("明明", "小明")
        by_hand = kb.triples.add("user", "likes", "ramen")
        (gone,) = kb.triples.page(object="第7号茶")["items"]
        kb.triples.delete(gone["id"])
        before = {one["id"]: one for one in kb.triples.page(limit=1000)["items"]}
    with closing(sqlite3.connect(home / "memory.sqlite3")) as connection:
        connection.executescript(_FORGET_WORDS)
    with KnowledgeBase(home, settings=NO_MODEL) as kb:
        (old,) = kb.triples.page(entity="小明")["items"]  # served while it is read again
        assert (old["subject"], old["predicate_key"], old["object"]) == ("小明", "lives_in", "苏州")
    unread = "SELECT 1 FROM properties WHERE name = 'triples_unread'"
    with KnowledgeBase(home, settings=NO_MODEL) as kb:  # the rest, after a stop in the middle
        eventually("all are read", lambda: not look(home / "memory.sqlite3", unread))
        after = {one["id"]: one for one in kb.triples.page(limit=1000)["items"]}
        assert kb.triples.query("明明")["entity"] == "小明"
        assert kb.triples.page(object="第7号茶")["total"] == 0
    manual = after[by_hand]
    assert (manual["predicate"], manual["language"], manual["evidence"][0]["words"]) == ("likes", "en", None)
    before[by_hand]["evidence"][0]["words"] = None  # what the caller typed was not kept then
    assert after == before


@pytest.fixture(params=range(3, SCHEMA + 1))
def with_knowledge(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[KnowledgeBase]:
    """One of the schemas that have knowledge points."""
    yield from _opened(request.param, tmp_path)


def test_the_knowledge_of_an_old_database_is_read_and_goes_on(with_knowledge: KnowledgeBase) -> None:
    knowledge = with_knowledge.knowledge
    assert knowledge.get_recent_versions("小明") == ["20260103093000-001", "20260103093000"]
    (first,) = knowledge.load_knowledge("小明", "20260103093000")
    assert (first["content"], first["score"], first["metadata"]) == ("小明早上喝绿茶", 80, {"from": ["c1"]})
    found = knowledge.retrieve_relevant_knowledge("小明", "绿茶")
    assert [(one["content"], one["score"]) for one in found] == [("小明早上喝绿茶", 60)]
    assert len(knowledge.retrieve_knowledge_with_sampling("小明")) == 2
    hits = with_knowledge.search("绿茶", scope=["shared"], user_id="other/../user")
    assert [hit["metadata"]["citation"] for hit in hits] == ["[Source: shared teas]"]
    assert knowledge.merge("小明")["point_count"] == 2
    assert with_knowledge.delete_all("小明")["counts"]["points"] == 2
