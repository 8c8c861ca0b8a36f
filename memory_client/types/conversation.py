"""Conversations: turns and the receipts of keeping them."""

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
    """A message of a conversation from which knowledge is extracted; `conversation.extend` takes it too."""

    role: Role
    content: str
    timestamp: NotRequired[float | str | None]
    user_id: NotRequired[str | None]
    metadata: NotRequired[Metadata | None]


class Turn(TypedDict):
    """A stored turn with all its fields."""

    id: str
    user_id: str
    agent_id: str | None
    session_id: str
    position: int
    role: Role
    speaker: str | None
    text: str
    created_at: float
    """When it was said."""
    tz: str | None
    """The zone its times were read in, by its IANA name; None where it has none."""
    received_at: float
    event_start: float | None
    """The time the text speaks of, up to `event_end`, where it names one."""
    event_end: float | None
    remembered: bool
    """False: in the window only, until the session is closed."""
    metadata: Metadata
    indexed: bool
    """Whether the vector is in the index; keyword search finds a remembered turn in any case."""
    warnings: list[str]
    redactions: dict[str, Any]
    """What screening replaced: `{"secrets": {kind: count}}`, empty when nothing was."""


class TurnPage(TypedDict):
    """A page of turns; `cursor` is None on the last one."""

    items: list[Turn]
    cursor: str | None
    total: int


class AppendResult(TypedDict):
    """The receipt of `conversation.append`."""

    id: str
    session_id: str
    position: int
    topic: str
    """`unknown`: topics are not recognised."""
    anchors: list[str]
    """Empty: no anchors are recognised."""


class ExtendResult(TypedDict):
    """The receipt of `conversation.extend`; ids in the order of the items."""

    ids: list[str]
    session_id: str
    count: int


class EndResult(TypedDict):
    """The receipt of `conversation.end`."""

    session_id: str
    closed: bool
    """False when it was closed already."""
    dropped_count: int
    """Turns not to be remembered, which went with the closing."""
