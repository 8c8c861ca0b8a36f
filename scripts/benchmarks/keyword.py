"""Keyword search among 100,000 memories."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.harness import Bench, Figure, median, spread, timed
from benchmarks.texts import KINDS, queries
from evaluation.metrics import percentile

COUNT = 500


def run(bench: Bench) -> Iterator[Figure]:
    drawn = queries(bench.many_texts, COUNT)
    with bench.running(bench.hundred_thousand) as client:
        client.search(drawn[0], mode="lexical")
        times = [timed(client.search, query, mode="lexical") for query in drawn]
        yield Figure("keyword search at 100k, median", median(times), "ms", 10)
        yield Figure("keyword search at 100k, 95th percentile", percentile(times, 0.95), "ms", 40)
        for number, kind in enumerate(KINDS):
            yield Figure(
                f"  {kind}",
                median(times[number :: len(KINDS)]),
                "ms",
                note=spread(times[number :: len(KINDS)]),
            )
