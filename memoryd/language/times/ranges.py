"""Time spans of patterns: periods, ranges, open ranges, and units counted from a pattern."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from memoryd.language.times.pattern import Pattern, first_period_from, latest_period
from memoryd.language.times.periods import DAY, Period, Unit, add, period_at_offset, period_of

_NEARLY_A_YEAR = 300 * DAY
_HOURS = ("hour", "minute")
NO_DATE = "there is no such date"
REVERSED = "the range ends before it begins"


@dataclass(frozen=True, slots=True)
class Span:
    """Local times, None if open; impossible: why the expression names no time."""

    start: datetime | None = None
    end: datetime | None = None
    impossible: str | None = None


def place(pattern: Pattern, now: datetime) -> Span:
    """The span of the most recent period of a pattern."""
    period = latest_period(pattern, now)
    return Span(period.start, period.end) if period else Span(impossible=NO_DATE)


def open_range(kind: str, pattern: Pattern, now: datetime) -> Span:
    """The open range since, after, before or until a pattern."""
    span = place(pattern, now)
    if span.impossible:
        return span
    if kind == "since":
        return Span(span.start, None)
    if kind == "after":
        return Span(span.end, None)
    return Span(None, span.start if kind == "before" else span.end)


def can_form_range(begin: Pattern, end: Pattern) -> bool:
    """Whether two patterns can be the ends of a range."""
    alone = begin.fixed is not None or begin.cycle is not None
    return alone and (begin.unit in _HOURS or end.unit not in _HOURS)


def range_to_now(begin: Pattern, now: datetime) -> Span:
    """From the start of a pattern to now."""
    period = latest_period(begin, now)
    if period is None:
        return Span(impossible=NO_DATE)
    return Span(period.start, now) if period.start < now else Span(impossible=REVERSED)


def range_between(begin: Pattern, end: Pattern, now: datetime) -> Span:
    """From the start of one pattern to the end of another; a year named in the end applies to both."""
    until = end.fixed.start if end.fixed and begin.fixed is None else now
    start = latest_period(begin, until)
    if start is None:
        return Span(impossible=NO_DATE if latest_period(begin, now) is None else REVERSED)
    stop = _stop(begin, start, end)
    if stop is None:
        return Span(impossible=NO_DATE)
    if stop.start < start.start:
        return Span(impossible=REVERSED)
    return Span(start.start, stop.end)


def _stop(begin: Pattern, start: Period, end: Pattern) -> Period | None:
    """The first end on or after the start; an earlier one if the range is reversed."""
    if end.fixed is not None:
        return end.fixed
    if end.unit in _HOURS and "daypart" in end.within:
        return end.make(Period(start.start, start.start + DAY, "daypart"))
    if end.unit == "day" and "month" in end.within and (begin.dated or begin.fixed or end.cycle is None):
        return end.make(period_of(start.start, "month"))
    if end.cycle is None:
        return None
    found = first_period_from(end, start.start)
    if found and found.start - start.start > _NEARLY_A_YEAR and found.start.month == start.start.month:
        return Period(add(found.start, -1, "year"), add(found.end, -1, "year"), found.unit)
    return found


def offset_from(pattern: Pattern, count: int, unit: Unit, now: datetime) -> Span:
    """Some units before (negative) or after a pattern: a day, or for one longer unit the adjacent unit."""
    period = latest_period(pattern, now)
    if period is None:
        return Span(impossible=NO_DATE)
    if abs(count) == 1 and unit != "day":
        edge = period.start if count < 0 else period.end
        ends = sorted((edge, add(edge, count, unit)))
        return Span(ends[0], ends[1])
    found = period_at_offset(period.start if count < 0 else period.end - DAY, count, unit)
    return Span(found.start, found.end)
