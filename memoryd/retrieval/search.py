"""One search: plan, embed, find by words, find by vectors, rank, fetch, rerank, explain."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from memory_client.deadline import Deadline
from memory_client.errors import DeadlineExceededError, SpaceMismatchError, StorageError
from memory_client.types import Hits, SearchReport
from memoryd.core.life.active_days import Calendar
from memoryd.index.keyword.keyword_index import KeywordIndex
from memoryd.language.times import TimeRange
from memoryd.retrieval.cache import ResultCache, request_key
from memoryd.retrieval.context import SearchContext
from memoryd.retrieval.embedding import (
    PendingEmbedding,
    join_embedding,
    patience_of,
    start_embedding,
    wait_for_vectors,
)
from memoryd.retrieval.plan import (
    TIMELY,
    RetrievalPlan,
    check_times,
    is_hybrid,
    make_plan,
    read_times,
    without_embedding,
)
from memoryd.retrieval.ranking.ranking import rank_candidates
from memoryd.retrieval.ranking.standing import with_importance
from memoryd.retrieval.request import SearchRequest
from memoryd.retrieval.results.answer import Answer, make_answer, no_answer
from memoryd.retrieval.results.empty_reason import find_empty_reason
from memoryd.retrieval.results.fetch import fetch_hits
from memoryd.retrieval.results.hits import FoundRecord
from memoryd.retrieval.results.rerank import Reranker, rerank_hits
from memoryd.retrieval.semantic_index import SemanticIndex
from memoryd.retrieval.sources.source_queries import add_source_queries, count_pending
from memoryd.retrieval.sources.vector_source import find_by_vectors
from memoryd.retrieval.sources.word_sources import find_by_words
from memoryd.storage.database import Database

log = logging.getLogger(__name__)

_PARALLEL = 4
_RETRY_SECONDS = 0.5
"""How long a search that explains why another has no hits waits for the model."""


class Search:
    """The search over one store.

    model_wait: seconds a hybrid search waits, in all, for a model that is loading, for a few missing vectors
    and for its query's vector, before it answers by keywords.
    """

    def __init__(
        self,
        database: Database,
        keywords: KeywordIndex,
        semantic: SemanticIndex,
        reranker: Reranker,
        cache: ResultCache,
        *,
        clock: Callable[[], float] = time.time,
        calendar: Calendar | None = None,
        model_wait: float = 5.0,
    ) -> None:
        self._database = database
        self._keywords = keywords
        self._semantic = semantic
        self._reranker = reranker
        self.cache = cache
        self._clock = clock
        self._calendar = calendar or Calendar()
        self._model_wait = model_wait
        self._pool = ThreadPoolExecutor(_PARALLEL, thread_name_prefix="memoryd-search")

    def close(self) -> None:
        """End the threads."""
        self._pool.shutdown()

    def search(self, request: SearchRequest) -> Hits:
        """The hits of a request, from the cache if nothing has changed since it was last answered.

        Raises `ModelUnavailableError`, `DeadlineExceededError` for `semantic`, `InvalidParameterError`.
        """
        times = read_times(request)
        key, version = request_key(request, times), self._version()
        cached = self.cache.get(key, version)
        if cached is not None:
            return cached
        answer = self._answer(request, times)
        result = answer.result(request, self._empty_reason(answer, request))
        if answer.is_cacheable and version == self._version():
            self.cache.put(key, version, result)
        return result

    def find(self, request: SearchRequest) -> list[FoundRecord]:
        """The stored records of the hits. Raises as `search`."""
        return self._answer(request, read_times(request)).found[: request.depth]

    def explain(self, request: SearchRequest) -> SearchReport:
        """As `search`, never cached, with the plan and the reasons even without hits."""
        request = replace(request, explain=True)
        answer = self._answer(request, read_times(request))
        return answer.report(request, self._empty_reason(answer, request))

    def _answer(
        self, request: SearchRequest, times: TimeRange | None, model_wait: float | None = None
    ) -> Answer:
        """Carry a search out, from the plan to the explanation."""
        started = time.perf_counter()
        patience = patience_of(request.deadline, self._model_wait if model_wait is None else model_wait)
        plan = self._plan(request, times, patience)
        if plan.times is not None and plan.times.invalid and request.mode in TIMELY:
            return no_answer(plan, plan.times.invalid)
        check_times(plan)
        # first, as the vectors may take all of the patience
        pending = start_embedding(self._semantic, self._pool, request, plan, patience)
        wait_for_vectors(self._semantic, request, plan, patience)
        context, found = self._retrieve_or_fall_back(request, plan, patience, pending)
        found, note = rerank_hits(self._reranker, context, found)
        context.milliseconds["total"] = round((time.perf_counter() - started) * 1000, 3)
        return make_answer(context, found, note)

    def _plan(self, request: SearchRequest, times: TimeRange | None, patience: Deadline) -> RetrievalPlan:
        """The plan, made once the model it needs is loaded, or the patience is over."""
        if request.mode == "semantic":
            self._semantic.wait(request.deadline)
        why_not = self._semantic.why_not()
        if why_not is not None and is_hybrid(request) and self._semantic.wait_loaded(patience):
            why_not = self._semantic.why_not()
        return make_plan(request, times, why_not=why_not)

    def _retrieve(
        self, request: SearchRequest, plan: RetrievalPlan, pending: PendingEmbedding | None
    ) -> tuple[SearchContext, list[FoundRecord]]:
        """The steps that read the store, in one view of it."""
        with self._database.read() as connection:
            now = self._clock() if request.as_of is None else request.as_of
            context = SearchContext(
                connection, request, plan, self._keywords, self._semantic, self._calendar, now
            )
            add_source_queries(context)
            count_pending(context)
            for query in context.queries:
                find_by_words(context, query)
            join_embedding(context, pending)
            for query in context.queries:
                find_by_vectors(context, query)
            ranked = rank_candidates(context)
            found = fetch_hits(context, ranked, max(request.depth, self._reranker.candidates))
            return context, with_importance(context, found)

    def _retrieve_or_fall_back(
        self,
        request: SearchRequest,
        plan: RetrievalPlan,
        patience: Deadline,
        pending: PendingEmbedding | None,
    ) -> tuple[SearchContext, list[FoundRecord]]:
        try:
            return self._retrieve(request, plan, pending)
        except SpaceMismatchError:  # another model took over after the query was embedded
            self._semantic.settle()
            pending = start_embedding(self._semantic, self._pool, request, plan, patience)
            return self._retrieve(request, plan, pending)
        except StorageError as error:
            if plan.mode != "hybrid":
                raise
            log.warning("semantic search failed: %s", error)
            context, found = self._retrieve(request, without_embedding(plan), None)
            context.lacks.append(f"answered by keywords alone: {error}")
            return context, found

    def _empty_reason(self, answer: Answer, request: SearchRequest) -> str | None:
        """Why there are no hits; None when there are some, and when only the query is the reason."""
        if len(answer.found) > request.offset:
            return None
        if answer.found:
            return f"offset {request.offset} is behind the last hit"
        try:
            return answer.empty_reason or find_empty_reason(self._database, request, self._find_soon)
        except DeadlineExceededError as error:  # the answer itself is complete
            log.debug("no hits, and no time to find out why: %s", error)
            return None

    def _find_soon(self, request: SearchRequest) -> list[FoundRecord]:
        wait = min(_RETRY_SECONDS, self._model_wait)
        return self._answer(request, read_times(request), wait).found

    def _version(self) -> Hashable:
        with self._database.read() as connection:
            seq = connection.execute("SELECT value FROM counters WHERE name = 'seq'").fetchone()[0]
        return (seq, self._semantic.version())
