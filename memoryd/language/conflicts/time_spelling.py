"""Dates and times of a text in one spelling, not resolved to a moment: `date 2026-5-3`, `clock 15:00`."""

from __future__ import annotations

import re

from memoryd.language.numerals import chinese_number
from memoryd.language.times.english.words import MONTH_NUMBERS, MONTHS, WEEKDAY_NUMBERS

_WEEKDAYS_ZH = {c: i for i, c in enumerate("一二三四五六日")} | {"天": 6}
_AFTERNOON = re.compile(r"下午|傍晚|晚上|p\.?m")
_MISSING_PARTS = {"date": "", "month": "-", "year": "--"}
_MORNING_TWELVE = re.compile(r"凌晨|a\.?m")

_NUMERAL = r"(?:\d+|[零〇一二两三四五六七八九十]+)"
_FULL_MONTHS = "|".join(MONTHS)
_MONTH = rf"(?:{'|'.join(MONTH_NUMBERS)})\b\.?"
_DAY = r"\d{1,2}(?:st|nd|rd|th)?(?![\w:])"
_PART_ZH = "凌晨|早上|早晨|上午|中午|下午|傍晚|晚上|夜里"
_SPAN = "morning|afternoon|evening|night|week(?:end)?|month|year|spring|summer|autumn|fall|winter"
_ISO = r"(?<!\d)\d{4}(?P<_dash>[-/.])\d{1,2}(?P=_dash)\d{1,2}(?!\d)"
_YEAR_ZH = r"(?:(?:(?<!\d)\d{4}|[零〇一二三四五六七八九]{4})年)"
_MONTH_DAY = rf"(?:{_MONTH}\ ?(?:the\ )?{_DAY}|(?<![\w:.]){_DAY}\ ?(?:of\ )?{_MONTH})(?:,?\ \d{{4}}(?!\d))?"
_HALF = r"\ ?[ap]\.?m\b\.?"
TIME_PATTERNS = rf"""
    (?P<date>在?(?:{_ISO}|{_YEAR_ZH}?{_NUMERAL}月{_NUMERAL}[日号])|(?:\bon\ )?\b(?:the\ )?{_MONTH_DAY})
    |(?P<clock>在?(?:{_PART_ZH})?(?:\d{{1,2}}:\d{{2}}(?:{_HALF})?|{_NUMERAL}点(?:半|一刻|三刻|{_NUMERAL}分?)?)
        |(?:\bat\ )?(?<![\w.])\d{{1,2}}(?::\d{{2}})?{_HALF})
    |(?P<weekday>在?[上下这本]{{0,3}}个?(?:周|星期|礼拜)[一二三四五六日天]
        |(?:\bon\ )?\b(?:(?:last|next|this)\ )?(?:{"|".join(WEEKDAY_NUMBERS)})s?\b)
    |(?P<relative>(?:大?前天|大?后天|[昨今明]天|[昨今明]晚|今早|[去前今明后]年
        |[上下这本]{{1,3}}个?(?:星期|礼拜|周末|周|月)|{_PART_ZH})
        |\b(?:today|tonight|yesterday|tomorrow|(?:this|last|next)\ (?:{_SPAN}))\b)
    |(?P<month>{_NUMERAL}月(?:份|初|底|中旬)?
        |\b(?:(?:in|of|since|until)\ (?:{_FULL_MONTHS})\b(?:\ \d{{4}})?|(?:{_FULL_MONTHS})\ \d{{4}}))
    |(?P<year>(?<!\d)(?:(?:19|20)\d\d(?:年|(?![\d.,]))|[一二][零〇一二三四五六七八九]{{3}}年))
"""
"""Alternatives with one group for each kind of time, for a verbose pattern over folded text."""


def spell_time(kind: str, text: str) -> str | None:
    """The one spelling of what a group matched; None for other groups."""
    if kind in _MISSING_PARTS:
        return _spell_date(kind, text)
    if kind == "clock":
        return _spell_clock(text)
    if kind == "weekday":
        return _spell_weekday(text)
    return text if kind == "relative" else None


def _numbers(text: str) -> list[int | None]:
    return [chinese_number(numeral) for numeral in re.findall(_NUMERAL, text)]


def _spell_date(kind: str, text: str) -> str:
    """`date year-month-day`, without a year that is not named; a month or day that is not named is empty."""
    numbers = _numbers(text)
    if month := [MONTH_NUMBERS[word] for word in re.findall(r"[a-z]+", text) if word in MONTH_NUMBERS]:
        numbers = [*numbers[1:], *month, numbers[0]] if kind == "date" else [*numbers, *month]
    return f"date {'-'.join(map(str, numbers))}{_MISSING_PARTS[kind]}"


def _spell_clock(text: str) -> str:
    hour, minute, *_ = [*(number or 0 for number in _numbers(text)), 0]
    minute = 30 if text.endswith("半") else minute * 15 if text.endswith("刻") else minute
    if _AFTERNOON.search(text) and hour < 12:
        hour += 12
    elif _MORNING_TWELVE.search(text) and hour == 12:
        hour = 0
    return f"clock {hour}:{minute:02}"


def _spell_weekday(text: str) -> str:
    if zh := re.search("[周期拜](.)$", text):
        return f"weekday {text[: zh.start()].strip('在个星礼')}{_WEEKDAYS_ZH[zh.group(1)]}"
    *before, name = text.removeprefix("on ").split()
    number = WEEKDAY_NUMBERS[name if name in WEEKDAY_NUMBERS else name[:-1]]
    return " ".join(["weekday", *before, str(number)])
