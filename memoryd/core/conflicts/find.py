"""Two texts to the conflict between them."""

from __future__ import annotations

from memoryd.core.conflicts.claims import claims
from memoryd.core.conflicts.compare import compare
from memoryd.core.conflicts.found import FoundConflict

_RANK = {"high": 0, "medium": 1, "low": 2}


def between(first: str, second: str) -> FoundConflict | None:
    """The gravest conflict of two texts read as said at about the same time about the same person."""
    found = [
        conflict for a in claims(first) for b in claims(second) if (conflict := compare(a, b)) is not None
    ]
    return min(found, key=lambda conflict: _RANK[conflict.severity], default=None)
