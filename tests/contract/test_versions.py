"""Versions of a memory: told, compared and brought back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memory_client.errors import (
    HistoryLimitError,
    InvalidParameterError,
    InvalidStateError,
    NotFoundError,
    WrongIdError,
)
from support.daemons import end_daemons
from support.faces import Face, opened

KB = Any


@pytest.fixture
def moved(kb: KB, user: str) -> str:
    """A memory of three versions."""
    id: str = kb.add("主人住在北京", {"mood": "good", "tags": ["home"]}, user_id=user)
    kb.update_text(id, "主人住在上海", user_id=user)
    kb.update_metadata(id, {"mood": None, "city": "上海", "verified": True}, user_id=user)
    return id


def test_a_history_tells_every_version(kb: KB, user: str, moved: str) -> None:
    first, second, third = kb.history(moved, user_id=user)
    assert [one["version"] for one in (first, second, third)] == [1, 2, 3]
    assert [one["operation"] for one in (first, second, third)] == ["create", "update", "update"]
    assert [one["text"] for one in (first, second, third)] == ["主人住在北京", "主人住在上海", "主人住在上海"]
    assert {one["operator"] for one in (first, second, third)} == {"app"}
    assert [one["changed"] for one in (first, second, third)] == [[], ["text"], ["metadata", "verified"]]
    assert first["at"] <= second["at"] <= third["at"]
    assert (first["metadata"]["mood"], third["metadata"].get("mood")) == ("good", None)
    assert (second["metadata"]["verified"], third["metadata"]["verified"]) == (False, True)


def test_a_history_is_read_in_stretches_from_its_end(kb: KB, user: str, moved: str) -> None:
    assert [one["version"] for one in kb.history(moved, limit=2, user_id=user)] == [2, 3]
    assert [one["version"] for one in kb.history(moved, limit=2, before=2, user_id=user)] == [1]
    assert kb.history(moved, before=1, user_id=user) == []


def test_the_two_newest_versions_are_compared_by_default(kb: KB, user: str, moved: str) -> None:
    found = kb.compare(moved, user_id=user)
    assert (found["id"], found["a"], found["b"]) == (moved, 2, 3)
    assert found["text"] == [{"op": "equal", "a": "主人住在上海", "b": "主人住在上海"}]
    assert found["metadata"] == {"mood": {"a": "good"}, "city": {"b": "上海"}}
    assert found["fields"] == {"verified": {"a": False, "b": True}}


def test_any_two_versions_are_compared_by_words(kb: KB, user: str, moved: str) -> None:
    found = kb.compare(moved, 1, 2, user_id=user)
    assert found["readable"] == "主人住在[-北京-]{+上海+}"
    assert found["text"][1:] == [{"op": "replace", "a": "北京", "b": "上海"}]
    assert (found["metadata"], found["fields"]) == ({}, {})
    assert kb.compare(moved, 3, 1, user_id=user)["readable"] == "主人住在[-上海-]{+北京+}"


def test_a_memory_of_one_version_is_compared_with_itself(kb: KB, user: str) -> None:
    id = kb.add("only once", user_id=user)
    found = kb.compare(id, user_id=user)
    assert (found["a"], found["b"], found["readable"]) == (1, 1, "only once")


def test_a_revert_is_the_next_version(kb: KB, user: str, moved: str) -> None:
    receipt = kb.revert(moved, 1, "moved back", user_id=user)
    assert receipt == {"id": moved, "version": 4, "changed": True}
    memory = kb.get(moved, user_id=user)
    assert (memory["text"], memory["verified"], memory["tags"]) == ("主人住在北京", False, ["home"])
    assert memory["metadata"]["mood"] == "good"
    assert "city" not in memory["metadata"]
    last = kb.history(moved, user_id=user)[-1]
    assert (last["operation"], last["reason"]) == ("revert", "moved back")
    assert last["changed"] == ["metadata", "text", "verified"]
    assert [hit["id"] for hit in kb.search("北京", mode="lexical", user_id=user)] == [moved]
    assert kb.search("上海", mode="lexical", user_id=user) == []


def test_a_revert_leaves_the_life_of_a_memory_alone(kb: KB, user: str) -> None:
    id = kb.add("first", user_id=user)
    kb.update_text(id, "second", user_id=user)
    kb.update_importance(id, value=2, user_id=user)
    kb.revert(id, 1, user_id=user)
    assert (kb.get(id, user_id=user)["text"], kb.get(id, user_id=user)["importance"]) == ("first", 2.0)


def test_unchanged_content_makes_no_version(kb: KB, user: str, moved: str) -> None:
    assert kb.revert(moved, 3, user_id=user) == {"id": moved, "version": 3, "changed": False}
    assert not kb.update_text(moved, "主人住在上海", user_id=user)["changed"]
    assert not kb.update_metadata(moved, {"city": "上海"}, user_id=user)["changed"]
    assert len(kb.history(moved, user_id=user)) == 3


def test_a_repeated_revert_is_carried_out_once(kb: KB, user: str, moved: str) -> None:
    first = kb.revert(moved, 1, user_id=user, request_id="r")
    kb.update_text(moved, "主人住在深圳", user_id=user)
    assert kb.revert(moved, 1, user_id=user, request_id="r") == first
    assert kb.get(moved, user_id=user)["text"] == "主人住在深圳"


def test_archiving_is_told_with_its_reason(kb: KB, user: str) -> None:
    id = kb.add("put away", user_id=user)
    kb.archive(id, "no longer needed, key sk-proj-" + "a1B2" * 12, user_id=user)
    last = kb.history(id, user_id=user)[-1]
    assert (last["operation"], last["state"]) == ("archive", "archived")
    assert last["reason"].startswith("no longer needed")
    assert "sk-proj-" not in last["reason"]


def test_a_repeated_revert_is_answered_after_the_memory_is_gone(kb: KB, user: str, moved: str) -> None:
    first = kb.revert(moved, 1, user_id=user, request_id="r")
    kb.delete(moved, user_id=user)
    assert kb.revert(moved, 1, user_id=user, request_id="r") == first


@pytest.mark.parametrize("call", ["compare", "revert"])
def test_a_version_that_is_not_there_is_named_with_those_that_are(
    kb: KB, user: str, moved: str, call: str
) -> None:
    with pytest.raises(NotFoundError, match=r"no version 7 .* 1 to 3") as caught:
        getattr(kb, call)(moved, 7, user_id=user)
    assert caught.value.data["versions"] == [1, 3]
    assert len(kb.history(moved, user_id=user)) == 3


@pytest.mark.parametrize("call", ["history", "compare", "revert"])
def test_other_ids_are_refused(kb: KB, user: str, moved: str, call: str) -> None:
    rest = () if call == "history" else (1,)
    with pytest.raises(NotFoundError):
        getattr(kb, call)(moved, *rest, user_id=f"not-{user}")
    with pytest.raises(WrongIdError):
        getattr(kb, call)("trn_0000000000000000000z", *rest, user_id=user)
    with pytest.raises(NotFoundError):
        getattr(kb, call)("mem_0000000000000000000z", *rest, user_id=user)


@pytest.mark.parametrize("number", [0, -1, True, 1.5, "1"])
def test_a_version_is_a_whole_number(kb: KB, user: str, moved: str, number: Any) -> None:
    for call in (kb.compare, kb.revert):
        with pytest.raises(InvalidParameterError):
            call(moved, number, user_id=user)


def test_an_inactive_memory_is_not_reverted(kb: KB, user: str, moved: str) -> None:
    kb.archive(moved, user_id=user)
    with pytest.raises(InvalidStateError, match="archived"):
        kb.revert(moved, 1, user_id=user)


def test_an_agents_memory_is_told_to_that_agent_alone(kb: KB, user: str) -> None:
    id = kb.add("a secret of the cook", user_id=user, agent_id="cook")
    with pytest.raises(NotFoundError):
        kb.history(id, user_id=user)
    assert len(kb.history(id, user_id=user, agent_id="cook")) == 1


@pytest.mark.parametrize("name", ["in-process", "daemon"])
def test_a_long_history_loses_its_oldest_versions(name: str, tmp_path: Path) -> None:
    settings: dict[str, object] = {"embedder.model": "none", "versions.limit": 3}
    try:
        with opened(name, tmp_path / "home", **settings) as kb:
            id = kb.add("text 1", user_id="ann")
            for number in range(2, 7):
                kb.update_text(id, f"text {number}", user_id="ann")
            assert [one["version"] for one in kb.history(id, user_id="ann")] == [4, 5, 6]
            assert [one["text"] for one in kb.history(id, user_id="ann")] == ["text 4", "text 5", "text 6"]
            memory = kb.get(id, user_id="ann")
            assert memory is not None
            assert memory["history_from"] == 4
            for call in (kb.compare, kb.revert):
                with pytest.raises(HistoryLimitError, match="back to version 4") as caught:
                    call(id, 2, user_id="ann")
                assert caught.value.data["history_from"] == 4
            assert kb.revert(id, 4, user_id="ann")["version"] == 7
    finally:
        end_daemons(tmp_path)


def test_both_faces_know_the_limit(face: Face) -> None:
    names = {one["name"]: one["value"] for one in face.kb.admin.config()}
    assert names["versions.limit"] == 100
