"""The meaning of each Chinese form: functions from the match of a form in `pieces` to a pattern."""

from __future__ import annotations

import re

from memoryd.language.numerals import numeral_value
from memoryd.language.times import calendar_parts, holidays, periods
from memoryd.language.times.chinese import words
from memoryd.language.times.pattern import Pattern, combine, fixed_pattern, last_occurrence
from memoryd.language.times.reference import FEW, Reference

_DAY_AHEAD = re.compile(rf"\s*(?:\d{{1,2}}|[{words.NUMERALS}]{{1,4}})[日号]")
_APPROXIMATE = re.compile(r"[一二两三四五六七八九]{2}")
_STEPS = {"上上": -2, "上": -1, "这": 0, "本": 0, "": 0, "下": 1, "下下": 2}
DAY_PARTS = {word: name for name, forms in words.DAY_PARTS.items() for word in forms}


def relative_day(match: re.Match[str], reference: Reference) -> Pattern:
    word = match[0] if match[0] in words.DAYS else match[0][0]
    return fixed_pattern(reference.period(words.DAYS[word], "day"))


def day_and_part(match: re.Match[str], reference: Reference) -> Pattern | None:
    offset = -2 if match[3] == "前" else words.DAYS[match[1]]
    day = fixed_pattern(reference.period(offset, "day"))
    return combine(day, calendar_parts.day_part(words.DAY_PART_CHARACTERS[match[2] or match[4]]))


def relative_year(match: re.Match[str], reference: Reference) -> Pattern:
    return fixed_pattern(reference.period(words.YEARS[match[1]], "year"))


def year(match: re.Match[str], _: Reference) -> Pattern | None:
    number = numeral_value(match[1])
    if len(match[1]) == 2:
        number += 2000 if number < 50 else 1900
    return fixed_pattern(periods.year(number)) if 1000 <= number < 3000 else None


def decade(match: re.Match[str], _: Reference) -> Pattern:
    number = numeral_value(match[2])
    if number < 100:
        number += 1900 if (match[1] and match[1] != "本世纪") or number >= 30 else 2000
    return fixed_pattern(periods.period_of(periods.year(number).start, "decade"))


def month(match: re.Match[str], _: Reference) -> Pattern | None:
    number = numeral_value(match[1])
    dated = _DAY_AHEAD.match(match.string, match.end())  # 13月5日 is an impossible date, 13月 is no date
    return calendar_parts.month(number) if 1 <= number <= 12 or dated else None


def stepped(match: re.Match[str], reference: Reference) -> Pattern:
    return fixed_pattern(reference.period(_STEPS[match[1]], words.UNITS[match[2]]))


def week(match: re.Match[str], reference: Reference) -> Pattern | None:
    step, day = match[1] or "", match[2]
    week = fixed_pattern(reference.period(_STEPS[step], "week"))
    if day is None:
        return week if step else None
    inner = calendar_parts.weekend() if day == "末" else calendar_parts.weekday(words.WEEKDAYS[day])
    return combine(week, inner) if step else inner


def day_of_month(match: re.Match[str], _: Reference) -> Pattern:
    return calendar_parts.day_of_month(numeral_value(match[1]))


def day_alone(match: re.Match[str], _: Reference) -> Pattern | None:
    number = numeral_value(match[1])
    return calendar_parts.day_of_month(number) if 1 <= number <= 31 else None


def week_of_month(match: re.Match[str], _: Reference) -> Pattern:
    return calendar_parts.week_of_month(-1 if match[0][0] == "最" else numeral_value(match[1]))


def slashed(match: re.Match[str], _: Reference) -> Pattern | None:
    month, day = int(match[1]), int(match[2])
    return (
        combine(calendar_parts.month(month), calendar_parts.day_of_month(day))
        if 1 <= month <= 12 and 1 <= day <= 31
        else None
    )


def season(match: re.Match[str], reference: Reference) -> Pattern | None:
    season = calendar_parts.season(words.SEASONS[match[2]])
    if match[1] in ("去", "今", "明"):
        year = fixed_pattern(reference.period("去今明".index(match[1]) - 1, "year"))
        return combine(year, season)
    if match[1] and match[1].startswith("上"):
        return last_occurrence(season, reference.now)
    return season


def season_third(match: re.Match[str], _: Reference) -> Pattern | None:
    third = calendar_parts.third(
        {"初": "early", "早": "early", "仲": "mid", "深": "late"}.get(match[1], "late")  # type: ignore[arg-type]
    )
    return combine(calendar_parts.season(words.SEASONS[match[2]]), third)


def half(match: re.Match[str], _: Reference) -> Pattern:
    return calendar_parts.half(1 if match[0][0] == "上" else 2)


def quarter(match: re.Match[str], _: Reference) -> Pattern:
    return calendar_parts.quarter(numeral_value(match[1]))


def holiday(match: re.Match[str], _: Reference) -> Pattern:
    return calendar_parts.holiday(holidays.CHINESE[match[1]])


def third(match: re.Match[str], _: Reference) -> Pattern:
    return calendar_parts.third(words.THIRDS[match[1]])


def third_alone(match: re.Match[str], _: Reference) -> Pattern:
    return calendar_parts.third_of(words.THIRDS[match[2]], "month" if match[1] == "月" else "year")


def day_part(match: re.Match[str], _: Reference) -> Pattern:
    return calendar_parts.day_part(DAY_PARTS[match[0]])


def clock(match: re.Match[str], _: Reference) -> Pattern:
    minute = {None: None, "半": 30, "一刻": 15, "三刻": 45}.get(match[2], -1)
    if minute == -1:
        minute = numeral_value(match[2].rstrip("分"))
    return calendar_parts.clock(numeral_value(match[1]), minute)


def digital(match: re.Match[str], _: Reference) -> Pattern:
    return calendar_parts.clock(int(match[1]), int(match[2]) or None)


def _count(number: str, unit: str) -> tuple[int, periods.Unit] | None:
    """The count and unit of a duration; None for the name of a year. Half a year is six months."""
    found = words.UNITS[unit]
    if number in ("几", "数", "好几"):
        return FEW, found
    if number == "半":
        halves: dict[periods.Unit, tuple[int, periods.Unit]] = {
            "year": (6, "month"),
            "month": (15, "day"),
            "hour": (30, "minute"),
        }
        return halves.get(found)
    count = numeral_value(number[-1] if _APPROXIMATE.fullmatch(number) else number)
    named = found == "year" and (count >= 1000 or (number.isdigit() and (count >= 60 or number[0] == "0")))
    return None if named else (count, found)


def ago(match: re.Match[str], reference: Reference) -> Pattern | None:
    counted = _count(match[1], match[2])
    if counted is None:
        return None
    count, unit = counted
    if _APPROXIMATE.fullmatch(match[1]):  # 两三天前
        first, last = (reference.ago(numeral_value(c), unit) for c in reversed(match[1]))
        return fixed_pattern(periods.Period(first.start, last.end, "part"))
    if match[3]:  # 一年半前
        if unit != "year":
            return None
        count, unit = 12 * count + 6, "month"
    if match[1] in ("几", "数", "好几"):
        return fixed_pattern(reference.few_before(unit)) if match[4].endswith("前") else None
    if unit == "minute" and match[1] == "半":
        return fixed_pattern(periods.period_of(reference.ago(30, "minute").start, "hour"))
    return fixed_pattern(reference.ago(count if match[4].endswith("前") else -count, unit))


def ago_and_half(match: re.Match[str], reference: Reference) -> Pattern:
    count = numeral_value(match[1])
    if match[2] == "月":
        return fixed_pattern(reference.ago(30 * count + 15, "day"))
    return fixed_pattern(periods.period_of(reference.ago(60 * count + 30, "minute").start, "hour"))


def to_date(match: re.Match[str], reference: Reference) -> Pattern:
    return fixed_pattern(reference.to_date(words.UNITS[match[1]]))


def coming(match: re.Match[str], reference: Reference) -> Pattern | None:
    counted = _count(match[1], match[2])
    return None if counted is None else fixed_pattern(reference.coming(*counted))


def same_day(_: re.Match[str], reference: Reference) -> Pattern:
    return calendar_parts.same_day(reference.now)


def containing(match: re.Match[str], _: Reference) -> Pattern:
    return calendar_parts.unit_containing(words.UNITS[match[1]])


def past(match: re.Match[str], reference: Reference) -> Pattern | None:
    counted = _count(match[1], match[2])
    return None if counted is None else fixed_pattern(reference.past(*counted))


def few_before(match: re.Match[str], reference: Reference) -> Pattern:
    few = match[1] in "几些"
    return fixed_pattern(reference.few_before(words.UNITS[match[2]], FEW if few else numeral_value(match[1])))


def lunar(match: re.Match[str], _: Reference) -> Pattern:
    month = match[1] or match[2] or match[3]
    number = words.LUNAR_MONTHS.get(month) or numeral_value(month)
    day = match[4].replace("廿", "二十").lstrip("初")
    return calendar_parts.holiday(holidays.lunar_date(number, numeral_value(day)))


def bare_day(match: re.Match[str], _: Reference) -> Pattern:
    """A day of a named month; 5日 alone may be a duration."""
    number = numeral_value(match[1])
    return Pattern("day", calendar_parts.day_of_month(number).make, frozenset({"month"}))


def day_part_character(match: re.Match[str], _: Reference) -> Pattern:
    return calendar_parts.day_part(words.DAY_PART_CHARACTERS[match[0]])


def eve_or_first(match: re.Match[str], _: Reference) -> Pattern:
    if match[0].endswith("三十"):
        return calendar_parts.holiday(holidays.CHINESE["除夕"])
    return calendar_parts.holiday(holidays.lunar_date(1, numeral_value(match[1].lstrip("初"))))
