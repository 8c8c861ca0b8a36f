"""Whether two values of one attribute exclude each other, or one only says it finer."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from memoryd.language.conflicts.clause_reader import words_of
from memoryd.language.conflicts.functional_predicates import ValueKind
from memoryd.language.conflicts.places import PLACES, same_or_within

_SAME_JOBS = (
    {"程序员", "软件工程师", "码农", "开发工程师", "工程师"},
    {"老师", "教师"},
    {"医生", "大夫"},
    {"developer", "programmer", "coder", "engineer"},
    {"doctor", "physician", "surgeon", "gp"},
    {"lawyer", "attorney", "solicitor"},
    {"teacher", "tutor", "educator", "professor"},
    {"writer", "author", "novelist", "journalist"},
)
_GENERIC_JOBS = frozenset("公务员 自由职业者 上班族 职员 employee freelancer contractor".split())
_IN_WORDS = frozenset({"text", "name", "job", "place"})
_COUNTS = re.compile(r"#(\d+(?:\.\d+)?)")


def excludes(kind: ValueKind, a: str, b: str) -> bool:
    """Whether both cannot be so. a, b: folded text; words of two scripts cannot be compared."""
    if kind in _IN_WORDS and a.isascii() != b.isascii():
        return kind == "place" and _are_known(a, b) and _places(a, b)
    return _EXCLUDES[kind](a, b)


def dates_exclude(a: str, b: str) -> bool:
    """Whether two spelled times of one kind differ in what both name: `date 5-3` and `date 5-` do not."""
    kinds = a.split(" ", 1)[0], b.split(" ", 1)[0]
    if kinds[0] != kinds[1]:
        return False
    if kinds[0] != "date":
        return a != b
    return any(x and y and x != y for x, y in zip(_parts(a), _parts(b), strict=True))


def _parts(date: str) -> tuple[str, str, str]:
    """Year, month and day, "" where it is not named."""
    pieces = date.removeprefix("date ").split("-")
    if len(pieces) == 2:  # month-day, or month and nothing
        return "", pieces[0], pieces[1]
    return pieces[0], pieces[1], pieces[2]


def _dates(a: str, b: str) -> bool:
    first, second = _times(a), _times(b)
    return len(first) == len(second) == 1 and dates_exclude(first[0], second[0])


def _times(text: str) -> list[str]:
    return [w for w in words_of(text) if w.startswith(("date ", "weekday ", "clock "))]


def _number_of(text: str) -> float | None:
    """The one number of a text, None when there are none or several."""
    found = _COUNTS.findall(" ".join(words_of(text)))
    return float(found[0]) if len(found) == 1 else None


def growth(a: str, b: str) -> float | None:
    """By how much the second number is more than the first."""
    first, second = _number_of(a), _number_of(b)
    return None if first is None or second is None else second - first


def _numbers(a: str, b: str) -> bool:
    return growth(a, b) not in (None, 0.0) and _units(a) == _units(b)


def _units(text: str) -> Sequence[str]:
    return [w for w in words_of(text) if not w.startswith("#")]


def _texts(a: str, b: str) -> bool:
    """Neither is part of the other, as words or as letters."""
    first, second = (set(words_of(value)) or {value} for value in (a, b))
    if first <= second or second <= first:
        return False
    plain = [re.sub(r"\W", "", v) for v in (a, b)]
    return plain[0] not in plain[1] and plain[1] not in plain[0]


def _are_known(a: str, b: str) -> bool:
    return all(any(word in _KNOWN for word in words_of(value)) for value in (a, b))


def _places(a: str, b: str) -> bool:
    if not _texts(a, b):
        return False
    first, second = ([w for w in words_of(v) if w in _KNOWN] for v in (a, b))
    return not any(same_or_within(x, y) for x in first for y in second)


_KNOWN = frozenset(PLACES.values())


def _blood(a: str, b: str) -> bool:
    first, second = (re.search(r"\b(?:ab|a|b|o)(?![a-z])", value) for value in (a, b))
    return bool(first and second and first.group() != second.group())


def _jobs(a: str, b: str) -> bool:
    """Two jobs; 数学老师 is a 老师, a product manager a manager."""
    if not _texts(a, b) or _GENERIC_JOBS & {a, b}:
        return False
    if any(_has(group, a) and _has(group, b) for group in _SAME_JOBS):
        return False
    return a[-2:] != b[-2:] if not a.isascii() else a.split()[-1] != b.split()[-1]


def _has(group: set[str], value: str) -> bool:
    return any(value.endswith(job) for job in group)


_EXCLUDES: dict[ValueKind, Callable[[str, str], bool]] = {
    "text": _texts,
    "name": _texts,
    "date": _dates,
    "number": _numbers,
    "place": _places,
    "job": _jobs,
    "blood": _blood,
}
