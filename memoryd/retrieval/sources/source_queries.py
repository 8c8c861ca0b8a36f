"""The texts a search looks at: the user's own of each kind, and those that others share with the user."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from memoryd.core.filters.grammar import And, Compare, Node, Not
from memoryd.core.filters.matching import filter_unchanged_since
from memoryd.core.row_ranges import TextKind
from memoryd.core.scope import Scope
from memoryd.index.lance import outbox
from memoryd.retrieval.context import SearchContext, SourceQuery
from memoryd.retrieval.plan import RetrievalPlan
from memoryd.retrieval.request import SearchRequest
from memoryd.retrieval.sources.as_of_source import FormerMemories
from memoryd.storage.knowledge import grants
from memoryd.storage.records.texts import visible
from memoryd.storage.triples import backlog


def add_source_queries(context: SearchContext) -> None:
    """Give the context its queries: one per target, of shared points one per owner."""
    context.queries = list(_queries(context.connection, context.request, context.plan))
    former = context.former
    if former is not None and former.unknown_count:
        context.notes.append(
            f"{former.unknown_count} memories have no history that goes back that far: "
            "what they said then is unknown"
        )


def _queries(
    connection: sqlite3.Connection, request: SearchRequest, plan: RetrievalPlan
) -> Iterator[SourceQuery]:
    for target in plan.targets:
        if target == "shared":
            for granted in grants.get_grants(connection, request.scope.user_id):
                unchanged = _unchanged(_without_metadata(plan.filters), "point", request)
                own = And((granted.node, unchanged))
                yield SourceQuery(request.query, "point", Scope(granted.owner), own, granted)
        else:
            node, former = _unchanged(plan.filters, target, request), None
            if target == "memory" and request.as_of is not None:
                former = FormerMemories.read(connection, request.scope, plan.filters, request.as_of)
            yield SourceQuery(request.query, target, request.scope, node, former=former)


def _unchanged(node: Node, kind: TextKind, request: SearchRequest) -> Node:
    """The filter; for a search as of a time, only of texts that have not changed since."""
    if request.as_of is None:
        return node
    return filter_unchanged_since(node, kind, request.as_of, archived=request.scope.archived)


def _without_metadata(node: Node) -> Node:
    """The filter for points whose metadata is not shared: every key is missing, `ne` and `nin` match."""
    if isinstance(node, Not):
        return Not(_without_metadata(node.part))
    if isinstance(node, Compare):
        if node.metadata_key is None:
            return node
        return And(()) if node.operator in ("ne", "nin") else Not(And(()))
    return type(node)(tuple(_without_metadata(part) for part in node.parts))


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
