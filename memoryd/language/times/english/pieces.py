"""The pieces of English time expressions: last, May, 5th, 2022, two weeks ago, afternoon, 3 pm ..."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from memoryd.language.numerals import ENGLISH_COUNTS, ENGLISH_DECADES, ENGLISH_ORDINALS
from memoryd.language.times import holidays
from memoryd.language.times.english import actions as means
from memoryd.language.times.english import words
from memoryd.language.times.grammar import Build, Rule, by_first
from memoryd.language.times.numeric_dates import NUMERIC

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


def _rule(form: str, build: Build, needs: str | None = None) -> Rule:
    context = None if needs is None else re.compile(needs, re.IGNORECASE)
    return Rule(re.compile(rf"(?<![\w$€£#.]){form}", re.IGNORECASE), build, context)


def _rules() -> Iterator[tuple[Iterable[str], Rule]]:
    numbers = (*ENGLISH_COUNTS, NUMBER_KEY, "few", "several", "couple", "fortnight")
    months, weekdays = tuple(words.MONTH_NUMBERS), tuple(words.WEEKDAY_NUMBERS)
    steps = ("last", "previous", "past", "this", "current", "next", "coming")
    yield from (((NUMBER_KEY,), rule) for rule in NUMERIC)
    yield (
        numbers,
        _rule(
            rf"(?:a\s+)?({_FEW}|{NUMBER})\s+{_UNIT}(\s+and\s+a\s+half)?\s+(ago|back(?=\W*$)|from\s+now|from\s+today)\b",
            means.ago,
        ),
    )
    yield ("half",), _rule(r"half\s+an?\s+(hour|year)\s+ago\b", means.half_ago)
    yield (
        {name.split()[0].rstrip(".").split("'")[0].split("-")[0] for name in holidays.ENGLISH},
        _rule(rf"({_HOLIDAY})(?![\w'’]){words.NOT_HOLIDAY}", means.name),
    )
    yield (
        ("first", "second", "third", "fourth", "fifth", "last"),
        _rule(
            rf"(first|second|third|fourth|fifth|last)\s+(week|day|{_WEEKDAY})\b(?=\s+(?:of|in)\b)",
            means.nth_in_month,
        ),
    )
    yield ("today",), _rule(r"(?<=ago )today\b", means.same_day)
    yield ("week", "weekend"), _rule(r"week(end)?(?=\s+of\b)", means.week_of)
    yield (
        (NUMBER_KEY,),
        _rule(r"(?<=at )([01]?\d|2[0-3])(?![\w:.%/])(?!\s*(?:[ap]\.?m\b|o'clock))", means.hour_of_part),
    )
    yield numbers, _rule(rf"({NUMBER})\s+({_NAME})s\s+ago\b", means.names_ago)
    yield words.DAYS, _rule(rf"(?:{_any(words.DAYS)})\b", means.relative_day)
    yield ("last", "this"), _rule(rf"(last|this)\s+({_any(words.DAY_PARTS)})\b", means.this_part)
    yield ("tonight",), _rule(r"()()tonight\b", means.this_part)
    yield (
        ("last", "past", "previous"),
        _rule(rf"(?:last|past|previous)\s+({_FEW}|{NUMBER})\s+{_UNIT}", means.past),
    )
    yield ("next", "coming"), _rule(rf"(?:next|coming)\s+({_FEW}|{NUMBER})\s+{_UNIT}", means.next_units)
    yield steps, _rule(rf"{_STEP}\s+({_any(words.UNITS)}|fortnight)\b", means.stepped_unit)
    yield steps, _rule(rf"{_STEP}\s+{_NAMED}{words.NOT_HOLIDAY}{words.NOT_SEASON}", means.stepped_name)
    yield (
        ("week", "weekend", "month", "year"),
        _rule(r"(week|weekend|month|year)\s+(before|after)\s+(?:last|next)\b", means.before_last),
    )
    yield (
        ("earlier", "later", "so"),
        _rule(r"(earlier|later|so\s+far)\s+(?:today|this\s+(week|month|quarter|year))\b", means.to_date),
    )
    yield ("weekend",), _rule(r"(weekend)\b", means.name, words.BEFORE_WEEKEND)
    yield from _dates(months)
    yield from _parts()
    clear = _any(name.title() for name in words.MONTHS if name not in words.AMBIGUOUS_MONTHS)
    yield months, _rule(rf"((?-i:{clear}))\b(?!'s\b)", means.name)
    yield months, _rule(rf"{_MONTH}(?!')", means.name, words.BEFORE_WEAK)
    yield weekdays, _rule(rf"({_WEEKDAY})\b{words.NOT_WEEKDAY}", means.name)
    yield weekdays, _rule(rf"({_any(words.WEEKDAY_NUMBERS)})\b(?!')", means.name, words.BEFORE_WEEKDAY)
    yield words.SEASONS, _rule(rf"({_any(words.SEASONS)})\b{words.NOT_SEASON}", means.name, words.BEFORE_WEAK)


def _dates(months: tuple[str, ...]) -> Iterator[tuple[Iterable[str], Rule]]:
    ordinals = (NUMBER_KEY, *(word.split("-")[0] for word in ENGLISH_ORDINALS))
    yield (
        months,
        _rule(
            rf"{_MONTH}\s+(?:the\s+)?{_DAY}{_DASH}{_DAY}(?!\s+(?:{_any(words.MONTH_NUMBERS)})\b)",
            means.month_days,
        ),
    )
    yield months, _rule(rf"{_MONTH}\s+(?:the\s+)?{_DAY}{words.COUNTED}", means.month_day)
    yield ordinals, _rule(rf"{_DAY}{_DASH}{_DAY}\s+(?:of\s+)?{_MONTH}", means.days_month)
    yield ordinals, _rule(rf"{_DAY}\s+(?:day\s+)?(?:of\s+)?{_MONTH}", means.day_month)
    yield (
        (NUMBER_KEY,),
        _rule(
            r"(\d{1,2}(?:st|nd|rd|th))\b(?:" + words.AFTER_ORDINAL + ")", means.ordinal, words.BEFORE_ORDINAL
        ),
    )
    yield (
        (NUMBER_KEY, *ENGLISH_DECADES),
        _rule(rf"((?:1[89]|20)?\d0'?s|{_any(ENGLISH_DECADES)})\b", means.decade),
    )
    yield (
        (NUMBER_KEY,),
        _rule(
            rf"(1[89]\d\d|2[01]\d\d)(?![\w%]|[-/.:,]\d|\s*°){words.COUNTED}", means.year, words.BEFORE_WEAK
        ),
    )
    yield (NUMBER_KEY,), _rule(r"(\d{1,2})(?:[:.]([0-5]\d))?\s*(am|pm|a\.m\.|p\.m\.)(?!\w)", means.clock)
    yield (
        (NUMBER_KEY,),
        _rule(r"([01]?\d|2[0-3]):([0-5]\d)(?::[0-5]\d)?(?![\w:])", means.digital, words.BEFORE_CLOCK),
    )
    yield (
        (NUMBER_KEY,),
        _rule(
            r"([01]?\d|2[0-3])(?:\s*o'clock\b|(?=\s+in\s+the\s+(?:morning|afternoon|evening)\b))", means.hour
        ),
    )


def _parts() -> Iterator[tuple[Iterable[str], Rule]]:
    third = r"(beginning|start|middle|end)(?=\s+of\b)"
    yield (
        words.THIRDS,
        _rule(rf"{third}\s+of\s+(?:the|this)\s+(month|quarter|year)\b", means.third_of_current),
    )
    yield words.THIRDS, _rule(rf"(?:(early|mid|late)\b-?|{third})", means.third)
    yield ("first", "second"), _rule(r"(first|second)\s+half\b(?=\s+of\b)", means.half)
    yield (
        ("q", "first", "second", "third", "fourth"),
        _rule(
            r"(?:q(?=\d))?([1-4](?!\w)|(?:first|second|third|fourth)(?=\s+quarter\b))(?:\s+quarter)?",
            means.quarter,
        ),
    )
    yield words.DAY_PARTS, _rule(rf"({_any(words.DAY_PARTS)})\b", means.day_part)
    yield ("noon", "midday"), _rule(r"(?:noon|midday)\b", means.noon)


RULES = by_first(_rules())
