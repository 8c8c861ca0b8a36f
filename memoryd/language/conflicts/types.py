"""What is compared, and what is found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from memory_client.types import ConflictType, Severity
from memoryd.language.triples import Statement


@dataclass(frozen=True, slots=True)
class FoundConflict:
    """detail: what stands against what, in a few words; grows: by how much the second age is more."""

    type: ConflictType
    severity: Severity
    detail: str
    grows: float | None = None


@dataclass(frozen=True, slots=True)
class Said:
    """A text, what triples are known of it, and when it was said (epoch seconds)."""

    text: str
    at: float = 0.0
    triples: Sequence[Statement] = ()


Judge = Callable[[Said, Said], FoundConflict | None]
"""Whether two statements of one user exclude each other."""
