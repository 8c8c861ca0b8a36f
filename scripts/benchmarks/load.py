"""Many processes at one daemon: the memory it takes under mixed work, and whether every write is there."""

from __future__ import annotations

import multiprocessing
import threading
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager

import psutil

from benchmarks.harness import Bench, Figure, wait_ready
from benchmarks.load_worker import Outcome, work
from memory_client import KnowledgeClient

PROCESSES, THREADS = 16, 4
OPERATIONS = 340
"""Of one thread."""
SECONDS = 600.0
"""The longest that the load goes on."""
QUIET_SECONDS = 60.0
MOST_MB = 450
_SAMPLE_SECONDS = 0.2
_ASKED_AT_ONCE = 500
_EMBED_SECONDS = 900.0


class _Memory:
    """The resident memory of a process, in MB, and its peak."""

    def __init__(self, pid: int) -> None:
        self._process = psutil.Process(pid)
        self.peak = self.now()

    def now(self) -> float:
        return float(self._process.memory_info().rss) / 2**20

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Follow the peak."""
        done = threading.Event()

        def follow() -> None:
            while not done.wait(_SAMPLE_SECONDS):
                self.peak = max(self.peak, self.now())

        thread = threading.Thread(target=follow)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()


def run(bench: Bench, operations: int = OPERATIONS, seconds: float = SECONDS) -> Iterator[Figure]:
    home = bench.root / "load"
    bench.provide_models(home)
    with bench.running(home) as client:
        wait_ready(client)
        memory = _Memory(client.status()["pid"])
        yield Figure("resident before the load", memory.now(), "MB")
        bench.notice(f"{PROCESSES} processes of {THREADS} threads")
        started = time.perf_counter()
        with memory.watched():
            outcome = _load(bench, operations, seconds)
            took = time.perf_counter() - started
            at_end = memory.now()
            _wait_embedded(client)
        done = outcome.operations.total()
        yield Figure(f"operations, {PROCESSES} processes, {PROCESSES * THREADS} threads", done, "")
        yield Figure("  took", took, "s", note=", ".join(f"{n} {k}" for k, n in outcome.operations.items()))
        yield Figure("  errors", len(outcome.errors), "", 0, note="; ".join(outcome.errors[:3]))
        lost = _lost(client, outcome.acknowledged)
        yield Figure(
            "  acknowledged writes lost", lost, "", 0, note=f"of {len(outcome.acknowledged)} memories"
        )
        yield Figure("resident at the end of the load", at_end, "MB")
        yield Figure("  at its peak", memory.peak, "MB")
        time.sleep(QUIET_SECONDS)
        yield Figure("  a minute after the last vector was made", memory.now(), "MB", MOST_MB)


def _load(bench: Bench, operations: int, seconds: float) -> Outcome:
    """What all processes did together."""
    outcome = Outcome()
    with ProcessPoolExecutor(PROCESSES, multiprocessing.get_context("spawn")) as pool:
        futures = [
            pool.submit(work, bench.root / "load", number, THREADS, operations, seconds)
            for number in range(PROCESSES)
        ]
        for future in futures:
            outcome.take(future.result())
    return outcome


def _wait_embedded(client: KnowledgeClient) -> None:
    """Until no text waits for its vector. Raises `TimeoutError`."""
    end = time.monotonic() + _EMBED_SECONDS
    while count := client.status()["pending_vector_count"]:
        if time.monotonic() > end:
            raise TimeoutError(f"{count} vectors are still missing after {_EMBED_SECONDS:g} s")
        time.sleep(0.5)


def _lost(client: KnowledgeClient, acknowledged: Mapping[str, str]) -> int:
    """How many memories are not there, or not with the text acknowledged last."""
    ids, lost = list(acknowledged), 0
    for start in range(0, len(ids), _ASKED_AT_ONCE):
        asked = ids[start : start + _ASKED_AT_ONCE]
        for id, found in zip(asked, client.get_many(asked), strict=True):
            lost += found is None or found["text"] != acknowledged[id]
    return lost
