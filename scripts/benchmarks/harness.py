"""Timing, and the data directories that the sections share."""

from __future__ import annotations

import shutil
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from _temporary import stop
from benchmarks.bulk import fill_fast, wait_until_none
from benchmarks.texts import of_length, texts
from memory_client import KnowledgeClient
from memoryd.models.base import Embedder
from memoryd.models.select import EmbedderChoice, open_embedder

TEN_THOUSAND = 10_000
HUNDRED_THOUSAND = 100_000
CHARACTERS = 60
MODEL_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the table. limit: what was asked, None for a figure that only explains another."""

    name: str
    reached: float
    unit: str
    limit: float | None = None
    at_least: bool = False
    note: str = ""

    @property
    def met(self) -> bool | None:
        if self.limit is None:
            return None
        return self.reached >= self.limit if self.at_least else self.reached <= self.limit


@dataclass
class Bench:
    """What the sections work in. root: a temporary directory on the disk to measure."""

    root: Path
    notice: Callable[[str], None]
    bulk: list[Figure] = field(default_factory=list)

    @cached_property
    def embedder(self) -> Embedder:
        """The daemon's model, in this process, for times to compare with."""
        embedder = open_embedder(EmbedderChoice())
        embedder.embed_queries(["warm up"])
        return embedder

    @cached_property
    def short_texts(self) -> list[str]:
        return of_length(CHARACTERS, TEN_THOUSAND)

    @cached_property
    def many_texts(self) -> list[str]:
        return texts(HUNDRED_THOUSAND)

    @cached_property
    def ten_thousand(self) -> Path:
        """A directory of 10,000 memories of 60 characters, made through `add_many`; not running."""
        home = self.root / "ten-thousand"
        self.notice(f"storing {TEN_THOUSAND} memories")
        with self.running(home) as client:
            wait_ready(client)
            self.bulk = _bulk_figures(self, client)
            wait_for_vectors(client)
            client.admin.compact()
        return home

    @cached_property
    def hundred_thousand(self) -> Path:
        """A directory of 100,000 memories with vectors near those of real texts; not running."""
        home = self.root / "hundred-thousand"
        self.notice(f"storing {HUNDRED_THOUSAND} memories")
        fill_fast(home, self.many_texts, self.embedder)
        return home

    @contextmanager
    def running(self, home: Path) -> Iterator[KnowledgeClient]:
        """A client of the directory's daemon, which is stopped at the end."""
        try:
            with KnowledgeClient(home) as client:
                client.ping()
                yield client
        finally:
            stop(home)

    def copy(self, home: Path, name: str) -> Path:
        """A copy of a directory that is not running."""
        target = self.root / name
        shutil.copytree(home, target, ignore=shutil.ignore_patterns("run", "log"))
        return target


def _bulk_figures(bench: Bench, client: KnowledgeClient) -> list[Figure]:
    """`add_many` against the embedder's own batches, which are timed before and after it."""
    sample = bench.short_texts[::4]
    before = own_throughput(bench.embedder, sample)
    started = time.perf_counter()
    client.add_many(list(bench.short_texts))
    rate = TEN_THOUSAND / (time.perf_counter() - started)
    after = own_throughput(bench.embedder, sample)
    own = 2 / (1 / before + 1 / after)
    note = f"{rate:.0f} a second; the embedder alone {before:.0f} before, {after:.0f} after"
    return [Figure("add_many of 10,000 against the embedder's batches", rate / own, "", 0.9, True, note)]


def own_throughput(embedder: Embedder, sample: Sequence[str], batch: int = 64) -> float:
    """Texts a second at its best: in batches of the size the daemon uses, texts of a length together."""
    sample = sorted(sample, key=lambda text: len(text.encode()))
    started = time.perf_counter()
    for at in range(0, len(sample), batch):
        embedder.embed_passages(sample[at : at + batch])
    return len(sample) / (time.perf_counter() - started)


def wait_ready(client: KnowledgeClient) -> None:
    """Until the model serves. Raises `ModelUnavailableError` when there is none."""
    client.with_timeout(MODEL_SECONDS).search("warm up", 1, mode="semantic")


def wait_for_vectors(client: KnowledgeClient) -> None:
    """Until no vector is missing. Raises `TimeoutError`."""
    wait_until_none(lambda: client.status()["pending_vectors"], "vectors")


def timed(call: Callable[..., Any], *args: Any, **options: Any) -> float:
    """Milliseconds of one call."""
    started = time.perf_counter()
    call(*args, **options)
    return (time.perf_counter() - started) * 1000


def median(values: Sequence[float]) -> float:
    return statistics.median(values)


def spread(values: Sequence[float]) -> str:
    """The worst, for a note beside the median."""
    return f"worst of {len(values)}: {max(values):.1f}"
