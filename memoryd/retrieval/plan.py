"""Which sources a search asks, and what it must say about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from memory_client.types import Mode

Source = Literal["lexical", "semantic"]
CANDIDATES = 50
"""Least number of candidates a source gives when several are fused."""


@dataclass(frozen=True, slots=True)
class RetrievalPlan:
    """mode: the one carried out; depth: candidates a source; notes: for `explain`."""

    mode: Mode
    sources: tuple[Source, ...]
    depth: int
    notes: tuple[str, ...] = ()


def make_plan(mode: Mode, depth: int, *, meaning: str | None) -> RetrievalPlan:
    """The plan of a mode. meaning: None when it can be searched, else why not."""
    if mode == "lexical":
        return RetrievalPlan("lexical", ("lexical",), depth)
    if mode == "semantic":
        return RetrievalPlan("semantic", ("semantic",), depth)
    if meaning is not None:
        return RetrievalPlan("lexical", ("lexical",), depth, (f"answered by keywords alone: {meaning}",))
    return RetrievalPlan("hybrid", ("lexical", "semantic"), max(CANDIDATES, 2 * depth))
