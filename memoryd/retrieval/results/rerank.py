"""The best hits reordered by a reranker, or unchanged with the reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from memory_client.deadline import Deadline
from memory_client.errors import DeadlineExceededError, MemorydError
from memoryd.retrieval.context import SearchContext
from memoryd.retrieval.ranking.fuse import log_odds
from memoryd.retrieval.results.hits import FoundRecord


class Reranking(Protocol):
    """The part of `models.reranker` that search needs."""

    @property
    def state(self) -> Literal["off", "loading", "ready", "unavailable"]: ...

    def scores(self, query: str, texts: Sequence[str], deadline: Deadline) -> list[float]:
        """How well each text answers the query, within [0, 1].

        Raises `ModelUnavailableError` at once when there is no model to ask, `DeadlineExceededError`.
        """
        ...


@dataclass(frozen=True, slots=True)
class RerankResult:
    """A ranking.

    order: places in the ranking that was given, best first. scores: the final ones in that order, within
    [0, 1], never rising. own: the reranker's scores of the first ones in that order; empty when it gave
    none. note: why it gave none, for `explain`; None when it did, and when it is off.
    """

    order: list[int]
    scores: list[float]
    own: list[float]
    note: str | None = None


class Reranker:
    """Reorders the first `candidates` hits, within `seconds` or not at all."""

    def __init__(self, model: Reranking, *, candidates: int, seconds: float) -> None:
        self._model = model
        self._candidates = candidates
        self._seconds = seconds

    @property
    def candidates(self) -> int:
        """How many texts of the best hits `rerank` wants; 0 when it is off."""
        return 0 if self._model.state == "off" else self._candidates

    def rerank(
        self, query: str, texts: Sequence[str], scores: Sequence[float], deadline: Deadline
    ) -> RerankResult:
        """The ranking with its first hits reordered; as it was when that fails or takes too long.

        texts: of the first `candidates` hits, best first; scores: of all hits, within [0, 1], best first.
        """
        if not texts or not self.candidates:
            return _unchanged(scores, None)
        try:
            own = self._model.scores(query, texts, Deadline.after(deadline.within(self._seconds)))
        except DeadlineExceededError as error:
            allowed = f"reranker.timeout_ms allows {self._seconds * 1000:g} ms"
            return _unchanged(scores, f"not reranked: {error}; {allowed}")
        except MemorydError as error:
            return _unchanged(scores, f"not reranked: {error}")
        return combine_scores(own, scores)


def rerank_hits(
    reranker: Reranker, context: SearchContext, found: list[FoundRecord]
) -> tuple[list[FoundRecord], str | None]:
    """The best hits in the reranker's order, unless time orders them; and why they are not, if so.

    Runs outside the reader's view, as it may take a second.
    """
    first = found[: reranker.candidates]
    if not first or context.plan.recency is not None:
        return found, None
    with context.timed("reranker"):
        done = reranker.rerank(
            context.request.query,
            [one.record.text for one in first],
            [one.fused.score for one in found],
            context.request.deadline,
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


def combine_scores(own: Sequence[float], scores: Sequence[float]) -> RerankResult:
    """The first hits by the reranker's `own` scores, which become theirs, then the others as they were.

    Equal ones stay in their order. The others' scores are scaled down as far as it takes for none to lie
    above the last reranked one.
    """
    first = sorted(range(len(own)), key=lambda at: -own[at])
    best = [own[at] for at in first]
    rest = scores[len(own) :]
    top, floor = max(rest, default=0.0), best[-1]
    factor = floor / top if top > floor else 1.0
    scaled = [min(floor, score * factor) for score in rest]
    return RerankResult([*first, *range(len(own), len(scores))], [*best, *scaled], best)


def _unchanged(scores: Sequence[float], note: str | None) -> RerankResult:
    return RerankResult(list(range(len(scores))), list(scores), [], note)
