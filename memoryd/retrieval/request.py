"""A search as data."""

from __future__ import annotations

from dataclasses import dataclass

from memory_client.deadline import Deadline
from memory_client.types import Direction, Mode, SearchOrder
from memoryd.core.filters import EVERYTHING, Node
from memoryd.core.scope import Scope


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """What is asked: checked, the session already among the filters."""

    query: str
    scope: Scope
    deadline: Deadline
    limit: int = 5
    offset: int = 0
    mode: Mode = "auto"
    node: Node = EVERYTHING
    min_score: float | None = None
    sort_by: SearchOrder = "relevance"
    sort_order: Direction = "desc"
    explain: bool = False

    @property
    def depth(self) -> int:
        """How far down the ranking the answer reaches."""
        return self.offset + self.limit
