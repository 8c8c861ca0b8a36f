"""Score the rules that find triples in sentences on the labelled ones.

python scripts/eval_triples.py [--split tuning|final|all] [--wrong]

How a triple is judged stands in scripts/evaluation/labels/README.md.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import _environment
from evaluation.options import split_parser

LABELS = Path(__file__).parent / "evaluation" / "labels" / "triples.json"


@dataclass
class Score:
    """Counts over sentences. qualified: right ones whose frequency and condition are right, too."""

    sentences: int = 0
    expected: int = 0
    found: int = 0
    right: int = 0
    qualified: int = 0
    seconds: float = 0.0
    wrong: list[str] = field(default_factory=list)


def main() -> int:
    _environment.require_python()
    options = _parser().parse_args()
    _environment.run_where_installed()
    from memoryd.language.triples.extractor import warm_up

    warm_up()
    sentences = json.loads(LABELS.read_text(encoding="utf-8"))["sentences"]
    chosen = [one for one in sentences if options.split in ("all", one["split"])]
    print(f"{options.split}: triples found by rules\n")
    print(f"{'':6}{'sentences':>10}{'precision':>11}{'recall':>8}{'qualifiers':>12}{'ms each':>9}")
    for name in ("all", "zh", "en"):
        score = _scored([one for one in chosen if name in ("all", one["lang"])])
        print(
            f"{name:6}{score.sentences:>10}{score.right / max(1, score.found):>11.3f}"
            f"{score.right / max(1, score.expected):>8.3f}{score.qualified / max(1, score.right):>12.3f}"
            f"{score.seconds / max(1, score.sentences) * 1000:>9.2f}"
        )
        if name == "all" and options.wrong:
            wrong = score.wrong
    if options.wrong:
        print("\n" + "\n".join(wrong))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = split_parser(__doc__)
    parser.add_argument("--wrong", action="store_true", help="print what is wrong and what is missing")
    return parser


def _scored(sentences: list[dict[str, Any]]) -> Score:
    from memoryd.language.triples import extract_statements

    score = Score(sentences=len(sentences))
    for one in sentences:
        started = time.perf_counter()
        found = extract_statements(one["text"])
        score.seconds += time.perf_counter() - started
        _count(score, one, found)
    return score


def _count(score: Score, one: dict[str, Any], found: list[Any]) -> None:
    left = list(one["expect"])
    score.expected += len(left)
    score.found += len(found)
    for triple in found:
        match = next((wanted for wanted in left if _is_right(triple, wanted)), None)
        if match is None:
            score.wrong.append(f"{one['text']}  ->  wrong: {triple}")
            continue
        left.remove(match)
        score.right += 1
        score.qualified += all(
            _folded(getattr(triple, name)) == _folded(match[name]) for name in ("frequency", "condition")
        )
    score.wrong += [f"{one['text']}  ->  missing: {wanted}" for wanted in left]


def _is_right(triple: Any, wanted: dict[str, Any]) -> bool:
    from memoryd.language.triples import SYMMETRIC

    if (triple.predicate, triple.negation) != (wanted["predicate"], wanted["negation"]):
        return False
    ends = (_folded(triple.subject), _folded(triple.object))
    expected = (_folded(wanted["subject"]), _folded(wanted["object"]))
    return ends == expected or (triple.predicate in SYMMETRIC and ends[::-1] == expected)


def _folded(name: str | None) -> str:
    from memoryd.language.triples import key_of

    return key_of(name) if name else ""


if __name__ == "__main__":
    raise SystemExit(main())
