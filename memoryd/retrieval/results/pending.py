"""What is still to be made of the texts a search looks at: vectors, token vectors, triples."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from memoryd.index.lance import outbox
from memoryd.retrieval.sources.sources import Ask
from memoryd.storage.records.texts import visible
from memoryd.storage.triples import backlog


def pending_lacks(connection: sqlite3.Connection, asks: Sequence[Ask]) -> tuple[str, ...]:
    """What the sources of some asks cannot find yet, in words; counts what the scope and the filters let
    through."""
    vectors = sum(_without_vectors(connection, ask) for ask in asks if "semantic" in ask.plan.sources)
    triples = sum(_without_triples(connection, ask) for ask in asks if "graph" in ask.plan.sources)
    found = (
        (vectors, "yet to be embedded: search by meaning may miss them"),
        (triples, "yet to be read for triples: the graph may miss them"),
    )
    return tuple(f"{count:,} {'text' if count == 1 else 'texts'} {what}" for count, what in found if count)


def _without_vectors(connection: sqlite3.Connection, ask: Ask) -> int:
    owner = ask.scope.user_id
    if not outbox.missing(connection, owner, ask.kind):  # the usual case, without looking at the texts
        return 0
    return outbox.waiting_among(connection, ask.kind, owner, visible(ask.kind, ask.scope, ask.node))


def _without_triples(connection: sqlite3.Connection, ask: Ask) -> int:
    if ask.kind != "memory":
        return 0
    return backlog.count_among(connection, visible(ask.kind, ask.scope, ask.node))
