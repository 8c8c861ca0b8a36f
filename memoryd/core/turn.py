"""The turn record: one message of a session, verbatim."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, cast

from memory_client.types import Role, Turn


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRecord:
    """A stored turn. id, position: assigned by the store; created_at: the time of the message."""

    id: str = ""
    user_id: str
    agent_id: str | None = None
    session_id: str
    position: int = -1
    role: Role
    speaker: str | None = None
    text: str
    created_at: float
    tz: str | None = None
    received_at: float
    event_start: float | None = None
    event_end: float | None = None
    remembered: bool = True
    metadata: dict[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    redactions: dict[str, Any] = field(default_factory=dict)


TURN_FIELDS = tuple(f.name for f in fields(TurnRecord))


def to_turn(record: TurnRecord, *, indexed: bool) -> Turn:
    """The turn as callers see it."""
    shown = {name: getattr(record, name) for name in TURN_FIELDS}
    return cast("Turn", {**shown, "warnings": list(record.warnings), "indexed": indexed})
