"""The answer of one search: what it found, what it lacks, and the result made of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from memory_client.types import Hit, Hits, SearchReport
from memoryd.retrieval.context import SearchContext
from memoryd.retrieval.plan import RetrievalPlan
from memoryd.retrieval.ranking.answerable import best_score, is_answerable, passing_hits, with_learned_intent
from memoryd.retrieval.request import SearchRequest
from memoryd.retrieval.results.hits import FoundRecord, Trace, explanation, hit_of


@dataclass(frozen=True, slots=True)
class Answer:
    """What one search found, best first, reaching at least to the request's depth.

    lacks: what was missing for a full answer, in words; any makes the result degraded. empty_reason: why
    there are no hits, where the search itself knows it. is_cacheable: the same search over the same store and
    the same model gives the same answer, so that it may be cached. answerable: whether a hit is likely to
    answer the query, None where the scores are not calibrated.
    """

    found: list[FoundRecord]
    trace: Trace
    lacks: tuple[str, ...] = ()
    empty_reason: str | None = None
    is_cacheable: bool = True
    answerable: bool | None = None

    def result(self, request: SearchRequest, empty_reason: str | None = None) -> Hits:
        """The hits that were asked for. empty_reason: why there are none, if so."""
        reasons = [*self.lacks, *([] if empty_reason is None else [empty_reason])]
        return Hits(
            self._hits(request),
            degraded=bool(self.lacks),
            reason="; ".join(dict.fromkeys(reasons)) or None,
            answerable=self.answerable,
        )

    def report(self, request: SearchRequest, empty_reason: str | None = None) -> SearchReport:
        """The same with the plan, and with everything there is to say about the search."""
        trace, result = self.trace, self.result(request, empty_reason)
        notes = [*trace.notes, *([] if empty_reason is None else [empty_reason])]
        return SearchReport(
            hits=list(result),
            degraded=result.degraded,
            reason=result.reason,
            answerable=result.answerable,
            plan=trace.plan.describe(),
            mode=trace.mode,
            notes=list(dict.fromkeys(notes)),
            milliseconds=dict(trace.milliseconds),
        )

    def _hits(self, request: SearchRequest) -> list[Hit]:
        wanted = _in_order(self.found[request.offset : request.depth], request)
        hits = [hit_of(one) for one in wanted]
        if request.explain:
            plan = self.trace.plan.describe()
            for hit, one in zip(hits, wanted, strict=True):
                request.deadline.check("explaining the hits")
                hit["explain"] = explanation(one, request.query, self.trace, plan)
        return hits


def no_answer(plan: RetrievalPlan, reason: str) -> Answer:
    """The answer of a search for an impossible time."""
    notes = (*plan.notes, "nothing is searched for in a time that cannot be")
    return Answer([], Trace(plan, plan.mode, {}, notes, 0, {}, {}), empty_reason=reason)


def make_answer(context: SearchContext, found: list[FoundRecord], note: str | None) -> Answer:
    """The answer of a search that was carried out. note: why the reranker did not reorder, if so."""
    plan = with_learned_intent(context.plan, context.request, context.encoded)
    judged = is_answerable(found, plan, is_degraded=bool(context.lacks or plan.lacks or context.pending))
    kept, threshold_note = passing_hits(found, plan, context.request.min_score)
    passing = [*context.lacks, *([] if note is None else [note])]
    notes = (*plan.lacks, *plan.notes, *context.lacks, *context.notes, threshold_note, note)
    return Answer(
        kept,
        _trace(context, plan, tuple(one for one in notes if one)),
        lacks=(*plan.lacks, *passing, *context.pending),
        empty_reason=_empty_reason(plan, context.request, found),
        is_cacheable=not passing,
        answerable=judged,
    )


def _trace(context: SearchContext, plan: RetrievalPlan, notes: tuple[str, ...]) -> Trace:
    is_by_words = "semantic" in plan.sources and context.encoded is None
    return Trace(
        plan=plan,
        mode="lexical" if is_by_words else plan.mode,
        fusion_methods=context.fusion_methods,
        notes=notes,
        missing=context.semantic.missing(context.request.scope.user_id) if context.request.explain else 0,
        milliseconds=context.milliseconds,
        keys=context.keys,
    )


def _empty_reason(plan: RetrievalPlan, request: SearchRequest, found: Sequence[FoundRecord]) -> str | None:
    """Why no hit is left, as far as the query and the hits tell it. found: before `min_score`."""
    if found and request.min_score is not None:
        return f"nothing passes min_score={request.min_score}: the best score is {best_score(found):.3f}"
    return plan.understanding.reason or None


def _in_order(found: list[FoundRecord], request: SearchRequest) -> list[FoundRecord]:
    """In the order asked for; equal values stay in the order of relevance, what has no value comes last."""
    field, descending = request.sort_by, request.sort_order == "desc"
    if field == "relevance":
        return found if descending else found[::-1]
    values: list[tuple[Any, FoundRecord]] = [(getattr(one.record, field, None), one) for one in found]
    having = [pair for pair in values if pair[0] is not None]
    having.sort(key=lambda pair: pair[0], reverse=descending)
    return [one for _, one in having] + [one for value, one in values if value is None]
