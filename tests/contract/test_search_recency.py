"""Requests for what was last: newest first among what matches, over both faces."""

from __future__ import annotations

import time
from typing import Any

import pytest

from memory_client.errors import InvalidParameterError
from support.faces import Face
from support.waiting import eventually

KB = Any
MINUTE, HOUR, DAY = 60.0, 3600.0, 86_400.0
JUST_NOW = [
    "刚才聊了什么",
    "我们刚刚在说什么？",
    "聊到哪了",
    "上次聊到哪了",
    "最近发生了什么",
    "what did we just talk about?",
    "what did we talk about last time",
    "what happened recently?",
    "What was I saying just now?",
]


@pytest.fixture
def kb(wordy: Face) -> KB:
    return wordy.kb


def remembered(kb: KB, user: str, *texts: tuple[float, str], **metadata: Any) -> list[str]:
    """Episodes made so many seconds ago."""
    now = time.time()
    items = [
        {"text": text, "metadata": {"category": "episode", "timestamp": now - ago, **metadata}}
        for ago, text in texts
    ]
    ids: list[str] = kb.add_many(items, user_id=user)
    return ids


def said(kb: KB, user: str, session_id: str, ago: float, *texts: str) -> list[str]:
    turns = [
        {"role": "user", "text": text, "at": time.time() - ago + place} for place, text in enumerate(texts)
    ]
    ids: list[str] = kb.conversation.extend(session_id, turns, user_id=user)["ids"]
    return ids


def ids_of(hits: Any) -> list[str]:
    return [hit["id"] for hit in hits]


@pytest.mark.parametrize("mode", ["auto", "hybrid", "temporal"])
@pytest.mark.parametrize("query", JUST_NOW)
def test_the_newest_comes_first_when_nothing_else_is_asked(kb: KB, user: str, query: str, mode: str) -> None:
    old, new, middle = remembered(
        kb,
        user,
        (3 * DAY, "刚才和主人聊了聊到哪了, what we talked about just now, last time, recently"),
        (10 * MINUTE, "主人煮了面, the user cooked"),
        (HOUR, "主人去散步了, the user went for a walk"),
    )
    assert ids_of(kb.search(query, user_id=user, mode=mode)) == [new, middle, old]
    assert ids_of(kb.search(query, 1, user_id=user, mode=mode)) == [new]


@pytest.mark.usefixtures("ready")
@pytest.mark.parametrize("query", ["刚才聊了什么", "what did we just talk about?"])
def test_so_it_does_with_a_model(face: Face, user: str, query: str) -> None:
    old, new = remembered(
        face.kb,
        user,
        (3 * DAY, "主人和我聊了旅行计划 (we talked about travel plans)"),
        (10 * MINUTE, "主人午饭吃了面 (noodles for lunch)"),
    )
    eventually("vectors", lambda: face.kb.stats(user_id=user)["pending_vector_count"] == 0)
    assert ids_of(face.kb.search(query, user_id=user)) == [new, old]


@pytest.mark.parametrize(
    "query", ["最近我说过什么关于工作的事", "what have I said recently about work?", "最近说过的工作"]
)
def test_with_a_topic_the_newest_of_what_matches_comes_first(kb: KB, user: str, query: str) -> None:
    first, _, last, _ = remembered(
        kb,
        user,
        (30 * DAY, "主人换了工作 new work, 工作 work"),
        (2 * DAY, "主人说最近去了动物园 the zoo recently"),
        (DAY, "主人抱怨工作 work is hard"),
        (HOUR, "主人吃了面 noodles"),
    )
    assert ids_of(kb.search(query, 2, user_id=user)) == [last, first]


@pytest.mark.parametrize("query", ["上次聊到哪了", "Where did we leave off last time?"])
def test_last_time_is_before_the_session_that_is_under_way(kb: KB, user: str, query: str) -> None:
    said(kb, user, "early", 5 * DAY, "考研, the exam")
    before = said(kb, user, "before", DAY, "生日礼物, a present", "预算五百, eighty dollars")
    present = said(kb, user, "now", 10 * MINUTE, *(f"第{n}句话, line {n}" for n in range(150)), query)
    hits = kb.search(query, 3, user_id=user, scope=["turn"])
    assert ids_of(hits)[:2] == before[::-1]
    kb.conversation.end("now", user_id=user)
    hits = kb.search(query, 2, user_id=user, scope=["turn"])
    assert ids_of(hits) == [present[-2], present[-3]]


def test_last_time_leaves_out_memories_of_the_session_under_way(kb: KB, user: str) -> None:
    said(kb, user, "now", MINUTE, "下雨了")
    (present,) = remembered(kb, user, (MINUTE, "主人被雨淋了"), session_id="now")
    (before,) = remembered(kb, user, (DAY, "主人想买礼物"), session_id="before")
    assert ids_of(kb.search("上次聊到哪了", user_id=user)) == [before, present]
    assert ids_of(kb.search("刚才聊了什么", user_id=user)) == [present, before]


def test_what_was_just_said_comes_first_among_memories_and_turns(kb: KB, user: str) -> None:
    (memory,) = remembered(kb, user, (HOUR, "主人去散步了"))
    early, late = said(kb, user, "s", 30 * MINUTE, "我想买花", "买玫瑰吧")
    hits = kb.search("刚才聊了什么", user_id=user, scope="all")
    assert ids_of(hits) == [late, early, memory]


def test_filters_hold(kb: KB, user: str) -> None:
    (food,) = remembered(kb, user, (DAY, "吃了面"), tags=["food"])
    remembered(kb, user, (HOUR, "散步"), tags=["walk"])
    found = kb.search("刚才聊了什么", user_id=user, filters={"tags": {"contains": "food"}})
    assert ids_of(found) == [food]
    assert ids_of(kb.search("刚才聊了什么", user_id=user, time_range=[None, time.time() - 2 * HOUR])) == [
        food
    ]


def test_the_plan_says_so(kb: KB, user: str) -> None:
    remembered(kb, user, (DAY, "主人换了工作"))
    plan = kb.explain("最近我说过什么关于工作的事", user_id=user)["plan"]
    assert plan["recency"] == {"kind": "recent", "topic": ["工作"], "is_of_talk": True}
    assert kb.explain("上次聊到哪了", user_id=user)["plan"]["recency"]["kind"] == "previous"
    for query, how in (("主人换了工作吗", {}), ("刚才聊了什么", {"mode": "lexical"})):
        assert kb.explain(query, user_id=user, **how)["plan"]["recency"] is None


def test_the_weight_of_recency_turns_it_off(kb: KB, user: str) -> None:
    liked, _ = remembered(kb, user, (3 * DAY, "主人上次聊到电影"), (HOUR, "主人吃了面"))
    hits = kb.search("上次聊到哪了", user_id=user, weights={"recency": 0})
    assert ids_of(hits)[0] == liked


def test_statements_and_other_meanings_keep_their_answers(kb: KB, user: str) -> None:
    station, sleep, *_ = remembered(
        kb,
        user,
        (40 * DAY, "离公司最近的地铁站是西二旗站"),
        (60 * DAY, "主人失眠，睡前不看手机"),
        (HOUR, "主人坐地铁时丢了伞"),
        (MINUTE, "主人吃了面"),
    )
    assert ids_of(kb.search("最近的地铁站叫什么站", user_id=user))[0] == station
    assert ids_of(kb.search("最近总是失眠", user_id=user))[0] == sleep


def test_temporal_needs_a_time_or_a_request_for_what_was_last(kb: KB, user: str) -> None:
    with pytest.raises(InvalidParameterError, match="request for the latest"):
        kb.search("主人喜欢什么", user_id=user, mode="temporal")
