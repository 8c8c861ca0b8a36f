"""Intervals, splits, and the ranker's training on candidates made up for it."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from evaluation import candidates
from evaluation.ablation import ablate, leave_one_out
from evaluation.candidates import SOURCES, Judged, kept
from evaluation.datasets import ADVERSARIAL, Dataset, Question, load
from evaluation.metrics import interval
from evaluation.report import with_interval
from evaluation.rescoring import left_out, linear, ranked, recalls, rrf, without_source
from evaluation.sets import PROFILES
from evaluation.training import Trained, train

FEATURES = ("matched", "question")


def judged(
    group: str,
    gold: Sequence[int],
    values: Sequence[tuple[float, float]],
    category: str = "fact",
    any_of: bool = False,
) -> Judged:
    """A question of four candidates, each found by the lexical source alone."""
    items = [f"{group}{at}" for at in range(len(values))]
    evidence = frozenset(items[at] for at in gold)
    table = np.zeros((len(values), len(candidates.FEATURES)), np.float32)
    table[:, [candidates.FEATURES.index(name) for name in FEATURES]] = values
    ranks = np.zeros((len(values), len(SOURCES)), np.int32)
    ranks[:, 0] = range(1, len(values) + 1)
    chosen = (evidence, frozenset[str]()) if any_of else (frozenset[str](), evidence)
    question = Question(group, "LoCoMo", category, "?", *chosen)
    return Judged(question, items, table, ranks, np.array([item in evidence for item in items]), 0.0, 5)


def questions(count: int = 30, category: str = "fact") -> list[Judged]:
    """Evidence matches better and is no question, with noise that makes neither certain."""
    chance = np.random.default_rng(1)
    found = []
    for at in range(count):
        rows = [(0.2 + 0.3 * chance.random(), float(chance.random() < 0.5)) for _ in range(4)]
        rows[at % 4] = (0.35 + 0.3 * chance.random(), float(chance.random() < 0.1))
        found.append(judged(f"g{at % 3}", [at % 4], rows, category, any_of=at % 2 == 0))
    return found


def test_the_interval_holds_the_mean_and_narrows_with_more_questions() -> None:
    few, many = interval([0.0, 1.0] * 10), interval([0.0, 1.0] * 500)
    assert few[0] < many[0] < 0.5 < many[1] < few[1]
    assert interval([1.0, 1.0]) == (1.0, 1.0)
    assert math.isnan(interval([])[0])
    assert with_interval([0.5, 0.5], "+") == "+0.500 [+0.50,+0.50]"


def test_only_questions_of_the_split_are_asked(tmp_path: Path) -> None:
    history = {"2023-05-01": [{"query": "我爱吃面", "response": "好"}]}
    asked = [
        {
            "user": "王",
            "question": name,
            "kind": "fact",
            "any_of": ["2023-05-01#0"],
            "all_of": [],
            "split": name,
        }
        for name in ("tuning", "final")
    ]
    (tmp_path / "m.json").write_text(
        json.dumps({"users": [{"user": "王", "history": history}], "questions": []}), encoding="utf-8"
    )
    (tmp_path / "q.json").write_text(json.dumps({"questions": asked}), encoding="utf-8")
    found = load(tmp_path / "m.json", tmp_path / "q.json", "tuning")
    assert {question.text for question in found.questions} == {"tuning"}


def test_training_finds_what_tells_evidence_apart() -> None:
    trained = train(questions(), FEATURES, [candidates.FEATURES.index(name) for name in FEATURES])
    assert trained.weights["matched"] > 0 > trained.weights["question"]


def test_a_weight_of_the_wrong_sign_is_left_out() -> None:
    turned = [judged(f"g{at % 3}", [0], [(0.1, 1.0), (0.9, 0.0)]) for at in range(9)]
    trained = train(turned, FEATURES, [candidates.FEATURES.index(name) for name in FEATURES])
    assert trained.weights == {"matched": 0.0, "question": 0.0}


def test_scores_are_calibrated() -> None:
    every = questions(300)
    ranker = linear(train(every, FEATURES, [candidates.FEATURES.index(name) for name in FEATURES]))
    scores = np.concatenate([1 / (1 + np.exp(-ranker(one))) for one in every])
    assert scores.mean() == pytest.approx(0.25, abs=0.005)
    is_high = scores > np.median(scores)
    gold = np.concatenate([one.is_gold for one in every])
    assert scores[is_high].mean() == pytest.approx(gold[is_high].mean(), abs=0.05)


def test_questions_without_an_answer_count_half() -> None:
    """Two kinds of questions want the opposite: the ones that count more decide."""
    columns = [candidates.FEATURES.index("matched")]
    for_it = [judged("a", [0], [(0.9, 0), (0.1, 0)])] * 4
    against = [judged("b", [1], [(0.9, 0), (0.1, 0)], ADVERSARIAL)] * 4
    assert train([*for_it, *against], ["matched"], columns).weights["matched"] > 0
    against = [judged("b", [1], [(0.9, 0), (0.1, 0)])] * 4
    assert train([*for_it, *against], ["matched"], columns).weights["matched"] == pytest.approx(0, abs=1e-6)


def test_each_group_is_ranked_without_having_been_seen() -> None:
    """A group whose evidence is what the others' is not is got wrong, unless it was trained on."""
    every = [judged(f"g{at % 4}", [0], [(0.9, 0), (0.1, 0)]) for at in range(12)]
    odd = [judged("odd", [1], [(0.9, 0), (0.1, 0)])] * 3
    rankers = left_out([*every, *odd], ["matched"], odd)
    assert recalls(odd, rankers, [1]).tolist() == [[0.0]] * 3


def test_plain_fusion_and_what_a_source_alone_found() -> None:
    one = judged("a", [0], [(0.9, 0), (0.1, 0), (0.5, 0)])
    one.ranks[:, :2] = [[2, 0], [1, 3], [0, 1]]
    assert ranked(one, rrf(("lexical", "semantic"))(one)) == ["a1", "a2", "a0"]
    assert ranked(one, rrf(("semantic",))(one)) == ["a2", "a1"]
    by_match = linear(Trained({"matched": 1.0}, 0.0))
    assert ranked(one, by_match(one)) == ["a0", "a2", "a1"]
    assert ranked(one, without_source(by_match, "lexical")(one)) == ["a2", "a1"]


def test_equal_scores_go_to_the_newer() -> None:
    one = judged("a", [0], [(0.5, 0)] * 3)
    assert ranked(one, np.zeros(3)) == ["a2", "a1", "a0"]


def test_candidates_are_kept_until_the_data_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = questions(4)
    asked = [Dataset("LoCoMo", {}, [one.question for one in own], 0, "UTC")]
    made: list[int] = []

    def collect(*_: object) -> list[list[Judged]]:
        made.append(1)
        return [own]

    monkeypatch.setattr("evaluation.candidates.collect", collect)
    file = tmp_path / "kept.npz"
    for data in (b"one", b"one", b"two"):
        [found] = kept(file, asked, data, 10, print)
        assert [one.items for one in found] == [one.items for one in own]
        assert all(np.array_equal(a.values, b.values) for a, b in zip(found, own, strict=True))
        assert all(np.array_equal(a.is_gold, b.is_gold) for a, b in zip(found, own, strict=True))
    assert len(made) == 2


def test_the_tables_name_every_feature_and_source() -> None:
    sets = {"LoCoMo": questions(12), "MemoryBank": questions(12), "MemoryBank, our questions": questions(12)}
    lines: list[str] = []
    ablate(sets, lines.append)
    text = "\n".join(lines)
    assert all(f"| - {name} |" in text for name in PROFILES["late"])
    assert all(f"| - source {name} |" in text for name in SOURCES)
    assert "| RRF |" in text
    assert "LoCoMo: fact" in leave_one_out(sets)
