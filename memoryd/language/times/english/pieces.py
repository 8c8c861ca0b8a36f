"""The forms of English time expressions: last, May, 5th, 2022, two weeks ago, afternoon, 3 pm ..."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from memoryd.language.numerals import ENGLISH_COUNTS, ENGLISH_DECADES, ENGLISH_ORDINALS
from memoryd.language.times import holidays
from memoryd.language.times.english import actions, words
from memoryd.language.times.grammar import Form, group_rules

NUMBER_KEY = "#"


def _any(forms: Iterable[str]) -> str:
    return "|".join(re.escape(form) for form in sorted(forms, key=len, reverse=True))


_TENS = _any(word for word, value in ENGLISH_COUNTS.items() if value >= 20)
_ONES = _any(word for word, value in ENGLISH_COUNTS.items() if 0 < value < 20)
NUMBER = rf"(?:\d{{1,4}}|(?:{_TENS})(?:[- ](?:{_ONES}))?|{_ONES})"
_FEW = r"few|several|couple(?:\s+of)?"
_UNIT = rf"({_any(words.UNITS)}|fortnight)s?\b"
_MONTH = rf"({_any(words.MONTH_NUMBERS)})\b\.?"
_WEEKDAY = rf"(?:{_any(words.WEEKDAYS)})"
_DAY = rf"(\d{{1,2}}(?:st|nd|rd|th)?(?![\d:]|\.\d|\s*(?:[ap]\.?m\b|%))|{_any(ENGLISH_ORDINALS)})\b"
_HOLIDAY = _any(holidays.ENGLISH)
_NAME = rf"(?:{_WEEKDAY}|{_any(words.SEASONS)}|weekend)"
_NAMED = (
    rf"({_HOLIDAY}|{_any(words.MONTH_NUMBERS)}|{_any(words.WEEKDAY_NUMBERS)}|{_any(words.SEASONS)}|weekend)\b"
)
_STEP = r"(last|previous|past|this\s+past|this\s+coming|this|current|next|coming)"
_DASH = r"\s*(?:-|–|—|to|until|through)\s*(?:the\s+)?"


def _rules() -> Iterator[Form]:
    numbers = (*ENGLISH_COUNTS, NUMBER_KEY, "few", "several", "couple", "fortnight")
    months, weekdays = tuple(words.MONTH_NUMBERS), tuple(words.WEEKDAY_NUMBERS)
    steps = ("last", "previous", "past", "this", "current", "next", "coming")
    yield (
        NUMBER_KEY,
        r"(?<![/-])([12]\d{3})([-/.])(\d{1,2})\2(\d{1,2})(?:(?=T\d)|(?![\w/-]|\.\d)|(?![A-Za-z0-9_/.-]))",
        actions.numeric_date,
    )
    yield NUMBER_KEY, r"(?<![/-])((?:19|20)\d\d)[-/](0[1-9]|1[0-2])(?![\d/.-])", actions.numeric_month
    yield (
        numbers,
        rf"(?:a\s+)?({_FEW}|{NUMBER})\s+{_UNIT}(\s+and\s+a\s+half)?\s+(ago|back(?=\W*$)|from\s+now|from\s+today)\b",
        actions.ago,
    )
    yield (("half",), r"half\s+an?\s+(hour|year)\s+ago\b", actions.half_ago)
    yield (
        {name.split()[0].rstrip(".").split("'")[0].split("-")[0] for name in holidays.ENGLISH},
        rf"({_HOLIDAY})(?![\w'’]){words.NOT_HOLIDAY}",
        actions.name,
    )
    yield (
        ("first", "second", "third", "fourth", "fifth", "last"),
        rf"(first|second|third|fourth|fifth|last)\s+(week|day|{_WEEKDAY})\b(?=\s+(?:of|in)\b)",
        actions.nth_in_month,
    )
    yield (("today",), r"(?<=ago )today\b", actions.same_day)
    yield (("week", "weekend"), r"week(end)?(?=\s+of\b)", actions.week_of)
    yield (
        (NUMBER_KEY,),
        r"(?<=at )([01]?\d|2[0-3])(?![\w:.%/])(?!\s*(?:[ap]\.?m\b|o'clock))",
        actions.hour_of_part,
    )
    yield (numbers, rf"({NUMBER})\s+({_NAME})s\s+ago\b", actions.names_ago)
    yield (words.DAYS, rf"(?:{_any(words.DAYS)})\b", actions.relative_day)
    yield (("last", "this"), rf"(last|this)\s+({_any(words.DAY_PARTS)})\b", actions.this_part)
    yield (("tonight",), r"()()tonight\b", actions.this_part)
    yield (
        ("last", "past", "previous"),
        rf"(?:last|past|previous)\s+({_FEW}|{NUMBER})\s+{_UNIT}",
        actions.past,
    )
    yield (("next", "coming"), rf"(?:next|coming)\s+({_FEW}|{NUMBER})\s+{_UNIT}", actions.next_units)
    yield (steps, rf"{_STEP}\s+({_any(words.UNITS)}|fortnight)\b", actions.stepped_unit)
    yield (steps, rf"{_STEP}\s+{_NAMED}{words.NOT_HOLIDAY}{words.NOT_SEASON}", actions.stepped_name)
    yield (
        ("week", "weekend", "month", "year"),
        r"(week|weekend|month|year)\s+(before|after)\s+(?:last|next)\b",
        actions.before_last,
    )
    yield (
        ("earlier", "later", "so"),
        r"(earlier|later|so\s+far)\s+(?:today|this\s+(week|month|quarter|year))\b",
        actions.to_date,
    )
    yield (("weekend",), r"(weekend)\b", actions.name, words.BEFORE_WEEKEND)
    yield from _dates(months)
    yield from _parts()
    clear = _any(name.title() for name in words.MONTHS if name not in words.AMBIGUOUS_MONTHS)
    yield (months, rf"((?-i:{clear}))\b(?!'s\b)", actions.name)
    yield (months, rf"{_MONTH}(?!')", actions.name, words.BEFORE_WEAK)
    yield (weekdays, rf"({_WEEKDAY})\b{words.NOT_WEEKDAY}", actions.name)
    yield (weekdays, rf"({_any(words.WEEKDAY_NUMBERS)})\b(?!')", actions.name, words.BEFORE_WEEKDAY)
    yield (words.SEASONS, rf"({_any(words.SEASONS)})\b{words.NOT_SEASON}", actions.name, words.BEFORE_WEAK)


def _dates(months: tuple[str, ...]) -> Iterator[Form]:
    ordinals = (NUMBER_KEY, *(word.split("-")[0] for word in ENGLISH_ORDINALS))
    yield (
        months,
        rf"{_MONTH}\s+(?:the\s+)?{_DAY}{_DASH}{_DAY}(?!\s+(?:{_any(words.MONTH_NUMBERS)})\b)",
        actions.month_days,
    )
    yield (months, rf"{_MONTH}\s+(?:the\s+)?{_DAY}{words.COUNTED}", actions.month_day)
    yield (ordinals, rf"{_DAY}{_DASH}{_DAY}\s+(?:of\s+)?{_MONTH}", actions.days_month)
    yield (ordinals, rf"{_DAY}\s+(?:day\s+)?(?:of\s+)?{_MONTH}", actions.day_month)
    yield (
        (NUMBER_KEY,),
        r"(\d{1,2}(?:st|nd|rd|th))\b(?:" + words.AFTER_ORDINAL + ")",
        actions.ordinal,
        words.BEFORE_ORDINAL,
    )
    yield (
        (NUMBER_KEY, *ENGLISH_DECADES),
        rf"((?:1[89]|20)?\d0'?s|{_any(ENGLISH_DECADES)})\b",
        actions.decade,
    )
    yield (
        (NUMBER_KEY,),
        rf"(1[89]\d\d|2[01]\d\d)(?![\w%]|[-/.:,]\d|\s*°){words.COUNTED}",
        actions.year,
        words.BEFORE_WEAK,
    )
    yield ((NUMBER_KEY,), r"(\d{1,2})(?:[:.]([0-5]\d))?\s*(am|pm|a\.m\.|p\.m\.)(?!\w)", actions.clock)
    yield (
        (NUMBER_KEY,),
        r"([01]?\d|2[0-3]):([0-5]\d)(?::[0-5]\d)?(?![\w:])",
        actions.digital,
        words.BEFORE_CLOCK,
    )
    yield (
        (NUMBER_KEY,),
        r"([01]?\d|2[0-3])(?:\s*o'clock\b|(?=\s+in\s+the\s+(?:morning|afternoon|evening)\b))",
        actions.hour,
    )


def _parts() -> Iterator[Form]:
    third = r"(beginning|start|middle|end)(?=\s+of\b)"
    yield (words.THIRDS, rf"{third}\s+of\s+(?:the|this)\s+(month|quarter|year)\b", actions.third_of_current)
    yield (words.THIRDS, rf"(?:(early|mid|late)\b-?|{third})", actions.third)
    yield (("first", "second"), r"(first|second)\s+half\b(?=\s+of\b)", actions.half)
    yield (
        ("q", "first", "second", "third", "fourth"),
        r"(?:q(?=\d))?([1-4](?!\w)|(?:first|second|third|fourth)(?=\s+quarter\b))(?:\s+quarter)?",
        actions.quarter,
    )
    yield (words.DAY_PARTS, rf"({_any(words.DAY_PARTS)})\b", actions.day_part)
    yield (("noon", "midday"), r"(?:noon|midday)\b", actions.noon)


RULES = group_rules(_rules(), before=r"(?<![\w$€£#.])", flags=re.IGNORECASE)
