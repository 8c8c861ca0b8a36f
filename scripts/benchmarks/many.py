"""Storing many at once."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.harness import Bench, Figure


def run(bench: Bench) -> Iterator[Figure]:
    assert bench.ten_thousand.exists()
    yield from bench.bulk
