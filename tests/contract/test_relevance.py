"""What a score means: whether anything relevant is stored, in both languages and across them."""

from __future__ import annotations

import math
import time

import pytest

from memory_client.errors import InvalidParameterError
from memory_client.types import Hits
from support.faces import Face

MEMORIES = (
    "主人对花生过敏，吃了会喘不上气",
    "主人喜欢在周末去爬山",
    "The user's sister Anna works as a vet in Leeds",
    "主人的猫叫年糕，今年三岁",
    "The user starts a new job at a bakery on Monday",
    "主人怕打雷",
)


@pytest.fixture(scope="module")
def person(face: Face) -> str:
    """A user with a few memories, all indexed."""
    face.kb.add_many(MEMORIES, user_id="relevance")
    return "relevance"


def found(ready: Face, message: str, user: str, **options: object) -> Hits:
    return ready.kb.search(message, user_id=user, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("message", "answer"),
    [
        ("我对什么过敏来着？", 0),
        ("what does my sister do for a living?", 2),
        ("what is my cat called?", 3),
        ("我姐姐是做什么工作的", 2),
    ],
)
def test_a_stored_answer_is_found_and_relevant_in_either_language(
    ready: Face, person: str, message: str, answer: int
) -> None:
    hits = found(ready, message, person)
    assert hits[0]["text"] == MEMORIES[answer]
    assert (hits.answerable, hits[0]["calibrated"], hits.degraded) == (True, True, False)
    kept = found(ready, message, person, min_score="relevant")
    assert MEMORIES[answer] in [hit["text"] for hit in kept]


@pytest.mark.parametrize(
    "message",
    ["晚安", "哈哈哈哈", "thanks!", "good night :)", "翻译一下这句话：今天天气很好", "who wrote Hamlet?"],
)
def test_what_asks_nothing_of_memory_is_not_answerable(ready: Face, person: str, message: str) -> None:
    hits = found(ready, message, person)
    assert hits.answerable is False
    assert hits, "it is searched for all the same"


@pytest.mark.parametrize("message", ["晚安啦", "thank you so much"])
def test_small_talk_has_its_intent(ready: Face, person: str, message: str) -> None:
    assert ready.kb.explain(message, user_id=person)["plan"]["intent"] == "chitchat"


def test_a_right_answer_scores_above_the_best_hit_of_small_talk(ready: Face, person: str) -> None:
    right = found(ready, "我对什么过敏来着？", person)[0]["score"]
    assert right > 2 * found(ready, "晚安", person)[0]["score"]


def test_hits_are_ordered_by_their_rank_score(ready: Face, person: str) -> None:
    hits = found(ready, "周末去哪里玩", person)
    ranks = [hit["rank_score"] for hit in hits]
    assert ranks == sorted(ranks, reverse=True)
    for hit in hits:
        log_odds = math.log(hit["score"] / (1 - hit["score"]))
        assert abs(hit["rank_score"] - log_odds) <= 0.5 + 1e-6


@pytest.mark.parametrize("options", [{"mode": "lexical"}, {"weights": {"semantic": 0.5}}])
def test_scores_that_were_not_calibrated_say_so(ready: Face, person: str, options: dict[str, object]) -> None:
    hits = found(ready, "花生过敏", person, **options)
    assert [hit["calibrated"] for hit in hits] == [False] * len(hits)
    assert hits.answerable is None
    kept = found(ready, "花生过敏", person, min_score="relevant", **options)
    assert [hit["id"] for hit in kept] == [hit["id"] for hit in hits], "nothing is judged that cannot be"


def test_weights_of_importance_and_recency_leave_scores_calibrated(ready: Face, person: str) -> None:
    plain = found(ready, "花生过敏", person)
    weighed = found(ready, "花生过敏", person, weights={"recency": 3.0, "importance": 0.0})
    assert weighed.answerable is True
    assert {hit["id"]: hit["score"] for hit in weighed} == pytest.approx(
        {hit["id"]: hit["score"] for hit in plain}
    )


def test_a_boosted_fresh_memory_comes_before_an_equally_relevant_stale_one(ready: Face, user: str) -> None:
    old = time.time() - 90 * 86_400
    metadata = {"timestamp": old, "last_access": old, "importance": 0.6}
    stale = ready.kb.add("主人养了一只猫，名字叫团团", metadata, user_id=user)
    fresh = ready.kb.add("主人养了一只猫，名字叫圆圆", metadata, user_id=user)
    ready.kb.boost(fresh, user_id=user)
    hits = found(ready, "我的猫叫什么名字", user, explain=True)
    assert [hit["id"] for hit in hits] == [fresh, stale]
    assert hits[0]["explain"]["standing"] > hits[1]["explain"]["standing"]


def test_what_was_last_answers_a_request_for_nothing_else(ready: Face, person: str) -> None:
    hits = found(ready, "刚才聊了什么", person, min_score="relevant")
    assert hits.answerable is True
    assert hits[0]["text"] == MEMORIES[-1]


def test_a_threshold_is_a_number_or_relevant(ready: Face, person: str) -> None:
    with pytest.raises(InvalidParameterError, match="min_score"):
        found(ready, "花生", person, min_score="good")
    with pytest.raises(InvalidParameterError, match="min_score"):
        found(ready, "花生", person, min_score=1.5)
