"""Holidays and other named days: the day of each in a year. Lunar ones follow the Chinese calendar."""

from __future__ import annotations

import functools
from collections.abc import Callable
from datetime import datetime

from memoryd.language.times.periods import DAY, Period, day, nth_weekday

DayOfYear = Callable[[int], Period | None]
_LUNAR_YEARS = range(1901, 2100)


def fixed_date(month: int, number: int) -> DayOfYear:
    """The same date every year."""
    return lambda year: day(year, month, number)


def weekday_of(month: int, weekday: int, count: int) -> DayOfYear:
    """The nth weekday (Monday is 0) of a month, counted from its end if negative."""
    return lambda year: nth_weekday(year, month, weekday, count)


def lunar_date(month: int, number: int) -> DayOfYear:
    """A date of the Chinese calendar; None outside 1901 to 2099 and if the year has no such date."""
    return lambda year: _lunar(year, month, number)


def days_after(find: DayOfYear, days: int) -> DayOfYear:
    """A number of days after another named day."""

    def make(year: int) -> Period | None:
        found = find(year)
        return None if found is None else Period(found.start + days * DAY, found.end + days * DAY, "day")

    return make


@functools.lru_cache(maxsize=256)
def _lunar(year: int, month: int, number: int) -> Period | None:
    for lunar_year in (year, year - 1):  # a lunar year ends in the next civil year
        start = _solar(lunar_year, month, number)
        if start is not None and start.year == year:
            return Period(start, start + DAY, "day")
    return None


def _solar(lunar_year: int, month: int, number: int) -> datetime | None:
    from borax.calendars.lunardate import InvalidLunarDateError, LunarDate

    if lunar_year not in _LUNAR_YEARS:
        return None
    try:
        date = LunarDate(lunar_year, month, number).to_solar_date()
    except InvalidLunarDateError:
        return None
    return datetime(date.year, date.month, date.day)


def _easter(year: int) -> Period | None:
    """Western Easter Sunday (anonymous Gregorian algorithm)."""
    century, rest = divmod(year, 100)
    golden = year % 19
    shift = (century - (century + 8) // 25 + 1) // 3
    epact = (19 * golden + century - century // 4 - shift + 15) % 30
    weekday = (32 + 2 * (century % 4) + 2 * (rest // 4) - epact - rest % 4) % 7
    late = (golden + 11 * epact + 22 * weekday) // 451
    month, number = divmod(epact + weekday - 7 * late + 114, 31)
    return day(year, month, number + 1)


def solar_term(name: str) -> DayOfYear:
    """The day a solar term begins; None outside 1901 to 2099."""
    return lambda year: _solar_term(year, name)


@functools.lru_cache(maxsize=256)
def _solar_term(year: int, name: str) -> Period | None:
    from borax.calendars.lunardate import TermUtils

    if year not in _LUNAR_YEARS:
        return None
    date = TermUtils.day_start_from_term(year, name)
    return day(date.year, date.month, date.day)


CHINESE: dict[str, DayOfYear] = {
    "元旦": fixed_date(1, 1),
    "情人节": fixed_date(2, 14),
    "妇女节": fixed_date(3, 8),
    "三八节": fixed_date(3, 8),
    "植树节": fixed_date(3, 12),
    "愚人节": fixed_date(4, 1),
    "清明": solar_term("清明"),
    "五一": fixed_date(5, 1),
    "劳动节": fixed_date(5, 1),
    "青年节": fixed_date(5, 4),
    "母亲节": weekday_of(5, 6, 2),
    "六一": fixed_date(6, 1),
    "儿童节": fixed_date(6, 1),
    "父亲节": weekday_of(6, 6, 3),
    "建党节": fixed_date(7, 1),
    "建军节": fixed_date(8, 1),
    "教师节": fixed_date(9, 10),
    "国庆": fixed_date(10, 1),
    "十一": fixed_date(10, 1),
    "万圣节": fixed_date(10, 31),
    "双十一": fixed_date(11, 11),
    "双11": fixed_date(11, 11),
    "光棍节": fixed_date(11, 11),
    "感恩节": weekday_of(11, 3, 4),
    "双十二": fixed_date(12, 12),
    "双12": fixed_date(12, 12),
    "冬至": solar_term("冬至"),
    "平安夜": fixed_date(12, 24),
    "圣诞": fixed_date(12, 25),
    "复活节": _easter,
    "跨年夜": fixed_date(12, 31),
    "春节": lunar_date(1, 1),
    "除夕": days_after(lunar_date(1, 1), -1),
    "年三十": days_after(lunar_date(1, 1), -1),
    "元宵节": lunar_date(1, 15),
    "端午": lunar_date(5, 5),
    "七夕": lunar_date(7, 7),
    "中元节": lunar_date(7, 15),
    "中秋": lunar_date(8, 15),
    "重阳": lunar_date(9, 9),
    "腊八": lunar_date(12, 8),
}

ENGLISH: dict[str, DayOfYear] = {
    "new year's day": fixed_date(1, 1),
    "new year's eve": fixed_date(12, 31),
    "martin luther king day": weekday_of(1, 0, 3),
    "mlk day": weekday_of(1, 0, 3),
    "valentine's day": fixed_date(2, 14),
    "valentine's": fixed_date(2, 14),
    "presidents' day": weekday_of(2, 0, 3),
    "women's day": fixed_date(3, 8),
    "st patrick's day": fixed_date(3, 17),
    "st. patrick's day": fixed_date(3, 17),
    "saint patrick's day": fixed_date(3, 17),
    "april fools' day": fixed_date(4, 1),
    "april fool's day": fixed_date(4, 1),
    "april fools": fixed_date(4, 1),
    "good friday": days_after(_easter, -2),
    "easter monday": days_after(_easter, 1),
    "easter sunday": _easter,
    "easter": _easter,
    "earth day": fixed_date(4, 22),
    "labour day": fixed_date(5, 1),
    "may day": fixed_date(5, 1),
    "mother's day": weekday_of(5, 6, 2),
    "memorial day": weekday_of(5, 0, -1),
    "children's day": fixed_date(6, 1),
    "father's day": weekday_of(6, 6, 3),
    "juneteenth": fixed_date(6, 19),
    "independence day": fixed_date(7, 4),
    "labor day": weekday_of(9, 0, 1),
    "halloween": fixed_date(10, 31),
    "bonfire night": fixed_date(11, 5),
    "guy fawkes night": fixed_date(11, 5),
    "veterans day": fixed_date(11, 11),
    "thanksgiving day": weekday_of(11, 3, 4),
    "thanksgiving": weekday_of(11, 3, 4),
    "black friday": days_after(weekday_of(11, 3, 4), 1),
    "cyber monday": days_after(weekday_of(11, 3, 4), 4),
    "christmas eve": fixed_date(12, 24),
    "christmas day": fixed_date(12, 25),
    "christmas": fixed_date(12, 25),
    "xmas": fixed_date(12, 25),
    "boxing day": fixed_date(12, 26),
    "chinese new year's eve": days_after(lunar_date(1, 1), -1),
    "chinese new year": lunar_date(1, 1),
    "lunar new year": lunar_date(1, 1),
    "spring festival": lunar_date(1, 1),
    "lantern festival": lunar_date(1, 15),
    "dragon boat festival": lunar_date(5, 5),
    "mid-autumn festival": lunar_date(8, 15),
    "mid autumn festival": lunar_date(8, 15),
    "moon festival": lunar_date(8, 15),
    "double ninth festival": lunar_date(9, 9),
}
