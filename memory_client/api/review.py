"""Group `review`: questions about memories that a person answers."""

from __future__ import annotations

from memory_client.api.parameters import Name, ResultCount, ReviewId
from memory_client.types import DecideResult, ReviewKind, ReviewPage, ReviewState, Verdict


class ReviewAPI:
    """Reviews of memories, and their decisions. User and agent work as in the group `memory`.

    Kinds: `promotion`, if a boost or change raises the importance to 2.5; `decay`, if the importance of a
    fact falls below 0.5, once for each fall; `feedback`, if it was called wrong or outdated. A pending review
    is withdrawn if its memory is archived, superseded or destroyed; a `feedback` review is opened again if a
    memory archived by decay becomes active again.
    """

    def page(
        self,
        state: ReviewState = "pending",
        *,
        kind: ReviewKind | None = None,
        cursor: str | None = None,
        limit: ResultCount = 50,
        user_id: Name = "default",
        agent_id: Name | None = None,
    ) -> ReviewPage:
        """Reviews in a state, oldest first, `limit` 1 to 1000; `cursor` comes from the page before."""

    def decide(
        self,
        id: ReviewId,
        verdict: Verdict,
        reason: str | None = None,
        *,
        operator: str = "app",
        user_id: Name = "default",
        agent_id: Name | None = None,
        request_id: Name | None = None,
    ) -> DecideResult:
        """Decide a review.

        promote: the memory becomes core. keep: the memory stays; a faded one starts again at 0.5, with a
        grace period that doubles with each keep, up to 160 days. delete: the memory is archived. Raises
        `NotFoundError`, `WrongIdError`, and `InvalidStateError` if the review is already decided, the memory
        is not active, a core or system memory is to be promoted, or a system memory archived.
        """
