"""The texts of a search whose vectors or triples are not made yet."""

from __future__ import annotations

import sqlite3

from memoryd.index.lance import outbox
from memoryd.retrieval.context import SearchContext, SourceQuery
from memoryd.storage.records.texts import visible
from memoryd.storage.triples import backlog


def count_pending(context: SearchContext) -> None:
    """Note the texts that the sources cannot find yet, among those the scope sees and the filters pass."""
    connection, sources = context.connection, context.plan.sources
    vectors = sum(_without_vectors(connection, query) for query in context.queries if "semantic" in sources)
    triples = sum(_without_triples(connection, query) for query in context.queries if "graph" in sources)
    found = (
        (vectors, "yet to be embedded: search by meaning may miss them"),
        (triples, "yet to be read for triples: the graph may miss them"),
    )
    context.pending = tuple(
        f"{count:,} {'text' if count == 1 else 'texts'} {what}" for count, what in found if count
    )


def _without_vectors(connection: sqlite3.Connection, query: SourceQuery) -> int:
    owner = query.scope.user_id
    # the usual case, without looking at the texts
    if not outbox.count_missing(connection, owner, query.kind):
        return 0
    return outbox.count_waiting(connection, query.kind, owner, visible(query.kind, query.scope, query.node))


def _without_triples(connection: sqlite3.Connection, query: SourceQuery) -> int:
    if query.kind != "memory":
        return 0
    return backlog.count_among(connection, visible(query.kind, query.scope, query.node))
