"""Counts over the memories table."""

from __future__ import annotations

import sqlite3

from memory_client.types import Stats
from memoryd.core.scope import Scope
from memoryd.storage.memories import scoped


def of_scope(connection: sqlite3.Connection, scope: Scope) -> Stats:
    """The statistics of what a scope sees; all but `by_state` over active memories."""
    owner, params = scoped(scope)
    where = f"FROM memories m WHERE {owner} AND m.state = 'active'"

    def by(column: str) -> dict[str, int]:
        found = connection.execute(
            f"SELECT m.{column}, count(*) {where} GROUP BY 1 ORDER BY 2 DESC, 1", params
        )
        return {str(name): int(n) for name, n in found}

    total, characters, oldest, newest = connection.execute(
        f"SELECT count(*), coalesce(sum(length(m.text)), 0), min(m.created_at), max(m.created_at) {where}",
        params,
    ).fetchone()
    states = connection.execute(f"SELECT m.state, count(*) FROM memories m WHERE {owner} GROUP BY 1", params)
    pending = connection.execute(
        f"SELECT count(*) FROM outbox o JOIN memories m ON m.row = o.row "
        f"WHERE o.operation = 'put' AND o.vector IS NULL AND {owner} AND m.state = 'active'",
        params,
    ).fetchone()[0]
    return Stats(
        total=total,
        by_category=by("category"),
        by_kind=by("kind"),
        by_source=by("source"),
        by_state={str(state): int(n) for state, n in states},
        characters=characters,
        oldest=oldest,
        newest=newest,
        pending_vectors=pending,
    )


def totals(connection: sqlite3.Connection) -> dict[str, int]:
    """Rows of the whole store: memories, users, versions."""
    return {
        "memories": int(connection.execute("SELECT count(*) FROM memories").fetchone()[0]),
        "users": int(connection.execute("SELECT count(DISTINCT user_id) FROM memories").fetchone()[0]),
        "versions": int(connection.execute("SELECT count(*) FROM versions").fetchone()[0]),
    }
