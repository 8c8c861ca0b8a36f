"""Search by words, by meaning and by both, over both faces, with the real bundled model."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from memory_client.errors import InvalidParameterError, ModelUnavailableError
from memory_client.paths import DataPaths
from memory_client.types import Explanation, Hit, Hits
from support.daemons import end_daemons
from support.faces import FACES, Face, opened
from support.waiting import eventually

KB = Any
STORED = [
    "主人对花生过敏，不能吃花生酱",
    "Her dog is called Biscuit and hates going to the vet",
    "C盘空间不够了，得清理一下",
    "他每天早上六点去公园跑步",
    "The quarterly report is due on Friday",
    "妈妈的生日是三月十二号",
]
PARAPHRASES = {
    "什么食物不能给他吃？": 0,
    "what is the name of the pet?": 1,
    "电脑硬盘满了怎么办": 2,
    "does he do any sport?": 3,
    "when must the paper about the last three months be finished?": 4,
    "我妈是哪天出生的": 5,
}


@pytest.fixture
def kb(ready: Face) -> KB:
    return ready.kb


@pytest.fixture
def stored(kb: KB, user: str) -> list[str]:
    return kb.add_many(STORED, user_id=user)


def test_a_hit_has_exactly_its_fields(kb: KB, user: str, stored: list[str]) -> None:
    for mode in ("auto", "hybrid", "semantic", "lexical"):
        (hit,) = kb.search("花生", 1, user_id=user, mode=mode)
        assert set(hit) == set(Hit.__annotations__) - {"explain"}
        assert hit["type"] == "memory"
        assert hit["id"] == stored[0]
        assert hit["text"] == STORED[0]
        assert 0.0 <= hit["score"] <= 1.0
        assert hit["metadata"]["importance"] == hit["importance"] == 1.0
        assert hit["category"] == hit["metadata"]["category"] == "fact"
        assert hit["created_at"] == hit["metadata"]["timestamp"]
        assert set(hit["scores"]) <= {"semantic", "lexical", "graph"}
        assert hit["scores"]


@pytest.mark.usefixtures("stored")
def test_explain_says_how(kb: KB, user: str) -> None:
    for mode, carried_out, sources in (
        ("auto", "hybrid", {"semantic", "lexical", "graph"}),
        ("hybrid", "hybrid", {"semantic", "lexical", "graph"}),
        ("semantic", "semantic", {"semantic"}),
        ("lexical", "lexical", {"lexical"}),
    ):
        hit = kb.search("花生", 1, user_id=user, mode=mode, explain=True)[0]
        explanation = hit["explain"]
        assert set(explanation) == set(Explanation.__annotations__)
        assert explanation["mode"] == carried_out
        assert explanation["notes"] == []
        assert explanation["missing_vector_count"] == 0
        assert set(explanation["ranks"]) == set(hit["scores"]) == sources
        assert explanation["ranks"] == dict.fromkeys(sources, 1)
        assert all(value >= 0 for value in explanation["milliseconds"].values())


@pytest.mark.parametrize("mode", ["semantic", "hybrid", "auto"])
def test_meaning_finds_what_words_do_not_in_both_languages(
    kb: KB, user: str, stored: list[str], mode: str
) -> None:
    for query, place in PARAPHRASES.items():
        found = [hit["id"] for hit in kb.search(query, 3, user_id=user, mode=mode)]
        assert stored[place] in found, query
    first = sum(
        kb.search(query, 1, user_id=user, mode="semantic")[0]["id"] == stored[place]
        for query, place in PARAPHRASES.items()
    )
    assert first >= 5


@pytest.mark.parametrize("mode", ["semantic", "hybrid", "lexical"])
def test_what_was_added_is_found_at_once(kb: KB, user: str, mode: str) -> None:
    for i in range(12):
        text = f"the code word of day {i} is {'zebra' if i % 2 else '斑马'}{i}"
        id = kb.add(text, user_id=user)
        assert kb.search(text, 1, user_id=user, mode=mode)[0]["id"] == id


@pytest.mark.parametrize("mode", ["semantic", "hybrid", "lexical"])
def test_what_was_changed_or_deleted_is_found_no_more(kb: KB, user: str, mode: str) -> None:
    id = kb.add("my favourite fruit is the mango", user_id=user)
    other = kb.add("the train leaves at noon", user_id=user)
    kb.update_text(id, "我最喜欢的颜色是蓝色", user_id=user)
    best = kb.search("我最喜欢的颜色是蓝色", 1, user_id=user, mode=mode, explain=True)[0]
    assert (best["id"], best["text"]) == (id, "我最喜欢的颜色是蓝色")
    kb.delete(id, user_id=user)
    assert id not in {hit["id"] for hit in kb.search("蓝色", user_id=user, mode=mode)}
    kb.delete(other, user_id=user)
    assert kb.search("train", user_id=user, mode=mode) == []


@pytest.mark.parametrize("mode", ["semantic", "hybrid", "lexical"])
def test_offset_and_limit_cut_one_ranking(kb: KB, user: str, mode: str) -> None:
    kb.add_many([f"apple number {i} {'pie ' * (i % 5)}" for i in range(40)], user_id=user)
    whole = [hit["id"] for hit in kb.search("apple pie", 40, user_id=user, mode=mode)]
    assert len(set(whole)) == 40
    parts = [
        hit["id"]
        for offset in range(0, 40, 7)
        for hit in kb.search("apple pie", 7, offset=offset, user_id=user, mode=mode)
    ]
    if mode == "hybrid":  # the depth decides how many candidates are fused
        assert set(parts[:7]) == set(whole[:7])
    else:
        assert parts == whole
    assert kb.search("apple pie", 5, offset=40, user_id=user, mode=mode) == []


@pytest.mark.usefixtures("stored")
def test_min_score_drops_the_weaker(kb: KB, user: str) -> None:
    hits = kb.search("花生", 6, user_id=user, mode="semantic")
    middle = hits[2]["score"]
    kept = kb.search("花生", 6, user_id=user, mode="semantic", min_score=middle)
    assert [hit["id"] for hit in kept] == [hit["id"] for hit in hits if hit["score"] >= middle]
    assert kb.search("花生", 6, user_id=user, mode="hybrid", min_score=1.0) in (
        [],
        kb.search("花生", 1, user_id=user, mode="hybrid"),
    )


@pytest.mark.parametrize("field", ["created_at", "last_access", "importance", "confidence"])
@pytest.mark.parametrize("direction", ["asc", "desc"])
def test_sort_by_reorders_the_best(kb: KB, user: str, field: str, direction: str) -> None:
    items = [
        {
            "text": f"pear {i}",
            "metadata": {
                "timestamp": 1e9 + (i * 7) % 10,
                "last_access": 1e9 + (i * 3) % 10,
                "importance": ((i * 7) % 10) / 2,
                "confidence": ((i * 3) % 10) / 10,
            },
        }
        for i in range(10)
    ]
    ids = kb.add_many(items, user_id=user)
    hits = kb.search("pear", 10, user_id=user, sort_by=field, sort_order=direction)
    values = [memory[field] for memory in kb.get_many([hit["id"] for hit in hits], user_id=user)]
    assert {hit["id"] for hit in hits} == set(ids)
    assert values == sorted(values, reverse=direction == "desc")


@pytest.mark.usefixtures("stored")
def test_relevance_upside_down(kb: KB, user: str) -> None:
    down = kb.search("花生", 4, user_id=user)
    up = kb.search("花生", 4, user_id=user, sort_order="asc")
    assert [hit["id"] for hit in up] == [hit["id"] for hit in down][::-1]


@pytest.mark.parametrize("mode", ["semantic", "hybrid", "lexical"])
def test_a_session_and_a_filter_narrow_the_search(kb: KB, user: str, mode: str) -> None:
    kb.add("kiwi one", user_id=user)
    two = kb.add("kiwi two", user_id=user, session_id="s")
    three = kb.add("kiwi three", {"mood": "good"}, user_id=user, session_id="s")
    found = kb.search("kiwi", user_id=user, session_id="s", mode=mode)
    assert {hit["id"] for hit in found} == {two, three}
    filters = {"metadata.mood": "good"}
    found = kb.search("kiwi", user_id=user, session_id="s", mode=mode, filters=filters)
    assert [hit["id"] for hit in found] == [three]
    assert kb.search("kiwi", user_id=user, session_id="t", mode=mode) == []


@pytest.mark.parametrize("query", ["C盘", "过敏", "過敏", "花生", "Ｂｉｓｃｕｉｔ", "biscuits", "🥜", "三月"])
def test_words_of_two_characters_other_scripts_and_widths(
    kb: KB, user: str, stored: list[str], query: str
) -> None:
    nuts = kb.add("🥜 是花生的样子", user_id=user)
    wanted = {"C盘": stored[2], "三月": stored[5], "🥜": nuts}
    wanted |= dict.fromkeys(("Ｂｉｓｃｕｉｔ", "biscuits"), stored[1])
    hits = kb.search(query, user_id=user, mode="lexical")
    assert hits[0]["id"] == wanted.get(query, hits[0]["id"] if hits[0]["id"] == nuts else stored[0])


def test_nobody_has_no_hits(kb: KB, user: str) -> None:
    for mode in ("auto", "hybrid", "semantic", "lexical"):
        assert kb.search("anything", user_id=user, mode=mode) == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n_results", 0),
        ("n_results", 1001),
        ("offset", -1),
        ("min_score", 1.5),
        ("mode", "fuzzy"),
        ("sort_by", "size"),
        ("sort_order", "up"),
        ("query", ""),
        ("query", " \n\t　"),
        ("query", "\0"),
        ("query", "x" * 100_001),
        ("session_id", ""),
        ("agent_id", "a\nb"),
        ("user_id", "x" * 201),
    ],
)
def test_bad_values_are_named(kb: KB, name: str, value: object) -> None:
    arguments = {"query": "x", name: value}
    with pytest.raises(InvalidParameterError) as caught:
        kb.search(**arguments)
    assert caught.value.data["parameter"] == name
    assert name in str(caught.value)


def test_queries_of_all_kinds_do_no_harm(kb: KB, user: str, stored: list[str]) -> None:
    for query in (
        '"',
        "'",
        '" OR 1',
        "NEAR(a b)",
        "a*",
        "-x",
        "terms:花生",
        "%",
        "\0花生",
        "👨‍👩‍👧‍👦",
        "花生" * 4000,
        "我",
    ):
        for mode in ("lexical", "hybrid"):
            hits = kb.search(query, user_id=user, mode=mode)
            assert all(hit["id"] in stored for hit in hits)


@pytest.mark.parametrize("name", FACES)
@pytest.mark.parametrize("mode", ["auto", "hybrid", "semantic"])
def test_the_first_search_on_a_fresh_store_is_as_good_as_any(tmp_path: Path, name: str, mode: str) -> None:
    """It waits for the model that loads, and for the few memories that wait for the model."""
    home = tmp_path / "home"
    facts = ["主人对花生过敏", "主人喜欢在周末去爬山", "主人的猫叫年糕", "主人在上海做设计师"]
    try:
        with opened(name, home, **{"search.model_wait_ms": 60_000}) as kb:
            for fact in facts:
                kb.add(fact)
            hits = kb.search("weekend hobby", 1, mode=mode)
            if "embedding model is available" in str(hits.reason):
                pytest.skip(str(hits.reason))
            assert ([hit["text"] for hit in hits], hits.degraded, hits.reason) == ([facts[1]], False, None)
            assert kb.stats()["pending_vector_count"] == 0
    finally:
        end_daemons(home)


def test_token_vectors_that_are_missing_are_made_again(tmp_path: Path) -> None:
    """As they are of what a former version embedded."""
    home = tmp_path / "home"
    with opened("in-process", home) as kb:
        kb.add("主人喜欢在周末去爬山")
        if "embedding model is available" in str(kb.search("weekend hobby").reason):
            pytest.skip("no embedding model")
        eventually("there are token vectors", lambda: token_rows(home), 60)
    with closing(sqlite3.connect(DataPaths(home).database)) as connection, connection:
        connection.execute(f"DELETE FROM {token_table(connection)}")
    with opened("in-process", home, **{"search.model_wait_ms": 60_000}) as kb:
        hits = kb.search("weekend hobby")  # waits for the model, and for what is missing
        assert (len(hits), hits.degraded, token_rows(home)) == (1, False, 1)


def test_missing_vectors_of_a_user_who_searches_are_made_before_those_of_others(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with opened("in-process", home, **{"embedder.model": "none"}) as kb:
        kb.add_many(
            [f"今天去了第 {number} 家店，买了苹果和梨，天气很好。" for number in range(1_500)], user_id="big"
        )
        kb.add("主人喜欢在周末去爬山", user_id="small")
    with opened("in-process", home, **{"search.model_wait_ms": 60_000}) as kb:
        hits = kb.search("weekend hobby", user_id="small")
        if "embedding model is available" in str(hits.reason):
            pytest.skip("no embedding model")
        assert (len(hits), hits.degraded) == (1, False)
        assert kb.stats(user_id="big")["pending_vector_count"] > 500


def token_table(connection: sqlite3.Connection) -> str:
    found = connection.execute("SELECT name FROM sqlite_master WHERE name GLOB 'tokens_[0-9]*'")
    return str(found.fetchone()[0])


def token_rows(home: Path) -> int:
    with closing(sqlite3.connect(DataPaths(home).database)) as connection:
        table = token_table(connection)
        return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


def test_lexical_search_waits_for_no_model(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with opened("in-process", home) as kb:
        kb.add("主人喜欢在周末去爬山")
        kb.add_many(["a text that is long " * 2_000 for _ in range(3)])
        hits = kb.search("weekend hobby", mode="lexical")
        assert (hits, hits.degraded) == ([], False)
        assert kb.status()["embedder"]["state"] == "loading"


def test_a_result_is_a_list_that_says_what_it_lacks(kb: KB, user: str, stored: list[str]) -> None:
    for mode in ("auto", "hybrid", "semantic", "lexical"):
        hits = kb.search("花生", 1, user_id=user, mode=mode)
        assert type(hits) is Hits
        assert (hits[0]["id"], hits.degraded, hits.reason) == (stored[0], False, None)
    nothing = kb.search("花生", user_id=user, filters={"category": "core"})
    assert (nothing, nothing.degraded) == ([], False)
    assert nothing.reason == "filters or session_id left nothing; something is found without"
    report = kb.explain("花生", user_id=user, filters={"category": "core"})
    assert (report["degraded"], report["reason"], report["answerable"]) == (False, nothing.reason, False)


def test_without_a_model_a_result_is_degraded(wordy: Face, user: str) -> None:
    kb = wordy.kb
    eventually("it is settled that there is no model", lambda: kb.status()["stage"] == "ready", 60)
    kb.add("主人对花生过敏", user_id=user)
    for query in ("花生", "peanuts"):
        hits = kb.search(query, user_id=user)
        assert hits.degraded
        assert "embedder.model is none" in hits.reason
        assert kb.explain(query, user_id=user)["reason"] == hits.reason
        assert not kb.search(query, user_id=user, mode="lexical").degraded


def test_without_a_model_words_still_answer_and_say_so(wordy: Face, user: str) -> None:
    kb = wordy.kb
    id = kb.add("主人对花生过敏", user_id=user)
    eventually("it is settled that there is no model", lambda: kb.status()["stage"] == "ready", 60)
    assert not kb.get(id, user_id=user)["indexed"]
    for mode in ("auto", "hybrid", "lexical"):
        hit = kb.search("花生", user_id=user, mode=mode, explain=True)[0]
        assert hit["id"] == id
        assert hit["explain"]["mode"] == "lexical"
        assert hit["explain"]["missing_vector_count"] == 1
        notes = hit["explain"]["notes"]
        assert any("embedder.model" in note for note in notes) == (mode != "lexical")
    with pytest.raises(ModelUnavailableError, match=r"embedder\.model"):
        kb.search("花生", user_id=user, mode="semantic")
    status = kb.status()
    assert status["pending_vector_count"] >= 1
    assert any("keywords only" in warning for warning in status["warnings"])
    assert kb.stats(user_id=user)["pending_vector_count"] == 1
