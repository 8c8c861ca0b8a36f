"""plan -> sources in parallel -> fuse -> fetch -> explain."""

from __future__ import annotations

import logging
import sqlite3
import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Protocol

import numpy as np
import numpy.typing as npt

from memory_client.deadline import Deadline
from memory_client.errors import MemorydError
from memory_client.types import Explanation, Hit
from memoryd.core.filters import EVERYTHING
from memoryd.core.record import Record, metadata_out
from memoryd.core.scope import Scope
from memoryd.index.lexical import LexicalIndex
from memoryd.retrieval.fuse import Candidate, Fused, fuse
from memoryd.retrieval.plan import RetrievalPlan, make_plan
from memoryd.retrieval.request import SearchRequest
from memoryd.storage import memories, texts
from memoryd.storage.database import Database
from memoryd.storage.memories import Stored

log = logging.getLogger(__name__)

Found = tuple[Stored, Fused]

_PARALLEL = 4
_HYBRID_PATIENCE = 2.0
"""Seconds a hybrid search waits for the query's vector before it answers by keywords."""


class MeaningSource(Protocol):
    """The part of `engine.meaning` that search needs."""

    def why_not(self) -> str | None:
        """None when meaning can be searched now, else the reason."""
        ...

    def caveat(self) -> str | None:
        """What a search by meaning may miss now; None for nothing."""
        ...

    def wait(self, user_id: str, deadline: Deadline) -> None:
        """Return once meaning can be searched. Raises `ModelUnavailableError`, `DeadlineExceededError`."""
        ...

    def nearest(
        self,
        scope: Scope,
        query: str,
        limit: int,
        allowed: npt.NDArray[np.int64] | None,
        deadline: Deadline,
    ) -> list[tuple[int, float]]:
        """(row, cosine), best first."""
        ...

    def missing(self, user_id: str) -> int:
        """Memories of the user without a vector yet."""
        ...


class Search:
    """The search over one store."""

    def __init__(self, database: Database, lexical: LexicalIndex, meaning: MeaningSource) -> None:
        self._database = database
        self._lexical = lexical
        self._meaning = meaning
        self._pool = ThreadPoolExecutor(_PARALLEL, thread_name_prefix="memoryd-search")

    def close(self) -> None:
        """End the threads."""
        self._pool.shutdown()

    def search(self, request: SearchRequest) -> list[Hit]:
        """The hits of a request. Raises `ModelUnavailableError`, `DeadlineExceededError` for `semantic`."""
        trace: dict[str, float] = {}
        if request.mode == "semantic":
            self._meaning.wait(request.scope.user_id, request.deadline)
        plan = make_plan(request.mode, request.depth, meaning=self._meaning.why_not())
        with self._database.read() as connection:
            rankings, notes = self._ask(connection, request, plan, trace)
            ranked = [one for one in fuse(rankings) if _good_enough(one, request.min_score)]
            found = _sorted(self._fetch(connection, request, ranked), request)
        hits = [_hit(stored.record, one) for stored, one in found]
        if request.explain:
            mode = plan.mode if len(rankings) == len(plan.sources) else "lexical"
            missing = self._meaning.missing(request.scope.user_id)
            for hit, (_, one) in zip(hits, found, strict=True):
                hit["explain"] = Explanation(
                    mode=mode,
                    notes=[*plan.notes, *notes],
                    ranks=one.ranks,
                    missing_vectors=missing,
                    milliseconds=trace,
                )
        return hits

    def _ask(
        self,
        connection: sqlite3.Connection,
        request: SearchRequest,
        plan: RetrievalPlan,
        trace: dict[str, float],
    ) -> tuple[dict[str, list[Candidate]], list[str]]:
        """The rankings of the plan's sources, and notes on what they lack."""
        rankings: dict[str, list[Candidate]] = {}
        caveat = self._meaning.caveat() if "semantic" in plan.sources else None
        notes = [caveat] if caveat else []
        allowed = self._allowed(connection, request) if "semantic" in plan.sources else None
        if plan.mode == "semantic":
            rankings["semantic"] = self._semantic(request, plan.depth, allowed, request.deadline, trace)
            return rankings, notes
        pending: Future[list[Candidate]] | None = None
        if "semantic" in plan.sources:
            patience = Deadline.after(request.deadline.within(_HYBRID_PATIENCE))
            pending = self._pool.submit(self._semantic, request, plan.depth, allowed, patience, trace)
        rankings["lexical"] = self._by_words(connection, request, plan.depth, trace)
        if pending is None:
            return rankings, []
        try:
            rankings["semantic"] = pending.result()
        except MemorydError as error:
            log.warning("search by meaning failed: %s", error)
            return rankings, [f"answered by keywords alone: {error}"]
        return rankings, notes

    def _by_words(
        self, connection: sqlite3.Connection, request: SearchRequest, depth: int, trace: dict[str, float]
    ) -> list[Candidate]:
        started = time.perf_counter()
        hits = self._lexical.search(connection, request.scope, request.query, depth, request.node)
        trace["lexical"] = _since(started)
        return [Candidate(hit.row, hit.score, hit.share) for hit in hits]

    def _semantic(
        self,
        request: SearchRequest,
        depth: int,
        allowed: npt.NDArray[np.int64] | None,
        deadline: Deadline,
        trace: dict[str, float],
    ) -> list[Candidate]:
        started = time.perf_counter()
        found = self._meaning.nearest(request.scope, request.query, depth, allowed, deadline)
        trace["semantic"] = _since(started)
        return [Candidate(row, cosine, min(1.0, max(0.0, cosine))) for row, cosine in found]

    def _allowed(
        self, connection: sqlite3.Connection, request: SearchRequest
    ) -> npt.NDArray[np.int64] | None:
        """The rows a filter leaves; None without one."""
        if request.node == EVERYTHING:
            return None
        return np.array(texts.rows_of(connection, "memory", request.scope, request.node), dtype=np.int64)

    def _fetch(
        self, connection: sqlite3.Connection, request: SearchRequest, ranked: Sequence[Fused]
    ) -> list[Found]:
        """The memories of the wanted stretch; rows that vanished since they were ranked are passed over."""
        found: list[Found] = []
        for start in range(0, len(ranked), request.depth):
            stretch = ranked[start : start + request.depth]
            stored = memories.by_rows(connection, request.scope, [one.row for one in stretch])
            found += [(stored[one.row], one) for one in stretch if one.row in stored]
            if len(found) >= request.depth:
                break
        return found[request.offset : request.depth]


def _since(started: float) -> float:
    return round((time.perf_counter() - started) * 1000, 3)


def _good_enough(one: Fused, min_score: float | None) -> bool:
    return min_score is None or one.score >= min_score


def _hit(record: Record, one: Fused) -> Hit:
    return Hit(
        id=record.id,
        type="memory",
        text=record.text,
        score=one.score,
        metadata=metadata_out(record),
        category=record.category,
        importance=record.importance,
        created_at=record.created_at,
        scores=one.raw,
    )


def _sorted(found: list[Found], request: SearchRequest) -> list[Found]:
    """Equal values stay in the order of relevance."""
    field, descending = request.sort_by, request.sort_order == "desc"
    if field == "relevance":
        return found if descending else found[::-1]
    return sorted(found, key=lambda one: getattr(one[0].record, field), reverse=descending)
