"""Group `memory`, continued: versions and successors."""

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

        A long history loses its oldest versions (setting `versions.limit`); `history_from` of the memory is
        the oldest one kept. Raises `NotFoundError`, `WrongIdError`.
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
        """How version `b` of a memory differs from version `a`.

        Default: the newest version and the one before `b`. Raises `NotFoundError` for an unknown memory or
        version, `HistoryLimitError` for a version that is no longer kept, `WrongIdError`.
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
        """Make a new version with the text, metadata and fields of version `to`.

        Importance, state, pin and links are unchanged. Raises the errors of `compare`, and
        `InvalidStateError` if the memory is not active.
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
        """Store what is true now as the successor of a memory that was true; return the new id.

        The old memory gets state superseded and `valid_to`: the new one's `valid_from` (default: now, never
        in the future), or its own earlier end. `restore` undoes this once the successor is archived or
        deleted. The successor has the old memory as `parent_id`, and inherits category, kind, tags, exact
        keys, pin, agent and session, and an importance above the default, unless `metadata` gives them.
        Raises `NotFoundError`, `WrongIdError`, `InvalidStateError` if the memory is not active, and
        `InvalidParameterError` if the text is unchanged or `valid_from` is in the future.
        """
