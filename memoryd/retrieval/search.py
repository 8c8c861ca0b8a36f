"""plan -> sources in parallel -> fuse -> fetch -> collapse -> rerank -> explain."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace

from memory_client.deadline import Deadline
from memory_client.errors import (
    DeadlineExceededError,
    InvalidParameterError,
    MemorydError,
    SpaceMismatchError,
    StorageError,
)
from memory_client.types import Hits, SearchReport
from memoryd.core.life.active_days import Calendar
from memoryd.core.record import Record
from memoryd.core.row_ranges import TextKind
from memoryd.index.keyword.keyword_index import LexicalIndex
from memoryd.retrieval.cache import ResultCache
from memoryd.retrieval.plan import EMBEDDED, TIMELY, RetrievalPlan, make_plan, read_times, without_meaning
from memoryd.retrieval.ranking.answerable import best_score, judge, passing_hits, with_learned_intent
from memoryd.retrieval.ranking.effective_importance import with_importance
from memoryd.retrieval.ranking.fuse import Fused, log_odds
from memoryd.retrieval.ranking.ranking import Work, ranked, words_of
from memoryd.retrieval.request import SearchRequest
from memoryd.retrieval.results.answer import Answer
from memoryd.retrieval.results.empty_reason import why_nothing
from memoryd.retrieval.results.fetch import Fetch
from memoryd.retrieval.results.hits import Found, Trace
from memoryd.retrieval.results.pending import pending_lacks
from memoryd.retrieval.results.rerank import Reranker
from memoryd.retrieval.sources.meaning_source import Encoded, MeaningSource
from memoryd.retrieval.sources.sources import GraphSource
from memoryd.retrieval.sources.targets import asks_of
from memoryd.storage.database import Database

log = logging.getLogger(__name__)

Pending = Callable[[], Encoded]
_PARALLEL = 4
_WAITING_SHARE = 0.75
_AGAIN_SECONDS = 0.5
"""How long a search that only tells why another found nothing waits for the model."""


class Search:
    """The search over one store.

    model_wait: seconds a hybrid search waits, in all, for a model that is loading, for a few missing vectors
    and for its query's vector, before it answers by keywords.
    """

    def __init__(
        self,
        database: Database,
        lexical: LexicalIndex,
        meaning: MeaningSource,
        reranker: Reranker,
        cache: ResultCache,
        *,
        graph: GraphSource | None = None,
        clock: Callable[[], float] = time.time,
        calendar: Calendar | None = None,
        model_wait: float = 5.0,
    ) -> None:
        self._database = database
        self._lexical = lexical
        self._meaning = meaning
        self._reranker = reranker
        self.cache = cache
        self._graph = graph
        self._clock = clock
        self._calendar = calendar or Calendar()
        self._model_wait = model_wait
        self._pool = ThreadPoolExecutor(_PARALLEL, thread_name_prefix="memoryd-search")

    def close(self) -> None:
        """End the threads."""
        self._pool.shutdown()

    def search(self, request: SearchRequest) -> Hits:
        """The hits of a request, from the cache when nothing has changed since it was asked.

        Raises `ModelUnavailableError`, `DeadlineExceededError` for `semantic`, `InvalidParameterError`.
        """
        key, version = _key(request), self._version()
        known = self.cache.get(key, version)
        if known is not None:
            return known
        answer = self._answer(request)
        result = answer.result(request, self._empty_reason(answer, request))
        if answer.is_lasting and version == self._version():
            self.cache.put(key, version, result)
        return result

    def find(self, request: SearchRequest) -> list[Found]:
        """What a request finds, as it is stored. Raises as `search`."""
        return self._answer(request).found[: request.depth]

    def explain(self, request: SearchRequest) -> SearchReport:
        """As `search`, never cached, with the plan and the reasons even where nothing is found."""
        request = replace(request, explain=True)
        answer = self._answer(request)
        return answer.report(request, self._empty_reason(answer, request))

    def _empty_reason(self, answer: Answer, request: SearchRequest) -> str | None:
        """Why there are no hits; None when there are some, and for no other reason than the query."""
        if len(answer.found) > request.offset:
            return None
        if answer.found:
            return f"offset {request.offset} is behind the last hit"
        try:
            return answer.empty_reason or why_nothing(self._database, request, self._find_soon)
        except DeadlineExceededError as error:  # the answer itself is complete
            log.debug("nothing is found, and why is not known: %s", error)
            return None

    def _find_soon(self, request: SearchRequest) -> list[Found]:
        return self._answer(request, _AGAIN_SECONDS).found

    def _version(self) -> Hashable:
        with self._database.read() as connection:
            seq = connection.execute("SELECT value FROM counters WHERE name = 'seq'").fetchone()[0]
        return (seq, self._meaning.version())

    def _answer(self, request: SearchRequest, model_wait: float | None = None) -> Answer:
        started = time.perf_counter()
        wait = self._model_wait if model_wait is None else min(model_wait, self._model_wait)
        patience = Deadline.after(_share_of(request.deadline, wait))
        plan = self._plan(request, patience)
        if plan.times is not None and plan.times.invalid and request.mode in TIMELY:
            notes = (*plan.notes, "nothing is searched for in a time that cannot be")
            return Answer([], Trace(plan, plan.mode, {}, notes, 0, {}, {}), empty_reason=plan.times.invalid)
        _check_times(plan)
        pending = self._encoding(request, plan, patience)  # before the vectors may take all of the patience
        self._wait_vectors(request, plan, patience)
        work, found = self._ranked(request, plan, patience, pending)
        found, note = self._reranked(request, found, work, is_recency=plan.recency is not None)
        plan = with_learned_intent(plan, request, work.encoded)
        is_degraded = bool(work.lacks or plan.lacks or work.pending_texts)
        judged = judge(found, plan, is_degraded=is_degraded)
        kept, threshold_note = passing_hits(found, plan, request.min_score)
        work.notes += [] if threshold_note is None else [threshold_note]
        passing = [*work.lacks, *([] if note is None else [note])]
        work.trace["total"] = round((time.perf_counter() - started) * 1000, 3)
        return Answer(
            kept,
            self._trace(request, plan, work, note),
            lacks=(*plan.lacks, *passing, *work.pending_texts),
            empty_reason=_empty_reason(plan, request, found),
            is_lasting=not passing,
            answerable=judged,
        )

    def _plan(self, request: SearchRequest, patience: Deadline) -> RetrievalPlan:
        """The plan; a model that is loading is waited for when it is wanted."""
        if request.mode == "semantic":
            self._meaning.wait(request.deadline)
        plan = make_plan(request, meaning=self._meaning.why_not())
        if plan.lacks and self._meaning.wait_loaded(patience):
            return make_plan(request, meaning=self._meaning.why_not())
        return plan

    def _wait_vectors(self, request: SearchRequest, plan: RetrievalPlan, patience: Deadline) -> None:
        kinds: list[TextKind] = [target for target in request.targets if target != "shared"]
        if "semantic" in plan.sources and kinds:
            self._meaning.wait_vectors(request.scope.user_id, kinds, patience)

    def _ranked(
        self, request: SearchRequest, plan: RetrievalPlan, patience: Deadline, pending: Pending | None
    ) -> tuple[Work, list[Found]]:
        try:
            return self._rank(request, plan, pending)
        except SpaceMismatchError:  # another model took over between the encoding and the search
            self._meaning.settle()
            return self._rank(request, plan, self._encoding(request, plan, patience))
        except StorageError as error:
            if plan.mode != "hybrid":
                raise
            log.warning("search by meaning failed: %s", error)
            work, found = self._rank(request, without_meaning(plan), None)
            work.lacks.append(f"answered by keywords alone: {error}")
            return work, found

    def _rank(
        self, request: SearchRequest, plan: RetrievalPlan, pending: Pending | None
    ) -> tuple[Work, list[Found]]:
        with self._database.read() as connection:
            work = Work(
                connection,
                self._lexical,
                self._meaning,
                self._graph,
                None,
                request.weights,
                self._clock() if request.as_of is None else request.as_of,
                request.explain,
                calendar=self._calendar,
                deadline=request.deadline,
            )
            asks = [ask for target in plan.targets for ask in asks_of(connection, request, plan, target)]
            if pending is not None:
                work.pending = lambda: self._encoded(pending, request, work)
            work.pending_texts = pending_lacks(connection, asks)
            merged = [one for ask in asks for one in ranked(work, ask, words_of(work, ask))]
            if len(asks) > 1:
                merged.sort(key=lambda one: (-one.rank_score, -one.row))
            past = [ask.past for ask in asks if ask.past is not None]
            work.notes += [_untold(one.untold) for one in past if one.untold]
            found = self._fetched(work, request, plan, merged, past[0].records if past else {})
            return work, with_importance(
                connection, work.calendar, work.now, request.scope.user_id, found, past[0] if past else None
            )

    def _encoding(self, request: SearchRequest, plan: RetrievalPlan, patience: Deadline) -> Pending | None:
        """What gives the query's encoding, which is on its way while the words are read.

        A search by meaning alone has nothing else to do, nor a bound but its own deadline: it takes no
        thread that a hybrid search may want.
        """
        if "semantic" not in plan.sources:
            return None
        text = request.query[:EMBEDDED]
        if plan.mode == "semantic":
            return lambda: self._meaning.encode(text, request.deadline)
        future = self._pool.submit(self._meaning.encode, text, patience)
        return lambda: _within(future, patience)

    def _encoded(self, pending: Pending, request: SearchRequest, work: Work) -> Encoded | None:
        with work.timed("embedding"):
            try:
                encoded = pending()
            except MemorydError as error:
                if request.mode == "semantic":
                    raise
                log.warning("search by meaning failed: %s", error)
                work.lacks.append(f"answered by keywords alone: {error}")
                return None
        caveat = self._meaning.caveat()
        if caveat:
            work.lacks.append(caveat)
        return encoded

    def _fetched(
        self,
        work: Work,
        request: SearchRequest,
        plan: RetrievalPlan,
        merged: Sequence[Fused],
        past: Mapping[int, Record],
    ) -> list[Found]:
        """What is stored at the wanted stretch. past: what was stored once, by row."""
        fetch = Fetch(work.connection, request, past)
        wanted = max(request.depth, self._reranker.candidates)
        if plan.recency is not None:
            return fetch.latest(merged, wanted, plan, work)
        return fetch.best(merged, wanted)

    def _reranked(
        self, request: SearchRequest, found: list[Found], work: Work, *, is_recency: bool
    ) -> tuple[list[Found], str | None]:
        """The best ones in the reranker's order, unless time orders them.

        Outside of the reader's view: it may take a second.
        """
        first = found[: self._reranker.candidates]
        if not first or is_recency:
            return found, None
        with work.timed("reranker"):
            done = self._reranker.rerank(
                request.query,
                [one.record.text for one in first],
                [one.fused.score for one in found],
                request.deadline,
            )
        if not done.own:
            return found, done.note
        ordered = [found[at] for at in done.order]
        for one, score in zip(ordered, done.scores, strict=True):
            one.fused.is_calibrated = False
            one.fused.score, one.fused.rank_score = score, log_odds(score)
        for one, own in zip(ordered, done.own, strict=False):
            one.fused.raw["reranker"] = own
        return ordered, done.note

    def _trace(self, request: SearchRequest, plan: RetrievalPlan, work: Work, note: str | None) -> Trace:
        by_words = "semantic" in plan.sources and work.encoded is None
        return Trace(
            plan=plan,
            mode="lexical" if by_words else plan.mode,
            recipes=work.recipes,
            notes=tuple(one for one in (*plan.lacks, *plan.notes, *work.lacks, *work.notes, note) if one),
            missing=self._meaning.missing(request.scope.user_id) if request.explain else 0,
            milliseconds=work.trace,
            keys=work.keys,
        )


def _share_of(deadline: Deadline, seconds: float) -> float:
    """Seconds of waiting for the model that leave some of the call's time for an answer by keywords."""
    left = deadline.left()
    return seconds if left is None else min(seconds, left * _WAITING_SHARE)


def _within(future: Future[Encoded], patience: Deadline) -> Encoded:
    """The result. Raises `DeadlineExceededError` also when no thread was free to begin with it."""
    try:
        return future.result(patience.left())
    except MemorydError:
        raise  # DeadlineExceededError is a TimeoutError too
    except TimeoutError:
        future.cancel()
        raise patience.error("waiting for the embedding model") from None


def _untold(count: int) -> str:
    return f"{count} memories have no history that goes back that far: what they said then is unknown"


def _empty_reason(plan: RetrievalPlan, request: SearchRequest, found: Sequence[Found]) -> str | None:
    """Why no hit is left, as far as the query and what was found tell it. found: before `min_score`."""
    if found and request.min_score is not None:
        return f"nothing passes min_score={request.min_score}: the best score is {best_score(found):.3f}"
    return plan.understanding.reason or None


def _check_times(plan: RetrievalPlan) -> None:
    if plan.mode == "temporal" and plan.times is None and plan.span is None and plan.recency is None:
        raise InvalidParameterError(
            "query: mode temporal needs a time, in the query's words (last week, 上周三) or as time_range, "
            "or a request for the latest (刚才, last time)",
            parameter="query",
            value=plan.understanding.query[:80],
            expected="a query that names a time or asks for the latest, or time_range",
        )


def _key(request: SearchRequest) -> Hashable:
    """What makes two requests the same: all but the deadline, and the reference but for what it tells."""
    times = read_times(request)
    return (
        request.query,
        request.scope,
        None if times is None else (times.start, times.end),
        request.targets,
        request.limit,
        request.offset,
        request.mode,
        repr(request.node),
        request.min_score,
        request.sort_by,
        request.sort_order,
        request.intent,
        tuple(sorted(request.weights.items())),
        request.span,
        request.as_of,
        request.explain,
    )
