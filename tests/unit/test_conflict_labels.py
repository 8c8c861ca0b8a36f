"""Precision and recall of the conflict rules on both halves of the labelled pairs."""

from __future__ import annotations

import json

import pytest

import eval_conflicts


@pytest.mark.parametrize(
    ("langs", "min_precision", "min_recall"), [("zh en", 0.9, 0.7), ("zh", 0.85, 0.6), ("en", 0.85, 0.6)]
)
@pytest.mark.parametrize("split", ["tuning", "final"])
def test_precision_and_recall(split: str, langs: str, min_precision: float, min_recall: float) -> None:
    pairs = json.loads(eval_conflicts.LABELS.read_text(encoding="utf-8"))["pairs"]
    wanted = [pair for pair in pairs if pair["split"] == split and pair["lang"] in langs.split()]
    answers, _ = eval_conflicts.answer_pairs(wanted)
    found = [answer for answer in answers if answer.found]
    right = sum(answer.is_right for answer in found)
    assert right / len(found) >= min_precision
    assert right / sum(pair["conflict"] for pair in wanted) >= min_recall
