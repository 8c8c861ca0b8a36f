"""Ranges between two patterns, open ranges, and what lies a count of units before or after one."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from memoryd.language.times.pattern import Pattern, first_from, latest
from memoryd.language.times.periods import DAY, Period, Unit, add, period_of, shifted

# An end that falls so much later, and in the same month, was meant before its beginning.
_TURNED = 300 * DAY
_HOURS = ("hour", "minute")
NO_DATE = "there is no such date"
TURNED = "the range ends before it begins"


@dataclass(frozen=True, slots=True)
class Span:
    """Local times, None where open; impossible: why there is none."""

    start: datetime | None = None
    end: datetime | None = None
    impossible: str | None = None


def placed(pattern: Pattern, now: datetime) -> Span:
    """The most recent period of a pattern."""
    period = latest(pattern, now)
    return Span(period.start, period.end) if period else Span(impossible=NO_DATE)


def opened(kind: str, pattern: Pattern, now: datetime) -> Span:
    """The open range of a kind: since, after, before or until."""
    span = placed(pattern, now)
    if span.impossible:
        return span
    if kind == "since":
        return Span(span.start, None)
    if kind == "after":
        return Span(span.end, None)
    return Span(None, span.start if kind == "before" else span.end)


def comparable(begin: Pattern, end: Pattern) -> bool:
    """Whether two patterns can be the ends of a range."""
    alone = begin.fixed is not None or begin.cycle is not None
    return alone and (begin.unit in _HOURS or end.unit not in _HOURS)


def to_now(begin: Pattern, now: datetime) -> Span:
    """From the beginning of a pattern to now."""
    period = latest(begin, now)
    if period is None:
        return Span(impossible=NO_DATE)
    return Span(period.start, now) if period.start < now else Span(impossible=TURNED)


def between(begin: Pattern, end: Pattern, now: datetime) -> Span:
    """A range with both ends included; a year named at its end holds for its beginning."""
    until = end.fixed.start if end.fixed and begin.fixed is None else now
    start = latest(begin, until)
    if start is None:
        return Span(impossible=NO_DATE if latest(begin, now) is None else TURNED)
    stop = _stop(begin, start, end)
    if stop is None:
        return Span(impossible=NO_DATE)
    if stop.start < start.start:
        return Span(impossible=TURNED)
    return Span(start.start, stop.end)


def _stop(begin: Pattern, start: Period, end: Pattern) -> Period | None:
    """The first match on or after the beginning; before it when the range is turned round."""
    if end.fixed is not None:
        return end.fixed
    if end.unit in _HOURS and "daypart" in end.within:
        return end.make(Period(start.start, start.start + DAY, "daypart"))
    if end.unit == "day" and "month" in end.within and (begin.dated or begin.fixed or end.cycle is None):
        return end.make(period_of(start.start, "month"))
    if end.cycle is None:
        return None
    found = first_from(end, start.start)
    if found and found.start - start.start > _TURNED and found.start.month == start.start.month:
        return Period(add(found.start, -1, "year"), add(found.end, -1, "year"), found.unit)
    return found


def beside(pattern: Pattern, count: int, unit: Unit, now: datetime) -> Span:
    """So many units before (negative) or after a pattern: a day; one longer unit adjoins it."""
    period = latest(pattern, now)
    if period is None:
        return Span(impossible=NO_DATE)
    if abs(count) == 1 and unit != "day":
        edge = period.start if count < 0 else period.end
        ends = sorted((edge, add(edge, count, unit)))
        return Span(ends[0], ends[1])
    found = shifted(period.start if count < 0 else period.end - DAY, count, unit)
    return Span(found.start, found.end)
