"""Destroying for good: tombstones, sources, what still says so, and forgetting what a query finds."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from memory_client.errors import InvalidParameterError, NotFoundError, WrongIdError
from support.daemons import end_daemons
from support.faces import Face, opened
from support.waiting import eventually

KB = Any


def tombstones(face: Face, user: str) -> int:
    """How many a user has, of memories."""
    connection = sqlite3.connect(f"file:{face.paths.database}?mode=ro", uri=True)
    try:
        sql = "SELECT count(*) FROM tombstones WHERE user_id = ? AND kind = 'memory'"
        return int(connection.execute(sql, (user,)).fetchone()[0])
    finally:
        connection.close()


# -- what still says so


def test_the_receipt_names_what_still_says_the_same(kb: KB, user: str) -> None:
    gone = kb.add("我对花生过敏", user_id=user)
    again = kb.add("我对花生过敏。", user_id=user)
    away = kb.add("我对花生过敏!", user_id=user)
    kb.archive(away, user_id=user)
    changed = kb.add("我对花生过敏", user_id=user)
    kb.update_text(changed, "我对虾过敏", user_id=user)
    kb.add("我对花生不过敏", user_id=user)
    kb.add("我对花生过敏", user_id=user, agent_id="cook")
    kb.add("我对花生过敏", user_id=f"other-{user}")
    turn = kb.conversation.append("s", "user", "对了，我对花生过敏，请记住", user_id=user)["id"]
    receipt = kb.delete(gone, user_id=user)
    assert set(receipt["also_stated_in"]) == {again, away, changed, turn}
    assert (receipt["ids"], receipt["count"], receipt["sources"]) == ([gone], 1, [])


def test_nothing_is_named_when_nothing_says_so(kb: KB, user: str) -> None:
    first, second = kb.add_many(["the sky is blue", "the sea is blue"], user_id=user)
    assert kb.delete(first, user_id=user)["also_stated_in"] == []
    assert kb.delete_many([second], user_id=user)["also_stated_in"] == []


def test_many_that_say_the_same_and_go_together_are_no_echo(kb: KB, user: str) -> None:
    ids = kb.add_many(["the sky is blue", "the sky is blue.", "the sky is blue!"], user_id=user)
    assert kb.delete_many(ids[:2], user_id=user)["also_stated_in"] == [ids[2]]


# -- sources


def test_the_turn_it_came_from_is_named_or_goes_too(kb: KB, user: str) -> None:
    say = kb.conversation.append
    before = say("s", "user", "先说一句", user_id=user)["id"]
    turn = say("s", "user", "我下个月搬去成都", user_id=user)["id"]
    behind = say("s", "assistant", "好的", user_id=user)["id"]
    kept = kb.add("主人下个月搬到成都", {"source_id": turn}, user_id=user)
    gone = kb.add("主人要搬家", {"source_id": turn}, user_id=user)

    assert kb.delete(kept, user_id=user)["also_stated_in"] == [turn]
    receipt = kb.delete(gone, sources=True, user_id=user)

    assert (receipt["ids"], receipt["sources"], receipt["also_stated_in"]) == ([gone], [turn], [])
    assert kb.conversation.get(turn, user_id=user) is None
    assert kb.search("成都", mode="lexical", scope="all", user_id=user) == []
    assert [kb.conversation.get(id, user_id=user)["id"] for id in (before, behind)] == [before, behind]


def test_a_source_that_is_no_turn_of_the_user_is_left(kb: KB, user: str) -> None:
    other = kb.conversation.append("s", "user", "somebody else's", user_id=f"other-{user}")["id"]
    id = kb.add("mine", {"source_id": other}, user_id=user)
    assert kb.delete(id, sources=True, user_id=user)["sources"] == []
    assert kb.conversation.get(other, user_id=f"other-{user}") is not None
    named = kb.add("from a book", {"source_id": "a book"}, user_id=user)
    assert kb.delete(named, sources=True, user_id=user)["count"] == 1


def test_a_repeated_delete_tells_the_same(kb: KB, user: str) -> None:
    turn = kb.conversation.append("s", "user", "told once", user_id=user)["id"]
    id = kb.add("told once", {"source_id": turn}, user_id=user)
    first = kb.delete(id, sources=True, user_id=user, request_id="r")
    assert first["sources"] == [turn]
    assert kb.delete(id, sources=True, user_id=user, request_id="r") == first


def test_what_was_deleted_in_a_chain_leaves_the_others_readable(kb: KB, user: str) -> None:
    first = kb.add("lives in Rome", user_id=user)
    second = kb.supersede(first, "lives in Oslo", user_id=user)
    third = kb.supersede(second, "lives in Bern", user_id=user)
    kb.delete(second, user_id=user)
    assert kb.get(third, user_id=user)["parent_id"] == second
    assert kb.get(second, user_id=user) is None
    assert len(kb.history(third, user_id=user)) == 1
    kb.delete(first, user_id=user)
    assert [one["id"] for one in kb.page(include_archived=True, user_id=user)["items"]] == [third]


# -- tombstones


def test_a_delete_leaves_a_tombstone_until_the_user_says_it_again(face: Face, user: str) -> None:
    kb = face.kb
    id = kb.add("主人住在北京", user_id=user)
    kb.update_text(id, "主人住在上海", user_id=user)
    kb.delete(id, user_id=user)
    assert tombstones(face, user) == 2, "of what it said last, and before"
    kb.add("主人住在上海", {"source": "background_ai"}, user_id=user)
    assert tombstones(face, user) == 2
    kb.add("主人住在上海。", user_id=user)
    assert tombstones(face, user) == 1
    other = kb.add("somewhere", user_id=user)
    kb.update_text(other, "主人住在北京", user_id=user)
    assert tombstones(face, user) == 0
    kb.delete_many([other], user_id=user)
    assert tombstones(face, user) == 2
    assert tombstones(face, f"other-{user}") == 0
    kb.delete_all(user)
    assert tombstones(face, user) == 0


# -- forget


def test_a_preview_shows_memories_turns_and_triples(ready: Face, user: str) -> None:
    kb = ready.kb
    says = kb.add("小明是主人的同事", user_id=user)
    away = kb.add("小明喜欢爬山", user_id=user)
    kb.archive(away, user_id=user)
    kb.add("小明的规则", {"category": "system"}, user_id=user)
    turn = kb.conversation.append("s", "user", "小明昨天请我吃饭了", user_id=user)["id"]
    by_hand = kb.triples.add("小明", "养", "一只猫", user_id=user)
    would = kb.forget("小明", user_id=user)
    found = {one["id"]: one for one in would["matches"]}
    assert {says, away, turn, by_hand} <= found.keys()
    assert would["ids"] == [one["id"] for one in would["matches"]]
    assert {one["type"] for one in would["matches"]} == {"memory", "turn", "triple"}
    assert (found[says]["state"], found[away]["state"], found[turn]["state"]) == ("active", "archived", None)
    assert found[turn]["text"] == "小明昨天请我吃饭了"
    assert "小明" in found[by_hand]["text"]
    assert "小明的规则" not in [one["text"] for one in would["matches"]]
    assert kb.count(user_id=user) == 2, "nothing is destroyed"


def test_a_preview_shows_near_duplicates_one_by_one(kb: KB, user: str) -> None:
    ids = kb.add_many(["我对花生过敏", "我对花生过敏。", "我对花生过敏！"], user_id=user)
    would = kb.forget("花生过敏", user_id=user)
    assert {one["id"] for one in would["matches"]} >= set(ids)


def found(kb: KB, query: str, user: str) -> set[str]:
    return {one["text"] for one in kb.forget(query, user_id=user)["matches"] if one["type"] != "triple"}


def test_a_preview_shows_nothing_that_is_not_meant(ready: Face, user: str) -> None:
    kb = ready.kb
    kb.add_many(["主人对花生过敏", "主人住在上海", "小明是主人的同事", "主人喜欢拉面"], user_id=user)
    assert found(kb, "花生", user) == {"主人对花生过敏"}
    assert found(kb, "zzzqqq", user) == set()
    would = kb.forget("花生", user_id=user)
    kb.forget(ids=would["ids"], dry_run=False, user_id=user)
    assert kb.count(user_id=user) == 3


MINE = [
    "主人对花生过敏",
    "主人对虾过敏",
    "主人住在上海",
    "主人喜欢喝咖啡",
    "主人的生日是5月3日",
    "主人养了一只叫团子的猫",
    "主人的前女友叫李娜",
    "主人的手机号是13800001111",
    "I am allergic to shellfish",
    "My sister Anna lives in Oslo",
    "My dog is called Rex",
    "I'm learning Japanese",
    "My salary is 4,200 a month",
]


@pytest.mark.parametrize(
    ("query", "meant"),
    [
        ("过敏", ["主人对花生过敏", "主人对虾过敏"]),
        ("主人对虾过敏", ["主人对虾过敏"]),
        ("关于前女友的事", ["主人的前女友叫李娜"]),
        ("forget that I am allergic to shellfish", ["I am allergic to shellfish"]),
        ("salary", ["My salary is 4,200 a month"]),
        *[(q, []) for q in ("对鱼过敏", "主人住在北京", "主人喜欢喝茶", "主人的生日是8月9日", "量子物理")],
        *[
            (q, [])
            for q in ("my sister Maria", "my dog Max", "I'm learning French", "football", "everything")
        ],
    ],
)
def test_what_is_said_of_others_is_not_meant(ready: Face, query: str, meant: list[str]) -> None:
    kb, user = ready.kb, "forgetful"
    if not kb.count(user_id=user):
        kb.add_many(MINE, user_id=user)
    eventually("all are indexed", lambda: all(one["indexed"] for one in kb.get_all(user)))
    assert found(kb, query, user) == set(meant)


def test_turns_are_not_meant_for_the_turns_beside_them(ready: Face, user: str) -> None:
    said = ["今天天气真好", "我对花生过敏", "好的，我记住了", "晚上去看电影吧"]
    for text in said:
        ready.kb.conversation.append("s", "user", text, user_id=user)
    assert found(ready.kb, "花生", user) == {"我对花生过敏"}


def test_what_is_not_shown_is_counted(kb: KB, user: str) -> None:
    kb.add_many([f"花生事件第{i}次" for i in range(30)], user_id=user)
    would = kb.forget("花生", user_id=user)
    assert (len(would["matches"]), would["more_count"]) == (20, 10)
    would = kb.forget("花生", n_results=30, user_id=user)
    assert (len(would["matches"]), would["more_count"]) == (30, 0)
    assert kb.forget(ids=would["ids"], dry_run=False, user_id=user)["more_count"] == 0


def test_of_a_named_entity_only_what_is_meant_is_shown(kb: KB, user: str) -> None:
    pet = kb.triples.add("小明", "养", "一只猫", user_id=user)
    phone = kb.triples.add("小明", "电话", "555-0101", user_id=user)
    assert set(kb.forget("小明", user_id=user)["ids"]) == {pet, phone}
    assert kb.forget("小明的电话", user_id=user)["ids"] == [phone]


def test_forgetting_destroys_what_was_chosen(kb: KB, user: str) -> None:
    memory = kb.add("secret meeting in Prague", user_id=user)
    kept = kb.add("secret sauce", user_id=user)
    turn = kb.conversation.append("s", "user", "the secret meeting is in Prague", user_id=user)["id"]
    triple = kb.triples.add("Prague", "is", "secret", user_id=user)
    done = kb.forget(ids=[memory, turn, triple], dry_run=False, user_id=user)
    assert set(done["ids"]) == {memory, turn, triple}
    assert (done["count"], done["matches"], done["also_stated_in"]) == (3, [], [])
    assert kb.get(memory, user_id=user) is None
    assert kb.conversation.get(turn, user_id=user) is None
    assert kb.search("Prague", mode="lexical", scope="all", user_id=user) == []
    assert kb.get(kept, user_id=user) is not None
    with pytest.raises(NotFoundError):
        kb.forget(ids=[kept, triple], dry_run=False, user_id=user)
    with pytest.raises(NotFoundError):
        kb.forget(ids=[kept, turn], dry_run=False, user_id=user)
    assert kb.get(kept, user_id=user) is not None, "all or none"


@pytest.fixture
def protected(kb: KB, user: str) -> list[str]:
    """A memory of each kind that a delete of several leaves."""
    rule = kb.add("a rule", {"category": "system"}, user_id=user)
    core = kb.add("a core fact", {"category": "core"}, user_id=user)
    pinned = kb.add("a pinned fact", user_id=user)
    kb.pin(pinned, user_id=user)
    return [rule, core, pinned]


def test_several_are_deleted_but_for_the_protected(kb: KB, user: str, protected: list[str]) -> None:
    other = kb.add("nothing special", user_id=user)
    would = kb.delete_many([*protected, other], dry_run=True, user_id=user)
    assert (would["ids"], would["skipped"], would["skipped_count"]) == ([other], protected, 3)
    done = kb.delete_many([*protected, other], user_id=user, request_id="r")
    assert (done["ids"], done["skipped"], done["skipped_count"]) == ([other], protected, 3)
    assert kb.delete_many([*protected, other], user_id=user, request_id="r") == done
    assert kb.count(user_id=user) == 3


def test_a_filter_leaves_the_protected_too(kb: KB, user: str, protected: list[str]) -> None:
    other = kb.add("nothing special", user_id=user)
    done = kb.delete_many(filters={"confidence": {"gte": 0}}, user_id=user)
    assert (done["ids"], set(done["skipped"]), done["skipped_count"]) == ([other], set(protected), 3)
    assert kb.count(user_id=user) == 3


def test_forgetting_leaves_the_protected_and_shows_so_before(kb: KB, user: str, protected: list[str]) -> None:
    other = kb.add("one more fact", user_id=user)
    would = kb.forget("fact", user_id=user)
    assert {one["id"] for one in would["matches"]} >= {other, *protected[1:]}
    assert (would["ids"], set(would["skipped"])) == ([other], set(protected[1:]))
    done = kb.forget(ids=[*protected, other], dry_run=False, user_id=user)
    assert (done["ids"], done["skipped"], done["skipped_count"]) == ([other], protected, 3)
    assert kb.count(user_id=user) == 3


@pytest.mark.parametrize("call", ["delete_many", "forget"])
def test_force_destroys_the_protected(kb: KB, user: str, protected: list[str], call: str) -> None:
    done = getattr(kb, call)(ids=protected, dry_run=False, force=True, user_id=user)
    assert (set(done["ids"]), done["skipped"], done["skipped_count"]) == (set(protected), [], 0)
    assert kb.count(user_id=user) == 0


def test_one_by_one_only_system_memories_need_force(kb: KB, user: str, protected: list[str]) -> None:
    rule, core, pinned = protected
    assert kb.delete(core, user_id=user)["ids"] == [core]
    assert kb.delete(pinned, user_id=user)["ids"] == [pinned]
    with pytest.raises(InvalidParameterError, match="force=True"):
        kb.delete(rule, user_id=user)
    assert kb.delete(rule, force=True, user_id=user)["skipped"] == []


def test_of_many_skipped_the_first_thousand_are_named(kb: KB, user: str) -> None:
    ids = kb.add_many(
        [{"text": f"core {i}", "metadata": {"category": "core"}} for i in range(1002)], user_id=user
    )
    done = kb.delete_many(ids, user_id=user)
    assert (done["count"], done["skipped"], done["skipped_count"]) == (0, ids[:1000], 1002)


def test_nothing_is_destroyed_by_a_query_alone(kb: KB, user: str) -> None:
    id = kb.add("precious", user_id=user)
    for options in ({"dry_run": False}, {"dry_run": False, "ids": []}):
        with pytest.raises(InvalidParameterError, match="preview"):
            kb.forget("precious", user_id=user, **options)
    with pytest.raises(InvalidParameterError, match="query"):
        kb.forget(user_id=user)
    with pytest.raises(InvalidParameterError, match="dry_run"):
        kb.forget("precious", ids=[id], user_id=user)
    with pytest.raises(InvalidParameterError):
        kb.forget(ids=["nonsense"], dry_run=False, user_id=user)
    with pytest.raises(WrongIdError):
        kb.forget(ids=["job_0000000000000000000z"], dry_run=False, user_id=user)
    with pytest.raises(NotFoundError):
        kb.forget(ids=[id], dry_run=False, user_id=f"not-{user}")
    assert kb.get(id, user_id=user) is not None


def test_a_repeated_forgetting_is_carried_out_once(kb: KB, user: str) -> None:
    id = kb.add("once", user_id=user)
    first = kb.forget(ids=[id], dry_run=False, user_id=user, request_id="r")
    assert kb.forget(ids=[id], dry_run=False, user_id=user, request_id="r") == first


@pytest.mark.parametrize("name", ["in-process", "daemon"])
def test_a_backup_is_named(name: str, tmp_path: Path) -> None:
    try:
        with opened(name, tmp_path / "home", **{"embedder.model": "none"}) as kb:
            id = kb.add("kept in a backup", user_id="ann")
            eventually("the store is ready", lambda: kb.status()["stage"] == "ready")
            backup = tmp_path / "home" / "backups" / "before.sqlite3"
            backup.parent.mkdir(mode=0o700, exist_ok=True)
            backup.touch(mode=0o600)
            assert kb.forget(ids=[id], dry_run=False, user_id="ann")["backups"] == [str(backup)]
    finally:
        end_daemons(tmp_path)
