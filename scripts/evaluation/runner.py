"""Stores a data set through a client, waits for its vectors, asks its questions."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from typing import Any, Literal, Protocol

from evaluation.datasets import Dataset, Item, Question

Notice = Callable[[str], None]
Kind = Literal["turn", "memory"]
STALLED_SECONDS = 120.0


class EvaluationError(Exception):
    """The evaluation cannot go on; the message says why."""


class Store(Protocol):
    """What is used of a client or a `KnowledgeBase`."""

    conversation: Any

    @property
    def add_many(self) -> Callable[..., list[str]]: ...
    @property
    def search(self) -> Callable[..., list[Any]]: ...
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
    """kind: what the items were stored as. names: id -> item id, by store. ingest_seconds: until all was
    acknowledged. index_seconds: from then until every vector was there."""

    dataset: Dataset
    kind: Kind
    names: dict[str, dict[str, str]]
    answers: list[Answer]
    items: int
    ingest_seconds: float
    index_seconds: float
    embedder: dict[str, Any]


def run(store: Store, dataset: Dataset, mode: str, depth: int, notice: Notice, kind: Kind = "turn") -> Run:
    """Evaluate `dataset` on an empty store; `depth` results are asked for each question."""
    started = time.monotonic()
    keep = ingest if kind == "turn" else remember
    names = {user: keep(store, user, items, notice) for user, items in dataset.stores.items()}
    stored = time.monotonic()
    if mode != "lexical":
        wait_for_vectors(store, notice)
    indexed = time.monotonic()
    count = sum(len(items) for items in dataset.stores.values())
    embedder = dict(store.status()["embedder"])
    filled = Run(dataset, kind, names, [], count, stored - started, indexed - stored, embedder)
    return asked(store, filled, mode, depth, notice)


def asked(
    store: Store,
    filled: Run,
    mode: str,
    depth: int,
    notice: Notice,
    weights: Mapping[str, float] | None = None,
) -> Run:
    """The same store asked all questions, with weights of their own."""
    questions = filled.dataset.questions
    notice(f"asking {len(questions)} questions")
    ask = partial(_ask, store, filled, mode=mode, depth=depth, weights=weights)
    return replace(filled, answers=[ask(question) for question in questions])


def ingest(store: Store, user: str, items: list[Item], notice: Notice) -> dict[str, str]:
    """Turn id -> item id; a session at a time."""
    notice(f"storing {len(items)} turns of {user}")
    names: dict[str, str] = {}
    for session, own in groupby(items, key=lambda item: item.session):
        said = list(own)
        stored = store.conversation.extend(session, [_turn(item) for item in said], user_id=user)
        names |= dict(zip(stored["ids"], (item.id for item in said), strict=True))
    return names


def remember(store: Store, user: str, items: list[Item], notice: Notice) -> dict[str, str]:
    """Memory id -> item id."""
    notice(f"storing {len(items)} memories of {user}")
    texts = [item.text if item.speaker is None else f"{item.speaker}: {item.text}" for item in items]
    told = [
        {"text": text, "metadata": {"timestamp": item.time}} for text, item in zip(texts, items, strict=True)
    ]
    return dict(zip(store.add_many(told, user_id=user), (item.id for item in items), strict=True))


def _turn(item: Item) -> dict[str, Any]:
    turn = {"role": item.role, "text": item.text, "at": item.time}
    return turn if item.speaker is None else {**turn, "speaker": item.speaker}


def wait_for_vectors(store: Store, notice: Notice) -> None:
    """Until no vector is missing. Raises `EvaluationError` when their number stops falling."""
    fewest, since = None, time.monotonic()
    while pending := store.status()["pending_vector_count"]:
        if fewest is None or pending < fewest:
            fewest, since = pending, time.monotonic()
            notice(f"waiting for {pending} vectors")
        if time.monotonic() - since > STALLED_SECONDS:
            raise EvaluationError(
                f"{pending} vectors are still missing and their number does not fall; is there an embedding "
                "model? `memoryd doctor` says so. Keyword search is evaluated with --mode lexical"
            )
        time.sleep(0.5)


def _ask(
    store: Store,
    filled: Run,
    question: Question,
    *,
    mode: str,
    depth: int,
    weights: Mapping[str, float] | None,
) -> Answer:
    """Several turns may be of one item, which then counts once: twice as many are asked for."""
    started = time.perf_counter()
    hits = store.search(
        question.text,
        2 * depth,
        user_id=question.store,
        scope=[filled.kind],
        mode=mode,
        weights=weights,
        reference_time=filled.dataset.reference(question.store),
        tz=filled.dataset.tz,
        explain=True,
    )
    milliseconds = (time.perf_counter() - started) * 1000
    carried_out = hits[0]["explain"]["mode"] if hits else mode
    own = filled.names[question.store]
    return Answer(question, [own[hit["id"]] for hit in hits], carried_out, milliseconds)
