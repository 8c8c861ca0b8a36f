"""Dates in digits that read the same in both languages."""

from __future__ import annotations

import re

from memoryd.language.times import periods
from memoryd.language.times.calendar_parts import day_of_month, month
from memoryd.language.times.grammar import Rule
from memoryd.language.times.pattern import Pattern, combined, fixed
from memoryd.language.times.reference import Reference


def _full(match: re.Match[str], _: Reference) -> Pattern | None:
    dated = combined(month(int(match[3])), day_of_month(int(match[4])))
    return dated and combined(dated, fixed(periods.year(int(match[1]))))


def _month(match: re.Match[str], _: Reference) -> Pattern | None:
    return combined(month(int(match[2])), fixed(periods.year(int(match[1]))))


NUMERIC = (
    Rule(
        re.compile(
            r"(?<![\w./-])([12]\d{3})([-/.])(\d{1,2})\2(\d{1,2})(?:(?=T\d)|(?![\w/-]|\.\d)|(?![A-Za-z0-9_/.-]))"
        ),
        _full,
    ),
    Rule(re.compile(r"(?<![\w./-])((?:19|20)\d\d)[-/](0[1-9]|1[0-2])(?![\d/.-])"), _month),
)
