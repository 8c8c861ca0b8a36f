"""Measure search over memories and what its scores mean, against a daemon of its own.

python scripts/eval_relevance.py FILE... [--at-once]

FILE: LoCoMo's extracted facts, or a companion set of scripts/evaluation/labels. Printed are the share of
messages with a right memory among the first k hits, how well the best score tells messages that are answered
from those that are not, and what passes the product's own threshold. With --at-once the first message is sent
as soon as the memories are acknowledged, to a daemon that has just started.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import _environment

if TYPE_CHECKING:
    from evaluation.datasets import Dataset, Question

__memoryd_script__ = True  # importing the client starts nothing here; the first call does

KS = (1, 5, 10)


@dataclass(frozen=True, slots=True)
class Asked:
    """ranks: places of right memories among the hits, from 1. score: the highest; 0 without hits."""

    question: Question
    ranks: list[int]
    score: float
    answerable: bool | None

    @property
    def is_answered(self) -> bool:
        """Whether anything stored answers it."""
        return bool(self.question.any_of)


def main() -> int:
    _environment.require_python()
    options = _parser().parse_args()
    _environment.run_where_installed()
    from _temporary import leave_tidily, temporary_daemon
    from evaluation.memory_sets import load_memories

    leave_tidily()
    for path in options.files:
        dataset = load_memories(path)
        with temporary_daemon() as client:
            names = _stored(client, dataset, wait=not options.at_once)
            asked = [_ask(client, dataset, question, names) for question in dataset.questions]
        print(f"\n{dataset.name}: {len(asked)} messages")
        for line in _described(asked):
            print(f"  {line}", flush=True)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE")
    parser.add_argument("--at-once", action="store_true", help="do not wait for the vectors")
    return parser


def _stored(client: Any, dataset: Dataset, *, wait: bool) -> dict[str, str]:
    """The label's name of each stored memory, by id."""
    from evaluation.runner import remember, wait_for_vectors

    names: dict[str, str] = {}
    for user, items in dataset.stores.items():
        names |= remember(client, user, items, _notice)
    if wait:
        wait_for_vectors(client, _notice)
    return names


def _ask(client: Any, dataset: Dataset, question: Question, names: dict[str, str]) -> Asked:
    hits = client.search(
        question.text,
        max(KS),
        user_id=question.store,
        reference_time=dataset.reference(question.store),
        tz=dataset.tz,
    )
    found = [names[hit["id"]] for hit in hits]
    ranks = [rank for rank, name in enumerate(found, 1) if name in question.any_of]
    return Asked(question, ranks, max((hit["score"] for hit in hits), default=0.0), hits.answerable)


def _described(asked: Sequence[Asked]) -> Iterator[str]:
    import numpy as np

    from evaluation.calibration_training import auroc
    from evaluation.memory_sets import ACROSS

    answered = [one for one in asked if one.is_answered]
    across = [one for one in answered if one.question.category == ACROSS]
    for title, part in (("answered", answered), ("of which across languages", across)):
        if part:
            shares = " / ".join(f"{_share(part, k):.3f}" for k in KS)
            yield f"{title}: {len(part)}, right memory among the first {'/'.join(map(str, KS))}: {shares}"
    scores, wanted = np.array([one.score for one in asked]), np.array([one.is_answered for one in asked])
    right = [one for one in answered if one.ranks[:1] == [1]]
    yield f"right first hits that count as answerable: {_answerable(right):.3f}"
    for kind in dict.fromkeys(one.question.category for one in asked if not one.is_answered):
        unanswered = [one for one in asked if one.question.category == kind]
        chosen = wanted | np.array([one.question.category == kind for one in asked])
        area = auroc(scores[chosen], wanted[chosen])
        yield f"{kind}: {len(unanswered)}, let through {_answerable(unanswered):.3f}, AUROC {area:.3f}"


def _share(asked: Sequence[Asked], k: int) -> float:
    return sum(any(rank <= k for rank in one.ranks) for one in asked) / len(asked)


def _answerable(asked: Sequence[Asked]) -> float:
    """The share whose best score passes the threshold; one that was not judged does not pass."""
    return sum(one.answerable is True for one in asked) / max(1, len(asked))


def _notice(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
