"""Reading: get, pages and cursors, filters, agents, users, statistics."""

from __future__ import annotations

from typing import Any

import pytest

from memory_client.errors import InvalidFilterError, InvalidParameterError, WrongIdError
from memory_client.types import Memory, Page, Stats
from support.faces import Face

KB = Any
UNKNOWN = "mem_0000000000000000000z"


@pytest.fixture
def kb(wordy: Face) -> KB:
    """None of this has to do with meaning."""
    return wordy.kb


def texts(memories: list[Memory]) -> list[str]:
    return [memory["text"] for memory in memories]


def test_get_and_get_many_say_none_for_what_is_unknown(kb: KB, user: str) -> None:
    id = kb.add("here", user_id=user)
    assert kb.get(UNKNOWN, user_id=user) is None
    assert kb.get(id, user_id=f"{user}-other") is None
    found = kb.get_many([UNKNOWN, id, id], user_id=user)
    assert [memory and memory["id"] for memory in found] == [None, id, id]
    assert kb.get_many([], user_id=user) == []


@pytest.mark.parametrize(
    "bad", ["", "x", "mem_", "mem_SHORT", "mem_" + "0" * 21, "mem_000000000000000000 z", "记忆"]
)
def test_what_is_no_id_is_said_so(kb: KB, bad: str) -> None:
    with pytest.raises(InvalidParameterError) as caught:
        kb.get(bad)
    assert caught.value.data["parameter"] == "id"
    with pytest.raises(InvalidParameterError) as caught:
        kb.get_many([UNKNOWN, bad])
    assert caught.value.data["parameter"] == "ids[1]"


def test_an_id_of_another_kind_names_both(kb: KB) -> None:
    with pytest.raises(WrongIdError, match=r"job.*memory"):
        kb.get("job_0000000000000000000z")


def test_get_all_is_oldest_first_and_complete_for_thousands(kb: KB, user: str) -> None:
    times = [{"text": f"t{i}", "metadata": {"timestamp": 1_000_000 - i // 7}} for i in range(2500)]
    ids = kb.add_many(times, user_id=user)
    found = kb.get_all(user)
    assert {memory["id"] for memory in found} == set(ids)
    assert len(found) == 2500
    order = [(memory["created_at"], memory["id"]) for memory in found]
    assert order == sorted(order)
    assert set(found[0]) == set(Memory.__annotations__)


def test_get_all_of_nobody(kb: KB, user: str) -> None:
    assert kb.get_all(user) == []
    assert kb.page(user_id=user) == {"items": [], "cursor": None, "total": 0, "omitted": []}


@pytest.mark.parametrize("order", ["created_at", "last_access", "importance", "confidence"])
@pytest.mark.parametrize("direction", ["asc", "desc"])
def test_pages_hold_everything_once_and_in_order(kb: KB, user: str, order: str, direction: str) -> None:
    items = [
        {
            "text": f"t{i}",
            "metadata": {
                "timestamp": 1e9 + i % 5 + 0.1,
                "last_access": 1.5e9 + i % 3,
                "importance": (i % 4) / 3,
                "confidence": (i % 6) / 7,
            },
        }
        for i in range(23)
    ]
    ids = kb.add_many(items, user_id=user)
    seen: list[Memory] = []
    cursor = None
    while True:
        page = kb.page(order=order, sort_order=direction, cursor=cursor, limit=4, user_id=user)
        assert set(page) == set(Page.__annotations__)
        assert page["total"] == 23
        seen += page["items"]
        cursor = page["cursor"]
        if cursor is None:
            break
        assert len(page["items"]) == 4
    keys = [(memory[order], memory["id"]) for memory in seen]
    assert keys == sorted(keys, reverse=direction == "desc")
    assert sorted(memory["id"] for memory in seen) == sorted(ids)


def test_a_page_that_ends_exactly_has_no_cursor(kb: KB, user: str) -> None:
    kb.add_many(["a", "b"], user_id=user)
    assert kb.page(limit=2, user_id=user)["cursor"] is None
    assert kb.page(limit=1, user_id=user)["cursor"] is not None


def test_paging_neither_repeats_nor_drops_when_rows_come_and_go(kb: KB, user: str) -> None:
    ids = kb.add_many([{"text": f"t{i}", "metadata": {"timestamp": i + 1}} for i in range(9)], user_id=user)
    first = kb.page(sort_order="asc", limit=3, user_id=user)
    kb.delete(ids[0], user_id=user)
    kb.delete(ids[4], user_id=user)
    kb.add("new", {"timestamp": 100}, user_id=user)
    rest = kb.page(sort_order="asc", cursor=first["cursor"], limit=100, user_id=user)
    assert texts(rest["items"]) == ["t3", "t5", "t6", "t7", "t8", "new"]


def test_a_cursor_goes_with_its_own_question_only(kb: KB, user: str) -> None:
    kb.add_many(["a", "b", "c"], user_id=user)
    cursor = kb.page(limit=1, user_id=user)["cursor"]
    others: list[dict[str, Any]] = [
        {"order": "importance"},
        {"sort_order": "asc"},
        {"filters": {"category": "fact"}},
    ]
    for other in others:
        with pytest.raises(InvalidParameterError) as caught:
            kb.page(cursor=cursor, user_id=user, **other)
        assert caught.value.data["parameter"] == "cursor"


@pytest.mark.parametrize("cursor", ["", "x", "é", "bnVsbA==", "W10=", "{}", "WzEsMl0=", "A" * 5000])
def test_what_is_no_cursor_is_said_so(kb: KB, user: str, cursor: str) -> None:
    with pytest.raises(InvalidParameterError) as caught:
        kb.page(cursor=cursor, user_id=user)
    assert caught.value.data["parameter"] == "cursor"


@pytest.mark.parametrize("limit", [0, -1, 1001])
def test_limits_of_a_page(kb: KB, user: str, limit: int) -> None:
    with pytest.raises(InvalidParameterError) as caught:
        kb.page(limit=limit, user_id=user)
    assert caught.value.data["parameter"] == "limit"


ROWS: list[dict[str, Any]] = [
    {"mood": "bad", "n": 1, "tags": ["x", "y"], "category": "core", "timestamp": "2026-01-01"},
    {"mood": "good", "n": 2, "tags": ["y"], "importance": 2.5, "timestamp": "2026-01-02"},
    {"mood": ["bad", "sad"], "n": 2.5, "verified": True, "timestamp": "2026-01-03"},
    {"n": "1", "source_id": "doc", "timestamp": "2026-01-04", "flag": True},
    {"mood": None, "timestamp": "2026-01-05", "flag": 1, "a.b": "dotted"},
]
FILTERS: list[tuple[dict[str, Any], set[int]]] = [
    ({}, {0, 1, 2, 3, 4}),
    ({"category": "core"}, {0}),
    ({"category": {"ne": "core"}}, {1, 2, 3, 4}),
    ({"category": {"in": ["core", "episode"]}}, {0}),
    ({"category": {"nin": ["core"]}}, {1, 2, 3, 4}),
    ({"importance": {"gte": 2.5}}, {0, 1}),
    ({"importance": {"gt": 2.5, "lte": 3}}, {0}),
    ({"tags": {"contains": "y"}}, {0, 1}),
    ({"tags": ["x", "y"]}, {0}),
    ({"tags": []}, {2, 3, 4}),
    ({"verified": True}, {2}),
    ({"verified": {"ne": True}}, {0, 1, 3, 4}),
    ({"source_id": None}, {0, 1, 2, 4}),
    ({"source_id": {"ne": None}}, {3}),
    ({"source_id": {"contains": "o"}}, {3}),
    ({"timestamp": {"gte": "2026-01-03", "lt": "2026-01-05"}}, {2, 3}),
    ({"created_at": {"gte": 1767398400}}, {2, 3, 4}),
    ({"text": {"contains": "词二"}}, {2}),
    ({"metadata.mood": "bad"}, {0}),
    ({"metadata.mood": {"contains": "bad"}}, {0, 2}),
    ({"metadata.mood": {"in": ["bad", "good"]}}, {0, 1}),
    ({"metadata.mood": {"ne": "bad"}}, {1, 2, 3, 4}),
    ({"metadata.mood": {"nin": ["bad", "good"]}}, {2, 3, 4}),
    ({"metadata.mood": None}, {4}),
    ({"metadata.n": 1}, {0}),
    ({"metadata.n": "1"}, {3}),
    ({"metadata.n": {"gt": 1}}, {1, 2}),
    ({"metadata.n": {"lte": 2.0}}, {0, 1}),
    ({"metadata.flag": True}, {3}),
    ({"metadata.flag": 1}, {4}),
    ({"metadata.a.b": "dotted"}, {4}),
    ({"metadata.missing": "x"}, set()),
    ({"metadata.missing": {"ne": "x"}}, {0, 1, 2, 3, 4}),
    ({"not": {"metadata.mood": "bad"}}, {1, 2, 3, 4}),
    ({"not": {}}, set()),
    ({"or": [{"category": "core"}, {"metadata.n": 2}]}, {0, 1}),
    ({"or": [{"category": "core"}, {"verified": True}], "tags": {"contains": "x"}}, {0}),
    ({"not": {"or": [{"category": "core"}, {"not": {"verified": True}}]}}, {2}),
]


@pytest.fixture
def shelf(kb: KB, user: str) -> list[str]:
    return kb.add_many(
        [{"text": f"shelf 词{'零一二三四'[i]}", "metadata": row} for i, row in enumerate(ROWS)], user_id=user
    )


def test_one_grammar_serves_page_search_count_and_delete_many(kb: KB, user: str, shelf: list[str]) -> None:
    for filters, wanted in FILTERS:
        ids = {shelf[i] for i in wanted}
        assert {m["id"] for m in kb.page(filters, user_id=user)["items"]} == ids, filters
        assert kb.count(filters=filters, user_id=user) == len(ids), filters
        hits = kb.search("shelf", 10, filters=filters, mode="lexical", user_id=user)
        assert {hit["id"] for hit in hits} == ids, filters
        if filters:
            assert (
                set(kb.delete_many(filters=filters, dry_run=True, force=True, user_id=user)["ids"]) == ids
            ), filters


BAD_FILTERS: list[tuple[Any, str]] = [
    ({"catgory": "core"}, "category"),
    ({"user_id": "x"}, "user_id"),
    ({"agent_id": "x"}, "agent_id"),
    ({"category": {"equals": "core"}}, "operator"),
    ({"tags": {"gt": "x"}}, "contains"),
    ({"importance": {"gte": "high"}}, "number"),
    ({"importance": {"contains": 1}}, "does not fit"),
    ({"created_at": "yesterday"}, "time"),
    ({"verified": "yes"}, "true or false"),
    ({"metadata.x": {"in": "abc"}}, "list"),
    ({"metadata.x": {"gt": True}}, "order"),
    ({"metadata.x": {"eq": {"a": 1}}}, "filters.metadata.x"),
    ({"or": []}, "at least one"),
    ({"or": {"category": "core"}}, "list"),
    ({"not": "x"}, "object"),
    ({"category": {}}, "no operator"),
    ({"metadata.": 1}, "metadata."),
]


def test_bad_filters_are_named_by_every_method_that_takes_them(kb: KB, user: str) -> None:
    for filters, word in BAD_FILTERS:
        calls = [
            lambda f=filters: kb.page(f, user_id=user),
            lambda f=filters: kb.count(filters=f, user_id=user),
            lambda f=filters: kb.search("x", filters=f, user_id=user),
            lambda f=filters: kb.delete_many(filters=f, user_id=user),
        ]
        for call in calls:
            with pytest.raises(InvalidFilterError, match=word) as caught:
                call()
            assert caught.value.data["parameter"].startswith("filters"), filters


def test_agents_see_the_common_memories_and_their_own(kb: KB, user: str) -> None:
    common = kb.add("shared pear", user_id=user)
    anna = kb.add("anna pear", user_id=user, agent_id="anna")
    ben = kb.add("ben pear", {"agent_id": "ben"}, user_id=user)
    sees = {
        None: {common},
        "anna": {common, anna},
        "ben": {common, ben},
        "*": {common, anna, ben},
        "new": {common},
    }
    for agent, ids in sees.items():
        scope = {"user_id": user, "agent_id": agent}
        assert {m["id"] for m in kb.get_all(user, agent_id=agent)} == ids
        assert {m["id"] for m in kb.page(**scope)["items"]} == ids
        assert kb.page(**scope)["total"] == kb.count(**scope) == kb.stats(**scope)["total"] == len(ids)
        assert {h["id"] for h in kb.search("pear", **scope)} == ids
        assert {h["id"] for h in kb.search("pear", mode="lexical", **scope)} == ids
        found = kb.get_many([common, anna, ben], **scope)
        assert {m["id"] for m in found if m} == ids
    assert kb.get(anna, user_id=user) is None
    assert kb.get(anna, user_id=user, agent_id="anna")["agent_id"] == "anna"


def test_agents_change_only_what_they_see(kb: KB, user: str) -> None:
    from memory_client.errors import NotFoundError

    id = kb.add("anna's", user_id=user, agent_id="anna")
    for agent in (None, "ben"):
        scope = {"user_id": user, "agent_id": agent}
        for call in (
            lambda s=scope: kb.update_text(id, "x", **s),
            lambda s=scope: kb.update_metadata(id, {"x": 1}, **s),
            lambda s=scope: kb.update_importance(id, 1, **s),
            lambda s=scope: kb.delete(id, **s),
            lambda s=scope: kb.delete_many([id], **s),
        ):
            with pytest.raises(NotFoundError):
                call()
        assert kb.delete_many(filters={"id": id}, **scope)["count"] == 0
    assert kb.update_text(id, "x", user_id=user, agent_id="*")["changed"]
    assert kb.delete(id, user_id=user, agent_id="anna")["count"] == 1


def test_the_star_is_no_owner(kb: KB, user: str) -> None:
    with pytest.raises(InvalidParameterError) as caught:
        kb.add("x", user_id=user, agent_id="*")
    assert caught.value.data["parameter"] == "agent_id"
    with pytest.raises(InvalidParameterError):
        kb.add_many(["x"], user_id=user, agent_id="*")
    with pytest.raises(InvalidParameterError):
        kb.add("x", {"agent_id": "*"}, user_id=user)


@pytest.mark.parametrize("name", ["agent_id", "session_id"])
def test_keyword_and_metadata_must_agree(kb: KB, user: str, name: str) -> None:
    with pytest.raises(InvalidParameterError) as caught:
        kb.add("x", {name: "one"}, user_id=user, **{name: "two"})
    assert caught.value.data["parameter"] == f"metadata.{name}"
    assert kb.add("x", {name: "one"}, user_id=user, **{name: "one"})


def test_delete_all_takes_every_agents_memories_and_nobody_elses(kb: KB, user: str) -> None:
    kb.add("a", user_id=user)
    kb.add("b", user_id=user, agent_id="anna")
    other = kb.add("c", user_id=f"{user}-other")
    receipt = kb.delete_all(user)
    assert receipt == {"user_id": user, "counts": {"memories": 2, "turns": 0, "points": 0}, "backups": []}
    assert kb.get_all(user, agent_id="*") == []
    assert kb.get(other, user_id=f"{user}-other") is not None
    assert kb.delete_all(user)["counts"] == {"memories": 0, "turns": 0, "points": 0}
    kb.add("again", user_id=user)
    assert kb.count(user_id=user) == 1


def test_stats_count_what_the_scope_sees(kb: KB, user: str) -> None:
    kb.add_many(
        [
            {"text": "四个字符", "metadata": {"category": "core", "timestamp": 5}},
            {"text": "xx", "metadata": {"kind": "task", "source": "import", "timestamp": 9}},
        ],
        user_id=user,
    )
    kb.add("of an agent", user_id=user, agent_id="a")
    stats = kb.stats(user_id=user)
    assert set(stats) == set(Stats.__annotations__)
    assert stats["total"] == 2
    assert stats["by_category"] == {"core": 1, "fact": 1}
    assert stats["by_kind"] == {"fact": 1, "task": 1}
    assert stats["by_source"] == {"import": 1, "user": 1}
    assert stats["by_state"] == {"active": 2}
    assert (stats["character_count"], stats["oldest"], stats["newest"]) == (6, 5.0, 9.0)
    empty = kb.stats(user_id=f"{user}-nobody")
    assert (empty["total"], empty["oldest"], empty["character_count"]) == (0, None, 0)
