"""Group `conversation`: sessions and their turns, the evidence under everything."""

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
    """What was said, word for word.

    A session is the app's own name for a conversation, of one user and one agent (or none). Its turns count
    up from position 0. A turn with an agent is seen only by that agent and `"*"`. Everywhere else the rules
    of the flat methods hold: user, agent, `request_id`, `InvalidParameterError`.
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
        """Store one turn durably, without waiting for its vector; keyword search finds it at once.

        `at`: when it was said, epoch seconds or ISO 8601, by default now; `tz`: the speaker's time zone by
        its IANA name, in which an `at` without offset and relative words ("yesterday") are understood,
        by default that of the setting `search.timezone`, else the machine's. `speaker`: the name of who
        speaks. `remember=False`: in the window only, never indexed, gone with the closing of the session.
        Credentials are replaced by `[secret:kind]` first. A closed session is opened again.
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
        """Store many turns with their vectors, chunk by chunk, in order.

        An item takes what `append` takes: `role`, `text` (or `content`), `at` (or `timestamp`), `tz` (by
        default that of the call), `speaker`, `metadata`, `remember`, and a `user_id`, which must be that of
        the call. Every item is checked before the first is stored. A chunk is acknowledged as a whole; a
        repeated request goes on where the first one stopped.
        """

    def window(
        self,
        session_id: Name,
        limit: ResultCount = 20,
        *,
        user_id: Name = "default",
        agent_id: Name | None = None,
    ) -> list[Turn]:
        """The newest `limit` (1 to 1000) turns of a session in order, those not to be remembered too."""

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
        """Remembered turns of a session, or of all, by when they were said; `limit` 1 to 1000.

        `cursor` is that of the page before and goes with the same session, filters and order; `total`
        counts all pages.
        """

    def get(self, id: TurnId, *, user_id: Name = "default", agent_id: Name | None = None) -> Turn | None:
        """One turn, or None when it is unknown, another user's or gone. Raises `WrongIdError`."""

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
        """Destroy the turns of `ids`, or a whole session: one of the two.

        Unknown ids and sessions raise `NotFoundError` and nothing is deleted. Raises `WrongIdError`.
        """

    def end(
        self,
        session_id: Name,
        *,
        user_id: Name = "default",
        agent_id: Name | None = None,
        request_id: Name | None = None,
    ) -> EndResult:
        """Close a session; its turns that are not to be remembered go.

        A session without a turn for `conversation.idle_minutes` closes by itself; the time a turn was
        received counts, not its `at`. Raises `NotFoundError` for a session that never was.
        """
