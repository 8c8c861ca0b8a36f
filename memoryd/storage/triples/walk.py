"""Walking from entity to entity over the triples a scope sees.

What leads through an entity of many triples counts less: its weight is divided by log2(1 + degree), the
discount of Adamic and Adar (2003) for neighbours that everybody has. Of a hub only the newest triples are
followed, and the walk says so.
"""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from memoryd.core.scope import Scope
from memoryd.storage.triples import entities
from memoryd.storage.triples.rows import StoredTriple, seen, stored_of

HOP_DISCOUNT = 0.5
"""What another hop leaves of a weight."""
LOOKED_AT = 5_000
"""Triples of a name that are looked at, the newest, for those that the scope sees: some 15 ms of a hub where
nothing is seen."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """fan_out: triples followed from one entity; budget: triples in all."""

    fan_out: int = 32
    budget: int = 256


@dataclass(frozen=True, slots=True)
class Reached:
    """A triple with the hop it was reached in, from 1, and its weight in (0, 1]."""

    stored: StoredTriple
    hop: int
    weight: float


@dataclass(slots=True)
class Walk:
    """What was reached, best first; cut: whether something was left out."""

    reached: list[Reached] = field(default_factory=list)
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Link:
    """A triple seen from one end. far: the root of the other end."""

    stored: StoredTriple
    far: int


_LINKS = """
    SELECT t.number, t.id, t.subject, s.name, t.predicate, t.object, o.name, t.negation, t.frequency,
        t.condition, t.created_at, {far}.root
    FROM triples t CROSS JOIN entities s ON s.number = t.subject CROSS JOIN entities o ON o.number = t.object
    WHERE t.{near} = ? AND t.number >= ? {predicate} AND +t.user_id = ? AND {seen}
    ORDER BY t.number DESC LIMIT ?
"""
"""CROSS JOIN has the triples looked through in the order of their index, until there are enough."""
_OLDEST = "SELECT number FROM triples WHERE {near} = ? {predicate} ORDER BY number DESC LIMIT 1 OFFSET ?"


def links(
    connection: sqlite3.Connection, scope: Scope, numbers: Sequence[int], predicate: str | None, most: int
) -> tuple[list[Link], bool]:
    """The triples of an entity, given by all its numbers, newest first; and whether there may be more."""
    found: list[Link] = []
    is_cut = False
    for near, far in (("subject", "o"), ("object", "s")):
        for number in numbers:
            oldest = _oldest(connection, near, number, predicate)
            some = _links(connection, scope, (near, far), number, predicate, oldest, most + 1)
            is_cut = is_cut or (oldest > 0 and len(some) <= most)
            found += some
    found.sort(key=lambda link: -link.stored.number)
    return found[:most], is_cut or len(found) > most


def _oldest(connection: sqlite3.Connection, near: str, number: int, predicate: str | None) -> int:
    """The oldest triple of a name that is looked at; 0 when that is all of them."""
    sql = _OLDEST.format(near=near, predicate="" if predicate is None else "AND predicate = ?")
    row = connection.execute(sql, [number, *_given(predicate), LOOKED_AT]).fetchone()
    return 0 if row is None else int(row[0]) + 1


def _links(
    connection: sqlite3.Connection,
    scope: Scope,
    ends: tuple[str, str],
    number: int,
    predicate: str | None,
    oldest: int,
    most: int,
) -> list[Link]:
    condition, params = seen(scope)
    near, far = ends
    narrowed = "" if predicate is None else "AND t.predicate = ?"
    sql = _LINKS.format(near=near, far=far, seen=condition, predicate=narrowed)
    cursor = connection.cursor()
    cursor.row_factory = None
    rows = cursor.execute(sql, [number, oldest, *_given(predicate), scope.user_id, *params, most])
    return [Link(stored_of(row[:11]), row[11]) for row in rows]


def _given(predicate: str | None) -> list[str]:
    return [] if predicate is None else [predicate]


def walk(
    connection: sqlite3.Connection,
    scope: Scope,
    starts: Iterable[int],
    hops: int,
    *,
    predicate: str | None = None,
    closed: int | None = None,
    bounds: Bounds | None = None,
) -> Walk:
    """The triples within so many hops of the entities with these roots, heaviest first.

    predicate: of the first hop; closed: an entity that is reached but not walked through.
    """
    bounds = bounds or Bounds()
    walked = Walk()
    best: dict[int, Reached] = {}
    frontier = dict.fromkeys(starts, 1.0)
    visited: set[int] = set()
    for hop in range(1, hops + 1):
        following: dict[int, float] = {}
        for root, weight in sorted(frontier.items(), key=lambda pair: (-pair[1], pair[0])):
            if root in visited or (root == closed and hop > 1):
                continue
            visited.add(root)
            room = min(bounds.fan_out, bounds.budget - len(best))
            if room <= 0:
                walked.cut = True
                break
            wanted = predicate if hop == 1 else None
            names = entities.degrees(connection, scope.user_id, root)
            degree = sum(names.values())
            if hop > 1 and degree == 1:  # it was come to by its only triple
                continue
            found, is_cut = links(connection, scope, list(names), wanted, room)
            walked.cut = walked.cut or is_cut
            is_whole = wanted is None and not is_cut  # then what others see does not tell in the weight
            own = weight / _discount(len(found) if is_whole else degree)
            for link in found:
                known = best.get(link.stored.number)
                if known is None or known.weight < own:
                    best[link.stored.number] = Reached(link.stored, known.hop if known else hop, own)
                following[link.far] = max(following.get(link.far, 0.0), own * HOP_DISCOUNT)
        frontier = following
    walked.reached = sorted(best.values(), key=lambda one: (one.hop, -one.weight, -one.stored.number))
    return walked


def _discount(degree: int) -> float:
    return max(1.0, math.log2(1 + degree))


def path(
    connection: sqlite3.Connection, scope: Scope, first: int, last: int, max_hops: int, bounds: Bounds
) -> tuple[list[StoredTriple] | None, bool]:
    """The triples of a shortest way between two roots, or None; and whether something was left out.

    Looks from both ends, the one with fewer entities to follow first, so that a hub costs what the other end
    leaves of it.
    """
    if first == last:
        return [], False
    ways: tuple[dict[int, list[StoredTriple]], ...] = ({first: []}, {last: []})
    edges: list[Mapping[int, list[StoredTriple]]] = [{first: []}, {last: []}]
    cut, looked_at = False, 0
    for _ in range(max_hops):
        side = 0 if _effort(connection, scope, edges[0]) <= _effort(connection, scope, edges[1]) else 1
        ahead: dict[int, list[StoredTriple]] = {}
        for root, way in edges[side].items():
            room = min(bounds.fan_out, bounds.budget - looked_at)
            if room <= 0:
                cut = True
                break
            numbers = entities.members(connection, scope.user_id, root)
            found, is_cut = links(connection, scope, numbers, None, room)
            cut, looked_at = cut or is_cut, looked_at + len(found)
            for link in found:
                if link.far in ways[side]:
                    continue
                ways[side][link.far] = ahead[link.far] = [*way, link.stored]
                if link.far in ways[1 - side]:
                    return [*ways[0][link.far], *reversed(ways[1][link.far])], cut
        if not ahead:
            break
        edges[side] = ahead
    return None, cut


def _effort(connection: sqlite3.Connection, scope: Scope, edge: Mapping[int, object]) -> int:
    known = entities.by_numbers(connection, scope.user_id, edge)
    return sum(one.degree for one in known.values())
