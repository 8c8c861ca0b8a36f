"""Times, time zones and durations as callers write them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from datetime import UTC, datetime, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

from memoryd.core.parameter_errors import invalid_value

ZoneSource = Callable[[], tzinfo]
"""Returns the current default time zone."""

EARLIEST = datetime(1, 1, 2, tzinfo=UTC).timestamp()
LATEST = datetime(9999, 12, 30, tzinfo=UTC).timestamp()
_TIME = "epoch seconds or ISO 8601 such as 2026-01-03 or 2026-01-03T09:30:00+08:00"
_ZONE = "an IANA name such as Asia/Shanghai"
_WINDOW = "hours, days or weeks such as 12h, 30d or 8w, or all"
_SPAN = re.compile(r"(\d{1,6})([hdw])")
_SECONDS = {"h": 3600.0, "d": 86_400.0, "w": 7 * 86_400.0}
ALL = "all"


def parse_time(value: Any, parameter: str, zone: tzinfo = UTC) -> float:
    """Epoch seconds of a number or an ISO 8601 string; one without offset is in `zone`.

    Raises `InvalidParameterError`.
    """
    seconds = _seconds(value, zone)
    if seconds is None:
        raise invalid_value(parameter, value, _TIME, "is not a time")
    return seconds


def parse_window(value: str, parameter: str = "window") -> float:
    """Seconds of 12h, 30d or 8w; infinity for `all`. Raises `InvalidParameterError`."""
    if value == ALL:
        return math.inf
    found = _SPAN.fullmatch(value.strip())
    if found is None or int(found[1]) == 0:
        raise invalid_value(parameter, value, _WINDOW, "is not a duration")
    return int(found[1]) * _SECONDS[found[2]]


def parse_zone(value: str, parameter: str) -> ZoneInfo:
    """The time zone of an IANA name. Raises `InvalidParameterError`."""
    try:
        return ZoneInfo(value)
    except (LookupError, ValueError, OSError) as error:  # OSError: a folder of zones
        raise invalid_value(parameter, value, _ZONE, "is not a time zone") from error


def zone_name(zone: tzinfo) -> str | None:
    """The IANA name of a zone; None if it has none."""
    name = getattr(zone, "key", None)
    if not isinstance(name, str):
        return None
    try:
        return ZoneInfo(name).key
    except (LookupError, ValueError, OSError):  # a zone from a file
        return None


def utc() -> tzinfo:
    """The zone source of UTC."""
    return UTC


def _seconds(value: Any, zone: tzinfo) -> float | None:
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
    seconds = (moment if moment.tzinfo else moment.replace(tzinfo=zone)).timestamp()
    return seconds if EARLIEST <= seconds <= LATEST else None
