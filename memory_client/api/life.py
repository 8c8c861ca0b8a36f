"""Group `memory`, continued: what happens to a memory after it was stored."""

from __future__ import annotations

from typing import Annotated

from memory_client.api.parameters import Between, MemoryId, Name
from memory_client.types import BoostResult, Feedback, FeedbackResult, UpdateResult


class LifeAPI:
    """The life of a memory: of use, put away, brought back."""

    def boost(
        self,
        id: MemoryId,
        reason: str | None = None,
        *,
        operator: str = "app",
        user_id: Name = "default",
        agent_id: Name | None = None,
        request_id: Name | None = None,
    ) -> BoostResult:
        """Say that a memory was of use: +0.3 on what time has left of its importance; its clock starts again.

        Uses within 2 hours count once, and no more than +1.0 is added on a local day (settings `boost.*`);
        the maximum is 5.0; `limited_by` says why less was added. A memory archived by decay is restored.
        From 2.5 upwards (`review.promote_from`) a review asks whether it becomes core. Makes no version.
        Raises `NotFoundError`, `WrongIdError`, `InvalidStateError` for one archived for another reason, or
        superseded.
        """

    def mark_used(
        self,
        ids: Annotated[list[MemoryId], Between(0, 1000)],
        *,
        user_id: Name = "default",
        agent_id: Name | None = None,
        request_id: Name | None = None,
    ) -> list[BoostResult]:
        """`boost` for each memory a reply has really used, at most 1000, all or none, each id once."""

    def feedback(
        self,
        id: MemoryId,
        finding: Feedback,
        reason: str | None = None,
        *,
        operator: str = "app",
        user_id: Name = "default",
        agent_id: Name | None = None,
        request_id: Name | None = None,
    ) -> FeedbackResult:
        """Say that a memory was `useful`, or is `wrong` or `outdated`.

        useful: confidence + 0.1, up to 1.0, and nothing else. wrong, outdated: a review is opened, or the one
        that is open takes the newer finding and reason; nothing is changed before its verdict. Raises
        `NotFoundError`, `WrongIdError`, `InvalidStateError` when the memory is not active.
        """

    def pin(
        self,
        id: MemoryId,
        pinned: bool = True,
        reason: str | None = None,
        *,
        operator: str = "app",
        user_id: Name = "default",
        agent_id: Name | None = None,
        request_id: Name | None = None,
    ) -> UpdateResult:
        """Keep a memory as it is: exempt from decay, expiry, review and purge; `pinned=False` ends it.

        Its importance stays at what time had left of it. Raises `NotFoundError`, `WrongIdError`.
        """

    def archive(
        self,
        id: MemoryId,
        reason: str | None = None,
        *,
        operator: str = "app",
        user_id: Name = "default",
        agent_id: Name | None = None,
        request_id: Name | None = None,
    ) -> UpdateResult:
        """Put a memory away: ordinary searches no longer find it, `restore` brings it back.

        Raises `NotFoundError`, `WrongIdError`, `InvalidStateError` when it is not active.
        """

    def restore(
        self,
        id: MemoryId,
        reason: str | None = None,
        *,
        operator: str = "app",
        user_id: Name = "default",
        agent_id: Name | None = None,
        request_id: Name | None = None,
    ) -> UpdateResult:
        """Bring an archived memory back, whatever archived it; its clock starts anew, at .5 or more.

        A superseded one comes back once what took its place is archived or deleted: the end that this set is
        taken back. An `expires_at` that has passed is taken away, and `warnings` says so. Raises
        `NotFoundError`, `WrongIdError`, `InvalidStateError` when it is active or its successor is.
        """
