"""What the conflict rules compare, and what they return."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from memory_client.types import ConflictType, Severity
from memoryd.language.triples import Statement


@dataclass(frozen=True, slots=True)
class DetectedConflict:
    """detail: the two values or clauses; age_difference: second age minus first, of two ages."""

    type: ConflictType
    severity: Severity
    detail: str
    age_difference: float | None = None


@dataclass(frozen=True, slots=True)
class DatedText:
    """A text, when it was stated (epoch seconds), and its triples; None: extract them from the text."""

    text: str
    at: float = 0.0
    triples: Sequence[Statement] | None = None


ConflictDetector = Callable[[DatedText, DatedText], DetectedConflict | None]
"""Returns the conflict of two texts of one user, if any."""
