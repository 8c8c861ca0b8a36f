"""The stored triples of memories, for comparing memories."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from memoryd.core.scope import Scope
from memoryd.language.conflicts.functional_predicates import FUNCTIONAL_PREDICATES
from memoryd.language.triples import Statement
from memoryd.storage.connection import Connection
from memoryd.storage.triples import entities, evidence, rows
from memoryd.storage.triples.entities import Entity
from memoryd.storage.triples.rows import StoredTriple, TripleCriteria

_OF_ONE = 30
"""Triples of one memory that are looked at."""
_OF_ATTRIBUTE = 30
"""Triples that say something of the same attribute."""


def statements_of(connection: Connection, scope: Scope, row: int) -> list[Statement]:
    """The statements a memory is evidence of, each entity under one name."""
    stored = _of(connection, scope, row)
    ends = {end for one in stored for end in (one.subject, one.object)}
    known = entities.by_numbers(connection, scope.user_id, ends)
    roots = entities.by_numbers(connection, scope.user_id, {one.root for one in known.values()})
    return [
        replace(
            one.statement,
            subject=_name(one.subject, known, roots) or one.statement.subject,
            object=_name(one.object, known, roots) or one.statement.object,
        )
        for one in stored
    ]


def related_rows(connection: Connection, scope: Scope, row: int) -> list[int]:
    """Rows of memories with a value for the same functional attribute, or on the same two entities."""
    numbers = [
        other.number
        for one in _of(connection, scope, row)
        for other in _beside(connection, scope, one)
        if other.number != one.number
    ]
    return [found for _, found in evidence.texts_of(connection, scope, numbers, "memory")]


def _of(connection: Connection, scope: Scope, row: int) -> list[StoredTriple]:
    return rows.page(connection, scope, TripleCriteria(row=row), None, _OF_ONE)


def _beside(connection: Connection, scope: Scope, one: StoredTriple) -> Iterator[StoredTriple]:
    subjects = _all_names(connection, scope, one.subject)
    objects = _all_names(connection, scope, one.object)
    yield from rows.page(
        connection, scope, TripleCriteria(subject=subjects, object=objects), None, _OF_ATTRIBUTE
    )
    functional = FUNCTIONAL_PREDICATES.get(one.statement.predicate)
    if functional is not None:
        wanted = TripleCriteria(
            subject=None if functional.is_inverse else subjects,
            object=objects if functional.is_inverse else None,
            predicates=[one.statement.predicate],
        )
        yield from rows.page(connection, scope, wanted, None, _OF_ATTRIBUTE)


def _all_names(connection: Connection, scope: Scope, number: int) -> Sequence[int]:
    found = entities.by_numbers(connection, scope.user_id, [number])
    return entities.members(connection, scope.user_id, found[number].root) if number in found else [number]


def _name(number: int, known: Mapping[int, Entity], roots: Mapping[int, Entity]) -> str | None:
    """The name an entity goes by."""
    root = roots.get(known[number].root) if number in known else None
    return None if root is None else root.name
