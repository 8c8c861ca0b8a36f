"""Dates and times within a statement, in one spelling, not resolved to a moment."""

from __future__ import annotations

import re
from collections.abc import Callable

from memoryd.language.numerals import chinese_number

_MONTHS = {
    name: number
    for number, names in enumerate(
        """january jan|february feb|march mar|april apr|may|june jun|july jul|august aug
        |september sept sep|october oct|november nov|december dec""".split("|"),
        1,
    )
    for name in names.split()
}
_WEEKDAYS = {
    name: number
    for number, names in enumerate(
        """monday mon|tuesday tues tue|wednesday wed|thursday thurs thu|friday fri|saturday sat
        |sunday sun""".split("|"),
        1,
    )
    for name in names.split()
}
_WEEKDAYS_ZH = {c: i for i, c in enumerate("一二三四五六日", 1)} | {"天": 7}
_AFTERNOON = re.compile(r"下午|傍晚|晚上|p\.?m")
_MORNING_TWELVE = re.compile(r"凌晨|a\.?m")

_NUMERAL = r"(?:\d+|[零〇一二两三四五六七八九十]+)"
_MONTH = rf"(?:{'|'.join(_MONTHS)})\b\.?"
_DAY = r"\d{1,2}(?:st|nd|rd|th)?(?![\w:])"
_PART_ZH = "凌晨|早上|早晨|上午|中午|下午|傍晚|晚上|夜里"
_PART = "morning|afternoon|evening|night"
_SPAN = f"{_PART}|week(?:end)?|month|year|spring|summer|autumn|fall|winter"
_ISO = r"(?<!\d)\d{4}(?P<_dash>[-/.])\d{1,2}(?P=_dash)\d{1,2}(?!\d)"
_YEAR_ZH = r"(?:(?:(?<!\d)\d{4}|[零〇一二三四五六七八九]{4})年)"
_MONTH_DAY = rf"(?:{_MONTH}\ ?(?:the\ )?{_DAY}|(?<![\w:.]){_DAY}\ ?(?:of\ )?{_MONTH})(?:,?\ \d{{4}}(?!\d))?"
_HALF = r"\ ?[ap]\.?m\b\.?"
TIME_PATTERNS = rf"""
    (?P<date>在?(?:{_ISO}|{_YEAR_ZH}?{_NUMERAL}月{_NUMERAL}[日号])|(?:\bon\ )?\b(?:the\ )?{_MONTH_DAY})
    |(?P<clock>在?(?:{_PART_ZH})?(?:\d{{1,2}}:\d{{2}}(?:{_HALF})?|{_NUMERAL}点(?:半|一刻|三刻|{_NUMERAL}分?)?)
        |(?:\bat\ )?(?<![\w.])\d{{1,2}}(?::\d{{2}})?{_HALF})
    |(?P<weekday>在?[上下这本]{{0,3}}个?(?:周|星期|礼拜)[一二三四五六日天]
        |(?:\bon\ )?\b(?:(?:last|next|this)\ )?(?:{"|".join(_WEEKDAYS)})s?\b)
    |(?P<relative>(?:大?前天|大?后天|[昨今明]天|[昨今明]晚|今早|[去前今明后]年
        |[上下这本]{{1,3}}个?(?:星期|礼拜|周末|周|月)|{_PART_ZH})
        |\b(?:today|tonight|yesterday|tomorrow|(?:this|last|next)\ (?:{_SPAN}))\b)
"""
"""Alternatives with the groups date, clock, weekday and relative, for a verbose pattern over folded text."""


def spelled_time(kind: str, piece: str) -> str | None:
    """The one spelling of what a group matched; None for other groups."""
    spell = _SPELL.get(kind)
    return spell(piece) if spell else None


def whole_number(piece: str) -> int | None:
    """The value of `3` or 三; None for others."""
    return int(piece) if piece.isascii() and piece.isdigit() and len(piece) < 20 else chinese_number(piece)


def _date(piece: str) -> str:
    """`date [year-]month-day`."""
    month = next((_MONTHS[word] for word in re.findall(r"[a-z]+", piece) if word in _MONTHS), None)
    numbers = [whole_number(one) for one in re.findall(_NUMERAL, piece)]
    if month is None:
        return f"date {'-'.join(map(str, numbers))}"
    return f"date {'-'.join(map(str, [*numbers[1:], month, numbers[0]]))}"


def _clock(piece: str) -> str:
    numbers = [whole_number(one) or 0 for one in re.findall(_NUMERAL, piece)]
    hour, minute = numbers[0], numbers[1] if len(numbers) > 1 else 0
    minute = 30 if piece.endswith("半") else minute * 15 if piece.endswith("刻") else minute
    if _AFTERNOON.search(piece) and hour < 12:
        hour += 12
    elif _MORNING_TWELVE.search(piece) and hour == 12:
        hour = 0
    return f"clock {hour}:{minute:02}"


def _weekday(piece: str) -> str:
    zh = re.search("[周期拜](.)$", piece)
    if zh:
        return f"weekday {piece[: zh.start()].strip('在个星礼')}{_WEEKDAYS_ZH[zh.group(1)]}"
    *before, name = piece.removeprefix("on ").split()
    return " ".join(["weekday", *before, str(_WEEKDAYS.get(name) or _WEEKDAYS[name[:-1]])])


_SPELL: dict[str, Callable[[str], str]] = {
    "date": _date,
    "clock": _clock,
    "weekday": _weekday,
    "relative": str,
}
