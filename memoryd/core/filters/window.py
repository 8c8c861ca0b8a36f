"""Spans of time that end now, as callers write them."""

from __future__ import annotations

import math
import re

from memory_client.errors import InvalidParameterError
from memoryd.core.abbreviate import shown

_SPAN = re.compile(r"(\d{1,6})([hdw])")
_SECONDS = {"h": 3600.0, "d": 86_400.0, "w": 7 * 86_400.0}
ALL = "all"


def parse_window(value: str, parameter: str = "window") -> float:
    """Seconds of `12h`, `30d` or `8w`; infinity for `all`. Raises `InvalidParameterError`."""
    if value == ALL:
        return math.inf
    found = _SPAN.fullmatch(value.strip())
    if found is None or int(found[1]) == 0:
        raise InvalidParameterError(
            f"{parameter}: {shown(value)} is no span of time; expected hours, days or weeks such as 12h, 30d "
            f"or 8w, or {ALL}",
            parameter=parameter,
            value=shown(value),
            expected="12h, 30d, 8w or all",
        )
    return int(found[1]) * _SECONDS[found[2]]
