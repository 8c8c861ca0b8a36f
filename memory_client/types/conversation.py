"""Conversations: turns, and the replies of storing them."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict

from memory_client.types.vocabulary import Metadata, Role


class TurnItem(TypedDict):
    """One item of `conversation.extend`; `content` is `text`, `timestamp` is `at`."""

    role: Role
    text: NotRequired[str | None]
    content: NotRequired[str | None]
    at: NotRequired[float | str | None]
    timestamp: NotRequired[float | str | None]
    tz: NotRequired[str | None]
    speaker: NotRequired[str | None]
    metadata: NotRequired[Metadata | None]
    remember: NotRequired[bool]
    user_id: NotRequired[str | None]


class ConversationMessage(TypedDict):
    """A message to extract knowledge from; `conversation.extend` takes it too."""

    role: Role
    content: str
    timestamp: NotRequired[float | str | None]
    user_id: NotRequired[str | None]
    metadata: NotRequired[Metadata | None]


class Turn(TypedDict):
    """A stored turn."""

    id: str
    user_id: str
    agent_id: str | None
    session_id: str
    position: int
    role: Role
    speaker: str | None
    text: str
    created_at: float
    """When it was spoken or written."""
    tz: str | None
    """The IANA time zone in which its times were read, if any."""
    received_at: float
    """When it was stored."""
    event_start: float | None
    """Start of the time the text mentions, up to `event_end`; None if it mentions none."""
    event_end: float | None
    remembered: bool
    """False: kept in the window only, until the session ends."""
    metadata: Metadata
    indexed: bool
    """Whether it can be found by meaning; keyword search finds every remembered turn."""
    warnings: list[str]
    """What was changed when it was stored, in words."""
    redactions: dict[str, Any]
    """Credentials replaced in the text: `{"secrets": {kind: count}}`; empty if none."""


class TurnPage(TypedDict):
    """A page of turns; `cursor` is None on the last page."""

    items: list[Turn]
    cursor: str | None
    total: int


class AppendResult(TypedDict):
    """The reply of `conversation.append`."""

    id: str
    session_id: str
    position: int
    topic: str
    """Always `unknown`: topics are not recognized yet."""
    anchors: list[str]
    """Always empty: anchors are not recognized yet."""


class ExtendResult(TypedDict):
    """The reply of `conversation.extend`; ids are in the order of the items."""

    ids: list[str]
    session_id: str
    count: int


class EndResult(TypedDict):
    """The reply of `conversation.end`."""

    session_id: str
    closed: bool
    """False if the session was already closed."""
    dropped_count: int
    """Turns with `remember=False` that were deleted with the session's window."""
