"""Time patterns: fixed periods, and periods that recur once in each year, month, week or day.

"May" recurs in every year, "the 2nd" in every month, "afternoon" in every day. A pattern nested in another is
a pattern ("the afternoon of May 2nd"); it is fixed if the outer one is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from memoryd.language.times.periods import Period, Unit, midnight, period_at_offset, period_of

_MAX_CYCLES = 9
"""Cycles to search; 29 February may be missing from the next seven."""
Make = Callable[[Period], Period | None]


@dataclass(frozen=True, slots=True)
class Pattern:
    """The meaning of an expression before it is placed in time.

    unit: of the period; make: the period within a container, None if there is none; within: units of the
    containers; cycle: the unit it recurs in if no container is named, None for a fixed period and for a
    pattern that needs a container; fixed: the period of a fixed pattern; dated: whether it is a named month
    and a day, which a weekday beside it only repeats.
    """

    unit: Unit
    make: Make
    within: frozenset[Unit] = frozenset()
    cycle: Unit | None = None
    fixed: Period | None = None
    dated: bool = False


def fixed_pattern(period: Period) -> Pattern:
    """The pattern of one period."""
    return Pattern(period.unit, lambda _: period, fixed=period)


def recurring_pattern(unit: Unit, within: Unit, make: Make) -> Pattern:
    """A pattern that recurs once in every `within`."""
    return Pattern(unit, make, frozenset({within}), within)


def impossible_pattern(unit: Unit = "day") -> Pattern:
    """A pattern without any period, such as 30 February."""
    return recurring_pattern(unit, "year", lambda _: None)


def combine(first: Pattern, second: Pattern) -> Pattern | None:
    """One of the two nested in the other; None if neither fits."""
    return _nest(second, first) or _nest(first, second) or _date_with_weekday(first, second)


def _nest(inner: Pattern, outer: Pattern) -> Pattern | None:
    if outer.unit not in inner.within:
        return None
    if outer.fixed is not None:
        return _fix_within(inner, outer.fixed)

    def make(container: Period) -> Period | None:
        found = outer.make(container)
        return None if found is None else inner.make(found)

    is_clock = outer.unit == "daypart" and inner.unit in ("hour", "minute")
    return replace(
        outer,
        unit=inner.unit,
        make=make,
        cycle=outer.cycle or ("day" if is_clock else None),  # "afternoon" alone is no time
        dated=inner.unit == "day" and outer.unit == "month",
    )


def _fix_within(inner: Pattern, container: Period) -> Pattern:
    period = inner.make(container)
    return impossible_pattern(inner.unit) if period is None else fixed_pattern(period)


def _date_with_weekday(first: Pattern, second: Pattern) -> Pattern | None:
    """The date of a date and its weekday."""
    for date, weekday in ((first, second), (second, first)):
        if date.unit == weekday.unit == "day" and weekday.cycle == "week" and (date.fixed or date.dated):
            return date
    return None


def latest_period(pattern: Pattern, until: datetime) -> Period | None:
    """The most recent period that starts no later than `until`."""
    return _search(pattern, until, -1, lambda period: period.start <= until)


def latest_ended_period(pattern: Pattern, until: datetime) -> Period | None:
    """The most recent period that ends no later than `until`."""
    return _search(pattern, until, -1, lambda period: period.end <= until)


def first_period_from(pattern: Pattern, moment: datetime) -> Period | None:
    """The first period that starts at the moment or later."""
    return _search(pattern, moment, 1, lambda period: period.start >= moment)


def _search(pattern: Pattern, moment: datetime, step: int, fits: Callable[[Period], bool]) -> Period | None:
    if pattern.fixed is not None or pattern.cycle is None:
        return pattern.fixed
    for count in range(_MAX_CYCLES):
        period = pattern.make(period_at_offset(moment, step * count, pattern.cycle))
        if period is not None and fits(period):
            return period
    return None


def last_occurrence(pattern: Pattern, now: datetime) -> Pattern:
    """The meaning of "last X": the latest that ended before today, before this month, or before now."""
    if pattern.unit in ("day", "month"):
        found = latest_ended_period(pattern, period_of(now, pattern.unit).start)
    else:
        found = latest_ended_period(pattern, now)
    return impossible_pattern(pattern.unit) if found is None else fixed_pattern(found)


def next_occurrence(pattern: Pattern, now: datetime) -> Pattern:
    """The meaning of "next X": the first that starts after today, after this month, or from today on."""
    after = period_of(now, pattern.unit).end if pattern.unit in ("day", "month") else midnight(now)
    found = first_period_from(pattern, after)
    return impossible_pattern(pattern.unit) if found is None else fixed_pattern(found)


def current_occurrence(pattern: Pattern, now: datetime) -> Pattern:
    """The meaning of "this X": the one that contains now, else that of the current year, month or week."""
    running = latest_period(pattern, now)
    if running is not None and now < running.end:
        return fixed_pattern(running)
    return pattern if pattern.cycle is None else _fix_within(pattern, period_of(now, pattern.cycle))
