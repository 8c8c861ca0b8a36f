"""A search as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from memory_client.deadline import Deadline
from memory_client.types import Direction, Intent, Mode, SearchOrder, Threshold
from memoryd.core.filters.grammar import EVERYTHING, Node
from memoryd.core.row_ranges import TextKind
from memoryd.core.scope import Scope

Target = TextKind | Literal["shared"]


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """A time a caller limits a search to: UTC epoch seconds, end exclusive, None where open."""

    start: float | None
    end: float | None


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """What is asked: checked, the session already among the filters.

    targets: what is to be found. weights: factors of the groups of features, 1 where none is given.
    as_of: the time whose knowledge is searched, epoch seconds, None for the present.
    reference: what relative times in the query are told from, with the asker's time zone.
    """

    query: str
    scope: Scope
    deadline: Deadline
    reference: datetime
    targets: tuple[Target, ...] = ("memory",)
    limit: int = 5
    offset: int = 0
    mode: Mode = "auto"
    node: Node = EVERYTHING
    min_score: Threshold | None = None
    sort_by: SearchOrder = "relevance"
    sort_order: Direction = "desc"
    intent: Intent | None = None
    weights: Mapping[str, float] = field(default_factory=dict)
    span: TimeSpan | None = None
    as_of: float | None = None
    explain: bool = False

    @property
    def depth(self) -> int:
        """How far down the ranking the answer reaches."""
        return self.offset + self.limit
