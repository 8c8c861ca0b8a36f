"""Turns as evidence: search over what was said, beside memories and alone, over both faces."""

from __future__ import annotations

from typing import Any

import pytest

from memory_client.errors import InvalidParameterError
from support.faces import Face
from support.waiting import eventually

KB = Any
DAY = 86_400.0
NOON = 1_750_766_400.0
"""2025-06-24 12:00 UTC, a Tuesday."""
TALK = [
    ("user", "小明", "周末我想带孩子出去玩"),
    ("assistant", "小助", "想去哪里呢？"),
    ("user", "小明", "动物园吧，他最喜欢熊猫"),
    ("assistant", "小助", "好的，记得带水和防晒霜"),
    ("user", "小明", "对了，公司的报销单我还没交"),
    ("assistant", "小助", "报销单周五之前要交给财务的王姐"),
    ("user", "Anna", "My sister Joan moved to Lisbon last month"),
    ("assistant", "小助", "What does she do there?"),
    ("user", "Anna", "She teaches the cello at a music school"),
]


@pytest.fixture
def kb(ready: Face) -> KB:
    return ready.kb


@pytest.fixture
def said(kb: KB, user: str) -> list[str]:
    """A conversation and a memory beside it."""
    turns = [
        {"role": role, "speaker": speaker, "text": text, "at": NOON + 60 * at}
        for at, (role, speaker, text) in enumerate(TALK)
    ]
    kb.add("主人的孩子喜欢熊猫", user_id=user)
    ids: list[str] = kb.conversation.extend("talk", turns, user_id=user)["ids"]
    _settled(kb, user)
    return ids


def _settled(kb: KB, user: str) -> None:
    """A busy machine may take longer than a write waits for its vector."""
    eventually("every vector is there", lambda: kb.stats(user_id=user)["pending_vector_count"] == 0)


@pytest.mark.usefixtures("said")
def test_scope_says_what_is_found(kb: KB, user: str) -> None:
    for scope, kinds in (
        (None, {"memory"}),
        (["memory"], {"memory"}),
        (["turn"], {"turn"}),
        (["turn", "memory"], {"memory", "turn"}),
        ("all", {"memory", "turn"}),
    ):
        for mode in ("auto", "lexical", "semantic"):
            hits = kb.search("熊猫", 20, user_id=user, scope=scope, mode=mode)
            assert {hit["type"] for hit in hits} == kinds, (scope, mode)
            assert [hit["score"] for hit in hits] == sorted((hit["score"] for hit in hits), reverse=True)
            assert all(0 <= hit["score"] <= 1 for hit in hits)


def test_a_turn_has_its_place_and_no_importance(kb: KB, user: str, said: list[str]) -> None:
    hits = kb.search("谁收报销单？", 2, user_id=user, scope=["turn"])
    (hit,) = [hit for hit in hits if hit["id"] == said[5]]
    assert (hit["type"], hit["category"], hit["importance"]) == ("turn", None, None)
    assert hit["text"] == TALK[5][2]
    assert hit["created_at"] == NOON + 300
    assert hit["metadata"] == {
        "session_id": "talk",
        "position": 5,
        "role": "assistant",
        "speaker": "小助",
        "timestamp": NOON + 300,
    }


@pytest.mark.parametrize(
    ("query", "place"), [("周末带孩子去哪里玩", 2), ("What does Joan teach in Lisbon?", 8)]
)
def test_a_turn_is_found_by_what_was_said_around_it(
    kb: KB, user: str, said: list[str], query: str, place: int
) -> None:
    """What names the subject stands in the turns before it."""
    found = [hit["id"] for hit in kb.search(query, 3, user_id=user, scope=["turn"])]
    assert said[place] in found


def test_a_turn_that_was_just_said_is_found_at_once(kb: KB, user: str) -> None:
    for number in range(5):
        text = f"暗号是斑马{number}号"
        id = kb.conversation.append("now", "user", text, user_id=user)["id"]
        assert id in [hit["id"] for hit in kb.search(text, 5, user_id=user, scope=["turn"])]


def test_what_is_not_to_be_remembered_is_not_found(kb: KB, user: str) -> None:
    kb.conversation.append("s", "user", "斑马是个秘密", user_id=user, remember=False)
    kb.conversation.append("s", "user", "今天下雨了", user_id=user)
    assert "斑马是个秘密" not in [hit["text"] for hit in kb.search("斑马", user_id=user, scope="all")]
    assert kb.search("斑马", user_id=user, scope="all", mode="lexical") == []


def test_a_deleted_turn_and_its_neighbours(kb: KB, user: str, said: list[str]) -> None:
    kb.conversation.delete([said[4]], user_id=user)
    for mode in ("auto", "lexical", "semantic", "exact"):
        for query in ("报销单", said[4]):
            hits = kb.search(query, 20, user_id=user, scope="all", mode=mode)
            assert said[4] not in {hit["id"] for hit in hits}, mode
    assert said[5] in {hit["id"] for hit in kb.search("财务的王姐", 3, user_id=user, scope=["turn"])}
    kb.conversation.delete(session_id="talk", user_id=user)
    assert kb.search("报销单", user_id=user, scope=["turn"]) == []


@pytest.mark.parametrize("mode", ["auto", "lexical", "semantic"])
def test_a_session_narrows_both_kinds(kb: KB, user: str, said: list[str], mode: str) -> None:
    kb.conversation.append("other", "user", "熊猫又来了", user_id=user)
    id = kb.add("熊猫在谈话里", user_id=user, session_id="talk")
    hits = kb.search("熊猫", 20, user_id=user, scope="all", session_id="talk", mode=mode)
    assert {hit["id"] for hit in hits} <= {*said, id}
    assert {said[2], id} <= {hit["id"] for hit in hits}


def crowd(kb: KB, user: str) -> tuple[list[str], list[str]]:
    """300 texts of each kind that say nearly the same, and three of each that are marked."""
    texts = [f"the panda number {number} sleeps in the zoo" for number in range(300)]
    kb.add_many(texts, user_id=user)
    kb.conversation.extend(
        "crowd", [{"role": "user", "text": text, "at": NOON} for text in texts], user_id=user
    )
    rare = ["a panda in Vienna", "a bear, also there", "he paints a fence"]
    memories = kb.add_many(
        [{"text": text, "metadata": {"mood": "rare", "timestamp": NOON - DAY}} for text in rare], user_id=user
    )
    turns = [{"role": "user", "text": text, "metadata": {"mood": "rare"}, "at": NOON - DAY} for text in rare]
    ids = kb.conversation.extend("few", turns, user_id=user)["ids"]
    _settled(kb, user)
    return memories, ids


def test_narrow_filters_fill_the_answer_in_every_source_and_for_both_kinds(kb: KB, user: str) -> None:
    memories, turns = crowd(kb, user)
    wanted = {*memories, *turns}
    for narrow in (
        {"filters": {"metadata.mood": "rare"}},
        {"time_range": [NOON - 2 * DAY, NOON - DAY / 2]},
    ):
        for mode in ("auto", "semantic"):
            found = kb.search("panda zoo", 6, user_id=user, scope="all", mode=mode, **narrow)
            assert {hit["id"] for hit in found} == wanted, (mode, narrow)
        found = kb.search("panda bear fence", 6, user_id=user, scope="all", mode="lexical", **narrow)
        assert {hit["id"] for hit in found} == wanted
    found = kb.search(
        "which? 2025-06-23", 6, user_id=user, scope="all", mode="temporal", filters={"metadata.mood": "rare"}
    )
    assert {hit["id"] for hit in found} == wanted
    found = kb.search(
        "“panda”", 6, user_id=user, scope="all", mode="exact", filters={"metadata.mood": "rare"}
    )
    assert {hit["id"] for hit in found} == {memories[0], turns[0]}
    assert {hit["type"] for hit in found} == {"memory", "turn"}
    (of_session,) = kb.search("panda", 1, user_id=user, scope=["turn"], session_id="few")
    assert of_session["id"] == turns[0]


def test_an_agents_turns_are_its_own(kb: KB, user: str) -> None:
    common = kb.conversation.append("a", "user", "斑马在公园", user_id=user)["id"]
    cooks = kb.conversation.append("a", "user", "斑马在厨房", user_id=user, agent_id="cook")["id"]
    for agent, wanted in (
        (None, {common}),
        ("cook", {common, cooks}),
        ("nurse", {common}),
        ("*", {common, cooks}),
    ):
        for mode in ("auto", "lexical", "exact"):
            query = "“斑马”" if mode == "exact" else "斑马"
            hits = kb.search(query, user_id=user, agent_id=agent, scope="all", mode=mode)
            assert {hit["id"] for hit in hits} == wanted, (agent, mode)
    for mode in ("auto", "exact"):
        hits = kb.search(cooks, user_id=user, scope=["turn"], mode=mode)
        assert cooks not in {hit["id"] for hit in hits}


def test_who_is_named_spoke(kb: KB, user: str) -> None:
    turns = [
        {"role": "user", "speaker": speaker, "text": "I like the green tea from the hills"}
        for speaker in ("Anna", "Boris")
    ]
    ids = kb.conversation.extend("tea", turns, user_id=user)["ids"]
    for name, id in zip(("Anna", "Boris"), ids, strict=True):
        hits = kb.search(f"Which tea does {name} like?", 2, user_id=user, scope=["turn"])
        assert hits[0]["id"] == id


@pytest.mark.parametrize("scope", [[], ["summary"], "memory", ["memory", "x"], "everything"])
def test_bad_scopes_are_named(kb: KB, user: str, scope: object) -> None:
    with pytest.raises(InvalidParameterError) as caught:
        kb.search("x", user_id=user, scope=scope)
    assert caught.value.data["parameter"].startswith("scope")
