"""Storing many at once."""

from __future__ import annotations

import time
from collections.abc import Iterator

from benchmarks.embed import throughput
from benchmarks.harness import Bench, Figure, wait_ready

SAMPLE = 4


def run(bench: Bench) -> Iterator[Figure]:
    """`add_many` against the embedder's own batches, which are timed before and after it."""
    memories = bench.short_texts
    with bench.running(bench.root / "bulk") as client:
        wait_ready(client)
        bench.notice(f"storing {len(memories)} memories, each embedded")
        before = throughput(bench.embedder, memories[::SAMPLE])
        started = time.perf_counter()
        client.add_many(list(memories))
        rate = len(memories) / (time.perf_counter() - started)
        after = throughput(bench.embedder, memories[::SAMPLE])
    own = 2 / (1 / before + 1 / after)
    note = f"{rate:.0f} a second; the embedder alone {before:.0f} before, {after:.0f} after"
    yield Figure("add_many of 10,000 against the embedder's batches", rate / own, "", 0.9, True, note)
