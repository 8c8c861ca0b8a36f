"""Predicates of triples of which there is one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from memory_client.types import ConflictType, Severity

ValueKind = Literal["text", "date", "number", "place", "name", "job", "blood"]


@dataclass(frozen=True, slots=True)
class Single:
    """A predicate of which a subject has one object, or, when `turned`, an object one subject."""

    kind: ValueKind
    type: ConflictType
    severity: Severity
    turned: bool = False


SINGLE = {
    "name": Single("name", "exclusive", "high"),
    "born_on": Single("date", "exclusive", "high"),
    "born_in": Single("place", "place", "medium"),
    "age": Single("number", "exclusive", "low"),
    "height": Single("number", "number", "medium"),
    "weight": Single("number", "number", "low"),
    "lives_in": Single("place", "place", "medium"),
    "comes_from": Single("place", "place", "medium"),
    "works_as": Single("job", "exclusive", "medium"),
    "works_at": Single("place", "exclusive", "medium"),
    "wife_of": Single("name", "exclusive", "high", turned=True),
    "husband_of": Single("name", "exclusive", "high", turned=True),
    "mother_of": Single("name", "exclusive", "high", turned=True),
    "father_of": Single("name", "exclusive", "high", turned=True),
    "boss_of": Single("name", "exclusive", "medium", turned=True),
    "girlfriend_of": Single("name", "exclusive", "medium", turned=True),
    "boyfriend_of": Single("name", "exclusive", "medium", turned=True),
}
SINGLE |= {
    f"favorite_{kind}": Single("text", "exclusive", "medium")
    for kind in "color food drink fruit movie book song singer band sport season animal game city".split()
}
