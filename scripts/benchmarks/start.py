"""Importing the client, and the first answers where no daemon runs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from _temporary import stop
from benchmarks.harness import Bench, Figure, median, spread

ROUNDS = 7
# What an app does: the import starts the daemon behind, the first call waits for it.
APP = """
import json, sys, time
begun = time.perf_counter()
import memory_client
imported = time.perf_counter()
hits = memory_client.get_knowledge_client().search(sys.argv[1], 5, mode=sys.argv[2])
answered = time.perf_counter()
assert hits, "no hits"
print(json.dumps({"import": imported - begun, "answer": answered - begun}))
"""


def run(bench: Bench) -> Iterator[Figure]:
    home, query = bench.ten_thousand, bench.short_texts[77][:20]
    keyword = [_app(home, query, "lexical") for _ in range(ROUNDS)]
    semantic = [_app(home, query, "semantic") for _ in range(ROUNDS)]
    imports = [times["import"] * 1000 for times in keyword + semantic]
    yield Figure(
        "import memory_client, background start included", median(imports), "ms", 100, note=spread(imports)
    )
    for name, times, limit in (("keyword", keyword, 1000), ("semantic", semantic, 1500)):
        answers = [one["answer"] * 1000 for one in times]
        label = f"no daemon to first {name} answer, 10k memories"
        yield Figure(label, median(answers), "ms", limit, note=spread(answers))
    yield from _against_the_original(bench, home, query)


def _against_the_original(bench: Bench, home: Path, query: str) -> Iterator[Figure]:
    """The fast engine is loaded behind the first answer: what does that cost it? By turns."""
    original = bench.original
    times: dict[Path, list[float]] = {home: [], original: []}
    for _ in range(ROUNDS):
        for each, own in times.items():
            own.append(_app(each, query, "semantic")["answer"] * 1000)
    own, theirs = median(times[home]), median(times[original])
    note = f"{own:.0f} ms, with the original engine only {theirs:.0f} ms"
    yield Figure("first semantic answer against the original's", own / theirs, "x", 1.0, note=note)


def _app(home: Path, query: str, mode: str) -> dict[str, float]:
    environ = {**os.environ, "MEMORYD_HOME": str(home)}
    environ.pop("MEMORYD_AUTOSTART", None)
    command = [sys.executable, "-c", APP, query, mode]
    try:
        done = subprocess.run(command, env=environ, cwd=home, capture_output=True, text=True, check=True)
    finally:
        stop(home)
    times: dict[str, float] = json.loads(done.stdout)
    return times
