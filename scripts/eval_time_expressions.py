"""Score the time expressions on the labelled queries, by language and kind.

python scripts/eval_time_expressions.py [--split tuning|final|all] [--misses]
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import _environment
from evaluation.options import split_parser

LABELS = Path(__file__).parent / "evaluation" / "labels" / "time_expressions.json"


def main() -> int:
    _environment.require_python()
    options = _parser().parse_args()
    _environment.run_where_installed()
    entries = json.loads(LABELS.read_text(encoding="utf-8"))["expressions"]
    entries = [entry for entry in entries if options.split in ("all", entry["split"])]
    answers = [(entry, *_answer(entry)) for entry in entries]
    print(_table([(entry, exact) for entry, exact, _ in answers]))
    if options.misses:
        for entry, exact, found in answers:
            if not exact:
                print(f"\n{entry['text']}  [{entry['reference_time']}]\n  {entry['expect']}\n  {found}")
    print(f"\nmedian {_milliseconds(entries):.3f} ms a query")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = split_parser(__doc__)
    parser.add_argument("--misses", action="store_true", help="show what was answered wrongly")
    return parser


def _reference(entry: dict[str, Any]) -> datetime:
    return datetime.fromisoformat(entry["reference_time"]).astimezone(ZoneInfo(entry["tz"]))


def _answer(entry: dict[str, Any]) -> tuple[bool, Any]:
    """Whether the answer is exact, and the expressions found."""
    from memoryd.language.times import find_times

    found = find_times(entry["text"], _reference(entry))
    expected = entry["expect"]
    if expected is None or len(found) != 1:
        return expected is None and not found, found
    if expected.get("invalid"):
        return found[0].invalid is not None, found
    zone = ZoneInfo(entry["tz"])
    ends = [_aware(expected[end], zone) for end in ("start", "end")]
    return found[0].invalid is None and ends == [_seconds(found[0].start), _seconds(found[0].end)], found


def _aware(wall_clock: str | None, zone: ZoneInfo) -> float | None:
    return None if wall_clock is None else datetime.fromisoformat(wall_clock).replace(tzinfo=zone).timestamp()


def _seconds(moment: datetime | None) -> float | None:
    return None if moment is None else moment.timestamp()


def _table(answers: list[tuple[dict[str, Any], bool]]) -> str:
    right: Counter[tuple[str, str]] = Counter()
    count: Counter[tuple[str, str]] = Counter()
    for entry, exact in answers:
        for kind in (entry["kind"], "ALL", "with a time" if entry["expect"] else "without"):
            count[entry["lang"], kind] += 1
            right[entry["lang"], kind] += exact
    kinds = sorted(
        {kind for _, kind in count}, key=lambda kind: (kind not in ("ALL", "with a time", "without"), kind)
    )
    lines = [f"{'kind':16} {'zh':>14} {'en':>14}"]
    for kind in kinds:
        cells = [_cell(right[lang, kind], count[lang, kind]) for lang in ("zh", "en")]
        lines.append(f"{kind:16} {cells[0]:>14} {cells[1]:>14}")
    return "\n".join(lines)


def _cell(right: int, count: int) -> str:
    return f"{right}/{count} {right / count:.3f}" if count else "-"


def _milliseconds(entries: list[dict[str, Any]]) -> float:
    from memoryd.language.times import find_times

    seconds = []
    for entry in entries:
        reference = _reference(entry)
        started = time.perf_counter()
        find_times(entry["text"], reference)
        seconds.append(time.perf_counter() - started)
    return 1000 * sorted(seconds)[len(seconds) // 2] if seconds else 0.0


if __name__ == "__main__":
    raise SystemExit(main())
