"""Patterns of both languages: months, seasons, weekdays, parts of a day, clock times ..."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Literal

from memoryd.language.times.holidays import DayOfYear
from memoryd.language.times.pattern import Pattern, recurring_pattern
from memoryd.language.times.periods import DAY, Period, Unit, add, add_months, day, midnight, period_of, year

Third = Literal["early", "mid", "late"]
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "winter": 12}
DAY_PARTS = {
    "small hours": (0, 5),
    "morning": (5, 12),
    "noon": (11, 13),
    "afternoon": (12, 18),
    "dusk": (17, 19),
    "evening": (18, 24),
    "night": (18, 30),
}
_THIRDS: tuple[Third, ...] = ("early", "mid", "late")
_YEAR_PARTS = {"early": (1, 2), "mid": (6, 7), "late": (11, 12)}
"""First and last month."""
_DECADE_PARTS = {"early": (0, 3), "mid": (4, 6), "late": (7, 9)}
_HOUR = timedelta(hours=1)


def month(number: int) -> Pattern:
    """A month of the year."""
    return recurring_pattern("month", "year", lambda c: _months("month", c.start.year, number, 1))


def season(name: str) -> Pattern:
    """A meteorological season of the northern hemisphere; a winter belongs to the year of its December."""
    return recurring_pattern("season", "year", lambda c: _months("season", c.start.year, SEASONS[name], 3))


def quarter(number: int) -> Pattern:
    """A quarter of the year, from 1."""
    return recurring_pattern("quarter", "year", lambda c: _months("quarter", c.start.year, 3 * number - 2, 3))


def half(number: int) -> Pattern:
    """A half of the year, from 1."""
    return recurring_pattern("half", "year", lambda c: _months("half", c.start.year, 6 * number - 5, 6))


def _months(unit: Unit, year_number: int, first: int, count: int) -> Period | None:
    if not 1 <= first <= 12:
        return None
    start = datetime(year_number, first, 1)
    return Period(start, add_months(start, count), unit)


def day_of_month(number: int) -> Pattern:
    """A day of the month, by its number."""
    return recurring_pattern("day", "month", lambda c: day(c.start.year, c.start.month, number))


def weekday(number: int) -> Pattern:
    """A day of the week, Monday is 0."""
    return recurring_pattern("day", "week", lambda c: _days("day", c.start, number, 1))


def weekend() -> Pattern:
    """Saturday and Sunday."""
    return recurring_pattern("weekend", "week", lambda c: _days("weekend", c.start, 5, 2))


def _days(unit: Unit, start: datetime, first: int, count: int) -> Period:
    return Period(start + first * DAY, start + (first + count) * DAY, unit)


def holiday(find: DayOfYear) -> Pattern:
    """A named day of the year."""
    return recurring_pattern("day", "year", lambda c: find(c.start.year))


def week_of_month(number: int) -> Pattern:
    """The seven days of a month from the 1st, 8th, 15th ...; -1 is its last seven."""

    def make(container: Period) -> Period:
        if number < 0:
            return Period(container.end - 7 * DAY, container.end, "week")
        start = container.start + 7 * (number - 1) * DAY
        return Period(start, min(start + 7 * DAY, container.end), "week")

    return Pattern("week", make, frozenset({"month"}))


def weekday_of_month(find: Callable[[int, int], Period | None]) -> Pattern:
    """Such as the first Monday of a month. find: (year, month) -> day."""
    return Pattern("day", lambda c: find(c.start.year, c.start.month), frozenset({"month"}))


def same_day(moment: datetime) -> Pattern:
    """The anniversary of a moment in a year, or the same day number in a month."""

    def make(container: Period) -> Period | None:
        month_number = moment.month if container.unit == "year" else container.start.month
        return day(container.start.year, month_number, moment.day)

    return Pattern("day", make, frozenset({"year", "month"}))


def unit_containing(unit: Unit) -> Pattern:
    """The unit that contains a day."""
    return Pattern(unit, lambda c: period_of(c.start, unit), frozenset({"day"}))


def day_part(name: str) -> Pattern:
    """A part of the day; a night ends on the next day."""
    first, last = DAY_PARTS[name]
    return Pattern(
        "daypart",
        lambda c: Period(c.start + first * _HOUR, c.start + last * _HOUR, "daypart"),
        frozenset({"day"}),
    )


def clock(hour: int, minute: int | None = None) -> Pattern:
    """A clock time in a day or a part of a day: a whole hour, or one minute if `minute` is given."""
    unit: Unit = "hour" if minute is None else "minute"

    def make(container: Period) -> Period | None:
        if hour > 24 or (minute or 0) > 59:
            return None
        start = midnight(container.start) + _hour_in(container, hour) * _HOUR + timedelta(minutes=minute or 0)
        return Period(start, add(start, 1, unit), unit)

    return Pattern(unit, make, frozenset({"day", "daypart"}))


def _hour_in(container: Period, hour: int) -> int:
    """The hour of the day; in the afternoon 3 is 15, at night 12 is midnight."""
    if container.unit == "day":
        return hour
    first = container.start.hour
    last = first + (container.end - container.start) // _HOUR
    candidates = [hour % 12 + 12 * n for n in range(3)] if hour <= 12 else [hour]
    inside = [h for h in candidates if first <= h < last]
    return (inside or [h for h in candidates if h >= first] or candidates)[0]


def third(name: Third) -> Pattern:
    """The beginning, middle or end of a month, year or decade, a season, quarter or half."""
    units: frozenset[Unit] = frozenset({"month", "year", "decade", "season", "quarter", "half"})
    return Pattern("part", lambda c: _third(c, name), units)


def third_of(name: Third, unit: Unit) -> Pattern:
    """The same of a month or year that is not named."""
    return recurring_pattern("part", unit, lambda c: _third(c, name))


def _third(container: Period, name: Third) -> Period:
    start, end = container.start, container.end
    if container.unit == "month":
        cuts = [start, start + 10 * DAY, start + 20 * DAY, end]
        index = _THIRDS.index(name)
        return Period(cuts[index], cuts[index + 1], "part")
    if container.unit == "year":
        first, last = _YEAR_PARTS[name]
        return Period(add_months(start, first - 1), add_months(start, last), "part")
    if container.unit == "decade":
        first, last = _DECADE_PARTS[name]
        return Period(year(start.year + first).start, year(start.year + last).end, "part")
    months = (end.year - start.year) * 12 + end.month - start.month
    step = months // 3
    offset = _THIRDS.index(name) * step
    return Period(add_months(start, offset), add_months(start, offset + step), "part")
