"""Whether two clauses contradict each other: by the one thing in which they differ, or by an attribute."""

from __future__ import annotations

import re
from collections.abc import Set

from memory_client.types import ConflictType, Severity
from memoryd.language.conflicts.attributes import attributes_of
from memoryd.language.conflicts.clauses import Clause
from memoryd.language.conflicts.states import has_one_date, has_one_number
from memoryd.language.conflicts.types import DetectedConflict
from memoryd.language.conflicts.values import number_difference, times_conflict, values_conflict
from memoryd.language.conflicts.vocabulary import CHANGING, FAMILY, GRAVE, IMPRESSIONS, Role

_ANYBODY = re.compile(
    r"(?:主人|用户|我)的?(?:有一?个)?(?:朋友|同事|同学|室友|邻居|网友|亲戚)"
    r"|(?:my|the user's|a|one of my|some) "
    r"(?:friends?|colleagues?|cowork\w+|classmates?|roommates?|neighbou?rs?)\b"
)
"""One of several people without a name: two clauses may be about two of them."""
_MOODS: Set[Role] = {"question", "supposition", "wish", "past"}
_HABIT = re.compile(r"每|周末|\bevery\b|\b(?!birth|holi)[a-z]+days\b|\bweekends\b")
_AGE = re.compile(r"岁|years? old")
_GRAVE_ATTRIBUTES = frozenset({"血型", "母语", "blood type", "native language", "married", "结婚"})
_SIDE_CHARS = 60
_USER = re.compile(r"^(?:主人|用户|我)(?![们的])")
_PREPOSITION = re.compile(r"^(?:(?:in|of|since|until|on|at|by) |[在于])")


def compare_clauses(a: Clause, b: Clause) -> DetectedConflict | None:
    """The conflict of two clauses about the same time, if any."""
    if _ANYBODY.match(a.text) or _ANYBODY.match(b.text):
        return None
    moods = a.roles & _MOODS
    if moods != b.roles & _MOODS or moods & {"question", "supposition"}:
        return None
    return _compare_words(a, b) or _compare_attributes(a, b)


def abbreviate_pair(one: str, other: str) -> str:
    """Two clauses or texts, without the user and the closing punctuation."""
    sides = (_USER.sub("", " ".join(text.split()).strip(" .。!！;；,，")) for text in (one, other))
    return " / ".join(s if len(s) <= _SIDE_CHARS else f"{s[: _SIDE_CHARS - 1]}…" for s in sides)


def _compare_words(a: Clause, b: Clause) -> DetectedConflict | None:
    """Two clauses of the same words that differ in one number, one time, one opposite, or negation."""
    if a.words != b.words or not a.words:
        return None
    if len(a.words) + len(a.times) < 2 and "user" not in a.roles & b.roles:
        return None  # a single word may answer any question
    opposites = [subject for subject, side in a.sides.items() if b.sides[subject] != side]
    if list(a.times) == list(b.times) and a.numbers == b.numbers:
        detail = abbreviate_pair(a.raw, b.raw)
        if len(opposites) == 1 and not (a.is_negated or b.is_negated):
            return _conflict("antonym", a, b, detail, opposites[0])
        is_denied = not opposites and a.is_negated != b.is_negated
        return _conflict("negation", a, b, detail) if is_denied else None
    if opposites or a.is_negated or b.is_negated:
        return None
    return _compare_times(a, b) if a.numbers == b.numbers else _compare_numbers(a, b)


def _compare_numbers(a: Clause, b: Clause) -> DetectedConflict | None:
    pairs = [(x, y) for x, y in zip(a.numbers, b.numbers, strict=False) if x != y]
    if len(pairs) != 1 or len(a.numbers) != len(b.numbers) or list(a.times) != list(b.times):
        return None
    if not (has_one_number(a.text) and has_one_number(b.text)):
        return None
    detail = " / ".join(pairs[0])
    if _AGE.search(a.text):
        return DetectedConflict("exclusive", "low", detail, number_difference(*pairs[0]))
    return _conflict("number", a, b, detail)


def _compare_times(a: Clause, b: Clause) -> DetectedConflict | None:
    mine, other = (list(x.times.keys() - y.times.keys()) for x, y in ((a, b), (b, a)))
    if len(mine) != 1 or len(other) != 1 or not times_conflict(mine[0], other[0]):
        return None
    if _HABIT.search(a.text) or _HABIT.search(b.text) or not (has_one_date(a.text) and has_one_date(b.text)):
        return None
    texts = (_PREPOSITION.sub("", text) for text in (a.times[mine[0]], b.times[other[0]]))
    return _conflict("date", a, b, " / ".join(map(_unfold, texts, (a.raw, b.raw))))


def _compare_attributes(a: Clause, b: Clause) -> DetectedConflict | None:
    if a.is_negated or b.is_negated or "wish" in a.roles:
        return None
    others = attributes_of(b)
    for name, (mine, type) in attributes_of(a).items():
        other, _ = others.get(name, (mine, type))
        if values_conflict("place" if type == "place" else "text", mine, other):
            severity: Severity = "high" if name[0] in _GRAVE_ATTRIBUTES else "medium"
            severity = "low" if "hedge" in a.roles | b.roles else severity
            return DetectedConflict(type, severity, f"{_unfold(mine, a.raw)} / {_unfold(other, b.raw)}")
    return None


def _conflict(type: ConflictType, a: Clause, b: Clause, detail: str, opposite: str = "") -> DetectedConflict:
    severity: Severity = "high" if _mentions(a, GRAVE) or set(a.words) <= FAMILY else "medium"
    if opposite in ("liking", "marriage"):
        severity = "medium"
    if "hedge" in a.roles | b.roles or opposite in IMPRESSIONS or _mentions(a, CHANGING):
        severity = "low"
    return DetectedConflict(type, severity, detail)


def _mentions(clause: Clause, words: frozenset[str]) -> bool:
    return not words.isdisjoint(clause.words) or any(not w.isascii() and w in clause.text for w in words)


def _unfold(value: str, raw: str) -> str:
    """A folded value with the capitals it has in the text."""
    match = re.search(re.escape(value), raw, re.IGNORECASE)
    return match.group() if match else value
