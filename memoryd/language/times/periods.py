"""Calendar periods and their arithmetic, in local wall-clock time (naive datetimes)."""

from __future__ import annotations

import calendar
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

Unit = Literal[
    "decade",
    "year",
    "half",
    "quarter",
    "season",
    "month",
    "week",
    "weekend",
    "day",
    "daypart",
    "hour",
    "minute",
    "part",
]
DAY = timedelta(days=1)
_MONTHS: dict[Unit, int] = {"month": 1, "quarter": 3, "half": 6, "year": 12, "decade": 120}
_LENGTHS: dict[Unit, timedelta] = {
    "week": 7 * DAY,
    "day": DAY,
    "hour": timedelta(hours=1),
    "minute": timedelta(minutes=1),
}


@dataclass(frozen=True, slots=True)
class Period:
    """A half-open interval of local time, and its calendar unit (`part` for any other interval)."""

    start: datetime
    end: datetime
    unit: Unit


def add_months(moment: datetime, months: int) -> datetime:
    """The same day some months later; a missing day becomes the last of its month."""
    index = moment.year * 12 + moment.month - 1 + months
    year, month = divmod(index, 12)
    last = calendar.monthrange(year, month + 1)[1]
    return moment.replace(year=year, month=month + 1, day=min(moment.day, last))


def add(moment: datetime, count: int, unit: Unit) -> datetime:
    """The moment some units later; earlier for a negative count."""
    if unit in _MONTHS:
        return add_months(moment, count * _MONTHS[unit])
    return moment + count * _LENGTHS[unit]


def midnight(moment: datetime) -> datetime:
    """The start of the day."""
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def period_of(moment: datetime, unit: Unit) -> Period:
    """The calendar unit that contains the moment; weeks start on Monday."""
    start = _STARTS[unit](moment)
    return Period(start, add(start, 1, unit), unit)


def period_at_offset(moment: datetime, count: int, unit: Unit) -> Period:
    """The calendar unit `count` units after the one that contains the moment."""
    start = add(_STARTS[unit](moment), count, unit)
    return Period(start, add(start, 1, unit), unit)


def _of_months(months: int) -> Callable[[datetime], datetime]:
    def start(moment: datetime) -> datetime:
        index = moment.year * 12 + moment.month - 1
        index -= index % months
        return datetime(index // 12, index % 12 + 1, 1)

    return start


_STARTS: dict[Unit, Callable[[datetime], datetime]] = {
    "decade": _of_months(120),
    "year": _of_months(12),
    "half": _of_months(6),
    "quarter": _of_months(3),
    "month": _of_months(1),
    "week": lambda moment: midnight(moment) - moment.weekday() * DAY,
    "day": midnight,
    "hour": lambda moment: moment.replace(minute=0, second=0, microsecond=0),
    "minute": lambda moment: moment.replace(second=0, microsecond=0),
}


def year(number: int) -> Period:
    """A calendar year. Raises ValueError outside 1 to 9998."""
    return Period(datetime(number, 1, 1), datetime(number + 1, 1, 1), "year")


def day(year_number: int, month: int, number: int) -> Period | None:
    """A day of the calendar; None for a date that does not exist."""
    if not 1 <= month <= 12 or not 1 <= number <= calendar.monthrange(year_number, month)[1]:
        return None
    start = datetime(year_number, month, number)
    return Period(start, start + DAY, "day")


def nth_weekday(year_number: int, month: int, weekday: int, nth: int) -> Period | None:
    """The nth Monday (0) to Sunday (6) of a month, counted from its end if negative."""
    days = calendar.monthrange(year_number, month)[1]
    if nth > 0:
        first = (weekday - datetime(year_number, month, 1).weekday()) % 7 + 1
        number = first + 7 * (nth - 1)
    else:
        last = days - (datetime(year_number, month, days).weekday() - weekday) % 7
        number = last + 7 * (nth + 1)
    return day(year_number, month, number)
