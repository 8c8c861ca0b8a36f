"""Triples for callers: add, page, walk, delete, and the aliases of entities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from memory_client.errors import InvalidParameterError, NotFoundError
from memory_client.types import (
    DeleteResult,
    RelatedTriple,
    Triple,
    TripleAlias,
    TripleEvidence,
    TriplePage,
    TriplePath,
    TripleQuery,
    TripleStats,
)
from memoryd.core.scope import Scope
from memoryd.engine.context import Parts
from memoryd.engine.deletion.removal import PhysicalRemoval
from memoryd.engine.memories.memory_writer import require_all
from memoryd.engine.page_cursor import decode, encode, mark_of
from memoryd.language.redact import redact_text
from memoryd.language.triples import (
    OWN,
    Statement,
    display_name,
    display_statement,
    key_of,
    keys_of,
    language_of,
    name_of,
    predicate_of,
)
from memoryd.storage.connection import Connection
from memoryd.storage.database import Transaction
from memoryd.storage.records import memories, turns
from memoryd.storage.requests import RequestKey
from memoryd.storage.triples import census, entities, evidence, rows, walk
from memoryd.storage.triples.entities import Entity
from memoryd.storage.triples.rows import MANUAL, Evidence, StoredTriple, TripleCriteria
from memoryd.storage.triples.walk import Bounds

T = TypeVar("T")
_SHOWN_EVIDENCE = 20
_PATH_BOUNDS = Bounds(fan_out=1_000, budget=4_000)


@dataclass(frozen=True, slots=True)
class TripleFilter:
    """What a page is narrowed to, as the caller names it; None does not narrow."""

    subject: str | None
    predicate: str | None
    object: str | None
    entity: str | None
    negation: bool | None
    evidence: str | None


class TripleStore:
    """add, page, query, path, delete, aliases and stats."""

    def __init__(self, parts: Parts, removal: PhysicalRemoval) -> None:
        self._parts = parts
        self._removal = removal

    def add(
        self, statement: Statement, evidence_ids: Sequence[str], scope: Scope, key: RequestKey | None
    ) -> str:
        """Store a statement by hand; its id."""
        said, now = screened(statement), self._parts.clock()
        new_id = self._parts.ids.new("tri", now)

        def apply(tx: Transaction) -> str:
            told = _evidence(tx.connection, scope, evidence_ids) or [Evidence(MANUAL, scope.agent_id)]
            tx.mark_changed()
            return str(rows.store(tx, scope.user_id, said, new_id, told, now, by_hand=True))

        return self._parts.write_once(key, apply, now)

    def page(self, narrowed: TripleFilter, cursor: str | None, limit: int, scope: Scope) -> TriplePage:
        """One page and the cursor of the next."""
        mark = mark_of(repr(narrowed), scope.archived)
        before = None if cursor is None else decode(cursor, mark, str)[1]
        with self._parts.database.read() as connection:
            wanted = _wanted(connection, narrowed, scope)
            if wanted is None:
                return TriplePage(items=[], cursor=None, total=0)
            found = rows.page(connection, scope, wanted, before, limit + 1)
            total = rows.count(connection, scope, wanted)
            page = _shown(connection, scope, found[:limit])
        following = encode(0, page[-1]["id"], mark) if len(found) > limit else None
        return TriplePage(items=page, cursor=following, total=total)

    def query(self, entity: str, hops: int, predicate: str | None, limit: int, scope: Scope) -> TripleQuery:
        """What is within so many hops of an entity."""
        with self._parts.database.read() as connection:
            start = _entity(connection, scope.user_id, entity)
            if start is None:
                return TripleQuery(entity=entity, triples=[], truncated=False)
            wanted = None if predicate is None else predicate_of(predicate).key
            bounds = Bounds(fan_out=limit, budget=limit) if hops == 1 else Bounds()
            walked = walk.walk(connection, scope, [start.root], hops, predicate=wanted, bounds=bounds)
            kept = walked.reached[:limit]
            shown = _shown(connection, scope, [one.stored for one in kept])
            name = entities.by_numbers(connection, scope.user_id, [start.root])[start.root].name
            name = display_name(name, language_of(entity), entity)
        related = [
            RelatedTriple(**triple, hop=one.hop, weight=round(one.weight, 6))
            for triple, one in zip(shown, kept, strict=True)
        ]
        return TripleQuery(entity=name, triples=related, truncated=walked.cut or len(walked.reached) > limit)

    def path(self, a: str, b: str, max_hops: int, scope: Scope) -> TriplePath:
        """A shortest way between two entities."""
        with self._parts.database.read() as connection:
            ends = [_entity(connection, scope.user_id, name) for name in (a, b)]
            if ends[0] is None or ends[1] is None:
                return TriplePath(found=False, triples=[], truncated=False)
            way, cut = walk.path(connection, scope, ends[0].root, ends[1].root, max_hops, _PATH_BOUNDS)
            shown = _shown(connection, scope, way or [])
        return TriplePath(found=way is not None, triples=shown, truncated=cut)

    def delete(self, id: str, scope: Scope, key: RequestKey | None) -> DeleteResult:
        """Destroy a triple and leave a tombstone."""
        now = self._parts.clock()

        def apply(tx: Transaction) -> list[str]:
            stored = rows.find(tx.connection, replace(scope, archived=True), id)
            if stored is None:
                raise triple_not_found(id)
            evidence.bury(tx, scope, stored, now)
            self._removal.queue(tx)
            tx.mark_changed()
            return [id]

        return self._removal.receipt(self._parts.write_once(key, apply, now))

    def alias(self, alias: str, entity: str, user_id: str, key: RequestKey | None) -> TripleAlias:
        """Make one name another name of a second; as they were typed."""
        names = TripleAlias(alias=_screened(name_of(alias)), entity=_screened(name_of(entity)))
        alias, entity = _screened(alias), _screened(entity)
        language = language_of(alias + entity)
        shown = TripleAlias(
            alias=display_name(names["alias"], language, alias),
            entity=display_name(names["entity"], language, entity),
        )

        def apply(tx: Transaction) -> int:
            _refuse_alias(tx.connection, user_id, alias, entity)
            number = entities.ensure(tx, user_id, names["alias"])
            entities.point(tx, user_id, number, entities.ensure(tx, user_id, names["entity"]))
            tx.mark_changed()
            return 1

        self._parts.write_once(key, apply)
        return shown

    def unalias(self, alias: str, user_id: str, key: RequestKey | None) -> None:
        """Take an alias back."""

        def apply(tx: Transaction) -> int:
            known = _entity(tx.connection, user_id, alias)
            if known is None or known.alias_of is None:
                raise NotFoundError(
                    f"alias: {alias!r} is no alias of anything; see triples.aliases", id=alias
                )
            entities.point(tx, user_id, known.number, None)
            entities.drop_unnamed(tx, user_id, [known.number, known.alias_of])
            tx.mark_changed()
            return 1

        self._parts.write_once(key, apply)

    def aliases(self, entity: str | None, limit: int, user_id: str) -> list[TripleAlias]:
        """The other names of an entity, or all."""
        with self._parts.database.read() as connection:
            known = None if entity is None else _entity(connection, user_id, entity)
            if entity is not None and known is None:
                return []
            found = entities.aliases(connection, user_id, None if known is None else known.root, limit)
        return [displayed_alias(alias, name) for alias, name in found]

    def stats(self, scope: Scope) -> TripleStats:
        """Counts."""
        with self._parts.database.read() as connection:
            return census.of_scope(connection, scope)


def triple_not_found(id: str) -> NotFoundError:
    """The error for a triple that is not there for this user and agent."""
    return NotFoundError(
        f"no triple {id} for this user and agent; it was never stored, was deleted, or is another's", id=id
    )


def displayed_alias(alias: str, entity: str) -> TripleAlias:
    """An alias in the language of the two names."""
    language = language_of(alias + entity)
    return TripleAlias(alias=display_name(alias, language), entity=display_name(entity, language))


def screened(statement: Statement) -> Statement:
    """The statement without credentials."""
    return replace(
        statement,
        subject=_screened(statement.subject),
        predicate=_screened(statement.predicate),
        object=_screened(statement.object),
        frequency=statement.frequency and _screened(statement.frequency),
        condition=statement.condition and _screened(statement.condition),
        degree=statement.degree and _screened(statement.degree),
        words=statement.words and _screened(statement.words),
    )


def _screened(name: str) -> str:
    return redact_text(name)[0]


def _entity(connection: Connection, user_id: str, name: str) -> Entity | None:
    keys = keys_of(name)
    found = entities.find(connection, user_id, keys)
    return next((found[key] for key in keys if key in found), None)


def _evidence(connection: Connection, scope: Scope, ids: Sequence[str]) -> list[Evidence]:
    """Raises `NotFoundError` for a memory or turn the scope does not see, `InvalidParameterError` for a turn
    that is gone with the closing of its session."""
    of_memories = [id for id in ids if id.startswith("mem_")]
    of_turns = [id for id in ids if id.startswith("trn_")]
    told = memories.find(connection, scope, of_memories)
    said = turns.find(connection, scope, of_turns)
    require_all(of_memories, told)
    require_all(of_turns, said, "turn")
    for id, turn in said.items():
        if not turn.record.remembered:
            raise InvalidParameterError(
                f"evidence: {id} is not to be remembered; expected a turn that stays",
                parameter="evidence",
                value=id,
                expected="turns appended with remember=True",
            )
    return [*map(of_memory, told.values()), *map(of_turn, said.values())]


def of_memory(stored: memories.StoredMemory) -> Evidence:
    """The evidence that a memory is, as it stands."""
    return Evidence(stored.row, stored.record.agent_id, stored.record.version)


def of_turn(stored: turns.StoredTurn) -> Evidence:
    """The evidence that a turn is."""
    return Evidence(stored.row, stored.record.agent_id)


def _wanted(connection: Connection, narrowed: TripleFilter, scope: Scope) -> TripleCriteria | None:
    """None when a name or a piece of evidence is unknown, so that nothing can be found."""
    numbers: dict[str, list[int] | None] = {}
    for place in ("subject", "object", "entity"):
        name = getattr(narrowed, place)
        known = None if name is None else _entity(connection, scope.user_id, name)
        if name is not None and known is None:
            return None
        numbers[place] = None if known is None else entities.members(connection, scope.user_id, known.root)
    row = None
    if narrowed.evidence is not None:
        told = _evidence(connection, scope, [narrowed.evidence])
        row = told[0].row
    predicates, negation = None, narrowed.negation
    if narrowed.predicate is not None:
        meant = predicate_of(narrowed.predicate)
        predicates = meant.spellings
        negation = True if meant.is_negated and negation is None else negation
    return TripleCriteria(numbers["subject"], predicates, numbers["object"], numbers["entity"], negation, row)


def _refuse_alias(connection: Connection, user_id: str, alias: str, entity: str) -> None:
    """Raise `InvalidParameterError` for an alias that cannot be."""
    if key_of(alias) == key_of(entity):
        raise _bad_alias(f"{alias!r} and {entity!r} are one name already", alias, "another name")
    if key_of(alias) == OWN:
        raise _bad_alias(f"{alias!r} is the user's own name; swap the two", alias, "alias and entity swapped")
    known, other = (_entity(connection, user_id, name) for name in (alias, entity))
    if known is None:
        return
    if known.alias_of is not None:
        of = entities.by_numbers(connection, user_id, [known.alias_of])[known.alias_of].name
        if other is not None and other.number == known.alias_of:
            return
        raise _bad_alias(f"{alias!r} is an alias of {of!r}; call unalias first", alias, "a name that is none")
    if other is not None and other.root == known.number:
        raise _bad_alias(
            f"{entity!r} is an alias of {alias!r} already, it would go in a circle", alias, "no circle"
        )


def _bad_alias(fault: str, alias: str, expected: str) -> InvalidParameterError:
    return InvalidParameterError(f"alias: {fault}", parameter="alias", value=alias, expected=expected)


def _shown(connection: Connection, scope: Scope, found: Sequence[StoredTriple]) -> list[Triple]:
    told = evidence.of(connection, scope, [one.number for one in found], _SHOWN_EVIDENCE)
    return [_triple(one, told[one.number]) for one in found]


def _triple(stored: StoredTriple, told: Sequence[evidence.EvidenceText]) -> Triple:
    said = evidence.worded(stored.statement, told)
    shown = display_statement(said)
    return Triple(
        id=stored.id,
        subject=shown.subject,
        predicate=shown.predicate,
        predicate_key=said.predicate,
        object=shown.object,
        negation=said.negation,
        frequency=said.frequency,
        condition=said.condition,
        degree=said.degree,
        language=said.language or "en",
        created_at=stored.created_at,
        is_live=any(one.is_active for one in told),
        evidence=[
            TripleEvidence(
                kind=one.kind, id=one.id, version=one.version, is_active=one.is_active, words=one.words
            )
            for one in told
        ],
    )
