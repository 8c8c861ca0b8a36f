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
    """The reply of `boost`."""

    id: str
    applied: float
    """Importance added, 0.0 to 0.3."""
    importance: float
    """After the boost."""
    limited_by: str | None
    """Why less than the full step was added; None if all of it was."""
    restored: bool
    """Whether the memory was archived by decay and is active again."""


class FeedbackResult(TypedDict):
    """The reply of `feedback`."""

    id: str
    confidence: float
    review_id: str | None
    """The review that was opened or already open; None for `useful`."""


class FadingMemory(TypedDict):
    """A memory that a decay pass would review or archive."""

    id: str
    outcome: DecayOutcome
    """`review`: a review is queued; `decay`, `expired`: it is archived for this reason."""
    category: Category
    importance: float
    """As it was last set."""
    effective_importance: float
    elapsed_days: float
    """Days since then that count for decay."""


class PassInfo(TypedDict):
    """An earlier decay pass."""

    id: str
    at: float
    operator: str
    archived_count: int
    review_count: int
    undone_at: float | None
    """None unless it was undone."""


class DecayPreview(TypedDict):
    """What a decay pass would do now."""

    items: list[FadingMemory]
    """Expired memories first, then those with the lowest importance."""
    counts: dict[str, int]
    """active, review, decay, expired; remaining: memories left for later passes."""
    passes: list[PassInfo]
    """The last ten passes that changed memories visible to the agent, newest first; counts are of these."""
    clock_behind: bool
    """Whether the clock seems to be set back; a pass is skipped then."""
    note: str | None
    """Why a pass would be skipped; None if it would be made."""


class DecayPass(TypedDict):
    """The reply of `decay.run`."""

    id: str | None
    """None if nothing was done; `note` gives the reason."""
    archived: list[str]
    reviewed: list[str]
    """Memories for which a review was queued."""
    remaining_count: int
    """Memories left for later passes."""
    note: str | None
    """Why nothing was done; None if the pass was made."""


class UndoPassResult(TypedDict):
    """The reply of `decay.undo_pass`."""

    id: str
    restored: list[str]
    """Memories that are active again."""
    withdrawn_count: int
    """Pending reviews that were withdrawn."""


class Review(TypedDict):
    """A question about a memory, and its answer."""

    id: str
    memory_id: str
    kind: ReviewKind
    state: ReviewState
    text: str
    """The memory's current text."""
    category: Category
    effective_importance: float
    importance: float
    """Effective importance when the review was queued."""
    finding: FeedbackFinding | None
    """What the feedback said."""
    note: str | None
    """The reason given with the feedback."""
    created_at: float
    verdict: Verdict | None
    operator: str | None
    reason: str | None
    decided_at: float | None


class ReviewPage(TypedDict):
    """A page of reviews; `cursor` is None on the last page."""

    items: list[Review]
    cursor: str | None
    total: int


class DecideResult(TypedDict):
    """The reply of `review.decide`."""

    id: str
    memory_id: str
    verdict: Verdict
    version: int
    """Of the memory, after the decision."""
