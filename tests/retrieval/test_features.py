"""Each feature speaks for the texts it is meant for, and for no others."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from memoryd.index.keyword.forward_index import Documents
from memoryd.language import text_features
from memoryd.language.query.understanding import understand
from memoryd.retrieval.ranking.features import NAMES, RankingInput, features, token_weights
from memoryd.retrieval.ranking.frame import frame_of
from memoryd.retrieval.ranking.fuse import Fused
from memoryd.retrieval.ranking.ranker import FILE, RELEVANCE, profiles, rank
from memoryd.storage.records.candidates import Place

DAY = 86_400.0


def turns(count: int, **of_all: Any) -> dict[int, Place]:
    """A session of turns a day apart, at rows 1, 2, ..."""
    return {
        row: Place(
            row,
            row * DAY,
            None,
            None,
            7,
            before=row - 1 if row > 1 else None,
            behind=row + 1 if row < count else None,
            **of_all,
        )
        for row in range(1, count + 1)
    }


def documents(rows: Sequence[int], flags: Sequence[int] | None = None) -> Documents:
    """Texts of ten terms each, none of them the query's."""
    n = len(rows)
    return Documents(
        np.array(rows, np.int64),
        np.empty(0, np.uint32),
        np.zeros(n, np.int64),
        np.full(n, 10.0),
        np.array(flags or [0] * n, np.uint32),
    )


def seen(
    places: Mapping[int, Place],
    query: str = "which?",
    matches: Sequence[Sequence[float]] | None = None,
    flags: Sequence[int] | None = None,
    named: str | None = None,
    span: tuple[float, float] | None = None,
    centred: Sequence[Sequence[float]] | None = None,
) -> dict[str, list[float]]:
    """The features of the texts, row after row."""
    given = RankingInput(
        frame=frame_of(places),
        matches=None if matches is None else np.array(matches, np.float32),
        word_weights=np.full(
            1 if matches is None else len(matches[0]), 1 / len(matches[0]) if matches else 1
        ),
        documents=documents(sorted(places), flags),
        lexical=None,
        dense={},
        understanding=understand(query),
        named=named,
        span=span,
        exact={2: 1.0},
        centred=None if centred is None else np.array(centred, np.float32),
    )
    return {name: [round(value, 3) for value in column.tolist()] for name, column in features(given).items()}


def test_tokens_match_within_four_turns_and_hardness_counts_the_own_text_only() -> None:
    found = seen(turns(7), matches=[[0.9], *[[0.1]] * 6])
    assert found["late_around"] == [0.9] * 5 + [0.1] * 2
    assert found["matched"][0] > 0.99
    assert max(found["matched"][1:]) < 0.01


def test_different_tokens_may_be_matched_by_different_turns() -> None:
    found = seen(turns(2), matches=[[0.8, 0.0], [0.0, 0.6]])
    assert found["late_around"] == [0.7, 0.7]


def test_without_token_vectors_there_are_no_features_of_tokens() -> None:
    assert not {"late_around", "matched"} & seen(turns(2)).keys()


def memories(*made: tuple[float, str]) -> dict[int, Place]:
    """Memories made at hours, with their texts, at rows 1, 2, ..."""
    return {
        row: Place(row, hour * 3600, None, None, opening=text) for row, (hour, text) in enumerate(made, 1)
    }


def test_memories_made_within_half_an_hour_share_the_best_matches() -> None:
    places = memories((1.0, "a"), (1.2, "b"), (9.0, "c"))
    found = seen(places, matches=[[0.9], [0.3], [0.5]], centred=[[0.0]] * 3)
    assert found["session"] == [0.6, 0.6, 0.5]


def test_the_subject_is_whom_a_text_begins_with() -> None:
    places = memories((1.0, "Ann likes tea"), (2.0, "Bob met Ann"))
    found = seen(places, "what does Ann drink?", matches=[[0.5]] * 2, centred=[[0.0]] * 2)
    assert found["subject"] == [1, 0]


def test_centred_matches_are_features_of_their_own() -> None:
    found = seen(memories((1.0, "a"), (2.0, "b")), matches=[[0.5]] * 2, centred=[[0.6], [0.1]])
    assert found["late_centred"] == [0.6, 0.1]
    assert found["matched_centred"][0] > 0.99
    assert not {"late_centred", "session", "subject"} & seen(turns(2), matches=[[0.5]] * 2).keys()


@pytest.mark.parametrize(
    ("query", "flag", "feature"),
    [
        ("how many cats?", text_features.NUMBER, "number"),
        ("when did she leave?", text_features.TIME, "number"),
        ("who is it?", text_features.NAME, "name"),
        ("他叫什么名字？", text_features.NAME, "name"),
        ("anything", text_features.QUESTION, "question"),
    ],
)
def test_the_kind_of_answer(query: str, flag: int, feature: str) -> None:
    assert seen(turns(3), query, flags=[0, flag, 0])[feature] == [0, 1, 0]


def test_other_questions_want_no_number_and_no_name() -> None:
    every = text_features.NUMBER | text_features.TIME | text_features.NAME
    found = seen(turns(2), "why is that so?", flags=[every, every])
    assert (found["number"], found["name"]) == ([0, 0], [0, 0])


def test_a_turn_behind_a_question_answers() -> None:
    assert seen(turns(3), flags=[text_features.QUESTION, 0, 0])["answers"] == [0, 1, 0]


def test_the_named_speaker() -> None:
    places = turns(2, speaker="Ann") | {3: Place(3, 0.0, None, None, 8, speaker="Bo")}
    assert seen(places, named="Ann")["speaker"] == [1, 1, 0]
    assert seen(places)["speaker"] == [0, 0, 0]


@pytest.mark.parametrize(
    ("query", "wanted"),
    [("你推荐了什么书？", "assistant"), ("what did you recommend?", "assistant"), ("我爱吃什么？", "user")],
)
def test_whose_words_are_asked_for(query: str, wanted: str) -> None:
    places = {row: Place(row, 0.0, None, None, 1, role=role) for row, role in ((1, "user"), (2, "assistant"))}
    expected = [1, -1] if wanted == "user" else [-1, 1]
    assert seen(places, query)["role"] == expected


def test_names_say_more_than_roles() -> None:
    assert seen({1: Place(1, 0.0, None, None, 1, speaker="Ann", role="user")})["role"] == [0]


def test_dates_inside_and_near_and_event_times() -> None:
    places = turns(3) | {4: Place(4, 100 * DAY, 2 * DAY, 2.5 * DAY, 9)}
    found = seen(places, span=(2 * DAY, 3 * DAY - 1))
    assert found["date"] == [0, 1, 0, 1]
    assert found["date_near"][1] == 1
    assert found["date_near"][0] == pytest.approx(np.exp(-1 / 7), abs=0.001)


def test_a_long_time_has_no_near() -> None:
    assert seen(turns(3), span=(0.0, 400 * DAY))["date_near"] == [0, 0, 0]
    assert seen(turns(3), span=(-np.inf, 2 * DAY + 1))["date"] == [1, 1, 0]


def test_what_is_named_literally() -> None:
    assert seen(turns(3))["exact"] == [0, 1, 0]


def test_rare_words_weigh_more_and_stop_words_little() -> None:
    weights = token_weights(["the", "cat", "zebra"], {"the": 0.5, "cat": 2.0, "zebra": 6.0})
    assert weights.sum() == pytest.approx(1)
    assert weights[0] < weights[1] < weights[2]
    assert token_weights(["?", "!"], {}).tolist() == [0.5, 0.5]


def test_every_weight_is_of_a_feature_and_every_feature_is_weighed() -> None:
    weighed = {name for profile in profiles().values() for name in profile.weights}
    assert weighed == {*NAMES, "graph"}
    assert {name for members in RELEVANCE.values() for name in members} <= weighed


def test_weights_have_the_sign_that_their_feature_has() -> None:
    for profile in profiles().values():
        against = {name for name, weight in profile.weights.items() if weight < 0}
        assert against <= {"question"}


def test_the_file_says_what_it_was_trained_on() -> None:
    stored = json.loads(FILE.read_text(encoding="utf-8"))
    assert stored["version"] >= 3
    assert {"on", "at", "by", "loss", "by_hand"} <= stored["trained"].keys()


def test_the_score_is_the_logistic_of_what_its_parts_add() -> None:
    found = {1: Fused(1), 2: Fused(2)}
    columns = {"matched": np.array([0.1, 0.9]), "late_around": np.array([0.5, 0.5])}
    best, _ = rank([1, 2], found, columns, {})
    assert best.row == 2
    added = sum(adds for _, adds in best.contributions().values())
    assert best.score == pytest.approx(1 / (1 + np.exp(-added)))


def test_a_group_that_weighs_nothing_decides_nothing() -> None:
    found = {1: Fused(1), 2: Fused(2)}
    columns = {"matched": np.array([0.9, 0.1]), "words_near": np.array([0.0, 1.0])}
    assert rank([1, 2], found, columns, {})[0].row == 1
    assert rank([1, 2], found, columns, {"semantic": 0.0})[0].row == 2
