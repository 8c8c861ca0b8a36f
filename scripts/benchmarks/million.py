"""A million turns: the vector stage against the exact scan, and the whole search. It takes its time."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

import numpy as np
import psutil

from benchmarks.filling import fill_with_turns
from benchmarks.harness import Bench, Figure, median
from benchmarks.recall import ASKED, TOP
from benchmarks.texts import queries
from memory_client.deadline import Deadline
from memoryd.core.scope import Scope
from memoryd.knowledge_base import KnowledgeBase

ROWS = 1_000_000
IN_MEMORY = {"hot.max_rows": ROWS + 100_000}


def run(bench: Bench, rows: int = ROWS) -> Iterator[Figure]:
    home = bench.root / "million"
    bench.provide_models(home)
    started = time.perf_counter()
    fill_with_turns(home, bench.said, rows, IN_MEMORY)
    yield Figure(f"{rows:,} turns stored and compacted", time.perf_counter() - started, "s")
    started = time.perf_counter()
    with KnowledgeBase(home, settings=IN_MEMORY) as store:
        while store.status()["stage"] != "ready":
            time.sleep(0.1)
        yield Figure("  ready after a restart", time.perf_counter() - started, "s")
        yield from _searched(bench, store, rows)
        resident = psutil.Process(os.getpid()).memory_info().rss / 2**20
        status = store.status()
        disk = sum(status["disk_bytes"][part] for part in ("database", "vectors", "hot_index")) / 2**30
        hot = status["memory_bytes"]["hot_index"] / 2**20
        yield Figure("  memory", resident, "MB", note=f"of it {hot:.0f} MB vectors; {disk:.1f} GB on disk")


def _searched(bench: Bench, store: KnowledgeBase, rows: int) -> Iterator[Figure]:
    meaning = store._app._parts.meaning
    block = _vectors(store)
    stage, exact, found, whole, embedding = [], [], [], [], []
    for query in queries(bench.said, ASKED):
        started = time.perf_counter()
        encoded = meaning.encode(query, Deadline.after(10))
        embedding.append((time.perf_counter() - started) * 1000)
        started = time.perf_counter()
        hits = meaning.nearest(Scope("default"), encoded, TOP, None, "turn")
        stage.append((time.perf_counter() - started) * 1000)
        started = time.perf_counter()
        scores = block[1] @ encoded.encoding.vector
        best = np.argpartition(scores, -TOP)[-TOP:]
        exact.append((time.perf_counter() - started) * 1000)
        found.append(len({row for row, _ in hits} & set(block[0][best].tolist())) / TOP)
        whole.append(store.explain(query, TOP, scope=["turn"])["milliseconds"]["total"])
    note = f"the exact scan {median(exact):.0f} ms"
    yield Figure(f"vector stage at {rows:,}", median(stage), "ms", 40, note=note)
    yield Figure("  of the exact ten nearest", float(np.mean(found)), "", 0.95, at_least=True)
    note = f"embedding {median(embedding):.1f} ms"
    yield Figure("  the whole search, query cached", median(whole), "ms", note=note)


def _vectors(store: KnowledgeBase) -> tuple[np.ndarray, np.ndarray]:
    """Rows and vectors of the hot index, to compare with."""
    serving = store._app._parts.vectors._state.serving
    assert serving is not None
    assert serving.hot is not None
    [(_, rows, _, vectors)] = list(serving.hot.export())
    return rows, vectors
