"""What of a store a search looks at: the user's own texts of a kind, or what others share with the user."""

from __future__ import annotations

import sqlite3

from memoryd.core.filters.as_of import unchanged_since
from memoryd.core.filters.grammar import And, Compare, Node, Not
from memoryd.core.row_ranges import TextKind
from memoryd.core.scope import Scope
from memoryd.retrieval.plan import RetrievalPlan
from memoryd.retrieval.request import SearchRequest, Target
from memoryd.retrieval.sources.as_of_source import Past
from memoryd.retrieval.sources.sources import Ask
from memoryd.storage.knowledge import grants
from memoryd.storage.knowledge.grants import Granted


def asks_of(
    connection: sqlite3.Connection, request: SearchRequest, plan: RetrievalPlan, target: Target
) -> list[Ask]:
    """What the sources are asked for a target; of shared points one ask for each who shares some."""
    if target == "shared":
        return [_of(granted, request, plan) for granted in grants.granted(connection, request.scope.user_id)]
    node, past = _then(plan.filters, target, request), None
    if target == "memory" and request.as_of is not None:
        past = Past.read(connection, request.scope, plan.filters, request.as_of)
    return [Ask(request.query, target, request.scope, node, plan.depth, plan, past=past)]


def _then(node: Node, kind: TextKind, request: SearchRequest) -> Node:
    """The filter, for a search as of a time with what has stayed as it was then."""
    if request.as_of is None:
        return node
    return unchanged_since(node, kind, request.as_of, archived=request.scope.archived)


def _of(granted: Granted, request: SearchRequest, plan: RetrievalPlan) -> Ask:
    """The points one owner shares, and nothing else of the owner's."""
    node = And((granted.node, _then(_without_metadata(plan.filters), "point", request)))
    return Ask(request.query, "point", Scope(granted.owner), node, plan.depth, plan, granted)


def _without_metadata(node: Node) -> Node:
    """The filter for points whose metadata is not shared: every key is missing, `ne` and `nin` match."""
    if isinstance(node, Not):
        return Not(_without_metadata(node.part))
    if isinstance(node, Compare):
        if node.metadata_key is None:
            return node
        return And(()) if node.operator in ("ne", "nin") else Not(And(()))
    return type(node)(tuple(_without_metadata(part) for part in node.parts))
