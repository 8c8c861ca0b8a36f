"""Short notation for the start and end of time expressions."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

from memoryd.language.times import find_times

REFERENCE = datetime(2023, 5, 10, 9, 15, tzinfo=ZoneInfo("Asia/Shanghai"))
INVALID = "invalid"
NOTHING = ""


def ends(text: str, reference: datetime = REFERENCE) -> str:
    """The ends of the one expression, as short as may be: no midnight, no year 2023, `-` for an open end."""
    return ", ".join(
        INVALID if found.invalid else f"{_short(found.start)} {_short(found.end)}"
        for found in find_times(text, reference)
    )


def _short(moment: datetime | None) -> str:
    if moment is None:
        return "-"
    return moment.strftime("%Y-%m-%dT%H:%M").removesuffix("T00:00").removeprefix("2023-")
