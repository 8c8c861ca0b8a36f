"""Merging of knowledge points with the same meaning."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memory_client.types import KnowledgePoint
from memoryd.language.near_duplicates import are_near_duplicates

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Merge:
    """The result of a merge.

    points: the remaining points, best first; absorbed: contents of (remaining, removed) points; apart: pairs
    of similar points with different meanings, as positions in the input.
    """

    points: list[KnowledgePoint]
    absorbed: list[tuple[str, str]]
    apart: list[Pair]


def unique_points(points: Iterable[KnowledgePoint]) -> list[KnowledgePoint]:
    """Points of identical content merged, best first, with the best score and the metadata of all.

    points: those of the newest version first; equal scores keep that order.
    """
    found: dict[str, KnowledgePoint] = {}
    for point in points:
        known = found.get(point["content"])
        found[point["content"]] = point if known is None else _merge_two(known, point)
    return sorted(found.values(), key=lambda point: -point["score"])


def merge_points(points: Sequence[KnowledgePoint], near: Mapping[int, Sequence[int]]) -> Merge:
    """Merge points with the same meaning into the best of them.

    points: unique, best first; near: for each position those of similar points, the most similar first.
    Similarity is not enough: points must agree in polarity, numbers, times and names (`are_near_duplicates`).
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
            kept[same] = _merge_two(kept[same], point)
            absorbed.append((points[same]["content"], content))
    return Merge(list(kept.values()), absorbed, apart)


def _merge_two(best: KnowledgePoint, other: KnowledgePoint) -> KnowledgePoint:
    """The better point, with the metadata of both."""
    if other["score"] > best["score"]:
        best, other = other, best
    metadata: dict[str, Any] = {**other["metadata"], **best["metadata"]}
    return {**best, "metadata": metadata}
