"""Times as callers write them: epoch seconds or ISO 8601."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from memory_client.errors import InvalidParameterError
from memoryd.core.shown import shown

EARLIEST = datetime(1, 1, 2, tzinfo=UTC).timestamp()
LATEST = datetime(9999, 12, 30, tzinfo=UTC).timestamp()


def parse_time(value: Any, parameter: str) -> float:
    """Epoch seconds of a number or an ISO 8601 text; without offset it is UTC.

    Raises `InvalidParameterError`.
    """
    seconds = _seconds(value)
    if seconds is None:
        raise InvalidParameterError(
            f"{parameter}: {shown(value)} is not a time; expected epoch seconds or ISO 8601 "
            f"such as 2026-01-03 or 2026-01-03T09:30:00+08:00",
            parameter=parameter,
            value=shown(value),
            expected="epoch seconds or ISO 8601",
        )
    return seconds


def _seconds(value: Any) -> float | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value) if EARLIEST <= value <= LATEST else None
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value.strip())
    except ValueError:
        return None
    seconds = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    return seconds if EARLIEST <= seconds <= LATEST else None
