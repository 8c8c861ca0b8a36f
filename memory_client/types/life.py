"""The life of a memory: use, decay, review."""

from __future__ import annotations

from typing import Literal, TypedDict

from memory_client.types.vocabulary import Category

Feedback = Literal["useful", "wrong", "outdated"]
FeedbackFinding = Literal["wrong", "outdated"]
DecayOutcome = Literal["keep", "review", "decay", "expired"]
ReviewKind = Literal["promotion", "decay", "feedback"]
ReviewState = Literal["pending", "decided"]
Verdict = Literal["promote", "keep", "delete"]


class BoostResult(TypedDict):
    """What a use did."""

    id: str
    applied: float
    """What was added, 0.0 to 0.3."""
    importance: float
    limited_by: str | None
    """Why not all of it was; None when it was."""
    restored: bool
    """Whether decay had archived the memory, and the use brought it back."""


class FeedbackResult(TypedDict):
    """What came of feedback."""

    id: str
    confidence: float
    review_id: str | None
    """The review that was opened, or was open already; None for `useful`."""


class FadingMemory(TypedDict):
    """A memory that a pass would do something with."""

    id: str
    outcome: DecayOutcome
    """`review`: a review is queued; `decay`, `expired`: archived because of it."""
    category: Category
    importance: float
    """As it was set last."""
    effective_importance: float
    elapsed_days: float
    """Days that count since then."""


class PassInfo(TypedDict):
    """A pass there was."""

    id: str
    at: float
    operator: str
    archived_count: int
    review_count: int
    undone_at: float | None


class DecayPreview(TypedDict):
    """What a pass would do now."""

    items: list[FadingMemory]
    """Expired ones first, then the weakest."""
    counts: dict[str, int]
    """active, review, decay, expired; remaining: those left for the passes after it."""
    passes: list[PassInfo]
    """The last ten that did something to memories the agent sees, newest first, with how many of these."""
    clock_behind: bool
    """Whether the clock seems to be set back: then a pass is skipped."""
    note: str | None
    """Why a pass would be skipped; None if it would be made."""


class DecayPass(TypedDict):
    """What a pass did."""

    id: str | None
    """None when nothing was done, as `note` says."""
    archived: list[str]
    reviewed: list[str]
    """Memories a review was queued for."""
    remaining_count: int
    """What is left for the passes after it."""
    note: str | None
    """Why nothing was done; None when the pass was made."""


class UndoPassResult(TypedDict):
    """What the undoing of a pass brought back."""

    id: str
    restored: list[str]
    withdrawn_count: int
    """Pending reviews that were dropped."""


class Review(TypedDict):
    """A question about a memory, and its answer."""

    id: str
    memory_id: str
    kind: ReviewKind
    state: ReviewState
    text: str
    """Of the memory, as it is now."""
    category: Category
    effective_importance: float
    importance: float
    """Effective, when the review was queued."""
    finding: FeedbackFinding | None
    """What feedback said."""
    note: str | None
    """Why, in its own words."""
    created_at: float
    verdict: Verdict | None
    operator: str | None
    reason: str | None
    decided_at: float | None


class ReviewPage(TypedDict):
    """A page of reviews; `cursor` is None on the last one."""

    items: list[Review]
    cursor: str | None
    total: int


class DecideResult(TypedDict):
    """The receipt of a verdict."""

    id: str
    memory_id: str
    verdict: Verdict
    version: int
    """Of the memory, after it."""
