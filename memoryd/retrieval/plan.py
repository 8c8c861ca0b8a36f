"""What a search will do: read from the query by rules, any part of it fixed by the caller.

The same type is what an LLM's plan will be parsed into.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from memory_client.types import Mode
from memoryd.core.filters.grammar import And, Compare, Node, Or
from memoryd.core.ids import is_id
from memoryd.language.query.recency import Recency, find_recency
from memoryd.language.query.understanding import Understanding, understand
from memoryd.language.times import TimeRange, time_range
from memoryd.retrieval.request import SearchRequest, Target, TimeSpan
from memoryd.retrieval.strategies import STRATEGIES, Recipe, Strategy

Source = Literal["exact", "lexical", "semantic", "temporal", "graph"]

CANDIDATES = 120
"""Least number of candidates a source gives: what is fused, and what is left when near-duplicates go."""
EMBEDDED = 1_000
"""Characters of a query that are searched for by meaning: 50 KB would be embedded for half a minute."""
TIMELY: frozenset[Mode] = frozenset({"auto", "hybrid", "temporal"})
"""The modes in which the time counts that a query names, or that it asks for what was last."""
_ALL: tuple[Source, ...] = ("exact", "lexical", "semantic", "temporal", "graph")
_WITHOUT_MEANING: tuple[Source, ...] = ("exact", "lexical", "temporal", "graph")


@dataclass(frozen=True, slots=True)
class RetrievalPlan:
    """The plan of one search.

    mode: the one carried out. targets: what is to be found. sources: asked for candidates, `depth`
    of each. recipe: how they are fused; fallback: the recipe taken when the best hit is below `weak`.
    filters: what every source obeys, `span` included. times: the time the query names, which is a cue, not
    a filter. recency: the request for what was last that the query is, if any. notes: for `explain`.
    lacks: why the answer will be less than was asked for.
    """

    mode: Mode
    targets: tuple[Target, ...]
    sources: tuple[Source, ...]
    depth: int
    recipe: Recipe
    fallback: Recipe | None
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

    def described(self) -> dict[str, Any]:
        """The plan as plain data, for `explain`."""
        read = asdict(self.understanding)
        return {
            "mode": self.mode,
            "targets": list(self.targets),
            "sources": list(self.sources),
            "recipe": self.recipe,
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


def make_plan(request: SearchRequest, *, meaning: str | None) -> RetrievalPlan:
    """The plan of a request. meaning: None when it can be searched, else why not."""
    times = read_times(request)
    read = understand(request.query, times.matched if times else ())
    read = replace(read, intent=request.intent or read.intent)
    strategy = STRATEGIES[read.intent]
    is_name = request.mode == "auto" and is_id(request.query.strip())
    mode, sources, lacks = _sources("exact" if is_name else request.mode, meaning)
    recipe, fallback = _recipes(mode, strategy)
    return RetrievalPlan(
        mode=mode,
        targets=request.targets,
        sources=sources,
        depth=max(CANDIDATES, 2 * request.depth),
        recipe=recipe,
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


def without_meaning(plan: RetrievalPlan) -> RetrievalPlan:
    """The same by words alone."""
    return replace(plan, sources=_WITHOUT_MEANING, recipe="lexical", fallback=None)


def _recency(request: SearchRequest, times: TimeRange | None) -> Recency | None:
    """The request for what was last; none where time is not to count."""
    if request.mode not in TIMELY or not request.weights.get("recency", 1.0):
        return None
    return find_recency(request.query[:_READ], times.matched if times else ())


def read_times(request: SearchRequest) -> TimeRange | None:
    """The time the query names, as told from the reference."""
    return time_range(request.query[:_READ], request.reference)


_READ = 1_000
"""Characters of a query whose times are read."""


def _sources(mode: Mode, meaning: str | None) -> tuple[Mode, tuple[Source, ...], tuple[str, ...]]:
    if mode in ("lexical", "semantic", "exact", "temporal"):
        return mode, (mode,), ()
    if meaning is None:
        return "hybrid", _ALL, ()
    return "lexical", _WITHOUT_MEANING, (f"answered by keywords alone: {meaning}",)


def _recipes(mode: Mode, strategy: Strategy) -> tuple[Recipe, Recipe | None]:
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
