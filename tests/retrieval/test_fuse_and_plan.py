from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_client.deadline import Deadline
from memory_client.types import Mode
from memoryd.core.filters.grammar import And, Compare, Or, parse_filters
from memoryd.core.scope import Scope
from memoryd.retrieval.plan import CANDIDATES, RetrievalPlan, make_plan, read_times
from memoryd.retrieval.ranking.fuse import RRF_K, Candidate, Fused, rrf, scale, weighted_mean
from memoryd.retrieval.request import SearchRequest, TimeSpan
from support.small_store import USER

NOON = datetime(2026, 3, 4, 12, tzinfo=UTC)
DAY = 86_400.0


def ranking(*rows: int, share: float = 0.5) -> list[Candidate]:
    return [Candidate(row, raw=100.0 - place, share=share) for place, row in enumerate(rows)]


def plan_of(query: str = "pear", why_not: str | None = None, **how: Any) -> RetrievalPlan:
    how.setdefault("reference", NOON)
    request = SearchRequest(query, Scope(USER), Deadline.after(None), **how)
    return make_plan(request, read_times(request), why_not=why_not)


# -- fusion methods


def test_one_source_keeps_its_scores() -> None:
    for fusion_method in (rrf, weighted_mean):
        fused = fusion_method({"semantic": [Candidate(1, -0.2, 0.0), Candidate(2, 0.9, 0.9)]}, {})
        assert [(one.row, one.score, one.raw, one.ranks) for one in fused] == [
            (2, 0.9, {"semantic": 0.9}, {"semantic": 2}),
            (1, 0.0, {"semantic": -0.2}, {"semantic": 1}),
        ]


def test_two_sources_are_fused_by_their_ranks() -> None:
    fused = rrf({"lexical": ranking(1, 2), "semantic": ranking(2, 3)}, {})
    assert [one.row for one in fused] == [2, 1, 3]
    assert fused[0].score == pytest.approx((1 / 62 + 1 / 61) / (2 / 61))
    assert fused[0].ranks == {"lexical": 2, "semantic": 1}
    assert set(fused[0].raw) == {"lexical", "semantic"}
    assert fused[1].score == pytest.approx(0.5)
    assert fused[0].parts == {
        "lexical": (1 / 62, pytest.approx(61 / 62 / 2)),
        "semantic": (1 / 61, pytest.approx(0.5)),
    }


def test_two_sources_are_fused_by_their_scores() -> None:
    rankings = {"lexical": [Candidate(1, 9.0, 0.8), Candidate(2, 5.0, 0.2)], "semantic": ranking(2)}
    fused = weighted_mean(rankings, {})
    assert [(one.row, one.score) for one in fused] == [(1, 0.4), (2, pytest.approx(0.35))]
    assert fused[1].parts == {"lexical": (0.2, 0.1), "semantic": (0.5, 0.25)}


@pytest.mark.parametrize("fusion_method", [rrf, weighted_mean])
def test_a_weight_multiplies_what_its_source_counts(fusion_method: Any) -> None:
    rankings = {"lexical": ranking(1, 2), "semantic": ranking(2, 1)}
    assert fusion_method(rankings, {"lexical": 3.0})[0].row == (1 if fusion_method is rrf else 2)
    assert fusion_method(rankings, {"semantic": 3.0})[0].row == 2
    only = fusion_method({"lexical": ranking(1), "semantic": ranking(2)}, {"lexical": 0.0})
    assert [(one.row, one.score > 0) for one in only] == [(2, True), (1, False)]
    none = fusion_method(rankings, {"lexical": 0.0, "semantic": 0.0})
    assert [one.score for one in none] == [0.0, 0.0]


def test_first_in_every_source_is_the_best_that_can_be() -> None:
    for count in range(2, 8):
        assert rrf({str(source): ranking(7) for source in range(count)}, {})[0].score == pytest.approx(1.0)


def test_ties_go_to_the_newer() -> None:
    assert [one.row for one in rrf({"a": ranking(5), "b": ranking(9)}, {})] == [9, 5]
    assert [one.row for one in rrf({"a": ranking(5, 9, 7)}, {})] == [9, 7, 5]


def test_a_source_that_found_nothing_counts_as_one() -> None:
    [only] = rrf({"lexical": [], "semantic": ranking(1)}, {})
    assert only.score == pytest.approx(0.5)
    assert rrf({}, {}) == rrf({"lexical": []}, {}) == weighted_mean({}, {}) == []


def test_a_scaled_ranking_keeps_its_order_and_its_sum() -> None:
    rescaled = scale(rrf({"a": ranking(1, 2), "b": ranking(1)}, {}), 0.1)
    assert [one.row for one in rescaled] == [1, 2]
    assert rescaled[0].score == pytest.approx(0.1)
    for one in rescaled:
        assert sum(adds for _, adds in one.parts.values()) == pytest.approx(one.score)
    assert scale([], 0.1) == []
    assert scale([Fused(1)], 0.1)[0].score == 0.0


ROWS = st.lists(st.integers(1, 20), unique=True, max_size=10)
WEIGHTS = st.dictionaries(st.sampled_from("abc"), st.floats(0, 100))


@given(st.dictionaries(st.sampled_from("abc"), ROWS, min_size=2), WEIGHTS)
def test_scores_are_within_0_and_1_fall_and_are_the_sum_of_their_parts(
    rows: dict[str, list[int]], weights: Mapping[str, float]
) -> None:
    rankings = {source: ranking(*found) for source, found in rows.items()}
    for fusion_method in (rrf, weighted_mean):
        fused = fusion_method(rankings, weights)
        assert {one.row for one in fused} == {row for found in rows.values() for row in found}
        assert all(0 <= one.score <= 1 + 1e-9 for one in fused)
        assert [one.score for one in fused] == sorted((one.score for one in fused), reverse=True)
        for one in fused:
            assert sum(adds for _, adds in one.parts.values()) == pytest.approx(one.score)


@given(ROWS, ROWS, st.integers(0, 9))
def test_a_better_rank_never_lowers_a_row(first: list[int], second: list[int], place: int) -> None:
    if place < 1 or place >= len(first):
        return
    moved = [*first[: place - 1], first[place], first[place - 1], *first[place + 1 :]]

    def score(rows: list[int]) -> float:
        fused = rrf({"a": ranking(*rows), "b": ranking(*second)}, {})
        return next(one.score for one in fused if one.row == first[place])

    assert score(moved) > score(first)
    assert RRF_K == 60


# -- the plan

EVERY = ("exact", "lexical", "semantic", "temporal", "graph")
BY_WORDS = ("exact", "lexical", "temporal", "graph")


@pytest.mark.parametrize(
    ("mode", "meaning", "carried_out", "sources", "fusion_method"),
    [
        ("lexical", None, "lexical", ("lexical",), "lexical"),
        ("lexical", "loading", "lexical", ("lexical",), "lexical"),
        ("semantic", None, "semantic", ("semantic",), "semantic"),
        ("exact", None, "exact", ("exact",), "lexical"),
        ("temporal", None, "temporal", ("temporal",), "lexical"),
        ("hybrid", None, "hybrid", EVERY, "ranked"),
        ("auto", None, "hybrid", EVERY, "ranked"),
        ("hybrid", "the model is loading", "lexical", BY_WORDS, "lexical"),
        ("auto", "the model is loading", "lexical", BY_WORDS, "lexical"),
    ],
)
def test_the_plan_of_a_mode(
    mode: Mode, meaning: str | None, carried_out: str, sources: tuple[str, ...], fusion_method: str
) -> None:
    plan = plan_of(mode=mode, why_not=meaning)
    assert (plan.mode, plan.sources, plan.fusion_method) == (carried_out, sources, fusion_method)
    assert (plan.fallback is not None) == (fusion_method == "ranked")
    assert any(str(meaning) in note for note in plan.lacks) == (
        mode in ("auto", "hybrid") and meaning is not None
    )


@pytest.mark.parametrize("mode", ["auto", "lexical", "semantic"])
def test_sources_give_more_than_is_asked_for(mode: Mode) -> None:
    """As some of it is fused away or collapses."""
    assert plan_of(mode=mode, limit=5).depth == CANDIDATES
    assert plan_of(mode=mode, limit=500, offset=10).depth == 1020


def test_the_caller_fixes_what_the_rules_would_read() -> None:
    read, fixed = plan_of("为什么他不吃花生"), plan_of("为什么他不吃花生", intent="preference")
    assert (read.understanding.intent, fixed.understanding.intent) == ("reasoning", "preference")
    assert plan_of("pear", intent="fact").fallback != plan_of("pear", intent="contextual").fallback
    assert plan_of("pear", targets=("memory", "turn")).targets == ("memory", "turn")


@pytest.mark.parametrize("intent", ["fact", "reasoning", "contextual", "preference", "skill"])
def test_what_is_described_is_plain_data_and_names_the_intent_searched_for(intent: Any) -> None:
    described = plan_of("what did I eat yesterday?", intent=intent).describe()
    assert set(described) == {
        *(
            "mode",
            "targets",
            "sources",
            "fusion_method",
            "fallback",
            "intent",
            "command",
            "keywords",
            "phrases",
        ),
        *("names", "focus", "hyde", "time_range", "times", "recency"),
    }
    assert described["intent"] == intent
    assert described["times"]["matched"] == ["yesterday"]


def test_a_named_time_is_a_cue_and_a_given_one_a_filter() -> None:
    named = plan_of("what did I eat yesterday?")
    assert named.times is not None
    assert named.times.end == NOON.replace(hour=0).timestamp()
    assert named.filters == parse_filters(None)
    span = TimeSpan(1.0, 2.0)
    given_one = plan_of("pear", span=span)
    made = And((Compare("created_at", "gte", 1.0), Compare("created_at", "lt", 2.0)))
    assert isinstance(given_one.filters, And)
    choice = given_one.filters.parts[-1]
    assert isinstance(choice, Or)
    assert made in choice.parts


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("2月30日去了哪里", "there is no such date"),
        ("what happened from 2023-05-09 to 2023-05-01", "ends before it begins"),
        ("！？。", "only punctuation"),
        ("的了吗", "only stop words"),
        ("the of", "only stop words"),
        ("我", "a single character"),
        ("総括してください", ""),
        ("總結一下我們的對話", "a search does not do that"),
        ("forget everything", "a search does not do that"),
    ],
)
def test_what_is_odd_about_a_query_is_noted(query: str, words: str) -> None:
    notes = plan_of(query).notes
    assert any(words in note for note in notes) or (not words and not notes)
