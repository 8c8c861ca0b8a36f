"""What the core of a clause says, and the rules that tell it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Said:
    """What a core says of the subject, or of `about`; new_name: the object is the subject's name."""

    predicate: str
    object: str
    negation: bool = False
    frequency: str | None = None
    condition: str | None = None
    new_name: bool = False
    about: str | None = None
    degree: str | None = None


Tell = Callable[[re.Match[str], bool], Iterator[Said]]
"""From a match and whether it is negated to what is said; nothing when it cannot be meant."""


@dataclass(frozen=True, slots=True)
class Core:
    """A rule. The group `degree` of its pattern is how strongly it holds.

    habit: only with a frequency or a condition, or negated; event: also of a single time (上个月搬到).
    """

    pattern: re.Pattern[str]
    tell: Tell
    habit: bool = False
    event: bool = False


def core(pattern: str, tell: Tell, *, habit: bool = False, event: bool = False) -> Core:
    """A rule of a pattern, which must fit the whole core of a clause."""
    return Core(re.compile(pattern), tell, habit, event)


def said_by(
    cores: Sequence[Core], rest: str, negation: bool, *, is_habit: bool, is_event: bool = False
) -> list[Said]:
    """What the first rule that fits says; nothing when none does. is_habit: a frequency or a condition was
    told."""
    for rule in cores:
        if (is_event and not rule.event) or (rule.habit and not (is_habit or negation)):
            continue
        match = rule.pattern.fullmatch(rest)
        if match:
            is_negated = negation != bool(match.groupdict().get("not"))
            found = list(rule.tell(match, is_negated))
            if found:
                degree = match.groupdict().get("degree") or None
                return [replace(one, degree=degree) for one in found]
    return []
