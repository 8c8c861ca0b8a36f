"""What the clause reader knows of a language: its patterns, and the notation of its rules."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

Pattern = re.Pattern[str]
_CONTINUED = re.compile(r"\\\n\s*")
_OBJECT = re.compile(r"(?<!\?P)<(\w+)>")


def rules(lines: str) -> tuple[Pattern, ...]:
    """One pattern a line, the most particular first; each must fit all that follows the subject.

    A group is named after the predicate of what it matches: `<likes>` is any text. Other groups: `not`,
    `degree`, `kind` (of a favorite), `pet` (the name of a pet, which `is_a` in the same rule is about).
    A line that ends in a backslash goes on in the next.
    """
    patterns = _OBJECT.sub(r"(?P<\1>.{1,60}?)", _CONTINUED.sub("", lines)).splitlines()
    return tuple(re.compile(line.strip()) for line in patterns if line.strip())


def rewrites(*pairs: tuple[str, str]) -> tuple[tuple[Pattern, str], ...]:
    """Patterns and what replaces their matches."""
    return tuple((re.compile(pattern), replacement) for pattern, replacement in pairs)


@dataclass(frozen=True, slots=True)
class Grammar:
    """Patterns of one language. Adverbials have the groups `condition`, `frequency`, `not` and `degree`.

    silent: in sentences that state nothing lasting; rewrites: made in a sentence before it is divided
    boundary: between clauses; padding: words at either end of a clause that state nothing
    past: in clauses about what is over, as are those that follow until one begins with `now`
    event: a single time, after which only `event_rules` state something lasting
    fronted, leading, trailing: adverbials before the subject, before the verb and at the end of a clause
    subjects: the beginning of a clause, with a group `own`, `pronoun`, `kin` (of the user, or of `whose`)
        or `name`
    relations: whole clauses on what `who` is to `whose`; `name` instead of `who` gives a relative a name
    habits: rules that need a frequency, a condition or a negation
    coordination, trimmed, not_objects: between objects, at their ends, and in what is none
    kinds: what the objects of a predicate must look like
    """

    kinship: Mapping[str, str]
    own: Pattern
    pronoun: Pattern
    name: Pattern
    silent: Pattern
    rewrites: tuple[tuple[Pattern, str], ...]
    boundary: Pattern
    padding: Pattern
    past: Pattern
    now: Pattern
    event: Pattern
    condition: Pattern
    fronted: Pattern
    leading: Pattern
    trailing: Pattern
    subjects: tuple[Pattern, ...]
    relations: tuple[Pattern, ...]
    event_rules: tuple[Pattern, ...]
    rules: tuple[Pattern, ...]
    habits: tuple[Pattern, ...]
    coordination: Pattern
    trimmed: Pattern
    not_objects: Pattern
    kinds: Mapping[str, Pattern]
    max_object_chars: int
