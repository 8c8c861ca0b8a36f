"""Putting rankings together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

RRF_K = 60


@dataclass(frozen=True, slots=True)
class Candidate:
    """A row one source found. raw: the source's own score; share: the same within [0, 1]."""

    row: int
    raw: float
    share: float


@dataclass(slots=True)
class Fused:
    """A row with its final score in [0, 1] and what each source said of it."""

    row: int
    score: float = 0.0
    ranks: dict[str, int] = field(default_factory=dict)
    raw: dict[str, float] = field(default_factory=dict)


def fuse(rankings: Mapping[str, Sequence[Candidate]]) -> list[Fused]:
    """One ranking, best first; ties go to the newer row.

    A single source keeps its own scores. Several are fused by reciprocal ranks (Cormack, Clarke and
    Büttcher 2009): the sum of 1 / (60 + rank) over the sources, divided by the best it can be.
    """
    found: dict[int, Fused] = {}
    best = len(rankings) / (RRF_K + 1)
    for source, ranking in rankings.items():
        for rank, candidate in enumerate(ranking, 1):
            fused = found.setdefault(candidate.row, Fused(candidate.row))
            fused.ranks[source] = rank
            fused.raw[source] = candidate.raw
            fused.score += candidate.share if len(rankings) == 1 else 1 / (RRF_K + rank) / best
    return sorted(found.values(), key=lambda one: (-one.score, -one.row))
