"""What the rules find."""

from __future__ import annotations

from dataclasses import dataclass

from memory_client.types import ConflictType, Severity


@dataclass(frozen=True, slots=True)
class FoundConflict:
    """detail: what stands against what, in a few words of the texts; grows: how much the second age is more."""

    type: ConflictType
    severity: Severity
    detail: str
    grows: float | None = None
