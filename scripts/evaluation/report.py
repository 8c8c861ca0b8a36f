"""The table of a run, and its lines as JSON."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from evaluation.datasets import ADVERSARIAL
from evaluation.metrics import hit, mean, percentile, recall
from evaluation.runner import Answer, Run


def table(run: Run, ks: Sequence[int]) -> str:
    """Mean evidence recall and hit rate at each k, by suite and category, then the speeds."""
    groups = list(_groups(run.answers))
    width = max([len(name) for name, _ in groups], default=0) + 2
    head = [f"{score}@{k}" for score in ("recall", "hit") for k in ks]
    lines = [f"{'':{width}}{'questions':>9}" + "".join(f"{name:>11}" for name in head)]
    for name, answers in groups:
        scores = [
            mean([score(a.question, a.ranked, k) for a in answers]) for score in (recall, hit) for k in ks
        ]
        lines.append(f"{name:{width}}{len(answers):>9}" + "".join(f"{score:>11.3f}" for score in scores))
    return "\n".join([*lines, "", *_remarks(run)])


def _groups(answers: Sequence[Answer]) -> Iterator[tuple[str, list[Answer]]]:
    """Each suite: all its questions, those that are not adversarial when some are, each category."""
    for suite in dict.fromkeys(a.question.suite for a in answers):
        own = [a for a in answers if a.question.suite == suite]
        yield f"{suite}: all", own
        categories = sorted({a.question.category for a in own})
        if ADVERSARIAL in categories:
            yield f"{suite}: all but adversarial", [a for a in own if a.question.category != ADVERSARIAL]
        for category in categories:
            yield f"{suite}: {category}", [a for a in own if a.question.category == category]


def _remarks(run: Run) -> Iterator[str]:
    if run.dataset.skipped:
        yield f"left out: {run.dataset.skipped} questions without evidence in the data"
    modes = Counter(a.mode for a in run.answers)
    yield "carried out as: " + ", ".join(f"{mode} {count}" for mode, count in modes.most_common())
    yield f"embedder: {run.embedder.get('fingerprint') or 'none'}"
    yield f"engine: {run.embedder.get('engine') or 'none'}"
    rate = run.items / run.ingest_seconds
    yield f"stored {run.items} items in {run.ingest_seconds:.1f} s ({rate:.0f} a second)"
    yield f"vectors complete {run.index_seconds:.1f} s later"
    times = [a.milliseconds for a in run.answers]
    yield f"a query: median {percentile(times, 0.5):.1f} ms, p95 {percentile(times, 0.95):.1f} ms"


def write_lines(run: Run, ks: Sequence[int], path: Path) -> None:
    """One JSON object a question."""
    with path.open("w", encoding="utf-8") as file:
        for answer in run.answers:
            file.write(json.dumps(_line(answer, ks), ensure_ascii=False) + "\n")


def _line(answer: Answer, ks: Sequence[int]) -> dict[str, Any]:
    question = answer.question
    return {
        "suite": question.suite,
        "store": question.store,
        "category": question.category,
        "question": question.text,
        "any_of": sorted(question.any_of),
        "all_of": sorted(question.all_of),
        "ranked": answer.ranked,
        "recall": {str(k): recall(question, answer.ranked, k) for k in ks},
        "hit": {str(k): hit(question, answer.ranked, k) for k in ks},
        "mode": answer.mode,
        "milliseconds": round(answer.milliseconds, 3),
    }
