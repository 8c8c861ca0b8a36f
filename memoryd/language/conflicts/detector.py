"""Two statements to the conflict between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from memoryd.language.conflicts.claims import claims
from memoryd.language.conflicts.comparison import compare
from memoryd.language.conflicts.describe import against
from memoryd.language.conflicts.triple_conflicts import exclude
from memoryd.language.conflicts.types import FoundConflict, Said

_RANK = {"high": 0, "medium": 1, "low": 2}
_LASTING = 1.0
"""Years after which a difference is more likely a change than a contradiction."""

_LATER = 0.05
"""Years; who was 27 may be 28 after them."""


def between(first: Said, second: Said) -> FoundConflict | None:
    """The gravest conflict of two statements about the same person, by rules.

    What was said over a year apart may have changed meanwhile: it is of low severity, unless it is high; an
    age that grew with the years is none.
    """
    years = (second.at - first.at) / (365.25 * 86_400)
    found = [conflict for conflict in _all(first, second) if not _grew(conflict, years)]
    gravest = min(found, key=lambda conflict: _RANK[conflict.severity], default=None)
    if gravest is not None and gravest.severity == "medium" and abs(years) >= _LASTING:
        return replace(gravest, severity="low")
    return gravest


def _all(first: Said, second: Said) -> Iterator[FoundConflict]:
    for a in claims(first.text):
        for b in claims(second.text):
            if conflict := compare(a, b):
                yield conflict
    for mine in first.triples:
        for theirs in second.triples:
            if conflict := exclude(mine, theirs):
                yield replace(conflict, detail=conflict.detail or against(first.text, second.text))


def _grew(conflict: FoundConflict, years: float) -> bool:
    """Whether two ages differ by about the time between."""
    return conflict.grows is not None and abs(years) > _LATER and abs(conflict.grows - years) <= 1
