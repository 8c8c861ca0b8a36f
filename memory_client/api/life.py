"""Group `memory`, continued: use, archiving and restoring."""

from __future__ import annotations

from typing import Annotated

from memory_client.api.parameters import Between, MemoryId, Name
from memory_client.types import BoostResult, Feedback, FeedbackResult, UpdateResult


class LifeAPI:
    """The life of a memory: it is used, archived and restored."""

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
        """Record that a memory was useful: add 0.3 to its effective importance and restart its decay.

        Uses within 2 hours count once, and at most 1.0 is added per local day (settings `boost.*`); the
        maximum is 5.0; `limited_by` says why less was added. A memory archived by decay is restored. At 2.5
        or more (`review.promote_from`) a review asks whether it becomes core. Makes no version. Raises
        `NotFoundError`, `WrongIdError`, and `InvalidStateError` for a memory that is superseded or archived
        for another reason.
        """

    def mark_used(
        self,
        ids: Annotated[list[MemoryId], Between(0, 1000)],
        *,
        user_id: Name = "default",
        agent_id: Name | None = None,
        request_id: Name | None = None,
    ) -> list[BoostResult]:
        """`boost` for each memory that a reply used: at most 1000, all or none, each id once."""

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
        """Record that a memory is `useful`, `wrong` or `outdated`.

        useful: adds 0.1 to the confidence, up to 1.0, and nothing else. wrong, outdated: opens a review, or
        updates the open one with the newer finding and reason; nothing else changes before the decision.
        Raises `NotFoundError`, `WrongIdError`, and `InvalidStateError` if the memory is not active.
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
        """Exempt a memory from decay, expiry, review and purge; `pinned=False` ends that.

        Its importance is set to its current effective importance. Raises `NotFoundError`, `WrongIdError`.
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
        """Archive a memory: ordinary searches no longer find it, `restore` makes it active again.

        Raises `NotFoundError`, `WrongIdError`, and `InvalidStateError` if it is not active.
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
        """Make an archived memory active again, whatever archived it; its decay restarts at 0.5 or more.

        A superseded memory can be restored once its successor is archived or deleted; the `valid_to` that the
        successor set is removed. An `expires_at` in the past is removed, and `warnings` says so. Raises
        `NotFoundError`, `WrongIdError`, and `InvalidStateError` if the memory or its successor is active.
        """
