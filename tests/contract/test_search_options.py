"""What a caller can ask of search besides words: modes, times, weights, intent; odd queries. Both faces."""

from __future__ import annotations

import time
from typing import Any

import pytest

from memory_client.errors import InvalidFilterError, InvalidParameterError
from memory_client.types import Explanation, Hit, SearchReport
from memoryd.language.fold import fold_case
from support.faces import Face
from support.waiting import eventually

KB = Any
NOON = 1_750_766_400.0
"""2025-06-24 12:00 UTC, a Tuesday."""
DAY = 86_400.0
FACTS = [
    ("主人对花生过敏，不能吃花生酱", {"exact_keys": ["ALLERGY-7"]}),
    ("Her dog is called Biscuit and hates the vet", {"exact_keys": ["Biscuit", "chip 0042"]}),
    ("她说“落霞与孤鹜齐飞”是最美的句子", {}),
    ("He quoted “the road not taken” at dinner", {}),
    ("落霞很美，孤鹜也很美", {}),
    ("The road was not the one taken", {}),
]


@pytest.fixture
def kb(ready: Face) -> KB:
    return ready.kb


@pytest.fixture
def facts(kb: KB, user: str) -> list[str]:
    items = [{"text": text, "metadata": metadata} for text, metadata in FACTS]
    ids: list[str] = kb.add_many(items, user_id=user)
    eventually("every vector is there", lambda: kb.stats(user_id=user)["pending_vector_count"] == 0)
    return ids


def ids_of(hits: list[Hit]) -> list[str]:
    return [hit["id"] for hit in hits]


# -- mode exact


@pytest.mark.parametrize(
    ("query", "places", "key"),
    [
        ("ALLERGY-7", [0], "ALLERGY-7"),
        ("allergy-7", [0], "ALLERGY-7"),
        ("chip 0042", [1], "chip 0042"),
        ("What does Biscuit like?", [1], "Biscuit"),
        ("谁说过“落霞与孤鹜齐飞”？", [2], "落霞与孤鹜齐飞"),
        ('who said "the road not taken"?', [3], "the road not taken"),
        ("The Road Not Taken", [], None),
        ("花生", [], None),
        ("mem_00000000000000000000", [], None),
    ],
)
def test_mode_exact_finds_what_is_named_literally(
    kb: KB, user: str, facts: list[str], query: str, places: list[int], key: str | None
) -> None:
    hits = kb.search(query, user_id=user, mode="exact", explain=True)
    assert ids_of(hits) == [facts[place] for place in places]
    assert [hit["explain"]["keys"] for hit in hits] == [[key]] * len(places)
    assert all(hit["scores"] == {"exact": 1.0} for hit in hits)


@pytest.mark.parametrize(
    "key", ["Ä-17", "ä-17", "A\u0308-17", "Договор-5", "договор-5", "ДОГОВОР-5", "İz", "Ⅷ"]
)
def test_exact_keys_ignore_letter_case_in_every_script(kb: KB, user: str, key: str) -> None:
    for stored in ("Ä-17", "A-17", "Договор-5", "İz", "ⅷ"):
        kb.add(f"the file {stored[-2:]}", {"exact_keys": [stored]}, user_id=user)
    kb.add("changes later", {"exact_keys": ["gone"]}, user_id=user)
    for query in (key, f"where is “{key}”?"):
        hits = kb.search(query, user_id=user, mode="exact", explain=True)
        assert len(hits) == 1, query
        assert [fold_case(one) for one in hits[0]["explain"]["keys"]] == [fold_case(key)]
        before = time.time()
        assert len(kb.search(query, user_id=user, mode="exact", as_of=before)) == 1, query


def test_a_phrase_is_found_in_another_letter_case(kb: KB, user: str) -> None:
    kb.add("Надпись: ДОГОВОР АРЕНДЫ", user_id=user)
    kb.add("договор об аренды", user_id=user)
    hits = kb.search("где «договор аренды»? “договор аренды”", user_id=user, mode="exact")
    assert [hit["text"] for hit in hits] == ["Надпись: ДОГОВОР АРЕНДЫ"]


def test_an_id_finds_its_text_in_every_mode_that_looks_for_it(kb: KB, user: str, facts: list[str]) -> None:
    turn = kb.conversation.append("s", "user", "完全不同的话", user_id=user)["id"]
    for id in (facts[4], turn):
        for mode in ("exact", "auto"):
            hits = kb.search(f" {id} ", 1, user_id=user, scope="all", mode=mode, explain=True)
            assert ids_of(hits) == [id], mode
            assert hits[0]["explain"]["keys"] == [id]
    assert kb.search(facts[4], user_id=user, mode="exact", scope=["turn"]) == []
    assert kb.search(facts[4], user_id="nobody", mode="exact") == []


def test_what_is_named_literally_comes_first_in_auto(kb: KB, user: str, facts: list[str]) -> None:
    for query, place in (("谁说过“落霞与孤鹜齐飞”？", 2), ('who said "the road not taken"?', 3)):
        assert kb.search(query, 1, user_id=user)[0]["id"] == facts[place]


# -- times


@pytest.fixture
def days(kb: KB, user: str) -> dict[int, str]:
    """Memories of days before NOON, by how many, as noted in Shanghai at noon."""
    ago = (0, 1, 2, 6, 8, 30, 400)
    items = [
        {"text": f"午饭吃了{number}号套餐", "metadata": {"timestamp": NOON - number * DAY}} for number in ago
    ]
    return dict(zip(ago, kb.add_many(items, user_id=user), strict=True))


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("昨天吃了什么", {1}),
        ("what did I eat yesterday?", {1}),
        ("前天", {2}),
        ("last week", {2, 6, 8}),
        ("上周三", {6}),
        ("2025年6月22日", {2}),
        ("大前年", set()),
    ],
)
def test_mode_temporal_finds_what_was_made_then(
    kb: KB, user: str, days: dict[int, str], query: str, wanted: set[int]
) -> None:
    hits = kb.search(query, 10, user_id=user, mode="temporal", reference_time=NOON, tz="Asia/Shanghai")
    assert set(ids_of(hits)) == {days[number] for number in wanted}


def test_the_zone_decides_which_day_it_is(kb: KB, user: str) -> None:
    late = kb.add("late", {"timestamp": "2025-06-23T23:30:00+08:00"}, user_id=user)
    early = kb.add("early", {"timestamp": "2025-06-24T00:30:00+08:00"}, user_id=user)
    for tz, wanted in (("Asia/Shanghai", [late]), ("UTC", [early, late])):
        hits = kb.search("昨天", user_id=user, mode="temporal", reference_time=NOON, tz=tz)
        assert sorted(ids_of(hits)) == sorted(wanted), tz
    iso = "2025-06-25T01:00:00+08:00"
    hits = kb.search("yesterday", user_id=user, mode="temporal", reference_time=iso, tz="Asia/Shanghai")
    assert ids_of(hits) == [early]


@pytest.mark.parametrize("mode", ["auto", "lexical", "semantic", "temporal"])
def test_a_time_range_is_a_filter(kb: KB, user: str, days: dict[int, str], mode: str) -> None:
    for span, wanted in (
        ([NOON - 2 * DAY, NOON], {1, 2}),
        ([NOON - 2 * DAY, None], {0, 1, 2}),
        ([None, NOON - 30 * DAY], {400}),
        (["2025-06-18", "2025-06-19T00:00:00Z"], {6}),
        ([NOON, NOON], set()),
    ):
        hits = kb.search("午饭吃了什么套餐", 10, user_id=user, mode=mode, time_range=span)
        assert set(ids_of(hits)) == {days[number] for number in wanted}, span


def test_a_time_range_finds_what_speaks_of_it_too(kb: KB, user: str) -> None:
    trip = {"event_start": NOON + 30 * DAY, "event_end": NOON + 34 * DAY}
    id = kb.add("a trip to Lisbon", {**trip, "timestamp": NOON}, user_id=user)
    for span, is_there in (
        ([NOON + 31 * DAY, NOON + 32 * DAY], True),
        ([NOON + 33 * DAY, None], True),
        ([NOON + 34 * DAY, None], False),
        ([NOON + 10 * DAY, NOON + 30 * DAY], False),
    ):
        assert ids_of(kb.search("trip", user_id=user, time_range=span)) == [id] * is_there, span


def test_a_day_that_is_named_moves_its_texts_up(kb: KB, user: str, days: dict[int, str]) -> None:
    eventually("every vector is there", lambda: kb.stats(user_id=user)["pending_vector_count"] == 0)
    hits = kb.search("前天午饭吃了什么", 3, user_id=user, reference_time=NOON, tz="UTC")
    assert hits[0]["id"] == days[2]


# -- weights and intent


def test_weights_change_the_order(kb: KB, user: str) -> None:
    kb.add_many(
        ["the cat sleeps", "a kitten is napping on the sofa", "the cat food is in the box"], user_id=user
    )
    eventually("every vector is there", lambda: kb.stats(user_id=user)["pending_vector_count"] == 0)

    def order(**weights: float) -> list[str]:
        return [hit["text"] for hit in kb.search("where is the cat sleeping", user_id=user, weights=weights)]

    assert order() == order(semantic=1.0, lexical=1.0)
    assert order(semantic=0.0)[-1] == "a kitten is napping on the sofa"
    assert order(lexical=0.0, semantic=2.0) != order(semantic=0.0, lexical=2.0)


@pytest.mark.parametrize(
    ("weights", "name"),
    [
        ({"lexical": -1}, "weights.lexical"),
        ({"lexical": float("nan")}, "weights.lexical"),
        ({"lexical": 1e9}, "weights.lexical"),
        ({"lexicla": 1}, "weights.lexicla"),
        ({"lexical": "1"}, "weights"),
        (dict.fromkeys(("exact", "semantic", "temporal", "recency", "lexical", "graph"), 0), "weights"),
    ],
)
def test_bad_weights_are_named(kb: KB, weights: dict[str, Any], name: str) -> None:
    with pytest.raises(InvalidParameterError) as caught:
        kb.search("x", weights=weights)
    assert caught.value.data["parameter"].startswith(name)


@pytest.mark.usefixtures("facts")
def test_intent_and_weights_are_those_of_the_call(kb: KB, user: str) -> None:
    assert kb.explain("主人能吃什么", user_id=user)["plan"]["intent"] == "fact"
    assert kb.explain("主人能吃什么", user_id=user, intent="reasoning")["plan"]["intent"] == "reasoning"
    with pytest.raises(InvalidParameterError) as caught:
        kb.search("x", intent="facts")
    assert caught.value.data["parameter"] == "intent"


# -- commands, odd and impossible queries


@pytest.mark.parametrize(
    ("query", "command"),
    [
        ("总结一下", "summarize"),
        ("清空对话", "clear"),
        ("忘掉花生的事", "forget"),
        ("delete this conversation", "clear"),
    ],
)
def test_commands_are_named_and_not_carried_out(
    kb: KB, user: str, facts: list[str], query: str, command: str
) -> None:
    report = kb.explain(query, user_id=user)
    assert report["plan"]["command"] == command
    assert any(command in note for note in report["notes"])
    assert kb.count(user_id=user) == len(facts)


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("2月30日做了什么", "no such date"),
        ("what did we do on February 30, 2025", "no such date"),
        ("between 2025-06-09 and 2025-06-01", "ends before it begins"),
    ],
)
def test_times_that_cannot_be_find_nothing_and_say_why(
    kb: KB, user: str, facts: list[str], query: str, words: str
) -> None:
    for mode in ("auto", "temporal"):
        assert kb.search(query, user_id=user, mode=mode) == []
        report = kb.explain(query, user_id=user, mode=mode)
        assert report["hits"] == []
        assert any(words in note for note in report["notes"])
        assert report["plan"]["times"]["invalid"]
    assert facts


SHORT = (
    "的了吗",
    "the of and",
    "？！……",
    "...",
    "我",
    "a",
    "🙂",
    "\u200b.",
    "“”",
    '""',
    "«»",
    "%_'\\",
    "\u0301",
)
SCRIPTS = ("この犬の名前は何ですか", "как зовут собаку", "كيف حالك", "ชื่อสุนัข", "שלום", "हिन्दी", "한국어")
LONG = (
    *("花生" * 12_500, "peanut butter " * 3_600, "a" * 50_000, "1" * 50_000, "昨天" * 10_000, "(" * 5_000),
    *("“" * 2_000, '"x" ' * 5_000, "2025-02-30 " * 3_000, "last " * 9_000),
)


@pytest.mark.usefixtures("facts")
def test_odd_queries_are_answered(kb: KB, user: str) -> None:
    for query in (*SHORT, *SCRIPTS):
        for mode in ("auto", "hybrid", "semantic", "lexical", "exact"):
            hits = kb.search(query, user_id=user, mode=mode)
            assert len(hits) <= 5
            assert all(0 <= hit["score"] <= 1 for hit in hits)
            assert ids_of(kb.explain(query, user_id=user, mode=mode)["hits"]) == ids_of(hits)


@pytest.mark.usefixtures("facts")
@pytest.mark.parametrize("place", range(len(LONG)))
def test_long_queries_are_answered_soon_enough(kb: KB, user: str, place: int) -> None:
    for mode in ("semantic", "lexical", "exact"):  # a deadline would end what takes too long
        report = kb.explain(LONG[place], user_id=user, mode=mode)
        assert len(report["hits"]) <= 5
        assert any("first 1,000 characters" in note for note in report["notes"]) == (mode == "semantic")


@pytest.mark.usefixtures("facts")
@pytest.mark.parametrize(
    ("query", "word"),
    [("？！", "punctuation"), ("的了吗", "stop words"), ("the of", "stop words"), ("我", "single")],
)
def test_a_query_with_little_to_search_for_is_remarked_on(kb: KB, user: str, query: str, word: str) -> None:
    assert any(word in note for note in kb.explain(query, user_id=user)["notes"])


@pytest.mark.usefixtures("facts")
def test_what_cannot_be_found_is_an_empty_answer(kb: KB, user: str) -> None:
    for mode in ("auto", "semantic", "lexical"):
        assert kb.search("花生", 5, offset=6, user_id=user, mode=mode) == []
        assert kb.search("花生", 5, offset=100_000, user_id=user, mode=mode) == []
        both = {"category": "fact", "not": {"category": "fact"}}
        assert kb.search("花生", user_id=user, mode=mode, scope="all", filters=both) == []
        assert kb.search("花生", user_id=user, mode=mode, session_id="nowhere") == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("time_range", [NOON, NOON - 1]),
        ("time_range", ["2025-13-01", None]),
        ("time_range", [1.0]),
        ("time_range", [1.0, 2.0, 3.0]),
        ("time_range", [float("nan"), None]),
        ("time_range", "yesterday"),
        ("reference_time", "soon"),
        ("reference_time", float("inf")),
        ("tz", "Mars/Olympus"),
        ("tz", ""),
        ("offset", 100_001),
        ("n_results", 1001),
        ("mode", "precise"),
    ],
)
def test_bad_values_are_named(kb: KB, name: str, value: object) -> None:
    for method in (kb.search, kb.explain):
        with pytest.raises(InvalidParameterError) as caught:
            method("x", **{name: value})
        assert caught.value.data["parameter"].startswith(name)


def test_a_filter_cannot_reach_another_user(kb: KB) -> None:
    with pytest.raises(InvalidFilterError):
        kb.search("x", filters={"user_id": "other"})


def test_mode_temporal_without_a_time_says_what_it_needs(kb: KB) -> None:
    with pytest.raises(InvalidParameterError, match="time_range"):
        kb.search("花生", mode="temporal")


# -- explain


def test_explain_has_every_field(kb: KB, user: str, facts: list[str]) -> None:
    report = kb.explain(
        "主人能吃“花生酱”吗？昨天", 3, user_id=user, scope="all", reference_time=NOON, tz="UTC"
    )
    assert set(report) == set(SearchReport.__annotations__)
    assert report["mode"] == report["plan"]["mode"] == "hybrid"
    assert report["plan"]["targets"] == ["memory", "turn", "shared"]
    assert report["plan"]["times"]["matched"] == ["昨天"]
    assert report["plan"]["phrases"] == ["花生酱"]
    hit = report["hits"][0]
    assert hit["id"] == facts[0]
    explanation = hit["explain"]
    assert set(explanation) == set(Explanation.__annotations__)
    assert explanation["ranks"]["lexical"] == explanation["ranks"]["exact"] == 1
    assert explanation["keys"] == ["花生酱"]
    assert "花生酱" in "".join(explanation["terms"])
    marked = [explanation["snippet"]["text"][start:end] for start, end in explanation["snippet"]["marks"]]
    assert "花生酱" in "".join(marked)
    assert explanation["duplicates"] == []
    assert explanation["milliseconds"] == report["milliseconds"]
    assert {"exact", "lexical", "temporal", "embedding", "vectors", "total"} <= set(report["milliseconds"])
    assert explanation["plan"] == report["plan"]
    assert set(hit["scores"]) >= {"semantic", "lexical", "exact"}


@pytest.mark.usefixtures("facts")
def test_hits_of_explain_are_those_of_search(kb: KB, user: str) -> None:
    plain = kb.search("花生", user_id=user)
    assert [set(hit) for hit in plain] == [set(Hit.__annotations__) - {"explain"}] * len(plain)
    for hits in (kb.search("花生", user_id=user, explain=True), kb.explain("花生", user_id=user)["hits"]):
        assert [(hit["id"], pytest.approx(hit["score"], rel=1e-3)) for hit in hits] == [
            (hit["id"], hit["score"]) for hit in plain
        ]


def test_near_duplicates_are_one_hit(kb: KB, user: str) -> None:
    same = kb.add_many(["The meeting is on Friday.", "the meeting is on Friday"], user_id=user)
    other = kb.add("The meeting is not on Friday", user_id=user)
    hits = kb.search("when is the meeting", user_id=user, explain=True)
    assert {other} < set(ids_of(hits)) < {other, *same}
    (kept,) = [hit for hit in hits if hit["id"] != other]
    assert {kept["id"], *kept["explain"]["duplicates"]} == set(same)


def test_repeated_searches_come_from_the_cache_until_something_is_written(kb: KB, user: str) -> None:
    kb.add("the cache is warm", user_id=user)
    eventually("every vector is there", lambda: kb.stats(user_id=user)["pending_vector_count"] == 0)

    def hits() -> int:
        return int(kb.admin.metrics()["caches"]["results"]["hits"])

    first, before = kb.search("cache", user_id=user), hits()
    assert kb.search("cache", user_id=user) == first
    assert hits() == before + 1
    id = kb.add("the cache is stale", user_id=user)
    assert id in ids_of(kb.search("cache", user_id=user))
    kb.delete(id, user_id=user)
    assert id not in ids_of(kb.search("cache", user_id=user))


@pytest.mark.parametrize("mode", ["auto", "lexical"])
def test_an_empty_answer_says_why(kb: KB, user: str, mode: str) -> None:
    def why(query: str = "花生", **options: Any) -> Any:
        report = kb.explain(query, user_id=user, mode=mode, **options)
        assert report["hits"] == []
        return report["notes"]

    assert why() == ["nothing is stored yet for this user"]
    assert why(agent_id="cook") == ["nothing is stored yet for this user and agent"]
    id = kb.add("主人对花生过敏", user_id=user)
    assert why(as_of="2020-01-01") == ["as_of left nothing; something is found without"]
    assert why(filters={"category": "core"}, time_range=["2020-01-01", "2020-02-01"]) == [
        "filters or session_id and time_range left nothing; something is found without"
    ]
    assert why(session_id="none") == ["filters or session_id left nothing; something is found without"]
    assert why(offset=3) == ["offset 3 is behind the last hit"]
    assert "nothing passes min_score=1.0: the best score is" in why("花生和虾", min_score=1.0)[0]
    kb.archive(id, user_id=user)
    assert why() == ["only what is archived or superseded is found: include_archived (--archived) shows it"]
    assert kb.explain("花生", user_id=user, mode=mode, include_archived=True)["notes"] == []
    assert why("zzzqqq", filters={"category": "core"}, include_archived=True)[:1] == (
        [] if mode == "lexical" else ["filters or session_id left nothing; something is found without"]
    )


def test_an_empty_answer_in_a_time_says_why(kb: KB, user: str) -> None:
    kb.add("主人对花生过敏", user_id=user)
    report = kb.explain("花生", mode="temporal", time_range=["2020-01-01", "2020-02-01"], user_id=user)
    assert report["notes"] == ["time_range left nothing; something is found without"]
