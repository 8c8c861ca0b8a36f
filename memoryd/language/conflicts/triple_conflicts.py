"""What triples say that excludes each other: one predicate of which there is one, and two values for it."""

from __future__ import annotations

import re

from memory_client.types import Severity
from memoryd.language.conflicts.functional_predicates import SINGLE, Single
from memoryd.language.conflicts.types import FoundConflict
from memoryd.language.conflicts.values import excludes, growth
from memoryd.language.fold import fold
from memoryd.language.triples import Statement, key_of

_ANYBODY = re.compile(r"user's (?:friend|colleague|classmate|roommate|neighbor|cousin|student|teacher)s?")
"""One of several whom nobody names."""
_GRAVE = frozenset({"allergic_to", "suffers_from", "name", "born_on"})


def exclude(a: Statement, b: Statement) -> FoundConflict | None:
    """The conflict of two statements about the same time; no detail where predicates are opposed."""
    if (a.frequency, a.condition) != (b.frequency, b.condition) or _ANYBODY.fullmatch(a.subject):
        return None
    if key_of(a.subject) == key_of(b.subject) and key_of(a.object) == key_of(b.object):
        return _opposed(a, b)
    single = SINGLE.get(a.predicate)
    if single is None or a.predicate != b.predicate or a.negation or b.negation:
        return None
    mine, theirs = (a.subject, b.subject) if single.turned else (a.object, b.object)
    shared = (a.object, b.object) if single.turned else (a.subject, b.subject)
    if key_of(shared[0]) != key_of(shared[1]) or not _differ(single, mine, theirs):
        return None
    grows = growth(mine, theirs) if a.predicate == "age" else None
    return FoundConflict(single.type, single.severity, f"{mine} / {theirs}", grows)


def _opposed(a: Statement, b: Statement) -> FoundConflict | None:
    """The same said and denied, or liked and disliked; the texts tell it better than predicates."""
    severity: Severity = "high" if a.predicate in _GRAVE else "medium"
    if a.predicate == b.predicate and a.negation != b.negation:
        return FoundConflict("negation", severity, "")
    if {a.predicate, b.predicate} == {"likes", "dislikes"} and not a.negation and not b.negation:
        return FoundConflict("antonym", "medium", "")
    return None


def _differ(single: Single, a: str, b: str) -> bool:
    """Whether two values exclude each other; a relative nobody names may be anybody."""
    if "user's " in a or "user's " in b:
        return False
    return excludes(single.kind, fold(a), fold(b))
