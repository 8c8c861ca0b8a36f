"""Successors: what was true and no longer is, and what is true now."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from memory_client.errors import InvalidParameterError, InvalidStateError, NotFoundError, WrongIdError
from support.clocked_store import clocked
from support.faces import Face

KB = Any


def test_the_old_ends_where_the_new_begins(kb: KB, user: str) -> None:
    old = kb.add("主人住在北京", {"category": "core", "kind": "context", "tags": ["home"]}, user_id=user)
    before = time.time()
    new = kb.supersede(old, "主人住在上海", reason="moved", user_id=user)
    was, now = kb.get(old, user_id=user), kb.get(new, user_id=user)
    assert (was["state"], was["version"], was["text"]) == ("superseded", 2, "主人住在北京")
    assert was["valid_to"] == now["valid_from"] >= before
    assert (now["state"], now["version"], now["text"]) == ("active", 1, "主人住在上海")
    assert (now["parent_id"], now["root_id"]) == (old, old)
    assert (now["category"], now["kind"], now["tags"], now["importance"]) == (
        "core",
        "context",
        ["home"],
        3.0,
    )
    assert kb.page(user_id=user)["total"] == 1
    last = kb.history(old, user_id=user)[-1]
    assert (last["operation"], last["reason"], last["changed"]) == (
        "supersede",
        "moved",
        ["state", "valid_to"],
    )
    first = kb.history(new, user_id=user)
    assert [(one["operation"], one["reason"]) for one in first] == [("create", "moved")]


def test_a_chain_has_one_root(kb: KB, user: str) -> None:
    first = kb.add("works at a bakery", user_id=user)
    second = kb.supersede(first, "works at a bank", user_id=user)
    third = kb.supersede(second, "works at a school", user_id=user)
    memory = kb.get(third, user_id=user)
    assert (memory["parent_id"], memory["root_id"]) == (second, first)
    chain = kb.page({"root_id": first}, include_archived=True, order="created_at", user_id=user)
    assert {one["id"] for one in chain["items"]} == {first, second, third}


def test_searches_find_the_successor_alone(ready: Face, user: str) -> None:
    kb = ready.kb
    old = kb.add("主人住在北京", user_id=user)
    new = kb.supersede(old, "主人住在上海", user_id=user)
    for mode in ("auto", "semantic", "lexical"):
        hits = kb.search("主人住在哪里", mode=mode, user_id=user)  # type: ignore[arg-type]
        assert [hit["id"] for hit in hits] == [new], mode


def test_what_the_metadata_gives_is_not_inherited(kb: KB, user: str) -> None:
    old = kb.add("a", {"tags": ["x"], "exact_keys": ["k"], "mood": "good"}, user_id=user, session_id="s")
    new = kb.supersede(old, "b", {"category": "episode", "tags": ["y"], "importance": 0.5}, user_id=user)
    memory = kb.get(new, user_id=user)
    assert (memory["category"], memory["tags"], memory["importance"]) == ("episode", ["y"], 0.5)
    assert (memory["exact_keys"], memory["session_id"]) == (["k"], "s")
    assert "mood" not in memory["metadata"]


def test_the_time_it_became_true_may_be_given(kb: KB, user: str) -> None:
    old = kb.add("lives in Rome", {"valid_from": 1000}, user_id=user)
    with pytest.raises(InvalidParameterError, match=r"metadata\.valid_from: 500"):
        kb.supersede(old, "lives in Oslo", {"valid_from": 500}, user_id=user)
    assert kb.get(old, user_id=user)["state"] == "active"
    kb.supersede(old, "lives in Oslo", {"valid_from": 2000}, user_id=user)
    assert kb.get(old, user_id=user)["valid_to"] == 2000


def test_an_agents_memory_stays_with_its_agent(kb: KB, user: str) -> None:
    old = kb.add("a", user_id=user, agent_id="cook")
    with pytest.raises(NotFoundError):
        kb.supersede(old, "b", user_id=user)
    with pytest.raises(InvalidParameterError, match="agent_id"):
        kb.supersede(old, "b", {"agent_id": "maid"}, user_id=user, agent_id="cook")
    new = kb.supersede(old, "b", user_id=user, agent_id="*")
    assert kb.get(new, user_id=user) is None
    assert kb.get(new, user_id=user, agent_id="cook")["agent_id"] == "cook"


@pytest.mark.parametrize("text", ["主人住在北京", "主人住在北京。", " "])
def test_the_same_text_supersedes_nothing(kb: KB, user: str, text: str) -> None:
    old = kb.add("主人住在北京", user_id=user)
    with pytest.raises(InvalidParameterError, match="text"):
        kb.supersede(old, text, user_id=user)
    assert kb.get(old, user_id=user)["version"] == 1
    assert kb.count(user_id=user) == 1


def test_only_an_active_memory_is_superseded(kb: KB, user: str) -> None:
    old = kb.add("a", user_id=user)
    kb.supersede(old, "b", user_id=user)
    with pytest.raises(InvalidStateError, match="superseded"):
        kb.supersede(old, "c", user_id=user)
    away = kb.add("away", user_id=user)
    kb.archive(away, user_id=user)
    with pytest.raises(InvalidStateError, match="archived"):
        kb.supersede(away, "c", user_id=user)
    with pytest.raises(WrongIdError):
        kb.supersede("trn_0000000000000000000z", "c", user_id=user)
    with pytest.raises(NotFoundError):
        kb.supersede(old, "c", user_id=f"not-{user}")
    assert kb.count(user_id=user, include_archived=True) == 3


def test_what_is_not_true_yet_supersedes_nothing(kb: KB, user: str) -> None:
    old = kb.add("主人住在东京", user_id=user)
    later = time.time() + 30 * 86_400
    with pytest.raises(InvalidParameterError, match=r"metadata\.valid_from: .*future.*event_start"):
        kb.supersede(old, "主人住在大阪", {"valid_from": later}, user_id=user)
    assert [one["id"] for one in kb.page(user_id=user)["items"]] == [old]
    assert kb.get(old, user_id=user)["valid_to"] is None


def test_what_was_over_before_stays_over(kb: KB, user: str) -> None:
    ended = time.time() - 1000 * 86_400
    old = kb.add("lives in Rome", {"valid_from": 1000, "valid_to": ended}, user_id=user)
    kb.supersede(old, "lives in Oslo", user_id=user)
    assert kb.get(old, user_id=user)["valid_to"] == ended


@pytest.mark.parametrize("gone", ["archive", "delete"])
def test_a_mistaken_successor_is_taken_back(ready: Face, user: str, gone: str) -> None:
    kb: KB = ready.kb
    ends = time.time() + 1000 * 86_400
    old = kb.add("主人住在北京", {"valid_to": ends}, user_id=user)
    new = kb.supersede(old, "主人住在上海", user_id=user)
    for call in (kb.boost, kb.archive, lambda id, **of: kb.revert(id, 1, **of)):
        with pytest.raises(InvalidStateError, match="restore names it"):
            call(old, user_id=user)
    with pytest.raises(InvalidStateError, match=f"{new} is archived or deleted first") as told:
        kb.restore(old, user_id=user)
    assert told.value.data["successor"] == new
    assert kb.get(old, user_id=user)["version"] == 2

    getattr(kb, gone)(new, user_id=user)
    assert kb.restore(old, "a mistake", user_id=user) == {"id": old, "version": 3, "changed": True}

    back = kb.get(old, user_id=user)
    assert (back["state"], back["valid_to"]) == ("active", ends)
    last = kb.history(old, user_id=user)[-1]
    assert (last["operation"], last["reason"], last["changed"]) == (
        "restore",
        "a mistake",
        ["state", "valid_to"],
    )
    assert [hit["id"] for hit in kb.search("主人住在哪里", user_id=user)] == [old]
    assert [one["id"] for one in kb.page(as_of=time.time(), user_id=user)["items"]] == [old]
    assert kb.get(kb.supersede(old, "主人住在广州", user_id=user), user_id=user)["parent_id"] == old


def test_of_a_chain_what_is_active_is_in_the_place_of_all(kb: KB, user: str) -> None:
    first = kb.add("works at a bakery", user_id=user)
    second = kb.supersede(first, "works at a bank", user_id=user)
    third = kb.supersede(second, "works at a school", user_id=user)
    kb.delete(second, user_id=user)
    with pytest.raises(InvalidStateError, match=third):
        kb.restore(first, user_id=user)
    with pytest.raises(InvalidStateError, match="is active"):
        kb.restore(third, user_id=user)


def test_an_end_that_was_given_since_stays(kb: KB, user: str) -> None:
    old = kb.add("lives in Rome", user_id=user)
    new = kb.supersede(old, "lives in Oslo", user_id=user)
    kb.update_metadata(old, {"valid_to": 5000.0}, user_id=user)
    kb.archive(new, user_id=user)
    kb.restore(old, user_id=user)
    assert kb.get(old, user_id=user)["valid_to"] == 5000.0


def test_as_of_reads_tell_both_sides(kb: KB, user: str) -> None:
    old = kb.add("drives a car", user_id=user)
    time.sleep(0.01)
    between = time.time()
    time.sleep(0.01)
    new = kb.supersede(old, "rides a bicycle", user_id=user)
    assert [one["id"] for one in kb.page(as_of=between, user_id=user)["items"]] == [old]
    assert [one["id"] for one in kb.page(as_of=time.time() + 1, user_id=user)["items"]] == [new]
    assert [hit["id"] for hit in kb.search("drives", mode="lexical", as_of=between, user_id=user)] == [old]


def test_importance_is_what_time_has_left_of_it_but_no_less_than_usual(tmp_path: Path) -> None:
    with clocked(tmp_path / "home") as clock:
        faded = clock.kb.add("a", {"importance": 2.4})
        weak = clock.kb.add("b", {"importance": 1.2})
        clock.live(8)
        left = clock.effective(faded)
        assert 1.0 < left < 2.4
        assert clock.effective(clock.kb.supersede(faded, "c")) == left
        assert clock.effective(clock.kb.supersede(weak, "d")) == 1.0
