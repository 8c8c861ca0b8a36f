"""The graph source: texts that are evidence of what the entities of a query are related to.

An entity is named (小明), or called by what it is to another (我同事, Anna's boyfriend), which is followed
through the triples. What is around those is ranked by the weight of the walk, higher where the query names
the predicate. The user's own node is walked from only along predicates the query names, and only when the
query names nobody else; it is never walked through: everything about a user is one hop from it.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import replace

from memoryd.language.triples import OWN, SYMMETRIC
from memoryd.language.triples.graph_question import Chain, Mention, Question, question_of, stands_before
from memoryd.retrieval.ranking.fuse import Candidate
from memoryd.retrieval.sources.sources import Ask
from memoryd.storage.records.texts import TABLES, visible
from memoryd.storage.triples import entities, evidence, walk
from memoryd.storage.triples.entities import Entity
from memoryd.storage.triples.walk import Bounds, Reached

_MOST_STARTS = 5
_MOST_RELATIVES = 8
_FEW = 3
"""Triples of the user and one predicate that say something of the query."""
_FULL = 2.5
"""Times its weight in the walk a triple counts, 1 at most: in full up to the discount of few triples."""
_BOUNDS = Bounds(fan_out=24, budget=96)
_NOT_ASKED = 0.4
"""What a triple counts whose predicate the query does not name."""
_ON_THE_WAY = 0.1
"""What a triple counts that only led to the entity."""


class StoredGraph:
    """The triples of the store as a source of candidates."""

    def related(self, connection: sqlite3.Connection, ask: Ask) -> list[Candidate]:
        """The texts that are evidence of what the query's entities are related to, best first."""
        if ask.granted is not None or ask.past is not None or ask.kind == "point":
            return []  # what is shared has no triples, and those of the past are not told apart
        asked = question_of(ask.query)
        found = _weighed(connection, ask, asked)
        if not found:
            return []
        shares: dict[int, float] = {}
        for triple, row in evidence.texts_of(connection, ask.scope, list(found), ask.kind):
            shares[row] = max(shares.get(row, 0.0), found[triple])
        rows = _allowed(connection, ask, shares)
        ordered = sorted(rows, key=lambda row: (-shares[row], -row))[: ask.depth]
        return [Candidate(row, shares[row], shares[row]) for row in ordered]


def _weighed(connection: sqlite3.Connection, ask: Ask, asked: Question) -> dict[int, float]:
    """What each triple around the query's entities counts, by number."""
    known = entities.find(connection, ask.scope.user_id, [OWN, *{one.key for one in asked.mentions}])
    own = known.get(OWN)
    named = _named(asked.mentions, known)
    starts: dict[int, float] = {}
    found: dict[int, float] = {}
    for chain in asked.chains:
        owner = _owner(chain, named, own)
        for root, way in _followed(connection, ask, chain, owner):
            starts[root] = 1.0
            found |= dict.fromkeys(way, _ON_THE_WAY)
    owners = {
        mention for chain in asked.chains for mention, _ in named if stands_before(chain.start, mention)
    }
    starts |= {entity.root: 1.0 for mention, entity in named if mention not in owners}
    if own is not None:
        starts.pop(own.root, None)
    reached = _around(connection, ask, list(starts)[:_MOST_STARTS], own)
    if not starts and not asked.chains and own is not None and asked.says_own:
        reached = _of_own(connection, ask, asked, own)
    for one in reached:
        if one.stored.number in found:
            continue
        factor = 1.0 if one.stored.statement.predicate in asked.predicates else _NOT_ASKED
        found[one.stored.number] = min(1.0, _FULL * one.weight) * factor
    return found


def _named(mentions: Sequence[Mention], known: dict[str, Entity]) -> list[tuple[Mention, Entity]]:
    """The entities that are named, the longest name where names overlap."""
    found: list[tuple[Mention, Entity]] = []
    for mention in mentions:
        entity = known.get(mention.key)
        if entity is None or entity.key == OWN:
            continue
        if all(mention.end <= other.start or mention.start >= other.end for other, _ in found):
            found.append((mention, entity))
    return found


def _owner(chain: Chain, named: Sequence[tuple[Mention, Entity]], own: Entity | None) -> Entity | None:
    """Whose relative a chain is about: who is named right before it, else the user."""
    return next((entity for mention, entity in named if stands_before(chain.start, mention)), own)


def _followed(
    connection: sqlite3.Connection, ask: Ask, chain: Chain, owner: Entity | None
) -> Iterable[tuple[int, list[int]]]:
    """(root, the triples on the way) of whom a chain leads to."""
    at: dict[int, list[int]] = {} if owner is None else {owner.root: []}
    for predicate in chain.predicates:
        following: dict[int, list[int]] = {}
        for root, way in at.items():
            numbers = entities.members(connection, ask.scope.user_id, root)
            links, _ = walk.links(connection, ask.scope, numbers, predicate, _MOST_RELATIVES)
            for link in links:
                end = link.stored.subject if predicate == "has_pet" else link.stored.object
                if end in numbers or predicate in SYMMETRIC:
                    following.setdefault(link.far, [*way, link.stored.number])
        at = following
    return at.items()


def _around(
    connection: sqlite3.Connection, ask: Ask, starts: Sequence[int], own: Entity | None
) -> list[Reached]:
    closed = None if own is None else own.root
    return walk.walk(connection, ask.scope, starts, 2, closed=closed, bounds=_BOUNDS).reached


def _of_own(connection: sqlite3.Connection, ask: Ask, asked: Question, own: Entity) -> list[Reached]:
    """What is said of the user with a predicate the query names, where that is one thing or a few: of many
    (all that somebody likes) none is nearer to the query than the rest."""
    found: list[Reached] = []
    bounds = Bounds(_FEW, _FEW)
    for predicate in sorted(asked.predicates):
        walked = walk.walk(connection, ask.scope, [own.root], 1, predicate=predicate, bounds=bounds)
        if not walked.cut:
            found += [replace(one, weight=one.weight / len(walked.reached)) for one in walked.reached]
    return found


def _allowed(connection: sqlite3.Connection, ask: Ask, rows: Iterable[int]) -> list[int]:
    """Those of some rows that the scope sees and the filters let through."""
    condition, params = visible(ask.kind, ask.scope, ask.node)
    sql = (
        f"SELECT m.row FROM {TABLES[ask.kind]} m NOT INDEXED "
        f"WHERE m.row IN (SELECT value FROM json_each(?)) AND {condition}"
    )
    return [int(row) for (row,) in connection.execute(sql, [json.dumps(list(rows)), *params])]
