"""Group `memory`, continued: what a memory was, and what it became."""

from __future__ import annotations

from typing import Any

from memory_client.api.parameters import MemoryId, Name, ResultCount, VersionNumber
from memory_client.types import Comparison, UpdateResult, Version


class VersionsAPI:
    """Versions of a memory, and its successors."""

    def history(
        self,
        id: MemoryId,
        *,
        limit: ResultCount = 50,
        before: VersionNumber | None = None,
        user_id: Name = "default",
        agent_id: Name | None = None,
    ) -> list[Version]:
        """The newest `limit` (1 to 1000) versions of a memory below version `before`, oldest first.

        A long history has lost its oldest versions (setting `versions.limit`): `history_from` of the memory
        says which is the first. Raises `NotFoundError`, `WrongIdError`.
        """

    def compare(
        self,
        id: MemoryId,
        a: VersionNumber | None = None,
        b: VersionNumber | None = None,
        *,
        user_id: Name = "default",
        agent_id: Name | None = None,
    ) -> Comparison:
        """How version `b` of a memory, the newest by default, differs from version `a`, by default the one
        before `b`.

        Raises `NotFoundError` for a memory or version that is not there, `HistoryLimitError` for one that
        is no longer told apart, `WrongIdError`.
        """

    def revert(
        self,
        id: MemoryId,
        to: VersionNumber,
        reason: str | None = None,
        *,
        operator: str = "app",
        user_id: Name = "default",
        agent_id: Name | None = None,
        request_id: Name | None = None,
    ) -> UpdateResult:
        """Make what version `to` said the next version: text, metadata and fields.

        Its life goes on: importance, state, pin and links stay as they are. Raises as `compare`, and
        `InvalidStateError` when the memory is not active.
        """

    def supersede(
        self,
        id: MemoryId,
        text: str,
        metadata: dict[str, Any] | None = None,
        reason: str | None = None,
        *,
        operator: str = "app",
        user_id: Name = "default",
        agent_id: Name | None = None,
        request_id: Name | None = None,
    ) -> str:
        """Store what is true now in place of what was true and no longer is; return the new id.

        The old memory gets `valid_to` (the new one's `valid_from`, now by default and never later; an earlier
        end that it has is kept) and state superseded; `restore` undoes that once the new one is gone. The new
        one has it as `parent_id`, and inherits its category, kind, tags, exact keys, pin, agent and
        session, and an importance over the usual, where `metadata` gives none. Raises `NotFoundError`,
        `WrongIdError`, `InvalidStateError` when the memory is not active, `InvalidParameterError` when the
        text is the same or `valid_from` is in the future.
        """
