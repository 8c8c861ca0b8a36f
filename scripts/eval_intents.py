"""Score the rules of the retrieval plan on the labelled queries.

python scripts/eval_intents.py [--split tuning|final|all] [--wrong]
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import _environment
from evaluation.options import split_parser

LABELS = Path(__file__).parent / "evaluation" / "labels" / "intents.json"
PARTS = ("intent", "command", "focus")


def main() -> int:
    _environment.require_python()
    options = _parser().parse_args()
    _environment.run_where_installed()
    queries = json.loads(LABELS.read_text(encoding="utf-8"))["queries"]
    chosen = [one for one in queries if options.split in ("all", one["split"])]
    answers = [(one, _answer(one["query"])) for one in chosen]
    print(f"{options.split}: share of right answers\n")
    print(f"{'':14}{'queries':>8}" + "".join(f"{part:>9}" for part in PARTS))
    for name, group in _groups(answers):
        shares = (sum(one[part] == got[part] for one, got in group) / len(group) for part in PARTS)
        print(f"{name:14}{len(group):>8}" + "".join(f"{share:>9.3f}" for share in shares))
    if options.wrong:
        _print_wrong(answers)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = split_parser(__doc__)
    parser.add_argument("--wrong", action="store_true", help="print what was read wrongly")
    return parser


def _answer(query: str) -> dict[str, Any]:
    from memoryd.language.query.understanding import understand

    found = understand(query)
    return {part: getattr(found, part) for part in PARTS}


Answers = list[tuple[dict[str, Any], dict[str, Any]]]


def _groups(answers: Answers) -> list[tuple[str, Answers]]:
    names = [("lang", "zh"), ("lang", "en"), ("kind", "command"), ("kind", "not_command"), ("kind", "plain")]
    groups = [(name, [pair for pair in answers if pair[0][field] == name]) for field, name in names]
    return [("all", answers), *groups]


def _print_wrong(answers: Answers) -> None:
    print()
    for one, got in answers:
        wrong = [f"{part}: {got[part]}, not {one[part]}" for part in PARTS if got[part] != one[part]]
        if wrong:
            print(f"{one['query']}  ->  {'; '.join(wrong)}")


if __name__ == "__main__":
    raise SystemExit(main())
