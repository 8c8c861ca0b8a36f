"""Whether two claims exclude each other: by what only one of them says, or by an attribute both name."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from memory_client.types import ConflictType, Severity
from memoryd.language.conflicts.antonyms import CHANGING_GROUPS, IMPRESSIONS
from memoryd.language.conflicts.attributes import slots
from memoryd.language.conflicts.claims import Claim
from memoryd.language.conflicts.describe import against, as_written, time_as_written
from memoryd.language.conflicts.implications import implied
from memoryd.language.conflicts.repeatable_events import recurs_in_number, recurs_in_time
from memoryd.language.conflicts.slot import Slot
from memoryd.language.conflicts.types import FoundConflict
from memoryd.language.conflicts.values import dates_exclude, excludes, growth
from memoryd.language.conflicts.words import CHANGING, CHANGING_STEMS, FAMILY_STEMS, GRAVE, GRAVE_STEMS, stem

_FREQUENCY = frozenset(
    stem(word)
    for word in """morning afternoon evening night week weekend month day every daily weekly
    每 早 晚 上 周 周末 天 日 月 次 顿 杯 cup""".split()
)
"""What says how often, and no more."""
_ANYBODY = re.compile(
    r"(?:主人|用户|我)的?(?:有一?个)?(?:朋友|同事|同学|室友|邻居|网友|亲戚)"
    r"|(?:my|the user's|a|one of my|some) "
    r"(?:friends?|colleagues?|cowork\w+|classmates?|roommates?|neighbou?rs?)\b"
)
"""One of several whom nobody names: two statements may be about two of them."""
_MOST_APART = 5
"""Words that only one of two claims has, beyond which they are not compared word by word."""
_HABIT = re.compile(r"每|周末|\bevery\b|\b(?!birth|holi)[a-z]+days\b|\bweekends\b")


def compare(a: Claim, b: Claim) -> FoundConflict | None:
    """The conflict of two claims about the same time, if they exclude each other."""
    if _ANYBODY.match(a.text) or _ANYBODY.match(b.text):
        return None
    if a.mood != b.mood or a.mood in ("asked", "supposed") or a.past != b.past:
        return None
    return _by_attribute(a, b) or _aligned(a, b) or implied(a, b)


def _by_attribute(a: Claim, b: Claim) -> FoundConflict | None:
    if a.negations or b.negations or a.mood != "said":
        return None
    theirs = slots(b)
    for mine in slots(a):
        for other in theirs:
            if _exclude(mine, other):
                severity: Severity = "low" if a.hedged or b.hedged else mine.severity
                detail = f"{as_written(mine.value, a.raw)} / {as_written(other.value, b.raw)}"
                grows = growth(mine.value, other.value) if mine.attribute == "age" else None
                return FoundConflict(mine.type, severity, detail, grows)
    return None


def _exclude(mine: Slot, other: Slot) -> bool:
    if (mine.attribute, mine.about) != (other.attribute, other.about) or mine.kind != other.kind:
        return False
    return (mine.single or other.single) and excludes(mine.kind, mine.value, other.value)


def _aligned(a: Claim, b: Claim) -> FoundConflict | None:
    """Two claims that say the same but for one thing."""
    if a.bag.isdisjoint(b.bag) or len(a.bag ^ b.bag) > _MOST_APART:
        return None
    only_a, only_b = _only(a.words, b.words), _only(b.words, a.words)
    if not (a.says_something and b.says_something and _same_order(a.words, b.words)):
        return None
    theirs = dict(b.sides)
    apart = sorted(about for about, side in a.sides if theirs.get(about, side) != side)
    if a.times != b.times:
        return None if only_a or only_b or apart else _by_times(a, b)
    if not only_a and not only_b:
        return _by_polarity(a, b, apart)
    if _is_denied_habit(a, b, only_a, only_b) or _is_denied_habit(b, a, only_b, only_a):
        return _by_polarity(a, b, apart)
    if not apart and a.negations == b.negations and _are_numbers(only_a, only_b):
        if recurs_in_number(a.text) or recurs_in_number(b.text):
            return None
        return _found("number", a, b, f"{only_a[0][1:]} / {only_b[0][1:]}")
    return None


def _by_polarity(a: Claim, b: Claim, apart: Sequence[str]) -> FoundConflict | None:
    if len(apart) == 1 and not a.negations and not b.negations:
        return _found("antonym", a, b, against(a.raw, b.raw), impression=apart[0])
    if not apart and a.negated != b.negated and a.words:
        return _found("negation", a, b, against(a.raw, b.raw))
    return None


def _is_denied_habit(habit: Claim, denial: Claim, more: Sequence[str], less: Sequence[str]) -> bool:
    """`drinks coffee every morning` and `does not drink coffee`; a denial of some mornings denies it not."""
    often = {"@frequency"} if ("frequency", 0) in habit.sides else set()
    return not less and set(more) <= _FREQUENCY | often and denial.negated and not habit.negated


def _by_times(a: Claim, b: Claim) -> FoundConflict | None:
    mine, theirs = _only(a.times, b.times), _only(b.times, a.times)
    if len(mine) != 1 or len(theirs) != 1 or a.negations or b.negations or not a.words:
        return None
    if _HABIT.search(a.text) or _HABIT.search(b.text) or not dates_exclude(mine[0], theirs[0]):
        return None
    if recurs_in_time(a.text) or recurs_in_time(b.text):
        return None
    return _found("date", a, b, f"{_written(a, mine[0])} / {_written(b, theirs[0])}")


def _written(claim: Claim, time: str) -> str:
    return as_written(time_as_written(dict(claim.written)[time]), claim.raw)


def _found(type: ConflictType, a: Claim, b: Claim, detail: str, impression: str = "") -> FoundConflict:
    return FoundConflict(type, _severity(a, b, impression), detail)


def _severity(a: Claim, b: Claim, impression: str) -> Severity:
    if (
        a.hedged
        or b.hedged
        or impression in IMPRESSIONS | CHANGING_GROUPS
        or _speaks_of(a, CHANGING, CHANGING_STEMS)
    ):
        return "low"
    if impression in ("liking", "marriage"):
        return "medium"
    return "high" if _speaks_of(a, GRAVE, GRAVE_STEMS) or _is_of_family(a) else "medium"


def _is_of_family(claim: Claim) -> bool:
    """Whether it says only whom somebody has."""
    said = {word for word in claim.words if word[0] != "#"}
    return bool(said) and said <= FAMILY_STEMS


def _speaks_of(claim: Claim, words: frozenset[str], stems: frozenset[str]) -> bool:
    if any(stem(word) in stems for word in claim.words if word.isascii()):
        return True
    return any(word in claim.text for word in words if not word.isascii())


def _are_numbers(a: Sequence[str], b: Sequence[str]) -> bool:
    return len(a) == len(b) == 1 and a[0][0] == b[0][0] == "#"


def _only(mine: Sequence[str], theirs: Sequence[str]) -> list[str]:
    return list((Counter(mine) - Counter(theirs)).elements())


def _same_order(a: Sequence[str], b: Sequence[str]) -> bool:
    """Whether what both say comes in the same order: `Tom knows Ann` is not `Ann knows Tom`."""
    shared = Counter(a) & Counter(b)
    return _kept(a, shared) == _kept(b, shared)


def _kept(words: Sequence[str], shared: Counter[str]) -> list[str]:
    left, kept = shared.copy(), []
    for word in words:
        if left[word] > 0:
            left[word] -= 1
            kept.append(word)
    return kept
