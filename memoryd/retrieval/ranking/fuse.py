"""Fusion of the rankings of several sources."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

RRF_K = 60
Part = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A row one source found. raw: the source's own score; share: the same within [0, 1]."""

    row: int
    raw: float
    share: float


@dataclass(slots=True)
class Fused:
    """A row with its final score in [0, 1] and what each source said of it.

    rank_score: what it is ordered by, on the scale of log-odds; standing: the part of it that is due to
    importance, recency and confidence. is_calibrated: whether the score is a probability. parts: what the
    score is the sum of, by name: (value, what it contribution).
    """

    row: int
    score: float = 0.0
    ranks: dict[str, int] = field(default_factory=dict)
    raw: dict[str, float] = field(default_factory=dict)
    parts: dict[str, Part] = field(default_factory=dict)
    read_contributions: Callable[[], dict[str, Part]] | None = None
    rank_score: float = 0.0
    standing: float = 0.0
    is_calibrated: bool = False

    def contributions(self) -> dict[str, Part]:
        """The parts, worked out only where they are asked for."""
        return self.parts if self.read_contributions is None else self.read_contributions()


Rankings = Mapping[str, Sequence[Candidate]]
_FARTHEST = 30.0
_LEAST = 1e-13


def logistic(log_odds: float) -> float:
    """The probability of log-odds."""
    return 1.0 / (1.0 + math.exp(-min(_FARTHEST, max(-_FARTHEST, log_odds))))


def log_odds(probability: float) -> float:
    """The log-odds of a probability, within what `logistic` tells apart."""
    kept = min(1.0 - _LEAST, max(_LEAST, probability))
    return math.log(kept / (1.0 - kept))


def gather(rankings: Rankings) -> dict[int, Fused]:
    """Every row found, with its ranks and raw scores, not yet scored."""
    found: dict[int, Fused] = {}
    for source, ranking in rankings.items():
        for rank, candidate in enumerate(ranking, 1):
            fused = found.setdefault(candidate.row, Fused(candidate.row))
            fused.ranks[source] = rank
            fused.raw[source] = candidate.raw
    return found


def rrf(rankings: Rankings, weights: Mapping[str, float]) -> list[Fused]:
    """Reciprocal ranks (Cormack, Clarke and Büttcher 2009), best first; ties go to the newer row.

    The weighted sum of 1 / (60 + rank) over the sources, divided by the best it can be. A single source
    keeps its own scores.
    """
    if len(rankings) == 1:
        return weighted_mean(rankings, {})
    found = gather(rankings)
    best = sum(weights.get(source, 1.0) for source in rankings) / (RRF_K + 1) or 1.0
    for source, ranking in rankings.items():
        weight = weights.get(source, 1.0)
        for rank, candidate in enumerate(ranking, 1):
            _add(found[candidate.row], source, 1 / (RRF_K + rank), weight / (RRF_K + rank) / best)
    return sort_by_score(found)


def weighted_mean(rankings: Rankings, weights: Mapping[str, float]) -> list[Fused]:
    """The weighted mean of the sources' own scores within [0, 1], best first; ties go to the newer row."""
    found = gather(rankings)
    total = sum(weights.get(source, 1.0) for source in rankings) or 1.0
    for source, ranking in rankings.items():
        for candidate in ranking:
            contribution = weights.get(source, 1.0) * candidate.share / total
            _add(found[candidate.row], source, candidate.share, contribution)
    return sort_by_score(found)


def scale(found: Sequence[Fused], best: float) -> list[Fused]:
    """A ranking whose first scores `best`, the others in proportion."""
    factor = best / found[0].score if found and found[0].score else 0.0
    for one in found:
        one.score *= factor
        one.rank_score = log_odds(one.score)
        one.parts = {
            name: (value, contribution * factor) for name, (value, contribution) in one.parts.items()
        }
    return list(found)


def sort_by_score(found: Mapping[int, Fused]) -> list[Fused]:
    """Best first; ties go to the newer row."""
    for one in found.values():
        one.rank_score = log_odds(one.score)
    return sorted(found.values(), key=lambda one: (-one.score, -one.row))


def _add(fused: Fused, source: str, value: float, contribution: float) -> None:
    fused.parts[source] = (value, contribution)
    fused.score += contribution
