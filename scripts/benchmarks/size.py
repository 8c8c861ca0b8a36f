"""Memory and disk, and what takes them."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from benchmarks.harness import TEN_THOUSAND, Bench, Figure, wait_ready
from memory_client.paths import DataPaths

MB = 2**20
# Cumulative resident memory of what the daemon is made of, in a process of its own.
STAGES = """
import json, psutil, sys
rss, out = lambda: psutil.Process().memory_info().rss, []
def stage(name): out.append((name, rss()))
stage("interpreter")
import numpy; stage("numpy")
import memoryd.daemon; stage("memoryd's code and its libraries")
from pathlib import Path
from memoryd.models.base import Loading; from memoryd.models.e5.bundled import open_bundled
model = open_bundled(Path(sys.argv[1]), Loading()); model.embed_queries(["warm up"] * 8)
stage("embedding model")
import lancedb; stage("lancedb and arrow")
print(json.dumps(out))
"""


def run(bench: Bench) -> Iterator[Figure]:
    home = bench.ten_thousand
    with bench.running(home) as client:
        wait_ready(client)
        for mode in ("hybrid", "semantic", "lexical"):
            client.search("主人在图书馆", mode=mode)
        searched = client.status()["memory_bytes"]["resident"] / MB
        client.admin.compact()
        status = client.status()
    disk, compacted = status["disk_bytes"], status["memory_bytes"]["resident"] / MB
    note = f"{searched:.0f} after searches, {compacted:.0f} after a compaction"
    yield Figure("resident with 10k memories", max(searched, compacted), "MB", 350, note=note)
    yield from _memory_parts(bench, status["memory_bytes"]["hot_index"] / MB)
    total = sum(disk[part] for part in ("database", "vectors", "hot_index"))
    yield Figure("disk a memory of 60 characters, compacted", total / TEN_THOUSAND, "bytes", 4096)
    for part in ("vectors", "hot_index", "database"):
        yield Figure(f"  {part.replace('_', ' ')}", disk[part] / TEN_THOUSAND, "bytes")
    yield from _tables(DataPaths.at(home).database)


def _memory_parts(bench: Bench, hot_index: float) -> Iterator[Figure]:
    done = subprocess.run(
        [sys.executable, "-c", STAGES, str(bench.models)], capture_output=True, text=True, check=True
    )
    before = 0.0
    for name, resident in json.loads(done.stdout):
        yield Figure(f"  {name}", resident / MB - before, "MB")
        before = resident / MB
    yield Figure("  vectors in memory", hot_index, "MB")


def _tables(database: Path) -> Iterator[Figure]:
    """Bytes a memory of the tables that take most, where SQLite can tell."""
    query = "SELECT name, sum(pgsize) AS size FROM dbstat GROUP BY name ORDER BY size DESC LIMIT 8"
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        try:
            sizes = connection.execute(query).fetchall()
        except sqlite3.OperationalError:
            return
    for name, size in sizes:
        yield Figure(f"    {name}", size / TEN_THOUSAND, "bytes")
