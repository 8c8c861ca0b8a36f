"""The meaning of each English form: functions from the match of a form in `pieces` to a pattern."""

from __future__ import annotations

import re

from memoryd.language.numerals import ENGLISH_DECADES, ENGLISH_ORDINALS, english_number
from memoryd.language.times import calendar_parts, holidays, periods
from memoryd.language.times.english import words
from memoryd.language.times.pattern import (
    Pattern,
    combine,
    current_occurrence,
    fixed_pattern,
    last_occurrence,
    next_occurrence,
    recurring_pattern,
)
from memoryd.language.times.periods import DAY, Period, Unit, add, period_of
from memoryd.language.times.reference import FEW, Reference

_WHOLE: frozenset[Unit] = frozenset({"month", "year"})


def named_pattern(word: str) -> Pattern:
    """The month, weekday, season, holiday or weekend of that name, in any letter case."""
    name = " ".join(word.lower().replace("’", "'").split())
    if name in words.MONTH_NUMBERS:
        return calendar_parts.month(words.MONTH_NUMBERS[name])
    if name in words.WEEKDAY_NUMBERS:
        return calendar_parts.weekday(words.WEEKDAY_NUMBERS[name])
    if name in words.SEASONS:
        return calendar_parts.season(words.SEASONS[name])
    return calendar_parts.weekend() if name == "weekend" else calendar_parts.holiday(holidays.ENGLISH[name])


def _step(word: str) -> int:
    return words.STEPS[word.lower().split()[-1]]


def stepped_name(match: re.Match[str], reference: Reference) -> Pattern | None:
    if match[2] in words.LOWERCASE_WORDS - {"fall", "spring", "may", "march"}:
        return None
    pattern, step = named_pattern(match[2]), _step(match[1])
    if pattern.unit == "weekend":
        return combine(fixed_pattern(reference.period(step, "week")), pattern)
    return (last_occurrence, current_occurrence, next_occurrence)[step + 1](pattern, reference.now)


def _unit(word: str) -> tuple[int, Unit]:
    return (2, "week") if word.lower() == "fortnight" else (1, words.UNITS[word.lower()])


def stepped_unit(match: re.Match[str], reference: Reference) -> Pattern:
    count, unit = _unit(match[2])
    step = _step(match[1])
    rolling = match[1].lower() == "past" or (step < 0 and unit in ("hour", "minute"))
    if rolling or count > 1:
        return fixed_pattern(reference.past(count, unit))
    return fixed_pattern(reference.period(step, unit))


def before_last(match: re.Match[str], reference: Reference) -> Pattern | None:
    step = -2 if match[2].lower() == "before" else 2
    if match[1].lower() == "weekend":
        return combine(fixed_pattern(reference.period(step, "week")), calendar_parts.weekend())
    return fixed_pattern(reference.period(step, words.UNITS[match[1].lower()]))


def _count(word: str) -> int | None:
    """How many; None for a few."""
    lowered = word.lower()
    if lowered.startswith("couple"):
        return 2
    return None if lowered in ("few", "several") else english_number(word)


def ago(match: re.Match[str], reference: Reference) -> Pattern | None:
    size, unit = _unit(match[2])
    count = _count(match[1])
    back = match[4].lower() in ("ago", "back")
    if count is None:
        return fixed_pattern(reference.few_before(unit)) if back else None
    if match[3]:
        return fixed_pattern(reference.ago(12 * count + 6, "month")) if unit == "year" else None
    return fixed_pattern(reference.ago(size * count if back else -size * count, unit))


def half_ago(match: re.Match[str], reference: Reference) -> Pattern | None:
    unit = words.UNITS[match[1].lower()]
    if unit == "hour":
        return fixed_pattern(period_of(reference.ago(30, "minute").start, "hour"))
    return fixed_pattern(reference.ago(6, "month"))


def past(match: re.Match[str], reference: Reference) -> Pattern:
    size, unit = _unit(match[2])
    return fixed_pattern(reference.past(size * (_count(match[1]) or FEW), unit))


def relative_day(match: re.Match[str], reference: Reference) -> Pattern:
    return fixed_pattern(reference.period(words.DAYS[match[0].lower()], "day"))


def this_part(match: re.Match[str], reference: Reference) -> Pattern | None:
    step, name = (match[1] or "this").lower(), (match[2] or "night").lower()
    today = fixed_pattern(reference.period({"last": -1}.get(step, 0), "day"))
    return combine(today, calendar_parts.day_part(words.DAY_PARTS[name]))


def to_date(match: re.Match[str], reference: Reference) -> Pattern:
    unit = words.UNITS.get((match[2] or "day").lower(), "day")
    if match[1].lower() == "later":
        return fixed_pattern(Period(reference.now, period_of(reference.now, unit).end, "part"))
    return fixed_pattern(reference.to_date(unit))


def third(match: re.Match[str], _: Reference) -> Pattern:
    return calendar_parts.third(words.THIRDS[match[match.lastindex or 1].lower()])


def third_of_current(match: re.Match[str], reference: Reference) -> Pattern | None:
    third = calendar_parts.third(words.THIRDS[match[1].lower()])
    return combine(third, fixed_pattern(reference.period(0, words.UNITS[match[2].lower()])))


def half(match: re.Match[str], _: Reference) -> Pattern:
    second = match[1].lower() == "second"

    def make(container: Period) -> Period | None:
        if container.unit == "year":
            return calendar_parts.half(1 + second).make(container)
        middle = container.start + 15 * DAY
        return Period(middle, container.end, "part") if second else Period(container.start, middle, "part")

    return Pattern("half", make, frozenset({"year", "month"}), "year")


def quarter(match: re.Match[str], _: Reference) -> Pattern:
    number = match[1].lower()
    return calendar_parts.quarter(int(number) if number.isdigit() else ENGLISH_ORDINALS[number])


def nth_in_month(match: re.Match[str], _: Reference) -> Pattern:
    nth = -1 if match[1].lower() == "last" else ENGLISH_ORDINALS[match[1].lower()]
    if match[2].lower() == "week":
        return calendar_parts.week_of_month(nth)
    if match[2].lower() == "day":
        return Pattern(
            "day", lambda c: period_of(c.end - DAY if nth < 0 else c.start + (nth - 1) * DAY, "day"), _WHOLE
        )
    weekday = words.WEEKDAY_NUMBERS[match[2].lower()]
    return calendar_parts.weekday_of_month(lambda year, month: periods.nth_weekday(year, month, weekday, nth))


def _day_number(word: str) -> int:
    digits = re.match(r"\d+", word)
    return int(digits[0]) if digits else ENGLISH_ORDINALS[word.lower()]


def _dated(month: str, day: str) -> Pattern | None:
    return combine(named_pattern(month), calendar_parts.day_of_month(_day_number(day)))


def month_day(match: re.Match[str], _: Reference) -> Pattern | None:
    return _dated(match[1], match[2])


def day_month(match: re.Match[str], _: Reference) -> Pattern | None:
    if match[2] in words.LOWERCASE_WORDS and match[1].isdigit() and " of " not in match[0]:
        return None  # there are 5 may be
    return _dated(match[2], match[1])


def _days_of_month(month: str, first: str, second: str) -> Pattern:
    dates = [calendar_parts.day_of_month(_day_number(word)) for word in (first, second)]
    container = named_pattern(month)

    def make(year: Period) -> Period | None:
        found = container.make(year)
        ends = [date.make(found) for date in dates] if found else [None]
        if ends[0] is None or ends[1] is None or ends[1].start < ends[0].start:
            return None
        return Period(ends[0].start, ends[1].end, "part")

    return recurring_pattern("part", "year", make)


def month_days(match: re.Match[str], _: Reference) -> Pattern:
    return _days_of_month(match[1], match[2], match[3])


def days_month(match: re.Match[str], _: Reference) -> Pattern:
    return _days_of_month(match[3], match[1], match[2])


def name(match: re.Match[str], _: Reference) -> Pattern:
    return named_pattern(match[1])


def ordinal(match: re.Match[str], _: Reference) -> Pattern:
    return calendar_parts.day_of_month(_day_number(match[1]))


def year(match: re.Match[str], _: Reference) -> Pattern:
    return fixed_pattern(periods.year(int(match[1])))


def decade(match: re.Match[str], _: Reference) -> Pattern | None:
    before = match.string[max(0, match.start() - 16) : match.start()]
    number = ENGLISH_DECADES.get(match[1].lower()) or int(re.sub(r"\D", "", match[1]) or 0)
    if number < 100:
        if not re.search(r"\bthe\s+(?:early|mid|late)?[\s-]*$", before, re.IGNORECASE):
            return None
        number += 1900 if number >= 30 else 2000
    return fixed_pattern(period_of(periods.year(number).start, "decade"))


def numeric_date(match: re.Match[str], _: Reference) -> Pattern | None:
    date = _month_and_day(int(match[3]), int(match[4]))
    return date and combine(date, fixed_pattern(periods.year(int(match[1]))))


def numeric_month(match: re.Match[str], _: Reference) -> Pattern | None:
    return combine(calendar_parts.month(int(match[2])), fixed_pattern(periods.year(int(match[1]))))


def _month_and_day(month: int, day: int) -> Pattern | None:
    return combine(calendar_parts.month(month), calendar_parts.day_of_month(day))


def day_part(match: re.Match[str], _: Reference) -> Pattern:
    return calendar_parts.day_part(words.DAY_PARTS[match[1].lower()])


def clock(match: re.Match[str], _: Reference) -> Pattern | None:
    hour, minute, half = int(match[1]), int(match[2] or 0), match[3].lower()[0]
    if not 1 <= hour <= 12:
        return None
    return _each_day(hour % 12 + 12 * (half == "p"), minute)


def _each_day(hour: int, minute: int) -> Pattern:
    pattern = calendar_parts.clock(hour, minute or None)
    return Pattern(pattern.unit, pattern.make, pattern.within, "day")


def digital(match: re.Match[str], _: Reference) -> Pattern:
    return _each_day(int(match[1]), int(match[2]))


def hour(match: re.Match[str], _: Reference) -> Pattern:
    return calendar_parts.clock(int(match[1]))


def noon(_match: re.Match[str], _reference: Reference) -> Pattern:
    return calendar_parts.clock(12)


def next_units(match: re.Match[str], reference: Reference) -> Pattern:
    size, unit = _unit(match[2])
    return fixed_pattern(reference.coming(size * (_count(match[1]) or FEW), unit))


def same_day(_: re.Match[str], reference: Reference) -> Pattern:
    return calendar_parts.same_day(reference.now)


def week_of(match: re.Match[str], _: Reference) -> Pattern:
    week = calendar_parts.unit_containing("week")
    return combine(calendar_parts.weekend(), week) or week if match[1] else week


def hour_of_part(match: re.Match[str], _: Reference) -> Pattern:
    """8 is an hour only beside "tonight" or "in the morning"."""
    return Pattern("hour", calendar_parts.clock(int(match[1])).make, frozenset({"daypart"}))


def names_ago(match: re.Match[str], reference: Reference) -> Pattern | None:
    """Two Fridays or two summers ago."""
    count, pattern = english_number(match[1]), named_pattern(match[2])
    if pattern.unit == "weekend":
        return combine(fixed_pattern(reference.period(-count, "week")), pattern)
    found = last_occurrence(pattern, reference.now).fixed
    if found is None or pattern.cycle is None:
        return None
    back = 1 - count
    return fixed_pattern(
        Period(add(found.start, back, pattern.cycle), add(found.end, back, pattern.cycle), found.unit)
    )
