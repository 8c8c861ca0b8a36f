"""Which messages are requests for what was last, and in which order they are answered."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memory_client.deadline import Deadline
from memoryd.core.record import Record
from memoryd.core.row_ranges import TextKind, rows_of_kind
from memoryd.core.scope import Scope
from memoryd.core.turn import TurnRecord
from memoryd.language.query.recency import Recency, find_recency
from memoryd.retrieval.plan import make_plan, read_times
from memoryd.retrieval.ranking.fuse import Fused
from memoryd.retrieval.ranking.recency_order import in_recency_order
from memoryd.retrieval.request import SearchRequest
from memoryd.retrieval.results.hits import FoundRecord
from support.small_store import USER

HOUR = 3600.0
_TURNS, _ = rows_of_kind("turn")
NOON = datetime(2026, 3, 4, 12, tzinfo=UTC)
LABELS = Path(__file__).parents[2] / "scripts" / "evaluation" / "labels" / "recency.json"


@pytest.mark.parametrize(
    ("query", "kind", "topic"),
    [
        ("刚才我们聊了些什么？", "recent", ()),
        ("剛才說到哪了", "recent", ()),
        ("你刚说什么", "recent", ()),
        ("最近有什么新鲜事吗", "recent", None),
        ("最近我提过什么关于搬家的事？", "recent", ("搬家",)),
        ("总结一下刚才的对话", "recent", ()),
        ("上次我们讲到哪了", "previous", ()),
        ("上回聊的话题是什么", "previous", ()),
        ("上次推荐的书叫什么", "previous", None),
        ("我上次去理发是哪天", "recent", None),
        ("what were we talking about just now?", "recent", ()),
        ("what did you just say?", "recent", ()),
        ("where did we leave off?", "recent", ()),
        ("What have I told you recently about the garden?", "recent", ("garden",)),
        ("when was the last time I called grandma", "recent", None),
        ("what did we talk about last time", "previous", ()),
        ("Do you remember our previous conversation?", "previous", ()),
    ],
)
def test_requests_are_read(query: str, kind: str, topic: tuple[str, ...] | None) -> None:
    found = find_recency(query)
    assert found is not None
    assert found.kind == kind
    assert topic is None or found.topic == topic


@pytest.mark.parametrize(
    "query",
    [
        "最近的药店在哪里",
        "离学校最近的书店叫什么",
        "他和谁走得最近？",
        "《上次》是谁唱的",
        "最近睡得不太好",
        "刚才下班路上看到一只猫",
        "这件衣服大小刚刚好吗",
        "who is my recently retired colleague",
        "lately I cannot sleep",
        "I just got home",
        'who wrote "Just Now"?',
        "what is my favourite colour?",
        "我喜欢吃什么",
        "",
    ],
)
def test_other_messages_are_none(query: str) -> None:
    assert find_recency(query) is None


def test_a_time_that_is_named_is_no_request() -> None:
    """最近三天 names its days; 刚才 beside a time is a request for all that."""
    assert find_recency("最近三天我去了哪", ["最近三天"]) is None
    assert find_recency("你刚才说今晚吃什么", ["今晚"]) == Recency("recent", ("吃",), is_of_talk=True)


def test_the_labels_are_halves_of_both_languages() -> None:
    queries = json.loads(LABELS.read_text(encoding="utf-8"))["queries"]
    assert len(queries) >= 60
    for lang in ("zh", "en"):
        for kind, least in (("request", 20), ("content", 10)):
            own = [one["split"] for one in queries if (one["lang"], one["kind"]) == (lang, kind)]
            assert len(own) >= least
            assert abs(own.count("final") - own.count("tuning")) <= 1


# -- the order


def memory(row: int, text: str, created_at: float, score: float = 0.5, **fields: object) -> FoundRecord:
    times = dict.fromkeys(("created_at", "updated_at", "last_access", "decay_from"), created_at)
    record = Record(id=f"mem_{row}", user_id=USER, text=text, **times, **fields)  # type: ignore[arg-type]
    return FoundRecord(record, Fused(row, score))


def turn(row: int, text: str, created_at: float, session_id: str) -> FoundRecord:
    record = TurnRecord(
        user_id=USER,
        agent_id=None,
        session_id=session_id,
        role="user",
        text=text,
        created_at=created_at,
        received_at=0.0,
    )
    return FoundRecord(record, Fused(row, 0.5))


def ordered(query: str, found: list[FoundRecord], fusion_method: str = "ranked") -> list[int]:
    request = SearchRequest(query, Scope(USER), Deadline.after(None), NOON)
    plan = make_plan(request, read_times(request), why_not=None)
    assert plan.recency is not None
    fusion_methods: dict[TextKind, str] = {"memory": fusion_method, "turn": fusion_method}
    result = in_recency_order(found, plan.understanding.query, plan.recency, fusion_methods, None)
    return [one.fused.row for one in result]


def test_without_a_topic_everything_is_newest_first() -> None:
    found = [memory(1, "聊了旅行", 10, 0.9), memory(2, "吃了面", 30, 0.1), memory(3, "聊了猫", 20, 0.5)]
    assert ordered("刚才聊了什么", found) == [2, 3, 1]


def test_with_a_topic_what_matches_comes_first() -> None:
    found = [
        memory(1, "换了新工作", 10 * HOUR, 0.6),
        memory(2, "老板让加班", 20 * HOUR, 0.5),
        memory(3, "吃了面", 40 * HOUR, 0.01),
        memory(4, "工作很忙", 30 * HOUR, 0.05),
    ]
    query = "最近我说过什么关于工作的事"
    assert ordered(query, found) == [4, 2, 1, 3]
    assert ordered(query, found, fusion_method="rrf") == [4, 1, 2, 3]


def test_one_occasion_keeps_the_order_of_relevance() -> None:
    found = [
        memory(1, "换了新工作", 30 * HOUR, 0.6),
        memory(2, "工作很远", 30 * HOUR + 600, 0.5),
        memory(3, "辞了工作", 10 * HOUR, 0.7),
    ]
    assert ordered("最近我说过什么关于工作的事", found) == [1, 2, 3]
    turns = [turn(_TURNS + 1, "换了新工作", 20 * HOUR, "s"), turn(_TURNS + 2, "新工作好吗", 22 * HOUR, "s")]
    assert ordered("最近我说过什么关于工作的事", turns) == [_TURNS + 1, _TURNS + 2]


def test_an_earlier_event_is_as_old_as_it_was() -> None:
    found = [
        memory(1, "去了日本", 100, event_start=5.0),
        memory(2, "去了上海", 50),
        memory(3, "要去西藏", 20),
    ]
    assert ordered("最近发生了什么", found) == [2, 3, 1]
    assert ordered("刚才聊了什么", found) == [1, 2, 3]


def test_the_request_itself_is_no_answer() -> None:
    found = [turn(_TURNS + 2, "刚才聊了什么？", 100, "s"), turn(_TURNS + 1, "聊了猫", 50, "s")]
    assert ordered("刚才聊了什么？", found) == [_TURNS + 1, _TURNS + 2]
