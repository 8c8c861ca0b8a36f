"""Measure everything that was asked of memoryd's speed and size, and print asked against reached.

python scripts/bench.py [embed bulk start search keyword users recall add decay versions triples knowledge
                        size load] [--turns FILE] [--million] [--json FILE] [--dir PATH]
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import _environment

if TYPE_CHECKING:
    from benchmarks.harness import Figure

SECTIONS = {
    "embed": "benchmarks.embed",
    "bulk": "benchmarks.many",
    "start": "benchmarks.start",
    "search": "benchmarks.search",
    "keyword": "benchmarks.keyword",
    "users": "benchmarks.users",
    "recall": "benchmarks.recall",
    "add": "benchmarks.add",
    "decay": "benchmarks.decay",
    "versions": "benchmarks.versions",
    "triples": "benchmarks.triples",
    "knowledge": "benchmarks.knowledge",
    "size": "benchmarks.size",
    "load": "benchmarks.load",
}
MILLION = "million"
# Importing the client starts nothing here.
__memoryd_script__ = True


def main() -> int:
    _environment.require_python()
    options = _parser().parse_args()
    _environment.run_where_installed()
    from _temporary import leave_tidily
    from benchmarks.harness import Bench
    from memory_client.errors import MemorydError

    leave_tidily()
    figures: list[Figure] = []
    try:
        with TemporaryDirectory(prefix="memoryd-bench-", dir=options.dir) as root:
            bench = Bench(Path(root), _notice, options.turns)
            print(f"{_machine()}\n\n{'':52}{'asked':>12}{'reached':>14}")
            sections = [MILLION] if options.million else options.sections or SECTIONS
            for section in sections:
                figures.extend(_measured(section, bench))
    except (MemorydError, TimeoutError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    if options.json:
        _write(options.json, figures)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "sections", nargs="*", metavar="SECTION", help=f"of {', '.join(SECTIONS)}; all by default"
    )
    parser.add_argument("--turns", type=Path, help="a LoCoMo file whose turns are embedded (synthetic texts)")
    parser.add_argument(
        "--million", action="store_true", help="only a million turns: a quarter of an hour, ten gigabytes"
    )
    parser.add_argument("--json", type=Path, help="write the figures to a file")
    parser.add_argument("--dir", type=Path, help="where the temporary data lies (the system's place)")
    return parser


def _measured(section: str, bench: object) -> Iterator[Figure]:
    _notice(f"-- {section}")
    for figure in import_module(SECTIONS.get(section, f"benchmarks.{section}")).run(bench):
        print(_line(figure), flush=True)
        yield figure


def _line(figure: Figure) -> str:
    sign = ">=" if figure.at_least else "<="
    asked = "" if figure.limit is None else f"{sign} {figure.limit:g}"
    verdict = {None: "", True: "  ok", False: "  MISSED"}[figure.met]
    note = f"  ({figure.note})" if figure.note else ""
    return f"{figure.name:52}{asked:>12}{figure.reached:>10.2f} {figure.unit:<5}{verdict}{note}"


def _machine() -> str:
    cores, day = os.cpu_count(), time.strftime("%Y-%m-%d")
    return (
        f"{day}, {platform.system()} {platform.machine()}, {cores} cores, Python {platform.python_version()}"
    )


def _write(path: Path, figures: list[Figure]) -> None:
    lines = [{**asdict(figure), "met": figure.met} for figure in figures]
    content = {"machine": _machine(), "figures": lines}
    path.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def _notice(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
