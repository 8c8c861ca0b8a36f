"""Storing and changing: defaults, fields, versions, warnings."""

from __future__ import annotations

import time
from typing import Any

import pytest

from memory_client.errors import InvalidParameterError, NotFoundError, WrongIdError
from memory_client.types import DeleteResult, Memory, UpdateResult
from support.faces import Face

KB = Any
UNKNOWN = "mem_0000000000000000000z"


@pytest.fixture
def kb(wordy: Face) -> KB:
    """Writes with a model are told apart by search, and by the property tests."""
    return wordy.kb


def test_add_stores_a_memory_with_the_designs_defaults(kb: KB, user: str) -> None:
    before = time.time()
    id = kb.add("主人对花生过敏", user_id=user)
    memory = kb.get(id, user_id=user)
    assert set(memory) == set(Memory.__annotations__)
    assert id.startswith("mem_")
    assert before - 1 <= memory["created_at"] <= time.time() + 1
    assert memory["updated_at"] == memory["last_access"] == memory["created_at"]
    expected = {
        "id": id,
        "user_id": user,
        "agent_id": None,
        "session_id": None,
        "text": "主人对花生过敏",
        "category": "fact",
        "kind": "fact",
        "importance": 1.0,
        "confidence": 1.0,
        "verified": False,
        "source": "user",
        "source_id": None,
        "tags": [],
        "exact_keys": [],
        "position": None,
        "access_count": 0,
        "version": 1,
        "root_id": id,
        "parent_id": None,
        "state": "active",
        "archived_because": None,
        "warnings": [],
        "redactions": {},
    }
    assert {name: memory[name] for name in expected} == expected


@pytest.mark.parametrize(("category", "importance"), [("core", 3.0), ("system", 3.0), ("episode", 1.0)])
def test_the_category_decides_the_importance(kb: KB, user: str, category: str, importance: float) -> None:
    id = kb.add("x y z", {"category": category}, user_id=user)
    assert kb.get(id, user_id=user)["importance"] == importance


def test_every_field_comes_back_as_it_was_given(kb: KB, user: str) -> None:
    given = {
        "category": "episode",
        "kind": "preference",
        "importance": 2.25,
        "confidence": 0.5,
        "verified": True,
        "source": "import",
        "source_id": "chat-7",
        "tags": ["健康", "food"],
        "exact_keys": ["A-1"],
        "event_start": 1_700_000_000.5,
        "event_end": 1_700_000_100.25,
        "valid_from": 1.5,
        "valid_to": 2.5,
        "expires_at": 4_000_000_000.0,
        "created_at": 1_600_000_000.125,
        "last_access": 1_650_000_000.0,
        "agent_id": "cook",
        "session_id": "s-1",
    }
    memory = kb.get(kb.add("t", given, user_id=user), user_id=user, agent_id="cook")
    assert {name: memory[name] for name in given} == given


def test_own_metadata_comes_back_beside_the_repeated_fields(kb: KB, user: str) -> None:
    own = {"mood": "bad", "深": {"列表": [1, 2.5, None, True, "值"]}, "big": 2**62, "empty": {}, "none": None}
    id = kb.add("t", {**own, "category": "core"}, user_id=user)
    memory = kb.get(id, user_id=user)
    repeated = ("importance", "timestamp", "last_access", "category", "source", "verified")
    assert {name: memory["metadata"][name] for name in own} == own
    assert {name: memory["metadata"][name] for name in repeated} == {
        "importance": 3.0,
        "timestamp": memory["created_at"],
        "last_access": memory["last_access"],
        "category": "core",
        "source": "user",
        "verified": False,
    }


@pytest.mark.parametrize("text_time", ["2026-01-03T09:30:00+08:00", "2026-01-03T01:30:00", 1767403800])
def test_times_are_epoch_seconds_however_they_were_written(kb: KB, user: str, text_time: Any) -> None:
    memory = kb.get(kb.add("t", {"timestamp": text_time}, user_id=user), user_id=user)
    assert memory["created_at"] == 1767403800.0
    assert memory["last_access"] == 1767403800.0


@pytest.mark.parametrize(
    ("given", "kind", "category"),
    [
        ({"kind": "WorldModel"}, "world_model", "fact"),
        ({"kind": "ExperientialKnowledge"}, "experience", "fact"),
        ({"kind": "user_opinion"}, "opinion", "fact"),
        ({"category": "preference"}, "preference", "fact"),
        ({"category": "task_assignment"}, "task", "fact"),
    ],
)
def test_other_vocabularies_are_understood_and_said(
    kb: KB, user: str, given: dict[str, Any], kind: str, category: str
) -> None:
    memory = kb.get(kb.add("t", given, user_id=user), user_id=user)
    assert (memory["kind"], memory["category"]) == (kind, category)
    assert any(repr(next(iter(given.values()))) in notice for notice in memory["warnings"])


@pytest.mark.parametrize(
    ("given", "source"),
    [("user_input", "user"), ("conversation", "background_ai"), ("inference", "background_ai")],
)
def test_other_names_of_sources(kb: KB, user: str, given: str, source: str) -> None:
    memory = kb.get(kb.add("t", {"source": given}, user_id=user), user_id=user)
    assert memory["source"] == source
    assert memory["warnings"]


def test_add_many_takes_texts_and_items_and_keeps_their_order(kb: KB, user: str) -> None:
    items = [
        "first",
        {"text": "second"},
        {"text": "third", "metadata": {"category": "core", "mood": "x"}},
        {"text": "fourth", "metadata": None},
    ]
    ids = kb.add_many(items, user_id=user, session_id="s")
    memories = kb.get_many(ids, user_id=user)
    assert [memory["text"] for memory in memories] == ["first", "second", "third", "fourth"]
    assert [memory["category"] for memory in memories] == ["fact", "fact", "core", "fact"]
    assert {memory["session_id"] for memory in memories} == {"s"}
    assert len(set(ids)) == 4
    assert sorted(ids) == ids


def test_add_many_of_nothing(kb: KB, user: str) -> None:
    assert kb.add_many([], user_id=user) == []
    assert kb.count(user_id=user) == 0


def test_add_many_checks_every_item_before_the_first_is_stored(kb: KB, user: str) -> None:
    items = [f"text {i}" for i in range(600)] + [{"text": "bad", "metadata": {"importance": 9}}]
    with pytest.raises(InvalidParameterError, match=r"items\[600\]"):
        kb.add_many(items, user_id=user)
    assert kb.count(user_id=user) == 0


def test_update_text_makes_the_next_version_and_is_found_by_the_new_words(kb: KB, user: str) -> None:
    id = kb.add("the cat is called Tom", user_id=user)
    updated = kb.update_text(id, "the cat is called Jerry", user_id=user)
    assert set(updated) == set(UpdateResult.__annotations__)
    assert updated == {"id": id, "version": 2, "changed": True}
    memory = kb.get(id, user_id=user)
    assert (memory["text"], memory["version"]) == ("the cat is called Jerry", 2)
    assert memory["updated_at"] > memory["created_at"]
    assert [hit["id"] for hit in kb.search("Jerry", user_id=user, mode="lexical")] == [id]
    assert kb.search("Tom", user_id=user, mode="lexical") == []


def test_an_update_that_changes_nothing_makes_no_version(kb: KB, user: str) -> None:
    id = kb.add("same", {"mood": "good", "importance": 2}, user_id=user)
    same = {"id": id, "version": 1, "changed": False}
    assert kb.update_text(id, "same", user_id=user) == same
    assert kb.update_metadata(id, {"mood": "good"}, user_id=user) == same
    assert kb.update_metadata(id, {}, user_id=user) == same
    assert kb.update_importance(id, value=2, user_id=user) == same


def test_update_metadata_merges_and_none_removes(kb: KB, user: str) -> None:
    id = kb.add("t", {"a": 1, "b": 2, "tags": ["x"], "source_id": "doc", "kind": "task"}, user_id=user)
    kb.update_metadata(id, {"b": None, "c": 3, "source_id": None, "kind": None, "tags": ["y"]}, user_id=user)
    memory = kb.get(id, user_id=user)
    assert {key: memory["metadata"].get(key, "gone") for key in "abc"} == {"a": 1, "b": "gone", "c": 3}
    assert (memory["source_id"], memory["kind"], memory["tags"]) == (None, "fact", ["y"])
    assert memory["version"] == 2


@pytest.mark.parametrize(
    "metadata",
    [
        {"importance": 2},
        {"agent_id": "other"},
        {"session_id": "other"},
        {"state": "archived"},
        {"id": UNKNOWN},
    ],
)
def test_update_metadata_refuses_what_has_its_own_place(kb: KB, user: str, metadata: dict[str, Any]) -> None:
    id = kb.add("t", user_id=user)
    with pytest.raises(InvalidParameterError) as caught:
        kb.update_metadata(id, metadata, user_id=user)
    assert caught.value.data["parameter"] == f"metadata.{next(iter(metadata))}"
    assert kb.get(id, user_id=user)["version"] == 1


@pytest.mark.parametrize(
    ("change", "after"),
    [
        ({"delta": 0.5}, 1.5),
        ({"delta": -4}, 0.0),
        ({"delta": 5}, 5.0),
        ({"value": 2.5}, 2.5),
        ({"value": 0}, 0.0),
    ],
)
def test_update_importance_stays_within_its_range(
    kb: KB, user: str, change: dict[str, float], after: float
) -> None:
    id = kb.add("t", user_id=user)
    assert kb.update_importance(id, **change, user_id=user)["changed"]
    memory = kb.get(id, user_id=user)
    assert memory["importance"] == memory["metadata"]["importance"] == after


@pytest.mark.parametrize("change", [{}, {"delta": 1, "value": 1}, {"value": 6}, {"value": -1}, {"delta": 6}])
def test_update_importance_takes_exactly_one_sound_value(kb: KB, user: str, change: dict[str, float]) -> None:
    id = kb.add("t", user_id=user)
    with pytest.raises(InvalidParameterError):
        kb.update_importance(id, **change, user_id=user)


def test_delete_destroys_and_says_so(kb: KB, user: str) -> None:
    id, other = kb.add("unforgettable", user_id=user), kb.add("another", user_id=user)
    deleted = kb.delete(id, user_id=user)
    assert set(deleted) == set(DeleteResult.__annotations__)
    assert (deleted["ids"], deleted["count"]) == ([id], 1)
    assert kb.get(id, user_id=user) is None
    assert kb.search("unforgettable", user_id=user) == [] or other in {
        hit["id"] for hit in kb.search("unforgettable", user_id=user)
    }
    assert [memory["id"] for memory in kb.get_all(user)] == [other]
    with pytest.raises(NotFoundError):
        kb.delete(id, user_id=user)


def test_a_system_memory_needs_force(kb: KB, user: str) -> None:
    id = kb.add("you are a kind companion", {"category": "system"}, user_id=user)
    with pytest.raises(InvalidParameterError, match="force"):
        kb.delete(id, user_id=user)
    assert kb.get(id, user_id=user) is not None
    assert kb.delete(id, force=True, user_id=user)["count"] == 1


def test_delete_many_by_ids_is_all_or_none_and_leaves_system_memories(kb: KB, user: str) -> None:
    ids = kb.add_many(["a", "b", {"text": "c", "metadata": {"category": "system"}}], user_id=user)
    with pytest.raises(NotFoundError, match=UNKNOWN):
        kb.delete_many([ids[0], UNKNOWN], user_id=user)
    assert kb.count(user_id=user) == 3
    would = kb.delete_many([ids[0], ids[0], ids[2]], dry_run=True, user_id=user)
    assert (would["ids"], would["count"]) == ([ids[0]], 1)
    assert kb.count(user_id=user) == 3
    assert kb.delete_many([ids[0], ids[0], ids[2]], user_id=user)["ids"] == [ids[0]]
    assert {memory["id"] for memory in kb.get_all(user)} == {ids[1], ids[2]}


def test_delete_many_by_filters(kb: KB, user: str) -> None:
    moods = ["bad", "good", "bad", None]
    ids = kb.add_many([{"text": f"t{i}", "metadata": {"mood": m}} for i, m in enumerate(moods)], user_id=user)
    system = kb.add("s", {"category": "system", "mood": "bad"}, user_id=user)
    filters = {"metadata.mood": "bad"}
    would = kb.delete_many(filters=filters, dry_run=True, user_id=user)
    assert set(would["ids"]) == {ids[0], ids[2]}
    assert kb.count(user_id=user) == 5
    assert set(kb.delete_many(filters=filters, user_id=user)["ids"]) == {ids[0], ids[2]}
    assert {memory["id"] for memory in kb.get_all(user)} == {ids[1], ids[3], system}
    assert kb.delete_many(filters=filters, user_id=user)["count"] == 0


@pytest.mark.parametrize(
    "arguments", [{}, {"ids": []}, {"filters": {}}, {"ids": [UNKNOWN], "filters": {"id": "x"}}]
)
def test_delete_many_wants_exactly_one_of_its_ways(kb: KB, user: str, arguments: dict[str, Any]) -> None:
    with pytest.raises(InvalidParameterError, match="delete_all"):
        kb.delete_many(**arguments, user_id=user)


@pytest.mark.parametrize("method", ["update_text", "update_metadata", "update_importance", "delete"])
def test_unknown_and_wrong_ids(kb: KB, user: str, method: str) -> None:
    arguments = {"update_text": ("t",), "update_metadata": ({},), "update_importance": (1.0,), "delete": ()}
    with pytest.raises(NotFoundError) as missing:
        getattr(kb, method)(UNKNOWN, *arguments[method], user_id=user)
    assert missing.value.data["id"] == UNKNOWN
    with pytest.raises(WrongIdError) as wrong:
        getattr(kb, method)(UNKNOWN.replace("mem", "job"), *arguments[method], user_id=user)
    assert (wrong.value.data["expected"], wrong.value.data["got"]) == ("mem", "job")
    with pytest.raises(InvalidParameterError):
        getattr(kb, method)("nonsense", *arguments[method], user_id=user)


def test_long_calls_report_progress(kb: KB, user: str) -> None:
    from memory_client.progress import on_progress

    reports: list[tuple[int, int, str]] = []
    with on_progress(lambda *report: reports.append(report)):
        ids = kb.add_many([f"short text {i}" for i in range(600)], user_id=user)
    assert len(ids) == 600
    assert reports[-1][:2] == (600, 600)
    assert [done for done, _, _ in reports] == sorted(done for done, _, _ in reports)
    assert {total for _, total, _ in reports} == {600}
