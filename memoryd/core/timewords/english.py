"""The pieces of English time expressions: last, May, 5th, 2022, two weeks ago, afternoon, 3 pm ..."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from memoryd.core.timewords import english_words as words
from memoryd.core.timewords import holidays, parts, periods
from memoryd.core.timewords.atom import Build, Rule, by_first
from memoryd.core.timewords.numbers import (
    ENGLISH_DECADES,
    ENGLISH_NUMBERS,
    ENGLISH_ORDINALS,
    english_number,
)
from memoryd.core.timewords.numeric import NUMERIC
from memoryd.core.timewords.pattern import (
    Pattern,
    combined,
    current,
    fixed,
    following,
    last,
    recurring,
)
from memoryd.core.timewords.periods import DAY, Period, Unit, add, period_of
from memoryd.core.timewords.reference import FEW, Reference

NUMBER_KEY = "#"


def _any(forms: Iterable[str]) -> str:
    return "|".join(re.escape(form) for form in sorted(forms, key=len, reverse=True))


_TENS = _any(word for word, value in ENGLISH_NUMBERS.items() if value >= 20)
_ONES = _any(word for word, value in ENGLISH_NUMBERS.items() if 0 < value < 20)
NUMBER = rf"(?:\d{{1,4}}|(?:{_TENS})(?:[- ](?:{_ONES}))?|{_ONES})"
_FEW = r"few|several|couple(?:\s+of)?"
_UNIT = rf"({_any(words.UNITS)}|fortnight)s?\b"
_MONTH = rf"({_any(words.MONTH_NUMBERS)})\b\.?"
_WEEKDAY = rf"(?:{_any(words.WEEKDAYS)})"
_ORDINAL = rf"(\d{{1,2}}(?:st|nd|rd|th)|{_any(ENGLISH_ORDINALS)})"
_DAY = rf"(\d{{1,2}}(?:st|nd|rd|th)?(?![\d:]|\.\d|\s*(?:[ap]\.?m\b|%))|{_any(ENGLISH_ORDINALS)})\b"
_HOLIDAY = _any(holidays.ENGLISH)
_NAME = rf"(?:{_WEEKDAY}|{_any(words.SEASONS)}|weekend)"
_NAMED = (
    rf"({_HOLIDAY}|{_any(words.MONTH_NUMBERS)}|{_any(words.WEEKDAY_NUMBERS)}|{_any(words.SEASONS)}|weekend)\b"
)
_STEP = r"(last|previous|past|this\s+past|this\s+coming|this|current|next|coming)"
_DASH = r"\s*(?:-|–|—|to|until|through)\s*(?:the\s+)?"


_WHOLE: frozenset[Unit] = frozenset({"month", "year"})


def named(word: str) -> Pattern:
    """The month, weekday, season, holiday or weekend of a name in any case."""
    name = " ".join(word.lower().replace("’", "'").split())
    if name in words.MONTH_NUMBERS:
        return parts.month(words.MONTH_NUMBERS[name])
    if name in words.WEEKDAY_NUMBERS:
        return parts.weekday(words.WEEKDAY_NUMBERS[name])
    if name in words.SEASONS:
        return parts.season(words.SEASONS[name])
    return parts.weekend() if name == "weekend" else parts.holiday(holidays.ENGLISH[name])


def _step(word: str) -> int:
    return words.STEPS[word.lower().split()[-1]]


def _stepped_name(match: re.Match[str], reference: Reference) -> Pattern | None:
    if match[2] in words.LOWERCASE_WORDS - {"fall", "spring", "may", "march"}:
        return None
    pattern, step = named(match[2]), _step(match[1])
    if pattern.unit == "weekend":
        return combined(fixed(reference.period(step, "week")), pattern)
    return (last, current, following)[step + 1](pattern, reference.now)


def _unit(word: str) -> tuple[int, Unit]:
    return (2, "week") if word.lower() == "fortnight" else (1, words.UNITS[word.lower()])


def _stepped_unit(match: re.Match[str], reference: Reference) -> Pattern:
    count, unit = _unit(match[2])
    step = _step(match[1])
    rolling = match[1].lower() == "past" or (step < 0 and unit in ("hour", "minute"))
    if rolling or count > 1:
        return fixed(reference.past(count, unit))
    return fixed(reference.period(step, unit))


def _before_last(match: re.Match[str], reference: Reference) -> Pattern | None:
    step = -2 if match[2].lower() == "before" else 2
    if match[1].lower() == "weekend":
        return combined(fixed(reference.period(step, "week")), parts.weekend())
    return fixed(reference.period(step, words.UNITS[match[1].lower()]))


def _count(word: str) -> int | None:
    """How many; None for a few."""
    lowered = word.lower()
    if lowered.startswith("couple"):
        return 2
    return None if lowered in ("few", "several") else english_number(word)


def _ago(match: re.Match[str], reference: Reference) -> Pattern | None:
    size, unit = _unit(match[2])
    count = _count(match[1])
    back = match[4].lower() in ("ago", "back")
    if count is None:
        return fixed(reference.few_before(unit)) if back else None
    if match[3]:
        return fixed(reference.ago(12 * count + 6, "month")) if unit == "year" else None
    return fixed(reference.ago(size * count if back else -size * count, unit))


def _half_ago(match: re.Match[str], reference: Reference) -> Pattern | None:
    unit = words.UNITS[match[1].lower()]
    if unit == "hour":
        return fixed(period_of(reference.ago(30, "minute").start, "hour"))
    return fixed(reference.ago(6, "month"))


def _past(match: re.Match[str], reference: Reference) -> Pattern:
    size, unit = _unit(match[2])
    return fixed(reference.past(size * (_count(match[1]) or FEW), unit))


def _relative_day(match: re.Match[str], reference: Reference) -> Pattern:
    return fixed(reference.period(words.DAYS[match[0].lower()], "day"))


def _this_part(match: re.Match[str], reference: Reference) -> Pattern | None:
    step, name = (match[1] or "this").lower(), (match[2] or "night").lower()
    today = fixed(reference.period({"last": -1}.get(step, 0), "day"))
    return combined(today, parts.day_part(words.DAY_PARTS[name]))


def _to_date(match: re.Match[str], reference: Reference) -> Pattern:
    unit = words.UNITS.get((match[2] or "day").lower(), "day")
    if match[1].lower() == "later":
        return fixed(Period(reference.now, period_of(reference.now, unit).end, "part"))
    return fixed(reference.to_date(unit))


def _third(match: re.Match[str], _: Reference) -> Pattern:
    return parts.third(words.THIRDS[match[match.lastindex or 1].lower()])


def _third_of_current(match: re.Match[str], reference: Reference) -> Pattern | None:
    third = parts.third(words.THIRDS[match[1].lower()])
    return combined(third, fixed(reference.period(0, words.UNITS[match[2].lower()])))


def _half(match: re.Match[str], _: Reference) -> Pattern:
    second = match[1].lower() == "second"

    def make(container: Period) -> Period | None:
        if container.unit == "year":
            return parts.half(1 + second).make(container)
        middle = container.start + 15 * DAY
        return Period(middle, container.end, "part") if second else Period(container.start, middle, "part")

    return Pattern("half", make, frozenset({"year", "month"}), "year")


def _quarter(match: re.Match[str], _: Reference) -> Pattern:
    number = match[1].lower()
    return parts.quarter(int(number) if number.isdigit() else ENGLISH_ORDINALS[number])


def _nth_in_month(match: re.Match[str], _: Reference) -> Pattern:
    nth = -1 if match[1].lower() == "last" else ENGLISH_ORDINALS[match[1].lower()]
    if match[2].lower() == "week":
        return parts.week_of_month(nth)
    if match[2].lower() == "day":
        return Pattern(
            "day", lambda c: period_of(c.end - DAY if nth < 0 else c.start + (nth - 1) * DAY, "day"), _WHOLE
        )
    weekday = words.WEEKDAY_NUMBERS[match[2].lower()]
    return parts.weekday_of_month(lambda year, month: periods.nth_weekday(year, month, weekday, nth))


def _day_number(word: str) -> int:
    digits = re.match(r"\d+", word)
    return int(digits[0]) if digits else ENGLISH_ORDINALS[word.lower()]


def _dated(month: str, day: str) -> Pattern | None:
    return combined(named(month), parts.day_of_month(_day_number(day)))


def _month_day(match: re.Match[str], _: Reference) -> Pattern | None:
    return _dated(match[1], match[2])


def _day_month(match: re.Match[str], _: Reference) -> Pattern | None:
    if match[2] in words.LOWERCASE_WORDS and match[1].isdigit() and " of " not in match[0]:
        return None  # there are 5 may be
    return _dated(match[2], match[1])


def _days_of_month(month: str, first: str, second: str) -> Pattern:
    dates = [parts.day_of_month(_day_number(word)) for word in (first, second)]
    container = named(month)

    def make(year: Period) -> Period | None:
        found = container.make(year)
        ends = [date.make(found) for date in dates] if found else [None]
        if ends[0] is None or ends[1] is None or ends[1].start < ends[0].start:
            return None
        return Period(ends[0].start, ends[1].end, "part")

    return recurring("part", "year", make)


def _month_days(match: re.Match[str], _: Reference) -> Pattern:
    return _days_of_month(match[1], match[2], match[3])


def _days_month(match: re.Match[str], _: Reference) -> Pattern:
    return _days_of_month(match[3], match[1], match[2])


def _name(match: re.Match[str], _: Reference) -> Pattern:
    return named(match[1])


def _ordinal(match: re.Match[str], _: Reference) -> Pattern:
    return parts.day_of_month(_day_number(match[1]))


def _year(match: re.Match[str], _: Reference) -> Pattern:
    return fixed(periods.year(int(match[1])))


def _decade(match: re.Match[str], _: Reference) -> Pattern | None:
    before = match.string[max(0, match.start() - 16) : match.start()]
    number = ENGLISH_DECADES.get(match[1].lower()) or int(re.sub(r"\D", "", match[1]) or 0)
    if number < 100:
        if not re.search(r"\bthe\s+(?:early|mid|late)?[\s-]*$", before, re.IGNORECASE):
            return None
        number += 1900 if number >= 30 else 2000
    return fixed(period_of(periods.year(number).start, "decade"))


def _day_part(match: re.Match[str], _: Reference) -> Pattern:
    return parts.day_part(words.DAY_PARTS[match[1].lower()])


def _clock(match: re.Match[str], _: Reference) -> Pattern | None:
    hour, minute, half = int(match[1]), int(match[2] or 0), match[3].lower()[0]
    if not 1 <= hour <= 12:
        return None
    return _each_day(hour % 12 + 12 * (half == "p"), minute)


def _each_day(hour: int, minute: int) -> Pattern:
    pattern = parts.clock(hour, minute or None)
    return Pattern(pattern.unit, pattern.make, pattern.within, "day")


def _digital(match: re.Match[str], _: Reference) -> Pattern:
    return _each_day(int(match[1]), int(match[2]))


def _hour(match: re.Match[str], _: Reference) -> Pattern:
    return parts.clock(int(match[1]))


def _noon(_match: re.Match[str], _reference: Reference) -> Pattern:
    return parts.clock(12)


def _next_units(match: re.Match[str], reference: Reference) -> Pattern:
    size, unit = _unit(match[2])
    return fixed(reference.coming(size * (_count(match[1]) or FEW), unit))


def _same_day(_: re.Match[str], reference: Reference) -> Pattern:
    return parts.same_day(reference.now)


def _week_of(match: re.Match[str], _: Reference) -> Pattern:
    week = parts.containing("week")
    return combined(parts.weekend(), week) or week if match[1] else week


def _hour_of_part(match: re.Match[str], _: Reference) -> Pattern:
    """8 is an hour only beside "tonight" or "in the morning"."""
    return Pattern("hour", parts.clock(int(match[1])).make, frozenset({"daypart"}))


def _names_ago(match: re.Match[str], reference: Reference) -> Pattern | None:
    """Two Fridays or two summers ago."""
    count, pattern = english_number(match[1]), named(match[2])
    if pattern.unit == "weekend":
        return combined(fixed(reference.period(-count, "week")), pattern)
    found = last(pattern, reference.now).fixed
    if found is None or pattern.cycle is None:
        return None
    back = 1 - count
    return fixed(
        Period(add(found.start, back, pattern.cycle), add(found.end, back, pattern.cycle), found.unit)
    )


def _rule(form: str, build: Build, needs: str | None = None) -> Rule:
    context = None if needs is None else re.compile(needs, re.IGNORECASE)
    return Rule(re.compile(rf"(?<![\w$€£#.]){form}", re.IGNORECASE), build, context)


def _rules() -> Iterator[tuple[Iterable[str], Rule]]:
    numbers = (*ENGLISH_NUMBERS, NUMBER_KEY, "few", "several", "couple", "fortnight")
    months, weekdays = tuple(words.MONTH_NUMBERS), tuple(words.WEEKDAY_NUMBERS)
    steps = ("last", "previous", "past", "this", "current", "next", "coming")
    yield from (((NUMBER_KEY,), rule) for rule in NUMERIC)
    yield (
        numbers,
        _rule(
            rf"(?:a\s+)?({_FEW}|{NUMBER})\s+{_UNIT}(\s+and\s+a\s+half)?\s+(ago|back(?=\W*$)|from\s+now|from\s+today)\b",
            _ago,
        ),
    )
    yield ("half",), _rule(r"half\s+an?\s+(hour|year)\s+ago\b", _half_ago)
    yield (
        {name.split()[0].rstrip(".").split("'")[0].split("-")[0] for name in holidays.ENGLISH},
        _rule(rf"({_HOLIDAY})(?![\w'’]){words.NOT_HOLIDAY}", _name),
    )
    yield (
        ("first", "second", "third", "fourth", "fifth", "last"),
        _rule(
            rf"(first|second|third|fourth|fifth|last)\s+(week|day|{_WEEKDAY})\b(?=\s+(?:of|in)\b)",
            _nth_in_month,
        ),
    )
    yield ("today",), _rule(r"(?<=ago )today\b", _same_day)
    yield ("week", "weekend"), _rule(r"week(end)?(?=\s+of\b)", _week_of)
    yield (
        (NUMBER_KEY,),
        _rule(r"(?<=at )([01]?\d|2[0-3])(?![\w:.%/])(?!\s*(?:[ap]\.?m\b|o'clock))", _hour_of_part),
    )
    yield numbers, _rule(rf"({NUMBER})\s+({_NAME})s\s+ago\b", _names_ago)
    yield words.DAYS, _rule(rf"(?:{_any(words.DAYS)})\b", _relative_day)
    yield ("last", "this"), _rule(rf"(last|this)\s+({_any(words.DAY_PARTS)})\b", _this_part)
    yield ("tonight",), _rule(r"()()tonight\b", _this_part)
    yield ("last", "past", "previous"), _rule(rf"(?:last|past|previous)\s+({_FEW}|{NUMBER})\s+{_UNIT}", _past)
    yield ("next", "coming"), _rule(rf"(?:next|coming)\s+({_FEW}|{NUMBER})\s+{_UNIT}", _next_units)
    yield steps, _rule(rf"{_STEP}\s+{_UNIT}(?!\s+old)", _stepped_unit)
    yield steps, _rule(rf"{_STEP}\s+{_NAMED}{words.NOT_HOLIDAY}{words.NOT_SEASON}", _stepped_name)
    yield (
        ("week", "weekend", "month", "year"),
        _rule(r"(week|weekend|month|year)\s+(before|after)\s+(?:last|next)\b", _before_last),
    )
    yield (
        ("earlier", "later", "so"),
        _rule(r"(earlier|later|so\s+far)\s+(?:today|this\s+(week|month|quarter|year))\b", _to_date),
    )
    yield ("weekend",), _rule(r"(weekend)\b", _name, words.BEFORE_WEEKEND)
    yield from _dates(months)
    yield from _parts()
    clear = _any(name.title() for name in words.MONTHS if name not in words.AMBIGUOUS_MONTHS)
    yield months, _rule(rf"((?-i:{clear}))\b(?!'s\b)", _name)
    yield months, _rule(rf"{_MONTH}(?!')", _name, words.BEFORE_WEAK)
    yield weekdays, _rule(rf"({_WEEKDAY})\b{words.NOT_WEEKDAY}", _name)
    yield weekdays, _rule(rf"({_any(words.WEEKDAY_NUMBERS)})\b(?!')", _name, words.BEFORE_WEEKDAY)
    yield words.SEASONS, _rule(rf"({_any(words.SEASONS)})\b{words.NOT_SEASON}", _name, words.BEFORE_WEAK)


def _dates(months: tuple[str, ...]) -> Iterator[tuple[Iterable[str], Rule]]:
    ordinals = (NUMBER_KEY, *(word.split("-")[0] for word in ENGLISH_ORDINALS))
    yield (
        months,
        _rule(
            rf"{_MONTH}\s+(?:the\s+)?{_DAY}{_DASH}{_DAY}(?!\s+(?:{_any(words.MONTH_NUMBERS)})\b)", _month_days
        ),
    )
    yield months, _rule(rf"{_MONTH}\s+(?:the\s+)?{_DAY}{words.COUNTED}", _month_day)
    yield ordinals, _rule(rf"{_DAY}{_DASH}{_DAY}\s+(?:of\s+)?{_MONTH}", _days_month)
    yield ordinals, _rule(rf"{_DAY}\s+(?:day\s+)?(?:of\s+)?{_MONTH}", _day_month)
    yield (
        (NUMBER_KEY,),
        _rule(r"(\d{1,2}(?:st|nd|rd|th))\b(?:" + words.AFTER_ORDINAL + ")", _ordinal, words.BEFORE_ORDINAL),
    )
    yield (NUMBER_KEY, *ENGLISH_DECADES), _rule(rf"((?:1[89]|20)?\d0'?s|{_any(ENGLISH_DECADES)})\b", _decade)
    yield (
        (NUMBER_KEY,),
        _rule(rf"(1[89]\d\d|2[01]\d\d)(?![\w%]|[-/.:,]\d|\s*°){words.COUNTED}", _year, words.BEFORE_WEAK),
    )
    yield (NUMBER_KEY,), _rule(r"(\d{1,2})(?:[:.]([0-5]\d))?\s*(am|pm|a\.m\.|p\.m\.)(?!\w)", _clock)
    yield (
        (NUMBER_KEY,),
        _rule(r"([01]?\d|2[0-3]):([0-5]\d)(?::[0-5]\d)?(?![\w:])", _digital, words.BEFORE_CLOCK),
    )
    yield (
        (NUMBER_KEY,),
        _rule(r"([01]?\d|2[0-3])(?:\s*o'clock\b|(?=\s+in\s+the\s+(?:morning|afternoon|evening)\b))", _hour),
    )


def _parts() -> Iterator[tuple[Iterable[str], Rule]]:
    third = r"(beginning|start|middle|end)(?=\s+of\b)"
    yield words.THIRDS, _rule(rf"{third}\s+of\s+(?:the|this)\s+(month|quarter|year)\b", _third_of_current)
    yield words.THIRDS, _rule(rf"(?:(early|mid|late)\b-?|{third})", _third)
    yield ("first", "second"), _rule(r"(first|second)\s+half\b(?=\s+of\b)", _half)
    yield (
        ("q", "first", "second", "third", "fourth"),
        _rule(
            r"(?:q(?=\d))?([1-4](?!\w)|(?:first|second|third|fourth)(?=\s+quarter\b))(?:\s+quarter)?",
            _quarter,
        ),
    )
    yield words.DAY_PARTS, _rule(rf"({_any(words.DAY_PARTS)})\b", _day_part)
    yield ("noon", "midday"), _rule(r"(?:noon|midday)\b", _noon)


RULES = by_first(_rules())
