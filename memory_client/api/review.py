"""Group `review`: decisions about memories that a person has to make."""

from __future__ import annotations

from memory_client.api.parameters import Name, ResultCount, ReviewId
from memory_client.types import DecideResult, ReviewKind, ReviewPage, ReviewState, Verdict


class ReviewAPI:
    """Questions about memories, and their answers. User and agent as everywhere.

    kinds: `promotion`, when a use or a change lifts the importance to 2.5; `decay`, when that of a fact
    falls below .5, once for each fall; `feedback`, when it was called wrong or outdated. An open review is
    withdrawn when its memory is archived, superseded or destroyed; but what was called wrong or outdated is
    asked again once a memory that the clock had archived is back.
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
        """Reviews in a state, the oldest first, `limit` 1 to 1000; `cursor` is that of the page before."""

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
        """Answer a review.

        promote: the memory becomes core. keep: it stays; one that has fallen begins at .5 again, with a
        grace that doubles with each such verdict, up to 160 days. delete: it is archived.
        Raises `NotFoundError`, `WrongIdError`, `InvalidStateError` when it was decided already, when the
        memory is not active, and when core or system are to be promoted, or system archived.
        """
