"""The graph source: texts that are evidence of the relations of a query's entities.

An entity is named (小明), or described by its relation to another (我同事, Anna's boyfriend), which is
followed through the triples. The triples around it are ranked by the weight of the walk, higher when the
query names the predicate. A walk starts at the user's own node only along predicates that the query names,
and only when it names nobody else; no walk passes through that node: everything about a user is one hop away.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace

from memoryd.language.triples import OWN, SYMMETRIC
from memoryd.language.triples.graph_question import Chain, Mention, Question, question_of, stands_before
from memoryd.retrieval.context import SourceQuery
from memoryd.retrieval.ranking.fuse import Candidate
from memoryd.storage.connection import Connection
from memoryd.storage.records.texts import TABLES, visible
from memoryd.storage.triples import entities, evidence, walk
from memoryd.storage.triples.entities import Entity
from memoryd.storage.triples.walk import Bounds, Reached

_MOST_STARTS = 5
_MOST_RELATIVES = 8
_FEW = 3
"""The user's triples with one predicate, above which none counts."""
_WALK_FACTOR = 2.5
"""Of a triple's weight in the walk, which counts 1 at most."""
_BOUNDS = Bounds(fan_out=24, budget=96)
_OTHER_PREDICATE = 0.4
"""The factor of a triple whose predicate the query does not name."""
_ON_THE_WAY = 0.1
"""The weight of a triple that only led to the entity."""


def graph_candidates(connection: Connection, query: SourceQuery, depth: int) -> list[Candidate]:
    """The texts that are evidence of relations of the query's entities, best first.

    None for shared points, which have no triples, nor as of a time, as triples keep no versions.
    """
    if query.granted is not None or query.former is not None or query.kind == "point":
        return []
    question = question_of(query.text)
    found = _weights(connection, query, question)
    if not found:
        return []
    shares: dict[int, float] = {}
    for triple, row in evidence.texts_of(connection, query.scope, list(found), query.kind):
        shares[row] = max(shares.get(row, 0.0), found[triple])
    rows = _visible_rows(connection, query, shares)
    ordered = sorted(rows, key=lambda row: (-shares[row], -row))[:depth]
    return [Candidate(row, shares[row], shares[row]) for row in ordered]


def _weights(connection: Connection, query: SourceQuery, question: Question) -> dict[int, float]:
    """The weight of each triple around the query's entities, by number."""
    known = entities.find(connection, query.scope.user_id, [OWN, *{one.key for one in question.mentions}])
    own = known.get(OWN)
    named = _named(question.mentions, known)
    starts: dict[int, float] = {}
    found: dict[int, float] = {}
    for chain in question.chains:
        owner = _owner(chain, named, own)
        for root, way in _followed(connection, query, chain, owner):
            starts[root] = 1.0
            found |= dict.fromkeys(way, _ON_THE_WAY)
    owners = {
        mention for chain in question.chains for mention, _ in named if stands_before(chain.start, mention)
    }
    starts |= {entity.root: 1.0 for mention, entity in named if mention not in owners}
    if own is not None:
        starts.pop(own.root, None)
    reached = _around(connection, query, list(starts)[:_MOST_STARTS], own)
    if not starts and not question.chains and own is not None and question.says_own:
        reached = _own_relations(connection, query, question, own)
    for one in reached:
        if one.stored.number in found:
            continue
        factor = 1.0 if one.stored.statement.predicate in question.predicates else _OTHER_PREDICATE
        found[one.stored.number] = min(1.0, _WALK_FACTOR * one.weight) * factor
    return found


def _named(mentions: Sequence[Mention], known: dict[str, Entity]) -> list[tuple[Mention, Entity]]:
    """The named entities, the longest name where names overlap."""
    found: list[tuple[Mention, Entity]] = []
    for mention in mentions:
        entity = known.get(mention.key)
        if entity is None or entity.key == OWN:
            continue
        if all(mention.end <= other.start or mention.start >= other.end for other, _ in found):
            found.append((mention, entity))
    return found


def _owner(chain: Chain, named: Sequence[tuple[Mention, Entity]], own: Entity | None) -> Entity | None:
    """The entity a chain starts from: the one named right before it, else the user."""
    return next((entity for mention, entity in named if stands_before(chain.start, mention)), own)


def _followed(
    connection: Connection, query: SourceQuery, chain: Chain, owner: Entity | None
) -> Iterable[tuple[int, list[int]]]:
    """(root, the triples on the way) of each entity a chain leads to."""
    at: dict[int, list[int]] = {} if owner is None else {owner.root: []}
    for predicate in chain.predicates:
        following: dict[int, list[int]] = {}
        for root, way in at.items():
            numbers = entities.members(connection, query.scope.user_id, root)
            links, _ = walk.links(connection, query.scope, numbers, predicate, _MOST_RELATIVES)
            for link in links:
                end = link.stored.subject if predicate == "has_pet" else link.stored.object
                if end in numbers or predicate in SYMMETRIC:
                    following.setdefault(link.far, [*way, link.stored.number])
        at = following
    return at.items()


def _around(
    connection: Connection, query: SourceQuery, starts: Sequence[int], own: Entity | None
) -> list[Reached]:
    closed = None if own is None else own.root
    return walk.walk(connection, query.scope, starts, 2, closed=closed, bounds=_BOUNDS).reached


def _own_relations(
    connection: Connection, query: SourceQuery, question: Question, own: Entity
) -> list[Reached]:
    """The user's relations with a predicate the query names, if they are few: of many (everything that
    somebody likes) none is closer to the query than the others."""
    found: list[Reached] = []
    bounds = Bounds(_FEW, _FEW)
    for predicate in sorted(question.predicates):
        walked = walk.walk(connection, query.scope, [own.root], 1, predicate=predicate, bounds=bounds)
        if not walked.cut:
            found += [replace(one, weight=one.weight / len(walked.reached)) for one in walked.reached]
    return found


def _visible_rows(connection: Connection, query: SourceQuery, rows: Iterable[int]) -> list[int]:
    """The rows that the scope sees and the filters pass."""
    condition, params = visible(query.kind, query.scope, query.node)
    sql = (
        f"SELECT m.row FROM {TABLES[query.kind]} m NOT INDEXED "
        f"WHERE m.row IN (SELECT value FROM json_each(?)) AND {condition}"
    )
    return [int(row) for (row,) in connection.execute(sql, [json.dumps(list(rows)), *params])]
