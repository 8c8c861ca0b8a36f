"""Group `memory`, continued: what happens to a memory after it was stored."""

from __future__ import annotations

from memory_client.types import Updated


class LifeAPI:
    """The life of a memory: use, change over time, forgetting, versions, conflicts."""

    def archive(
        self,
        id: str,
        reason: str | None = None,
        *,
        user_id: str = "default",
        agent_id: str | None = None,
        request_id: str | None = None,
    ) -> Updated:
        """Put a memory away: ordinary searches no longer find it, `restore` brings it back.

        Raises `NotFoundError`, `WrongIdError`, `InvalidStateError` when it is not active.
        """
