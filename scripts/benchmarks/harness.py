"""Timing, and the data directories that the sections share."""

from __future__ import annotations

import shutil
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from _temporary import stop
from benchmarks.filling import fill_with_memories, fill_with_turns
from benchmarks.texts import of_length, texts
from evaluation.datasets import load
from memory_client import KnowledgeClient
from memoryd.models.base import Loading
from memoryd.models.e5 import cache
from memoryd.models.e5.bundled import open_bundled
from memoryd.models.e5.onnx_engine import OnnxEmbedder

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
    turns: Path | None = None

    @cached_property
    def models(self) -> Path:
        """The files of the bundled model, built once for all directories."""
        self.notice("building the model's files")
        cache.prepared(self.root / "models", Loading())
        return self.root / "models"

    @cached_property
    def embedder(self) -> OnnxEmbedder:
        """The daemon's engine, in this process, for times to compare with."""
        embedder = self.open_engine()
        embedder.embed_queries(["warm up"])
        return embedder

    def open_engine(self) -> OnnxEmbedder:
        """Another of it."""
        return open_bundled(self.models, Loading())

    @cached_property
    def short_texts(self) -> list[str]:
        return of_length(CHARACTERS, TEN_THOUSAND)

    @cached_property
    def many_texts(self) -> list[str]:
        return texts(HUNDRED_THOUSAND)

    @cached_property
    def ten_thousand(self) -> Path:
        """A directory of 10,000 memories of 60 characters with vectors near real ones; not running."""
        return self._filled("ten-thousand", self.short_texts)

    @cached_property
    def hundred_thousand(self) -> Path:
        """A directory of 100,000 memories with vectors near real ones; not running."""
        return self._filled("hundred-thousand", self.many_texts)

    @cached_property
    def said(self) -> list[str]:
        """What is said in conversations: of the file given, else synthetic."""
        if self.turns is None:
            return self.many_texts
        return [item.text for items in load(self.turns).stores.values() for item in items]

    def turns_of(self, size: str) -> Path:
        """A directory of `10k` or `100k` turns; not running."""
        home = self.root / f"turns-{size}"
        if not home.exists():
            self.notice(f"storing {size} turns")
            self.provide_models(home)
            count = {"10k": TEN_THOUSAND, "100k": HUNDRED_THOUSAND}[size]
            fill_with_turns(home, self.said, count, {})
        return home

    def provide_models(self, home: Path) -> None:
        """Give a new directory the engine's files."""
        home.mkdir(mode=0o700)
        shutil.copytree(self.models, home / "models")

    def _filled(self, name: str, memories: Sequence[str]) -> Path:
        self.notice(f"storing {len(memories)} memories")
        home = self.root / name
        self.provide_models(home)
        fill_with_memories(home, memories)
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


def wait_ready(client: KnowledgeClient) -> None:
    """Until the model serves. Raises `ModelUnavailableError` when there is none."""
    client.with_timeout(MODEL_SECONDS).search("warm up", 1, mode="semantic")


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
