"""The one range of time a query asks for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from memoryd.language.times.time_expressions import TimeExpression, find


@dataclass(frozen=True, slots=True)
class TimeRange:
    """What a query limits itself to.

    start, end: UTC epoch seconds, end exclusive, None where open; matched: the words it was read from;
    invalid: why nothing can lie in it (then both ends are None).
    """

    start: float | None
    end: float | None
    matched: tuple[str, ...]
    invalid: str | None = None


def time_range(text: str, reference: datetime) -> TimeRange | None:
    """The range a query names; None where it names none ("when did X" asks for a time and names none).

    Of several expressions an impossible one decides; those that overlap narrow each other; else the range
    goes from the first beginning to the last end ("in May or in June"). Raises ValueError for a reference
    without time zone.
    """
    found = find(text, reference)
    if not found:
        return None
    matched = tuple(expression.matched for expression in found)
    for expression in found:
        if expression.invalid:
            return TimeRange(None, None, matched, expression.invalid)
    start, end = _together(found)
    return TimeRange(start, end, matched)


def _together(found: Sequence[TimeExpression]) -> tuple[float | None, float | None]:
    starts = [_seconds(expression.start) for expression in found]
    ends = [_seconds(expression.end) for expression in found]
    latest = max((start for start in starts if start is not None), default=None)
    earliest = min((end for end in ends if end is not None), default=None)
    if latest is None or earliest is None or latest < earliest:
        return latest, earliest
    first = None if None in starts else min(start for start in starts if start is not None)
    last = None if None in ends else max(end for end in ends if end is not None)
    return first, last


def _seconds(moment: datetime | None) -> float | None:
    return None if moment is None else moment.timestamp()
