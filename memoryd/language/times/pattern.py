"""Time patterns: periods that are fixed, or that come back once in each year, month, week or day.

"May" is a month found in any year, "the 2nd" a day found in any month, "afternoon" a part of any day. One
found within the other is again a pattern ("the afternoon of May 2nd"), and is fixed when the outer one is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from memoryd.language.times.periods import Period, Unit, midnight, period_of, shifted

# Days that are left out of most cycles (29 February, the 31st) are found within so many.
_CYCLES = 9
Make = Callable[[Period], Period | None]


@dataclass(frozen=True, slots=True)
class Pattern:
    """What an expression means before it is placed in time.

    unit: of the period it makes; make: the period within a container, None where there is none;
    within: units of containers it can be found in; cycle: the unit it comes back in when no container is
    named, None for a fixed period and for what cannot stand alone; fixed: its period, when it needs none.
    """

    unit: Unit
    make: Make
    within: frozenset[Unit] = frozenset()
    cycle: Unit | None = None
    fixed: Period | None = None
    dated: bool = False  # made of a month's name and a day, which a weekday beside it only repeats


def fixed(period: Period) -> Pattern:
    """A pattern that is one period."""
    return Pattern(period.unit, lambda _: period, fixed=period)


def recurring(unit: Unit, within: Unit, make: Make) -> Pattern:
    """A pattern found once in every `within`."""
    return Pattern(unit, make, frozenset({within}), within)


def impossible(unit: Unit = "day") -> Pattern:
    """A pattern that no calendar has."""
    return recurring(unit, "year", lambda _: None)


def combined(first: Pattern, second: Pattern) -> Pattern | None:
    """One of the two found within the other; None when neither can be."""
    return _nested(second, first) or _nested(first, second) or _repeated(first, second)


def _nested(inner: Pattern, outer: Pattern) -> Pattern | None:
    if outer.unit not in inner.within:
        return None
    if outer.fixed is not None:
        return _in_fixed(inner, outer.fixed)

    def make(container: Period) -> Period | None:
        found = outer.make(container)
        return None if found is None else inner.make(found)

    # "afternoon" alone is no time, "3 in the afternoon" is.
    clock = outer.unit == "daypart" and inner.unit in ("hour", "minute")
    return replace(
        outer,
        unit=inner.unit,
        make=make,
        cycle=outer.cycle
        or ("day" if clock else None),  # "afternoon" alone is no time, "3 in the afternoon" is
        dated=inner.unit == "day" and outer.unit == "month",
    )


def _in_fixed(inner: Pattern, container: Period) -> Pattern:
    period = inner.make(container)
    return impossible(inner.unit) if period is None else fixed(period)


def _repeated(first: Pattern, second: Pattern) -> Pattern | None:
    """A date with its weekday: the date."""
    for date, weekday in ((first, second), (second, first)):
        if date.unit == weekday.unit == "day" and weekday.cycle == "week" and (date.fixed or date.dated):
            return date
    return None


def latest(pattern: Pattern, until: datetime) -> Period | None:
    """The most recent period of the pattern that begins no later than `until`."""
    return _search(pattern, until, -1, lambda period: period.start <= until)


def latest_ended(pattern: Pattern, until: datetime) -> Period | None:
    """The most recent period of the pattern that has ended by `until`."""
    return _search(pattern, until, -1, lambda period: period.end <= until)


def first_from(pattern: Pattern, moment: datetime) -> Period | None:
    """The first period of the pattern that begins at the moment or later."""
    return _search(pattern, moment, 1, lambda period: period.start >= moment)


def _search(pattern: Pattern, moment: datetime, step: int, fits: Callable[[Period], bool]) -> Period | None:
    if pattern.fixed is not None or pattern.cycle is None:
        return pattern.fixed
    for count in range(_CYCLES):
        period = pattern.make(shifted(moment, step * count, pattern.cycle))
        if period is not None and fits(period):
            return period
    return None


def last(pattern: Pattern, now: datetime) -> Pattern:
    """ "last X": before today, before this month, or ended by now, as the unit is finer or coarser."""
    if pattern.unit in ("day", "month"):
        found = latest_ended(pattern, period_of(now, pattern.unit).start)
    else:
        found = latest_ended(pattern, now)
    return impossible(pattern.unit) if found is None else fixed(found)


def following(pattern: Pattern, now: datetime) -> Pattern:
    """ "next X": after today, after this month, or begun after now."""
    after = period_of(now, pattern.unit).end if pattern.unit in ("day", "month") else midnight(now)
    found = first_from(pattern, after)
    return impossible(pattern.unit) if found is None else fixed(found)


def current(pattern: Pattern, now: datetime) -> Pattern:
    """ "this X": the one now is in, else that of the current year, month or week."""
    running = latest(pattern, now)
    if running is not None and now < running.end:
        return fixed(running)
    return pattern if pattern.cycle is None else _in_fixed(pattern, period_of(now, pattern.cycle))
