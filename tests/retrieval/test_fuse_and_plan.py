from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_client.types import Mode
from memoryd.retrieval.fuse import Candidate, fuse
from memoryd.retrieval.plan import CANDIDATES, make_plan


def ranking(*rows: int, share: float = 0.5) -> list[Candidate]:
    return [Candidate(row, raw=100.0 - place, share=share) for place, row in enumerate(rows)]


def test_one_source_keeps_its_scores() -> None:
    fused = fuse({"semantic": [Candidate(1, -0.2, 0.0), Candidate(2, 0.9, 0.9)]})
    assert [(one.row, one.score, one.raw, one.ranks) for one in fused] == [
        (2, 0.9, {"semantic": 0.9}, {"semantic": 2}),
        (1, 0.0, {"semantic": -0.2}, {"semantic": 1}),
    ]


def test_two_sources_are_fused_by_their_ranks() -> None:
    fused = fuse({"lexical": ranking(1, 2), "semantic": ranking(2, 3)})
    assert [one.row for one in fused] == [2, 1, 3]
    assert fused[0].score == pytest.approx((1 / 62 + 1 / 61) / (2 / 61))
    assert fused[0].ranks == {"lexical": 2, "semantic": 1}
    assert set(fused[0].raw) == {"lexical", "semantic"}
    assert fused[1].score == pytest.approx(0.5)


def test_first_in_every_source_is_the_best_that_can_be() -> None:
    for count in range(2, 8):
        assert fuse({str(source): ranking(7) for source in range(count)})[0].score == pytest.approx(1.0)


def test_ties_go_to_the_newer() -> None:
    assert [one.row for one in fuse({"a": ranking(5), "b": ranking(9)})] == [9, 5]
    assert [one.row for one in fuse({"a": ranking(5, 9, 7)})] == [9, 7, 5]


def test_a_source_that_found_nothing_counts_as_one() -> None:
    [only] = fuse({"lexical": [], "semantic": ranking(1)})
    assert only.score == pytest.approx(0.5)
    assert fuse({}) == fuse({"lexical": []}) == []


ROWS = st.lists(st.integers(1, 20), unique=True, max_size=10)


@given(st.dictionaries(st.sampled_from("abc"), ROWS, min_size=2))
def test_scores_are_within_0_and_1_and_fall(rows: dict[str, list[int]]) -> None:
    fused = fuse({source: ranking(*found) for source, found in rows.items()})
    assert {one.row for one in fused} == {row for found in rows.values() for row in found}
    assert all(0 < one.score <= 1 for one in fused)
    assert [one.score for one in fused] == sorted((one.score for one in fused), reverse=True)


@given(ROWS, ROWS, st.integers(0, 9))
def test_a_better_rank_never_lowers_a_row(first: list[int], second: list[int], place: int) -> None:
    if place < 1 or place >= len(first):
        return
    moved = [*first[: place - 1], first[place], first[place - 1], *first[place + 1 :]]

    def score(rows: list[int]) -> float:
        fused = fuse({"a": ranking(*rows), "b": ranking(*second)})
        return next(one.score for one in fused if one.row == first[place])

    assert score(moved) > score(first)


@pytest.mark.parametrize(
    ("mode", "meaning", "carried_out", "sources"),
    [
        ("lexical", None, "lexical", ("lexical",)),
        ("lexical", "loading", "lexical", ("lexical",)),
        ("semantic", None, "semantic", ("semantic",)),
        ("hybrid", None, "hybrid", ("lexical", "semantic")),
        ("auto", None, "hybrid", ("lexical", "semantic")),
        ("hybrid", "the model is loading", "lexical", ("lexical",)),
        ("auto", "the model is loading", "lexical", ("lexical",)),
    ],
)
def test_the_plan_of_a_mode(
    mode: Mode, meaning: str | None, carried_out: str, sources: tuple[str, ...]
) -> None:
    plan = make_plan(mode, 5, meaning=meaning)
    assert (plan.mode, plan.sources) == (carried_out, sources)
    assert any(str(meaning) in note for note in plan.notes) == (
        mode in ("auto", "hybrid") and meaning is not None
    )


def test_sources_that_are_fused_give_more_than_is_asked_for() -> None:
    assert make_plan("auto", 5, meaning=None).depth == CANDIDATES
    assert make_plan("auto", 500, meaning=None).depth == 1000
    assert make_plan("lexical", 5, meaning=None).depth == 5
