"""Builds the turn to store from what a caller gives: checked, redacted, with defaults."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any

from memory_client.errors import InvalidParameterError
from memory_client.types import TurnItem
from memoryd.core.ids import check_name
from memoryd.core.metadata import read_own
from memoryd.core.parameter_errors import abbreviate, invalid_value
from memoryd.core.scope import Scope, writing_agent
from memoryd.core.times import parse_time, parse_zone, zone_name
from memoryd.core.turn import TurnRecord
from memoryd.engine.context import Limits
from memoryd.engine.memories.record_builder import redactions_of, screened_own, screened_text
from memoryd.language.redact import redact_text

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_EVENT_CHARS = 20_000
"""Of a text that are read for the time it speaks of, 80 ms at most."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """The session turns are for, as the call says."""

    user_id: str
    agent_id: str | None
    session_id: str

    @classmethod
    def checked(cls, scope: Scope, session_id: str) -> Conversation:
        """Raises `InvalidParameterError` for a name that cannot be, or all agents at once."""
        return cls(scope.user_id, writing_agent(scope.agent_id), check_name(session_id, "session_id"))


def new_turn(
    conversation: Conversation, item: TurnItem, *, zone: tzinfo, now: float, limits: Limits
) -> TurnRecord:
    """The record of a new turn. zone: where the item gives none. Raises `InvalidParameterError`."""
    _check_owner(conversation, item)
    zone = zone_of(item.get("tz"), zone)
    created_at = _time(item, zone, now)
    text, warnings, found = _text(item, limits)
    event_start, event_end = event_of(text, created_at, zone)
    speaker, in_speaker = _speaker(item.get("speaker"))
    own, in_metadata = screened_own(read_own(item.get("metadata") or {}, limits.metadata_bytes))
    return TurnRecord(
        user_id=conversation.user_id,
        agent_id=conversation.agent_id,
        session_id=conversation.session_id,
        role=item["role"],
        speaker=speaker,
        text=text,
        created_at=created_at,
        tz=zone_name(zone),
        received_at=now,
        event_start=event_start,
        event_end=event_end,
        remembered=item.get("remember", True),
        metadata=own,
        warnings=tuple(warnings),
        redactions=redactions_of(found + in_speaker + in_metadata),
    )


def zone_of(tz: str | None, default: tzinfo) -> tzinfo:
    """The zone a caller names, if any. Raises `InvalidParameterError`."""
    return default if tz is None else parse_zone(tz, "tz")


def turn_of_item(
    conversation: Conversation, item: TurnItem, place: str, *, zone: tzinfo, now: float, limits: Limits
) -> TurnRecord:
    """The same for one of many; errors name its place, such as `turns[3]`."""
    try:
        return new_turn(conversation, item, zone=zone, now=now, limits=limits)
    except InvalidParameterError as error:
        data = {**error.data, "parameter": f"{place}.{error.data['parameter']}"}
        raise type(error)(f"{place}.{error.message}", **data) from error


def event_of(text: str, at: float, zone: tzinfo) -> tuple[float | None, float | None]:
    """The time a text speaks of, said at `at` in a time zone: start and end, None where it names none."""
    from memoryd.language.times import time_range  # its grammar takes a third of a second to load

    said = (_EPOCH + timedelta(seconds=at)).astimezone(zone)
    found = time_range(text[:_EVENT_CHARS], said)
    return (None, None) if found is None else (found.start, found.end)


def warm_up() -> None:
    """Load the grammar of time expressions, so that the first turn does not wait for it."""
    event_of("", 0.0, UTC)


def text_of_item(item: TurnItem) -> str:
    """The text an item gives, '' for none."""
    return item.get("text") or item.get("content") or ""


def _check_owner(conversation: Conversation, item: TurnItem) -> None:
    owner = item.get("user_id")
    if owner is not None and owner != conversation.user_id:
        raise InvalidParameterError(
            f"user_id: {abbreviate(owner)} differs from that of the call, {conversation.user_id!r}; "
            f"a session belongs to one user",
            parameter="user_id",
            value=abbreviate(owner),
            expected=conversation.user_id,
        )


def _one_of(item: TurnItem, name: str, other: str) -> tuple[str, Any]:
    """What is given under one of two names, and under which."""
    given = {key: item.get(key) for key in (name, other) if item.get(key) is not None}
    if len(given) == 2 and given[name] != given[other]:
        problem = f"differs from {name}, {abbreviate(given[name])}"
        raise invalid_value(other, given[other], f"either {name} or {other}", problem)
    return next(iter(given.items()), (name, None))


def _time(item: TurnItem, zone: tzinfo, now: float) -> float:
    name, at = _one_of(item, "at", "timestamp")
    return now if at is None else parse_time(at, name, zone)


def _text(item: TurnItem, limits: Limits) -> tuple[str, list[str], Counter[str]]:
    name, text = _one_of(item, "text", "content")
    if text is None:
        raise InvalidParameterError(
            "text: is missing; expected what was said, as text or content",
            parameter="text",
            value=None,
            expected="text or content",
        )
    return screened_text(text, limits, name)


def _speaker(name: str | None) -> tuple[str | None, Counter[str]]:
    return (None, Counter()) if name is None else redact_text(check_name(name, "speaker"))
