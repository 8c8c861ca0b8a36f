"""Score the conflict rules on the labelled pairs, by language and kind.

python scripts/eval_conflicts.py [--split tuning|final|all] [--misses]
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import _environment
from evaluation.options import split_parser

LABELS = Path(__file__).parent / "evaluation" / "labels" / "conflicts.json"


@dataclass(frozen=True, slots=True)
class Answer:
    """A labelled pair and the conflict detected in it (type, severity, detail), if any."""

    entry: dict[str, Any]
    found: tuple[str, str, str] | None

    @property
    def is_right(self) -> bool:
        return (self.found is not None) == self.entry["conflict"]


def main() -> int:
    _environment.require_python()
    options = _parser().parse_args()
    _environment.run_where_installed()
    entries = json.loads(LABELS.read_text(encoding="utf-8"))["pairs"]
    splits = ["tuning", "final"] if options.split == "all" else [options.split]
    for split in splits:
        answers, seconds = answer_pairs([entry for entry in entries if entry["split"] == split])
        print(f"{split}\n{_table(answers)}\nmedian {1000 * seconds:.2f} ms a pair\n")
        if options.misses:
            _show_misses(answers)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = split_parser(__doc__)
    parser.add_argument("--misses", action="store_true", help="show the pairs answered wrongly")
    return parser


def answer_pairs(entries: Sequence[dict[str, Any]]) -> tuple[list[Answer], float]:
    """The answers for pairs, and the median time of one in seconds."""
    from memoryd.language.conflicts.detector import detect_conflict
    from memoryd.language.conflicts.types import DatedText
    from memoryd.language.triples import extract_statements

    answers, seconds = [], []
    for entry in entries:
        started = time.perf_counter()
        first, second = (DatedText(entry[name], triples=extract_statements(entry[name])) for name in "ab")
        found = detect_conflict(first, second)
        seconds.append(time.perf_counter() - started)
        answers.append(Answer(entry, found and (found.type, found.severity, found.detail)))
    return answers, sorted(seconds)[len(seconds) // 2]


def _table(answers: Sequence[Answer]) -> str:
    lines = [f"{'':12} {'pairs':>6} {'precision':>12} {'recall':>12} {'type':>12} {'severity':>12}"]
    for lang in ("zh", "en", "both"):
        of_lang = [a for a in answers if lang in (a.entry["lang"], "both")]
        lines += [_line(lang, of_lang)]
    for kind in sorted({a.entry["kind"] for a in answers}):
        of_kind = [a for a in answers if a.entry["kind"] == kind]
        right = sum(a.is_right for a in of_kind)
        lines.append(f"  {kind:18} {right}/{len(of_kind)} right")
    return "\n".join(lines)


def _line(name: str, answers: Sequence[Answer]) -> str:
    """Type and severity are shares of the conflicts detected."""
    found = [a for a in answers if a.found]
    true = [a for a in found if a.entry["conflict"]]
    kinds = sum(a.found[0] == a.entry["type"] for a in true if a.found)
    severities = sum(a.found[1] == a.entry["severity"] for a in true if a.found)
    wanted = sum(a.entry["conflict"] for a in answers)
    cells = [(len(true), len(found)), (len(true), wanted), (kinds, len(true)), (severities, len(true))]
    return f"{name:12} {len(answers):>6} " + " ".join(f"{_share(*cell):>12}" for cell in cells)


def _share(part: int, whole: int) -> str:
    return f"{part}/{whole} {part / whole:.2f}" if whole else "-"


def _show_misses(answers: Sequence[Answer]) -> None:
    for answer in answers:
        entry, found = answer.entry, answer.found
        if not answer.is_right or (found and found[:2] != (entry["type"], entry["severity"])):
            print(f"{entry['a']} | {entry['b']}\n  {entry['type']} {entry['severity']}, found {found}")


if __name__ == "__main__":
    raise SystemExit(main())
