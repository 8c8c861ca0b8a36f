"""Statements of one user that exclude each other."""

from __future__ import annotations

from typing import Literal, TypedDict

ConflictType = Literal["negation", "antonym", "number", "date", "place", "exclusive"]
Severity = Literal["low", "medium", "high"]
ConflictState = Literal["open", "resolved", "dismissed"]
ConflictSource = Literal["found", "feedback", "merge"]


class ConflictSide(TypedDict):
    """One of two statements: a memory as it was at a version."""

    id: str
    version: int
    text: str
    at: float
    """When this version became known."""
    operator: str | None
    """Who made it; None of knowledge points, and of versions that are merged."""
    reason: str | None


class Conflict(TypedDict):
    """Two statements that cannot both be so.

    first is the older one. Between two versions of one memory both have its id, `id` is None and the state
    `resolved`, for the later version corrected the earlier. type: the plainest sign of it; detail: what
    stands against what.
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
    """When it was decided, by `decided_by`; None while it is open, as the next two are."""
    decided_by: str | None
    """The operator of `resolve`, or of the version that corrected the one before."""
    decision: str | None
    """The reason that was given."""


class ResolveResult(TypedDict):
    """archived: whether the loser was archived by this call; closed_count: conflicts closed."""

    winner: str
    loser: str
    archived: bool
    closed_count: int
