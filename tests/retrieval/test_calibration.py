"""Scores are probabilities that compare between queries; standing only orders the equally relevant."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd.language.text_features import text_language
from memoryd.retrieval.ranking.calibration import (
    EVIDENCE,
    Calibration,
    calibrate,
    calibration_of,
    evidence_of,
    relevant_score,
)
from memoryd.retrieval.ranking.fuse import Fused, log_odds, logistic
from memoryd.retrieval.ranking.ranker import ProfileName
from memoryd.retrieval.ranking.standing import LIMIT, Standings, reorder
from memoryd.retrieval.ranking.trained_space import FILE, TrainedSpace, trained_space

PROFILES: tuple[ProfileName, ...] = ("memory", "late")


def standings(importance: float = 1.0, unused_days: float = 0.0, confidence: float = 1.0) -> Standings:
    return Standings(*(np.array([value]) for value in (importance, unused_days, confidence)))


@given(st.floats(0.0001, 0.9999))
def test_log_odds_and_logistic_undo_each_other(probability: float) -> None:
    assert logistic(log_odds(probability)) == pytest.approx(probability)


@pytest.mark.parametrize("profile", PROFILES)
def test_every_calibration_reads_the_evidence_there_is_and_keeps_the_order(profile: ProfileName) -> None:
    calibration = calibration_of(profile)
    assert calibration is not None
    assert calibration.weights.keys() <= set(EVIDENCE)
    assert calibration.slope > 0
    found = [Fused(row, rank_score=total) for row, total in ((1, 2.0), (2, 1.0), (3, -4.0))]
    calibrate(found, calibration, evidence_of([2.0, 1.0, -4.0], 0.9, 3.0, 8))
    assert all(first.score > second.score for first, second in itertools.pairwise(found))
    assert all(one.is_calibrated for one in found)


@pytest.mark.parametrize("profile", PROFILES)
def test_a_message_that_wants_nothing_of_memory_scores_lower(profile: ProfileName) -> None:
    calibration = calibration_of(profile)
    assert calibration is not None
    wants, idle = (calibration.log_odds([1.0], evidence_of([1.0], 0.88, w, 6))[0] for w in (4.0, -4.0))
    assert wants > idle + 0.5


def test_evidence_of_a_single_text() -> None:
    assert evidence_of([2.5], 0.9, 0.0, 3)["crowd"] == 0.0
    assert evidence_of([2.5, 2.5], 0.9, 0.0, 3)["crowd"] == pytest.approx(np.log(2))


def test_the_dense_profile_is_not_calibrated() -> None:
    assert calibration_of("dense") is None


def test_the_threshold_is_a_probability() -> None:
    assert 0 < relevant_score() < 1


@given(st.floats(0, 5), st.floats(0, 10_000), st.floats(0, 1), st.floats(0, 100))
def test_standing_is_bounded_whatever_the_weights(
    importance: float, days: float, confidence: float, weight: float
) -> None:
    moved = standings(importance, days, confidence).adjustments({"importance": weight, "recency": weight})
    assert abs(moved[0]) <= LIMIT


def test_importance_recency_and_confidence_raise_a_memory() -> None:
    usual = standings(1.0, 10.0).adjustments({})[0]
    assert standings(2.0, 10.0).adjustments({})[0] > usual
    assert standings(1.0, 1.0).adjustments({})[0] > usual
    assert standings(1.0, 10.0, 0.5).adjustments({})[0] < usual


def test_weights_of_nothing_leave_the_order_to_relevance() -> None:
    weights = dict.fromkeys(("importance", "recency", "confidence"), 0.0)
    assert standings(5.0, 0.0, 0.1).adjustments(weights)[0] == 0.0


def test_standing_orders_equally_relevant_texts_and_leaves_their_scores() -> None:
    stale, fresh = Fused(1, score=0.7, rank_score=0.9), Fused(2, score=0.7, rank_score=0.9)
    ordered = reorder([stale, fresh], {1: -0.1, 2: 0.2})
    assert [one.row for one in ordered] == [2, 1]
    assert [one.score for one in ordered] == [0.7, 0.7]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("主人喜欢爬山", "zh"),
        ("The user likes hiking", "en"),
        ("我的 MacBook 坏了", "zh"),
        ("She said 你好 to everybody there", "en"),
        ("42", "en"),
        ("", "en"),
    ],
)
def test_the_language_of_a_text(text: str, language: str) -> None:
    assert text_language(text) == language


def test_another_space_has_nothing_trained() -> None:
    assert trained_space("some/other model") is None


def test_a_translated_query_lies_where_the_texts_of_the_other_language_do() -> None:
    with np.load(FILE) as stored:
        space = trained_space(str(stored["fingerprint"]))
    assert isinstance(space, TrainedSpace)
    chinese, english = space.passages / np.linalg.norm(space.passages, axis=1, keepdims=True)
    moved = space.translated(chinese, "zh")
    assert np.linalg.norm(moved) == pytest.approx(1, abs=1e-5)
    assert moved @ english > chinese @ english


def test_the_slope_acts_on_the_distance_from_the_best() -> None:
    calibration = Calibration(2.0, {"best": 1.0}, -1.0)
    assert calibration.log_odds([3.0, 2.5], {"best": 3.0}) == [2.0, 1.0]
