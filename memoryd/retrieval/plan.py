"""What a search will do: read from the query by rules, any part of it fixed by the caller.

The same type is what an LLM's plan will be parsed into.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from types import MappingProxyType
from typing import Any, Literal

from memory_client.errors import InvalidParameterError
from memory_client.types import Mode
from memoryd.core.filters.grammar import And, Compare, Node, Or
from memoryd.core.ids import is_id
from memoryd.language.query.intents import Intent
from memoryd.language.query.recency import Recency, find_recency
from memoryd.language.query.understanding import Understanding, understand
from memoryd.language.times import TimeRange, time_range
from memoryd.retrieval.request import SearchRequest, Target, TimeSpan

FusionMethod = Literal["ranked", "rrf", "normalised", "lexical", "semantic"]
Source = Literal["exact", "lexical", "semantic", "temporal", "graph"]

CANDIDATES = 120
"""Least number of candidates a source gives: what is fused, and what is left when near-duplicates go."""
EMBEDDED = 1_000
"""Characters of a query that are searched for by meaning: 50 KB would be embedded for half a minute."""
TIMELY: frozenset[Mode] = frozenset({"auto", "hybrid", "temporal"})
"""The modes in which the time counts that a query names, or that it asks for what was last."""
_READ = 1_000
"""Characters of a query whose times are read."""
_ALL: tuple[Source, ...] = ("exact", "lexical", "semantic", "temporal", "graph")
_WITHOUT_EMBEDDING: tuple[Source, ...] = ("exact", "lexical", "temporal", "graph")


WEAK_FACT = 0.002
WEAK_MEANING = 0.002
"""Scores in [0, 1] of the best hit, below which the fallback is taken: where no feature speaks for any text.
Wherever one does, the features rank better than any fallback."""


@dataclass(frozen=True, slots=True)
class Strategy:
    """weak: the score of the best hit below which the fallback is taken."""

    primary: FusionMethod
    fallback: FusionMethod
    weak: float


STRATEGIES: Mapping[Intent, Strategy] = MappingProxyType(
    {
        "fact": Strategy("ranked", "rrf", WEAK_FACT),
        "reasoning": Strategy("ranked", "semantic", WEAK_MEANING),
        "contextual": Strategy("ranked", "normalised", WEAK_MEANING),
        "preference": Strategy("ranked", "semantic", WEAK_MEANING),
        "chitchat": Strategy("ranked", "rrf", WEAK_FACT),
        "skill": Strategy("ranked", "rrf", WEAK_FACT),
    }
)


@dataclass(frozen=True, slots=True)
class RetrievalPlan:
    """The plan of one search.

    mode: the one carried out. targets: what is to be found. sources: asked for candidates, `depth`
    of each. fusion_method: how they are fused; fallback: the method taken when the best hit is below `weak`.
    filters: what every source obeys, `span` included. times: the time the query names, which is a cue, not
    a filter. recency: the request for what was last that the query is, if any. notes: for `explain`.
    lacks: why the answer will be less than was asked for.
    """

    mode: Mode
    targets: tuple[Target, ...]
    sources: tuple[Source, ...]
    depth: int
    fusion_method: FusionMethod
    fallback: FusionMethod | None
    weak: float
    understanding: Understanding
    filters: Node
    span: TimeSpan | None
    times: TimeRange | None
    recency: Recency | None = None
    notes: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()

    @property
    def command(self) -> str | None:
        """What the query asks to be done, for the caller to do; never carried out by a search."""
        return self.understanding.command

    def describe(self) -> dict[str, Any]:
        """The plan as plain data, for `explain`."""
        read = asdict(self.understanding)
        return {
            "mode": self.mode,
            "targets": list(self.targets),
            "sources": list(self.sources),
            "fusion_method": self.fusion_method,
            "fallback": self.fallback,
            "intent": read.pop("intent"),
            "command": read.pop("command"),
            "keywords": list(read["keywords"]),
            "phrases": list(read["phrases"]),
            "names": list(read["names"]),
            "focus": read["focus"],
            "hyde": read["hyde"],
            "recency": None
            if self.recency is None
            else {**asdict(self.recency), "topic": list(self.recency.topic)},
            "time_range": None if self.span is None else [self.span.start, self.span.end],
            "times": None
            if self.times is None
            else {**asdict(self.times), "matched": list(self.times.matched)},
        }


def make_plan(request: SearchRequest, times: TimeRange | None, *, why_not: str | None) -> RetrievalPlan:
    """The plan of a request. times: as `read_times` returns them. why_not: why no embedding can be searched,
    None when it can."""
    read = understand(request.query, times.matched if times else ())
    read = replace(read, intent=request.intent or read.intent)
    strategy = STRATEGIES[read.intent]
    mode, sources, lacks = _sources(_mode(request), why_not)
    fusion_method, fallback = _fusion_methods(mode, strategy)
    return RetrievalPlan(
        mode=mode,
        targets=request.targets,
        sources=sources,
        depth=max(CANDIDATES, 2 * request.depth),
        fusion_method=fusion_method,
        fallback=fallback,
        weak=strategy.weak,
        understanding=read,
        filters=_narrowed(request.node, request.span),
        span=request.span,
        times=times,
        recency=_recency(request, times),
        notes=(*_too_long(request.query, sources), *_remarks(read, times)),
        lacks=lacks,
    )


def is_hybrid(request: SearchRequest) -> bool:
    """Whether a request is answered by embeddings and keywords together, or by keywords alone without a
    model."""
    return _mode(request) in ("auto", "hybrid")


def _mode(request: SearchRequest) -> Mode:
    return "exact" if request.mode == "auto" and is_id(request.query.strip()) else request.mode


def check_times(plan: RetrievalPlan) -> None:
    """Raise `InvalidParameterError` when a temporal search names no time."""
    if plan.mode == "temporal" and plan.times is None and plan.span is None and plan.recency is None:
        raise InvalidParameterError(
            "query: mode temporal needs a time, in the query's words (last week, 上周三) or as time_range, "
            "or a request for the latest (刚才, last time)",
            parameter="query",
            value=plan.understanding.query[:80],
            expected="a query that names a time or asks for the latest, or time_range",
        )


def without_embedding(plan: RetrievalPlan) -> RetrievalPlan:
    """The same plan by keywords alone."""
    return replace(plan, mode="lexical", sources=_WITHOUT_EMBEDDING, fusion_method="lexical", fallback=None)


def _recency(request: SearchRequest, times: TimeRange | None) -> Recency | None:
    """The request for what was last; none where time is not to count."""
    if request.mode not in TIMELY or not request.weights.get("recency", 1.0):
        return None
    return find_recency(request.query[:_READ], times.matched if times else ())


def read_times(request: SearchRequest) -> TimeRange | None:
    """The time the query names, as told from the reference."""
    return time_range(request.query[:_READ], request.reference)


def _sources(mode: Mode, why_not: str | None) -> tuple[Mode, tuple[Source, ...], tuple[str, ...]]:
    if mode in ("lexical", "semantic", "exact", "temporal"):
        return mode, (mode,), ()
    if why_not is None:
        return "hybrid", _ALL, ()
    return "lexical", _WITHOUT_EMBEDDING, (f"answered by keywords alone: {why_not}",)


def _fusion_methods(mode: Mode, strategy: Strategy) -> tuple[FusionMethod, FusionMethod | None]:
    if mode == "hybrid":
        return strategy.primary, strategy.fallback
    return ("semantic" if mode == "semantic" else "lexical"), None


def _narrowed(node: Node, span: TimeSpan | None) -> Node:
    """The filter with a time that a text was made at, or speaks of."""
    if span is None:
        return node
    parts: list[Node] = [node]
    made: list[Node] = []
    speaks: list[Node] = []
    if span.start is not None:
        made.append(Compare("created_at", "gte", span.start))
        ends = And((Compare("event_end", "eq", None), Compare("event_start", "gte", span.start)))
        speaks.append(Or((Compare("event_end", "gt", span.start), ends)))
    if span.end is not None:
        made.append(Compare("created_at", "lt", span.end))
        speaks.append(Compare("event_start", "lt", span.end))
    return And((*parts, Or((And(tuple(made)), And(tuple(speaks)))))) if made else node


def _too_long(query: str, sources: Sequence[Source]) -> tuple[str, ...]:
    if len(query) <= EMBEDDED or "semantic" not in sources:
        return ()
    return (f"only the first {EMBEDDED:,} characters of the query are searched for by meaning",)


def _remarks(read: Understanding, times: TimeRange | None) -> tuple[str, ...]:
    found = [read.reason] if read.reason else []
    if times is not None and times.invalid:
        found.append(times.invalid)
    if read.command:
        found.append(f"the query asks to {read.command}: a search does not do that")
    return tuple(found)
