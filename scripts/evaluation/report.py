"""The table of a run, and its lines as JSON."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from evaluation.datasets import ADVERSARIAL
from evaluation.metrics import hit, interval, mean, percentile, recall
from evaluation.runner import Answer, Run


def table(run: Run, ks: Sequence[int]) -> str:
    """Mean evidence recall with its 95 % interval, and hit rate, at each k, then the speeds."""
    lines = [scores_table(run.answers, ks)]
    return "\n".join([*lines, "", *_remarks(run)])


def scores_table(answers: Sequence[Answer], ks: Sequence[int]) -> str:
    """A line for each suite and category."""
    groups = list(_groups(answers))
    width = max([len(name) for name, _ in groups], default=0) + 2
    head = "".join(f"{f'recall@{k}':>19}" for k in ks) + "".join(f"{f'hit@{k}':>8}" for k in ks)
    lines = [f"{'':{width}}{'questions':>9}{head}"]
    for name, own in groups:
        recalls = [with_interval([recall(a.question, a.ranked, k) for a in own]) for k in ks]
        hits = [mean([hit(a.question, a.ranked, k) for a in own]) for k in ks]
        columns = "".join(f"{one:>19}" for one in recalls) + "".join(f"{one:>8.3f}" for one in hits)
        lines.append(f"{name:{width}}{len(own):>9}{columns}")
    return "\n".join(lines)


def with_interval(values: Sequence[float], sign: str = "") -> str:
    """The mean and its interval, as .812 [.79, .83]."""
    low, high = interval(values)
    return f"{mean(values):{sign}.3f} [{low:{sign}.2f},{high:{sign}.2f}]"


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
