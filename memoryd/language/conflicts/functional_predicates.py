"""Predicates of triples with one value for each subject."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from memory_client.types import ConflictType, Severity
from memoryd.language.triples.predicates import FAVORITES

ValueKind = Literal["text", "date", "number", "place", "job"]


@dataclass(frozen=True, slots=True)
class FunctionalPredicate:
    """A predicate with one object for each subject, or, if `is_inverse`, one subject for each object."""

    kind: ValueKind
    type: ConflictType
    severity: Severity
    is_inverse: bool = False


FUNCTIONAL_PREDICATES = {
    "name": FunctionalPredicate("text", "exclusive", "high"),
    "born_on": FunctionalPredicate("date", "exclusive", "high"),
    "age": FunctionalPredicate("number", "exclusive", "low"),
    "height": FunctionalPredicate("number", "number", "medium"),
    "weight": FunctionalPredicate("number", "number", "low"),
    "works_as": FunctionalPredicate("job", "exclusive", "medium"),
    "works_at": FunctionalPredicate("place", "exclusive", "medium"),
    "born_in": FunctionalPredicate("place", "place", "medium"),
    "lives_in": FunctionalPredicate("place", "place", "medium"),
    "comes_from": FunctionalPredicate("place", "place", "medium"),
}
for _name in FAVORITES:
    FUNCTIONAL_PREDICATES[f"favorite_{_name}"] = FunctionalPredicate("text", "exclusive", "medium")
for _name in ("wife_of", "husband_of", "mother_of", "father_of"):
    FUNCTIONAL_PREDICATES[_name] = FunctionalPredicate("text", "exclusive", "high", is_inverse=True)
for _name in ("boss_of", "girlfriend_of", "boyfriend_of"):
    FUNCTIONAL_PREDICATES[_name] = FunctionalPredicate("text", "exclusive", "medium", is_inverse=True)
