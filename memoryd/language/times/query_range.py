"""The time range that a query asks for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from memoryd.language.times.time_expressions import TimeExpression, find_times


@dataclass(frozen=True, slots=True)
class TimeRange:
    """A time range.

    start, end: UTC epoch seconds, end exclusive, None if open; matched: the words that name it; invalid: why
    it is impossible (both ends are None then).
    """

    start: float | None
    end: float | None
    matched: tuple[str, ...]
    invalid: str | None = None


def time_range(text: str, reference: datetime) -> TimeRange | None:
    """The range that a query names, if any ("when did X" asks for a time and names none).

    An impossible expression makes the range invalid. Expressions that overlap narrow each other; others
    span from the first start to the last end ("in May or in June"). Raises ValueError for a reference
    without time zone.
    """
    found = find_times(text, reference)
    if not found:
        return None
    matched = tuple(expression.matched for expression in found)
    for expression in found:
        if expression.invalid:
            return TimeRange(None, None, matched, expression.invalid)
    start, end = _combined_range(found)
    return TimeRange(start, end, matched)


def _combined_range(found: Sequence[TimeExpression]) -> tuple[float | None, float | None]:
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
