"""Group `conversation`: sessions and their turns."""

from __future__ import annotations

from typing import Any

from memory_client.api.parameters import Name, ResultCount, TurnId, TurnIds
from memory_client.api.spec import long_running
from memory_client.types import (
    AppendResult,
    DeleteResult,
    Direction,
    EndResult,
    ExtendResult,
    Filters,
    Role,
    Turn,
    TurnItem,
    TurnPage,
)


class ConversationAPI:
    """Conversations, stored word for word.

    A session id is the app's own name for a conversation; a session belongs to one user and one agent (or
    none). Its turns are numbered from position 0. A turn with an agent is visible only to that agent and to
    `"*"`. User, agent, `request_id` and `InvalidParameterError` work as in the group `memory`.
    """

    def append(
        self,
        session_id: Name,
        role: Role,
        text: str,
        *,
        user_id: Name = "default",
        agent_id: Name | None = None,
        at: float | str | None = None,
        tz: str | None = None,
        speaker: str | None = None,
        metadata: dict[str, Any] | None = None,
        remember: bool = True,
        request_id: Name | None = None,
    ) -> AppendResult:
        """Store one turn durably without waiting for its vector; keyword search finds it at once.

        `at`: when it was said, epoch seconds or ISO 8601; default: now. `tz`: the speaker's IANA time zone,
        in which an `at` without offset and words like "yesterday" are read; default: the setting
        `search.timezone`, else the zone of the machine. `speaker`: the speaker's name. `remember=False`: kept
        in the window only, never indexed, deleted when the session ends. Credentials are replaced by
        `[secret:kind]` before the text is stored. A turn reopens an ended session.
        """

    @long_running
    def extend(
        self,
        session_id: Name,
        turns: list[TurnItem],
        *,
        user_id: Name = "default",
        agent_id: Name | None = None,
        tz: str | None = None,
        request_id: Name | None = None,
    ) -> ExtendResult:
        """Store many turns in order, in chunks, with their vectors.

        An item takes what `append` takes: `role`, `text` (or `content`), `at` (or `timestamp`), `tz`
        (default: that of the call), `speaker`, `metadata`, `remember`, and a `user_id`, which must be that of
        the call. Every item is checked before the first is stored. A chunk is stored completely or not at
        all; a repeated request continues after the last stored chunk.
        """

    def window(
        self,
        session_id: Name,
        limit: ResultCount = 20,
        *,
        user_id: Name = "default",
        agent_id: Name | None = None,
    ) -> list[Turn]:
        """The newest `limit` (1 to 1000) turns of a session in order, also those with `remember=False`."""

    def page(
        self,
        session_id: Name | None = None,
        *,
        filters: Filters | None = None,
        sort_order: Direction = "asc",
        cursor: str | None = None,
        limit: ResultCount = 50,
        user_id: Name = "default",
        agent_id: Name | None = None,
    ) -> TurnPage:
        """Remembered turns of a session, or of all sessions, by time; `limit` 1 to 1000.

        `cursor` comes from the page before and requires the same session, filters and order; `total` counts
        all pages.
        """

    def get(self, id: TurnId, *, user_id: Name = "default", agent_id: Name | None = None) -> Turn | None:
        """One turn, or None if it is unknown, another user's or deleted. Raises `WrongIdError`."""

    @long_running
    def delete(
        self,
        ids: TurnIds | None = None,
        *,
        session_id: Name | None = None,
        user_id: Name = "default",
        agent_id: Name | None = None,
        request_id: Name | None = None,
    ) -> DeleteResult:
        """Destroy turns by `ids`, or a whole session; give one of the two.

        Unknown ids and sessions raise `NotFoundError`, and nothing is deleted. Raises `WrongIdError`.
        """

    def end(
        self,
        session_id: Name,
        *,
        user_id: Name = "default",
        agent_id: Name | None = None,
        request_id: Name | None = None,
    ) -> EndResult:
        """End a session and delete its turns with `remember=False`.

        A session without a turn for `conversation.idle_minutes` ends by itself; the time a turn was received
        counts, not its `at`. Raises `NotFoundError` for an unknown session.
        """
