"""Search results and their explanations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NotRequired, TypedDict

from memory_client.types.vocabulary import Category, Metadata, SearchScope, State


class Snippet(TypedDict):
    """The best matching part of a text; `marks`: [start, end] of each match in it."""

    text: str
    marks: list[list[int]]


class Explanation(TypedDict):
    """Why a hit was found and how it was ranked."""

    mode: str
    """The mode used, which may differ from the one requested."""
    notes: list[str]
    """What the search could not do, in words."""
    ranks: dict[str, int]
    """source -> rank, from 1."""
    missing_vector_count: int
    """Memories of the user that cannot be found by meaning yet."""
    milliseconds: dict[str, float]
    """Per source and step of the search."""
    terms: list[str]
    """Words of the query that the text contains, as they appear in it."""
    keys: list[str]
    """The id, exact key or quoted phrase that matched."""
    snippet: Snippet
    duplicates: list[str]
    """Ids of near-duplicates that were merged into this hit."""
    fusion_method: str
    """How the candidates of all sources were ranked together."""
    fusion: dict[str, dict[str, float]]
    """feature or source -> its value and its contribution to the ranking sum."""
    standing: float
    """What importance, recency and confidence add to `rank_score`, -0.5 to 0.5."""
    plan: dict[str, Any]


class Hit(TypedDict):
    """One result of `search`."""

    id: str
    type: SearchScope
    text: str
    score: float
    """If `calibrated`: the probability that the hit answers the query, comparable between queries; else
    comparable only within one reply."""
    rank_score: float
    """Hits are ordered by it: the log-odds of the score plus at most 0.5 either way for the memory's
    importance, recency and confidence."""
    calibrated: bool
    metadata: Metadata
    """Turns also have `session_id position role speaker timestamp`; shared points have only `citation owner
    set knowledge_type knowledge_score timestamp`."""
    category: Category | None
    """None unless it is a memory."""
    importance: float | None
    """Of a memory, as it was last set."""
    effective_importance: float | None
    """Of a memory, after decay."""
    state: State | None
    """Of a memory; other than `active` only with `include_archived`."""
    created_at: float
    scores: dict[str, float]
    """source (`semantic` cosine, `lexical` BM25, `exact`, `temporal`, `reranker`) -> raw score."""
    explain: NotRequired[Explanation]


class Hits(list[Hit]):
    """The result of `search`: a list of hits, best first, with three attributes.

    degraded: something was missing, such as the model or some vectors; the same search may find more later.
    reason: why the result is degraded or empty; None otherwise. answerable: whether a hit is likely to answer
    the query; None if scores are not calibrated. Slices, `list()` and JSON contain only the hits.
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
    """The reply of `explain`: a search with its plan and reasons, also if nothing is found."""

    hits: list[Hit]
    degraded: bool
    """As the attribute of `Hits`; so are `reason` and `answerable`."""
    reason: str | None
    answerable: bool | None
    plan: dict[str, Any]
    mode: str
    notes: list[str]
    milliseconds: dict[str, float]
