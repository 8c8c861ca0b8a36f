"""Differences between two versions of knowledge points."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from memory_client.types import KnowledgeChange, KnowledgePoint


@dataclass(frozen=True, slots=True)
class Differences:
    """Points of only one version, in its order, and points whose score or type differs."""

    added: list[KnowledgePoint]
    removed: list[KnowledgePoint]
    changed: list[KnowledgeChange]
    same: int


def compare_points(before: Iterable[KnowledgePoint], after: Iterable[KnowledgePoint]) -> Differences:
    """The differences by content; of points with equal content the last counts."""
    old = {point["content"]: point for point in before}
    new = {point["content"]: point for point in after}
    changed = [
        KnowledgeChange(
            content=content,
            score=[old[content]["score"], point["score"]],
            type=[old[content]["type"], point["type"]],
        )
        for content, point in new.items()
        if content in old and _weight(old[content]) != _weight(point)
    ]
    return Differences(
        added=[point for content, point in new.items() if content not in old],
        removed=[point for content, point in old.items() if content not in new],
        changed=changed,
        same=len(old.keys() & new.keys()) - len(changed),
    )


def _weight(point: KnowledgePoint) -> tuple[int, str]:
    return point["score"], point["type"]
