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
FIRST_STARTS = 3
QUESTION, ANSWER = "weekend hobby", "主人喜欢在周末去爬山"
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
FIRST = f"""
import json, sys, time
begun = time.perf_counter()
import memory_client
client = memory_client.get_knowledge_client()
client.add_many(["The printer is out of ink", {ANSWER!r}, "妈妈对花生过敏", "The car is blue"])
while not (hits := client.search(sys.argv[1], 1, mode=sys.argv[2])):
    pass
answered = time.perf_counter()
assert hits[0]["text"] == {ANSWER!r}, hits
print(json.dumps({{"answer": answered - begun}}))
"""


def run(bench: Bench) -> Iterator[Figure]:
    home, query = bench.ten_thousand, bench.short_texts[77][:20]
    keyword = [_app(home, query, "lexical") for _ in range(ROUNDS)]
    semantic = [_app(home, query, "semantic") for _ in range(ROUNDS)]
    imports = [times["import"] * 1000 for times in keyword + semantic]
    yield Figure(
        "import memory_client, background start included", median(imports), "ms", 100, note=spread(imports)
    )
    for name, times, limit in (("keyword", keyword, 1000), ("semantic", semantic, 800)):
        answers = [one["answer"] * 1000 for one in times]
        label = f"no daemon to first {name} answer, 10k memories"
        yield Figure(label, median(answers), "ms", limit, note=spread(answers))
    yield from _from_nothing(bench)


def _from_nothing(bench: Bench) -> Iterator[Figure]:
    """An app that stores four facts and asks about one: the model's files are built in between."""
    times = []
    for number in range(FIRST_STARTS):
        home = bench.root / f"nothing-{number}"
        home.mkdir(mode=0o700)
        times.append(_app(home, QUESTION, "semantic", FIRST)["answer"] * 1000)
    note = f"the engine's files included; {spread(times)}"
    yield Figure("nothing on disk to first semantic answer", median(times), "ms", 4000, note=note)


def _app(home: Path, query: str, mode: str, code: str = APP) -> dict[str, float]:
    environ = {**os.environ, "MEMORYD_HOME": str(home)}
    environ.pop("MEMORYD_AUTOSTART", None)
    command = [sys.executable, "-c", code, query, mode]
    try:
        done = subprocess.run(command, env=environ, cwd=home, capture_output=True, text=True, check=True)
    finally:
        stop(home)
    times: dict[str, float] = json.loads(done.stdout)
    return times
