"""What of a store a search looks at: the user's own texts of a kind, or what others share with the user."""

from __future__ import annotations

import sqlite3

from memoryd.core.filters import And, Compare, Node, Not
from memoryd.core.scope import Scope
from memoryd.retrieval.plan import RetrievalPlan
from memoryd.retrieval.request import SearchRequest, Target
from memoryd.retrieval.sources import Ask
from memoryd.storage.knowledge import grants
from memoryd.storage.knowledge.grants import Granted


def asks_of(
    connection: sqlite3.Connection, request: SearchRequest, plan: RetrievalPlan, target: Target
) -> list[Ask]:
    """What the sources are asked for a target; of shared points one ask for each who shares some."""
    if target != "shared":
        return [Ask(request.query, target, request.scope, plan.filters, plan.depth, plan)]
    return [_of(granted, request, plan) for granted in grants.granted(connection, request.scope.user_id)]


def _of(granted: Granted, request: SearchRequest, plan: RetrievalPlan) -> Ask:
    """The points one owner shares, and nothing else of the owner's."""
    node = And((granted.node, _without_metadata(plan.filters)))
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
