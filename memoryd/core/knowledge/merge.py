"""Merging points that say the same; what is merely alike stays apart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memory_client.types import KnowledgePoint
from memoryd.language.near_duplicates import are_near_duplicates

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Merge:
    """What is left of some points.

    points: those kept, best first; absorbed: (kept, gone) by content; apart: pairs, as places among the
    points given, that are near each other and do not say the same.
    """

    points: list[KnowledgePoint]
    absorbed: list[tuple[str, str]]
    apart: list[Pair]


def unique_points(points: Iterable[KnowledgePoint]) -> list[KnowledgePoint]:
    """Identical contents as one, best first; the best score stays, metadata is joined.

    points: the newest version's first; equal scores stay in that order.
    """
    found: dict[str, KnowledgePoint] = {}
    for point in points:
        known = found.get(point["content"])
        found[point["content"]] = point if known is None else _joined(known, point)
    return sorted(found.values(), key=lambda point: -point["score"])


def merge_points(points: Sequence[KnowledgePoint], near: Mapping[int, Sequence[int]]) -> Merge:
    """Let the best of the points that say the same stand for them.

    points: distinct, best first; near: of a place the places of points alike, the nearest first. Nearness
    alone merges nothing: two points must agree in polarity, numbers, times and names (`are_near_duplicates`).
    """
    kept: dict[int, KnowledgePoint] = {}
    absorbed: list[tuple[str, str]] = []
    apart: list[Pair] = []
    for place, point in enumerate(points):
        earlier = [other for other in near.get(place, ()) if other in kept]
        content = point["content"]
        same = next(
            (other for other in earlier if are_near_duplicates(points[other]["content"], content)), None
        )
        if same is None:
            kept[place] = point
            apart += [(other, place) for other in earlier]
        else:
            kept[same] = _joined(kept[same], point)
            absorbed.append((points[same]["content"], content))
    return Merge(list(kept.values()), absorbed, apart)


def _joined(best: KnowledgePoint, other: KnowledgePoint) -> KnowledgePoint:
    """One point of two: text, type and what both say in their metadata are the best's."""
    if other["score"] > best["score"]:
        best, other = other, best
    metadata: dict[str, Any] = {**other["metadata"], **best["metadata"]}
    return {**best, "metadata": metadata}
