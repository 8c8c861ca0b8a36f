"""Counts over the memories and the turns."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Sequence

from memory_client.types import Stats
from memoryd.core.scope import Scope
from memoryd.storage.records.texts import scoped
from memoryd.storage.triples import backlog


def of_scope(connection: sqlite3.Connection, scope: Scope) -> Stats:
    """The statistics of what a scope sees; all but `by_state` over active memories."""
    owner, params = scoped(scope)
    where = f"FROM memories m WHERE {owner} AND m.state = 'active'"

    groups = connection.execute(
        "SELECT m.category, m.kind, m.source, count(*) AS number, sum(length(m.text)) AS characters, "
        f"min(m.created_at) AS oldest, max(m.created_at) AS newest {where} GROUP BY 1, 2, 3",
        params,
    ).fetchall()
    states = connection.execute(f"SELECT m.state, count(*) FROM memories m WHERE {owner} GROUP BY 1", params)
    pending = connection.execute(
        f"SELECT count(*) FROM outbox o JOIN memories m ON m.row = o.row "
        f"WHERE o.operation = 'put' AND o.vector IS NULL AND {owner} AND m.state = 'active'",
        params,
    ).fetchone()[0]
    said = connection.execute(
        f"SELECT count(*), count(o.row) FROM turns m LEFT JOIN outbox o "
        f"ON o.row = m.row AND o.operation = 'put' AND o.vector IS NULL WHERE {owner} AND m.remembered",
        params,
    ).fetchone()
    return Stats(
        total=sum(group["number"] for group in groups),
        by_category=_by("category", groups),
        by_kind=_by("kind", groups),
        by_source=_by("source", groups),
        by_state={str(state): int(n) for state, n in states},
        character_count=sum(group["characters"] for group in groups),
        oldest=min((group["oldest"] for group in groups), default=None),
        newest=max((group["newest"] for group in groups), default=None),
        turn_count=said[0],
        pending_vector_count=pending + said[1],
        pending_triple_count=backlog.count_among(connection, (f"{owner} AND m.state = 'active'", params)),
    )


def _by(column: str, groups: Sequence[sqlite3.Row]) -> dict[str, int]:
    """The number of memories by a column, the most first."""
    numbers: Counter[str] = Counter()
    for group in groups:
        numbers[group[column]] += group["number"]
    return dict(sorted(numbers.items(), key=lambda item: (-item[1], item[0])))


def totals(connection: sqlite3.Connection) -> dict[str, int]:
    """Rows of the whole store: memories, turns, knowledge points, sessions, users, versions."""
    users = "SELECT user_id FROM memories UNION SELECT user_id FROM sessions"
    sources = {
        "memories": "memories",
        "turns": "turns",
        "points": "points",
        "sessions": "sessions",
        "users": f"({users})",
        "versions": "versions",
    }
    return {
        name: int(connection.execute(f"SELECT count(*) FROM {source}").fetchone()[0])
        for name, source in sources.items()
    }
