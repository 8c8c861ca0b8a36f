"""What a search finds, and how it came about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NotRequired, TypedDict

from memory_client.types.vocabulary import Category, Metadata, SearchScope, State


class Snippet(TypedDict):
    """The stretch of a text that matches best; `marks`: [start, end] of the matches in it."""

    text: str
    marks: list[list[int]]


class Explanation(TypedDict):
    """How a hit came about, and what the search as a whole could not do."""

    mode: str
    """The mode that was carried out, which may differ from the one asked for."""
    notes: list[str]
    ranks: dict[str, int]
    """source -> rank, from 1."""
    missing_vector_count: int
    """Memories of this user that meaning cannot find yet."""
    milliseconds: dict[str, float]
    """Of each source and step of the search."""
    terms: list[str]
    """What of the query stands in the text, as it stands there."""
    keys: list[str]
    """The id, exact key or quoted phrase it was found by."""
    snippet: Snippet
    duplicates: list[str]
    """Near-duplicates of the hit that were left out."""
    fusion_method: str
    """How the candidates were fused."""
    fusion: dict[str, dict[str, float]]
    """feature or source -> its value and what it adds to the sum that ranks the texts."""
    standing: float
    """What importance, recency and confidence add to `rank_score`, -.5 to .5."""
    plan: dict[str, Any]


class Hit(TypedDict):
    """One result of `search`."""

    id: str
    type: SearchScope
    text: str
    score: float
    """Where `calibrated`, the probability that the hit answers the message, comparable between queries; else
    comparable only inside one reply."""
    rank_score: float
    """What hits are ordered by: the log-odds of the score, and at most .5 either way for what a memory's
    importance, recency and confidence add."""
    calibrated: bool
    metadata: Metadata
    """Of a turn also `session_id position role speaker timestamp`; of a shared point `citation owner set
    knowledge_type knowledge_score timestamp` alone."""
    category: Category | None
    """Of a memory."""
    importance: float | None
    """Of a memory, as it was set last."""
    effective_importance: float | None
    """What time has left of it."""
    state: State | None
    """Of a memory; not `active` only with `include_archived`."""
    created_at: float
    scores: dict[str, float]
    """source (`semantic` cosine, `lexical` BM25, `exact`, `temporal`, `reranker`) -> raw score."""
    explain: NotRequired[Explanation]


class Hits(list[Hit]):
    """The result of `search`: a list of hits, best first, with what holds for the whole of it.

    degraded: a part of what the search needs was missing, such as the model or some vectors, so that the
    same search may find more later. reason: in words, why it is degraded, or why it is empty; None when
    there is nothing to say. answerable: whether a hit is likely to answer the query; None where the scores
    are not calibrated. Slices, copies with `list()` and JSON hold the hits alone.
    """

    def __init__(
        self,
        hits: Iterable[Hit] = (),
        *,
        degraded: bool = False,
        reason: str | None = None,
        answerable: bool | None = None,
    ) -> None:
        super().__init__(hits)
        self.degraded = degraded
        self.reason = reason
        self.answerable = answerable

    def to_wire(self, items: list[Hit]) -> dict[str, Any]:
        """The reply's payload: the attributes, and `items`, the hits that no chunk has carried."""
        return {
            "items": items,
            "degraded": self.degraded,
            "reason": self.reason,
            "answerable": self.answerable,
        }

    @classmethod
    def from_wire(cls, payload: Mapping[str, Any]) -> Hits:
        """The result in a reply's payload; attributes that a newer daemon adds are ignored."""
        return cls(
            payload["items"],
            degraded=payload["degraded"],
            reason=payload["reason"],
            answerable=payload["answerable"],
        )


class SearchReport(TypedDict):
    """A search with its reasons, also where nothing was found."""

    hits: list[Hit]
    degraded: bool
    """As the attributes of `Hits`, `reason` and `answerable` too."""
    reason: str | None
    answerable: bool | None
    plan: dict[str, Any]
    mode: str
    notes: list[str]
    milliseconds: dict[str, float]
