"""Holidays and other named days, as day of a year. Lunar ones follow the Chinese calendar."""

from __future__ import annotations

import functools
from collections.abc import Callable
from datetime import datetime

from memoryd.language.times.periods import DAY, Period, day, nth_weekday

Find = Callable[[int], Period | None]
_LUNAR_YEARS = range(1901, 2100)


def on(month: int, number: int) -> Find:
    """The same day of every year."""
    return lambda year: day(year, month, number)


def nth(month: int, weekday: int, count: int) -> Find:
    """A weekday (Monday is 0) counted from the month's beginning, or from its end when negative."""
    return lambda year: nth_weekday(year, month, weekday, count)


def lunar(month: int, number: int) -> Find:
    """A day of the Chinese calendar; None outside the years 1901 to 2099 and where it has no such day."""
    return lambda year: _lunar(year, month, number)


def moved(find: Find, days: int) -> Find:
    """So many days after another named day."""

    def make(year: int) -> Period | None:
        found = find(year)
        return None if found is None else Period(found.start + days * DAY, found.end + days * DAY, "day")

    return make


@functools.lru_cache(maxsize=256)
def _lunar(year: int, month: int, number: int) -> Period | None:
    # The last months of a lunar year fall in the next civil year.
    for lunar_year in (year, year - 1):
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
    """Western Easter Sunday, by the anonymous Gregorian algorithm."""
    century, rest = divmod(year, 100)
    golden = year % 19
    shift = (century - (century + 8) // 25 + 1) // 3
    epact = (19 * golden + century - century // 4 - shift + 15) % 30
    weekday = (32 + 2 * (century % 4) + 2 * (rest // 4) - epact - rest % 4) % 7
    late = (golden + 11 * epact + 22 * weekday) // 451
    month, number = divmod(epact + weekday - 7 * late + 114, 31)
    return day(year, month, number + 1)


def solar_term(name: str) -> Find:
    """The day a solar term begins; None outside the years 1901 to 2099."""
    return lambda year: _solar_term(year, name)


@functools.lru_cache(maxsize=256)
def _solar_term(year: int, name: str) -> Period | None:
    from borax.calendars.lunardate import TermUtils

    if year not in _LUNAR_YEARS:
        return None
    date = TermUtils.day_start_from_term(year, name)
    return day(date.year, date.month, date.day)


CHINESE: dict[str, Find] = {
    "元旦": on(1, 1),
    "情人节": on(2, 14),
    "妇女节": on(3, 8),
    "三八节": on(3, 8),
    "植树节": on(3, 12),
    "愚人节": on(4, 1),
    "清明": solar_term("清明"),
    "五一": on(5, 1),
    "劳动节": on(5, 1),
    "青年节": on(5, 4),
    "母亲节": nth(5, 6, 2),
    "六一": on(6, 1),
    "儿童节": on(6, 1),
    "父亲节": nth(6, 6, 3),
    "建党节": on(7, 1),
    "建军节": on(8, 1),
    "教师节": on(9, 10),
    "国庆": on(10, 1),
    "十一": on(10, 1),
    "万圣节": on(10, 31),
    "双十一": on(11, 11),
    "双11": on(11, 11),
    "光棍节": on(11, 11),
    "感恩节": nth(11, 3, 4),
    "双十二": on(12, 12),
    "双12": on(12, 12),
    "冬至": solar_term("冬至"),
    "平安夜": on(12, 24),
    "圣诞": on(12, 25),
    "复活节": _easter,
    "跨年夜": on(12, 31),
    "春节": lunar(1, 1),
    "除夕": moved(lunar(1, 1), -1),
    "年三十": moved(lunar(1, 1), -1),
    "元宵节": lunar(1, 15),
    "端午": lunar(5, 5),
    "七夕": lunar(7, 7),
    "中元节": lunar(7, 15),
    "中秋": lunar(8, 15),
    "重阳": lunar(9, 9),
    "腊八": lunar(12, 8),
}

ENGLISH: dict[str, Find] = {
    "new year's day": on(1, 1),
    "new year's eve": on(12, 31),
    "martin luther king day": nth(1, 0, 3),
    "mlk day": nth(1, 0, 3),
    "valentine's day": on(2, 14),
    "valentine's": on(2, 14),
    "presidents' day": nth(2, 0, 3),
    "women's day": on(3, 8),
    "st patrick's day": on(3, 17),
    "st. patrick's day": on(3, 17),
    "saint patrick's day": on(3, 17),
    "april fools' day": on(4, 1),
    "april fool's day": on(4, 1),
    "april fools": on(4, 1),
    "good friday": moved(_easter, -2),
    "easter monday": moved(_easter, 1),
    "easter sunday": _easter,
    "easter": _easter,
    "earth day": on(4, 22),
    "labour day": on(5, 1),
    "may day": on(5, 1),
    "mother's day": nth(5, 6, 2),
    "memorial day": nth(5, 0, -1),
    "children's day": on(6, 1),
    "father's day": nth(6, 6, 3),
    "juneteenth": on(6, 19),
    "independence day": on(7, 4),
    "labor day": nth(9, 0, 1),
    "halloween": on(10, 31),
    "bonfire night": on(11, 5),
    "guy fawkes night": on(11, 5),
    "veterans day": on(11, 11),
    "thanksgiving day": nth(11, 3, 4),
    "thanksgiving": nth(11, 3, 4),
    "black friday": moved(nth(11, 3, 4), 1),
    "cyber monday": moved(nth(11, 3, 4), 4),
    "christmas eve": on(12, 24),
    "christmas day": on(12, 25),
    "christmas": on(12, 25),
    "xmas": on(12, 25),
    "boxing day": on(12, 26),
    "chinese new year's eve": moved(lunar(1, 1), -1),
    "chinese new year": lunar(1, 1),
    "lunar new year": lunar(1, 1),
    "spring festival": lunar(1, 1),
    "lantern festival": lunar(1, 15),
    "dragon boat festival": lunar(5, 5),
    "mid-autumn festival": lunar(8, 15),
    "mid autumn festival": lunar(8, 15),
    "moon festival": lunar(8, 15),
    "double ninth festival": lunar(9, 9),
}
