"""Counts over triples."""

from __future__ import annotations

import sqlite3
from dataclasses import replace

from memory_client.types import TripleStats
from memoryd.core.scope import Scope
from memoryd.storage.triples import evidence, rows
from memoryd.storage.triples.rows import TripleCriteria

_MOST_PREDICATES = 50


def of_scope(connection: sqlite3.Connection, scope: Scope) -> TripleStats:
    """Of what a scope sees."""
    everything = replace(scope, archived=True)
    condition, params = rows.seen(scope)
    predicates = connection.execute(
        f"SELECT t.predicate, count(*) FROM triples t WHERE t.user_id = ? AND {condition} "
        "GROUP BY t.predicate ORDER BY count(*) DESC, t.predicate",
        [scope.user_id, *params],
    ).fetchall()
    seen, more = rows.seen(everything)
    entities = connection.execute(
        "SELECT count(DISTINCT end) FROM ("
        f"SELECT t.subject AS end FROM triples t WHERE t.user_id = ? AND {seen} "
        f"UNION ALL SELECT t.object FROM triples t WHERE t.user_id = ? AND {seen})",
        [scope.user_id, *more, scope.user_id, *more],
    ).fetchone()
    aliases = connection.execute(
        "SELECT count(*) FROM entities WHERE user_id = ? AND alias_of IS NOT NULL", (scope.user_id,)
    ).fetchone()
    return TripleStats(
        triple_count=rows.count(connection, everything, TripleCriteria()),
        live_count=sum(count for _, count in predicates),
        entity_count=int(entities[0]),
        alias_count=int(aliases[0]),
        by_predicate={str(name): int(count) for name, count in predicates[:_MOST_PREDICATES]},
        by_evidence=dict(evidence.counts(connection, scope)),
    )
