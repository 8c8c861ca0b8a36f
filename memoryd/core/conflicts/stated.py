"""What triples say that excludes each other: one predicate of which there is one, and two values for it."""

from __future__ import annotations

from dataclasses import dataclass

from memory_client.types import ConflictType, Severity
from memoryd.core.conflicts.found import FoundConflict
from memoryd.core.conflicts.values import ValueKind, excludes, growth
from memoryd.core.fold import fold
from memoryd.core.triples import Statement, key_of


@dataclass(frozen=True, slots=True)
class _Single:
    """A predicate of which a subject has one object, or, when `turned`, an object one subject."""

    kind: ValueKind
    type: ConflictType
    severity: Severity
    turned: bool = False


_FAVOURITE = _Single("text", "exclusive", "medium")
_SINGLE = {
    "name": _Single("name", "exclusive", "high"),
    "born_on": _Single("date", "exclusive", "high"),
    "born_in": _Single("place", "place", "medium"),
    "age": _Single("number", "exclusive", "low"),
    "height": _Single("number", "number", "medium"),
    "weight": _Single("number", "number", "low"),
    "lives_in": _Single("place", "place", "medium"),
    "comes_from": _Single("place", "place", "medium"),
    "works_as": _Single("job", "exclusive", "medium"),
    "works_at": _Single("place", "exclusive", "medium"),
    "wife_of": _Single("name", "exclusive", "high", turned=True),
    "husband_of": _Single("name", "exclusive", "high", turned=True),
    "mother_of": _Single("name", "exclusive", "high", turned=True),
    "father_of": _Single("name", "exclusive", "high", turned=True),
    "boss_of": _Single("name", "exclusive", "medium", turned=True),
    "girlfriend_of": _Single("name", "exclusive", "medium", turned=True),
    "boyfriend_of": _Single("name", "exclusive", "medium", turned=True),
}
_KINDS = frozenset("color food drink fruit movie book song singer band sport season animal game city".split())
SINGLE = frozenset(_SINGLE) | {f"favorite_{kind}" for kind in _KINDS}
"""The predicates of which there is one."""
TURNED = frozenset(predicate for predicate, single in _SINGLE.items() if single.turned)
"""Of these it is the object that has one subject."""
_GRAVE = frozenset({"allergic_to", "suffers_from", "name", "born_on"})


def exclude(a: Statement, b: Statement) -> FoundConflict | None:
    """The conflict of two statements about the same time."""
    if (a.frequency, a.condition) != (b.frequency, b.condition):
        return None
    if key_of(a.subject) == key_of(b.subject) and key_of(a.object) == key_of(b.object):
        return _opposed(a, b)
    single = _FAVOURITE if a.predicate.startswith("favorite_") else _SINGLE.get(a.predicate)
    if single is None or a.predicate != b.predicate or a.negation or b.negation:
        return None
    mine, theirs = (a.subject, b.subject) if single.turned else (a.object, b.object)
    shared = (a.object, b.object) if single.turned else (a.subject, b.subject)
    if key_of(shared[0]) != key_of(shared[1]) or not _differ(single, mine, theirs):
        return None
    grows = growth(mine, theirs) if a.predicate == "age" else None
    return FoundConflict(single.type, single.severity, f"{mine} / {theirs}", grows)


def _opposed(a: Statement, b: Statement) -> FoundConflict | None:
    """The same said and denied, or liked and disliked."""
    severity: Severity = "high" if a.predicate in _GRAVE else "medium"
    if a.predicate == b.predicate and a.negation != b.negation:
        return FoundConflict("negation", severity, f"{a.predicate} {a.object}")
    if {a.predicate, b.predicate} == {"likes", "dislikes"} and not a.negation and not b.negation:
        return FoundConflict("antonym", "medium", f"{a.predicate} / {b.predicate} {a.object}")
    return None


def _differ(single: _Single, a: str, b: str) -> bool:
    """Whether two values exclude each other; a relative nobody names may be anybody."""
    if "user's " in a or "user's " in b:
        return False
    return excludes(single.kind, fold(a), fold(b))
