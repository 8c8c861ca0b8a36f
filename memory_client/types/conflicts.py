"""Conflicts: statements of one user that contradict each other."""

from __future__ import annotations

from typing import Literal, TypedDict

ConflictType = Literal["negation", "antonym", "number", "date", "place", "exclusive"]
Severity = Literal["low", "medium", "high"]
ConflictState = Literal["open", "resolved", "dismissed"]
ConflictSource = Literal["found", "feedback", "merge"]


class ConflictSide(TypedDict):
    """One of two statements: a memory at a version."""

    id: str
    version: int
    text: str
    at: float
    """When this version was stored."""
    operator: str | None
    """Who stored it; None for knowledge points and for merged versions."""
    reason: str | None


class Conflict(TypedDict):
    """Two statements that contradict each other.

    first: the older one. type: the clearest kind of contradiction; detail: the two parts that contradict. A
    conflict between two versions of one memory has that memory's id on both sides, `id` None and state
    `resolved`, because the later version corrected the earlier.
    """

    id: str | None
    first: ConflictSide
    second: ConflictSide
    type: ConflictType
    severity: Severity
    detail: str
    state: ConflictState
    source: ConflictSource
    created_at: float
    decided_at: float | None
    """None while the conflict is open, like the next two fields."""
    decided_by: str | None
    """The operator of `resolve`, or of the version that corrected the earlier one."""
    decision: str | None
    """The reason given."""


class ResolveResult(TypedDict):
    """The reply of `resolve`.

    archived: whether this call archived the loser; closed_count: conflicts closed.
    """

    winner: str
    loser: str
    archived: bool
    closed_count: int
