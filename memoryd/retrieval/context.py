"""The state of one search, passed from step to step."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from memoryd.core.filters.grammar import Node
from memoryd.core.life.active_days import Calendar
from memoryd.core.row_ranges import TextKind
from memoryd.core.scope import Scope
from memoryd.index.keyword.keyword_index import KeywordIndex
from memoryd.index.keyword.query import KeywordQuery
from memoryd.retrieval.plan import RetrievalPlan, Source
from memoryd.retrieval.ranking.fuse import Candidate
from memoryd.retrieval.request import SearchRequest
from memoryd.retrieval.semantic_index import EncodedText, SemanticIndex
from memoryd.retrieval.sources.as_of_source import FormerMemories
from memoryd.storage.connection import Connection
from memoryd.storage.knowledge.grants import Granted


@dataclass(slots=True)
class SourceQuery:
    """The texts of one kind that a scope sees and the filters pass, and what the sources find among them.

    granted: what another user shares, when these are the only texts. former: memories that changed after the
    time that is searched; the node finds the others. words: the query's terms in the keyword index, None
    when no text has any. frequency: the number of texts with a term. speaker: the one the query names.
    keys: what each row was found by literally.
    """

    text: str
    kind: TextKind
    scope: Scope
    node: Node
    granted: Granted | None = None
    former: FormerMemories | None = None
    words: KeywordQuery | None = None
    frequency: Callable[[str], int] = lambda _: 0
    speaker: str | None = None
    candidates: dict[Source, list[Candidate]] = field(default_factory=dict)
    keys: dict[int, str] = field(default_factory=dict)

    @property
    def has_former(self) -> bool:
        return self.former is not None and bool(self.former.records)


@dataclass(slots=True)
class SearchContext:
    """One search in one view of the store.

    now: the time searched, epoch seconds. encoded: the query's embedding, None without one. pending: texts
    not yet processed, in words. fusion_methods: how each kind was ranked. lacks: what makes the answer less
    than was asked for, and may pass.
    """

    connection: Connection
    request: SearchRequest
    plan: RetrievalPlan
    keywords: KeywordIndex
    semantic: SemanticIndex
    calendar: Calendar
    now: float
    queries: list[SourceQuery] = field(default_factory=list)
    encoded: EncodedText | None = None
    pending: tuple[str, ...] = ()
    fusion_methods: dict[TextKind, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    lacks: list[str] = field(default_factory=list)
    milliseconds: dict[str, float] = field(default_factory=dict)

    @property
    def keys(self) -> dict[int, str]:
        """What each row was found by literally."""
        return {row: key for query in self.queries for row, key in query.keys.items()}

    @property
    def former(self) -> FormerMemories | None:
        """The memories that changed after the time that is searched, if any are."""
        return next((query.former for query in self.queries if query.former is not None), None)

    @contextmanager
    def timed(self, step: str) -> Iterator[None]:
        """Add the time of a step. Raises `DeadlineExceededError` when none is left for it."""
        self.request.deadline.check(step)
        started = time.perf_counter()
        yield
        spent = self.milliseconds.get(step, 0.0) + (time.perf_counter() - started) * 1000
        self.milliseconds[step] = round(spent, 3)
