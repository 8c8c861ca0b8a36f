"""Two triples that contradict each other."""

from __future__ import annotations

import re

from memory_client.types import Severity
from memoryd.language.conflicts.functional_predicates import FUNCTIONAL_PREDICATES
from memoryd.language.conflicts.types import DetectedConflict
from memoryd.language.conflicts.values import number_difference, values_conflict
from memoryd.language.fold import fold
from memoryd.language.triples import Statement, key_of

_ANYBODY = re.compile(r"user's (?:friend|colleague|classmate|roommate|neighbor|cousin|student|teacher)s?")
"""One of several people without a name."""
_GRAVE = frozenset({"allergic_to", "suffers_from", "name", "born_on"})


def compare_triples(a: Statement, b: Statement) -> DetectedConflict | None:
    """The conflict of two triples about the same time; its detail is empty for opposite predicates."""
    if (a.frequency, a.condition) != (b.frequency, b.condition) or _ANYBODY.fullmatch(a.subject):
        return None
    if key_of(a.subject) == key_of(b.subject) and key_of(a.object) == key_of(b.object):
        return _compare_predicates(a, b)
    functional = FUNCTIONAL_PREDICATES.get(a.predicate)
    if functional is None or a.predicate != b.predicate or a.negation or b.negation:
        return None
    ends = [(a.subject, a.object), (b.subject, b.object)]
    (mine, shared), (theirs, other) = ends if functional.is_inverse else [end[::-1] for end in ends]
    # a relative without a name may be anybody
    if key_of(shared) != key_of(other) or "user's " in mine or "user's " in theirs:
        return None
    if not values_conflict(functional.kind, fold(mine), fold(theirs)):
        return None
    age_difference = number_difference(mine, theirs) if a.predicate == "age" else None
    return DetectedConflict(functional.type, functional.severity, f"{mine} / {theirs}", age_difference)


def _compare_predicates(a: Statement, b: Statement) -> DetectedConflict | None:
    """A triple and its negation, or liking and disliking."""
    severity: Severity = "high" if a.predicate in _GRAVE else "medium"
    if a.predicate == b.predicate and a.negation != b.negation:
        return DetectedConflict("negation", severity, "")
    if {a.predicate, b.predicate} == {"likes", "dislikes"} and not a.negation and not b.negation:
        return DetectedConflict("antonym", "medium", "")
    return None
