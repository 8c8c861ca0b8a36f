"""Stores a data set through a client, waits for its vectors, asks its questions."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from evaluation.datasets import Dataset, Item, Question

Notice = Callable[[str], None]
STALLED_SECONDS = 120.0


class EvaluationError(Exception):
    """The evaluation cannot go on; the message says why."""


class Store(Protocol):
    """What is used of a client or a `KnowledgeBase`."""

    def add_many(self, items: list[Any], *, user_id: str = ...) -> list[str]: ...
    def search(self, query: str, n_results: int = ..., **options: Any) -> list[Any]: ...
    def status(self) -> Any: ...


@dataclass(frozen=True, slots=True)
class Answer:
    """ranked: item ids, best first. mode: the one that was carried out."""

    question: Question
    ranked: list[str]
    mode: str
    milliseconds: float


@dataclass(frozen=True, slots=True)
class Run:
    """ingest_seconds: until all was acknowledged. index_seconds: from then until every vector was there."""

    dataset: Dataset
    answers: list[Answer]
    items: int
    ingest_seconds: float
    index_seconds: float
    embedder: dict[str, Any]


def run(store: Store, dataset: Dataset, mode: str, depth: int, notice: Notice) -> Run:
    """Evaluate `dataset` on an empty store; `depth` results are asked for each question."""
    started = time.monotonic()
    names = {user: _ingest(store, user, items, notice) for user, items in dataset.stores.items()}
    stored = time.monotonic()
    if mode != "lexical":
        wait_for_vectors(store, notice)
    indexed = time.monotonic()
    notice(f"asking {len(dataset.questions)} questions")
    answers = [_ask(store, question, names[question.store], mode, depth) for question in dataset.questions]
    count = sum(len(items) for items in dataset.stores.values())
    embedder = dict(store.status()["embedder"])
    return Run(dataset, answers, count, stored - started, indexed - stored, embedder)


def _ingest(store: Store, user: str, items: list[Item], notice: Notice) -> dict[str, str]:
    """Memory id -> item id."""
    notice(f"storing {len(items)} items of {user}")
    memories = [{"text": item.text, "metadata": _metadata(item)} for item in items]
    ids = store.add_many(memories, user_id=user)
    return dict(zip(ids, (item.id for item in items), strict=True))


def _metadata(item: Item) -> dict[str, Any]:
    return {"source_id": item.id, "timestamp": item.time, "session_id": item.session, **item.metadata}


def wait_for_vectors(store: Store, notice: Notice) -> None:
    """Until no vector is missing. Raises `EvaluationError` when their number stops falling."""
    fewest, since = None, time.monotonic()
    while pending := store.status()["pending_vectors"]:
        if fewest is None or pending < fewest:
            fewest, since = pending, time.monotonic()
            notice(f"waiting for {pending} vectors")
        if time.monotonic() - since > STALLED_SECONDS:
            raise EvaluationError(
                f"{pending} vectors are still missing and their number does not fall; is there an embedding "
                "model? `memoryd doctor` says so. Keyword search is evaluated with --mode lexical"
            )
        time.sleep(0.5)


def _ask(store: Store, question: Question, names: dict[str, str], mode: str, depth: int) -> Answer:
    started = time.perf_counter()
    hits = store.search(question.text, depth, user_id=question.store, mode=mode, explain=True)
    milliseconds = (time.perf_counter() - started) * 1000
    carried_out = hits[0]["explain"]["mode"] if hits else mode
    return Answer(question, [names[hit["id"]] for hit in hits], carried_out, milliseconds)
