"""Destroying what has been archived for longer than the user wants it kept."""

from __future__ import annotations

import sqlite3
from bisect import bisect_right
from functools import partial

from memory_client.errors import InvalidParameterError
from memory_client.types import Deleted
from memoryd.core.days import DAY
from memoryd.core.scope import ALL_AGENTS, Scope
from memoryd.engine.change import Change
from memoryd.engine.parts import Parts
from memoryd.engine.removal import Removal
from memoryd.storage import memories, passes, requests
from memoryd.storage.database import Transaction
from memoryd.storage.requests import RequestKey


class Purge:
    """purge. retention: days of the setting, 0 for never."""

    def __init__(self, parts: Parts, change: Change, removal: Removal, retention: float) -> None:
        self._parts = parts
        self._change = change
        self._removal = removal
        self._retention = retention

    def purge(
        self, older_than: float | None, *, dry_run: bool, scope: Scope, key: RequestKey | None
    ) -> Deleted:
        """Destroy what was archived longer ago than so many days."""
        now, retention = self._parts.clock(), self._retention if older_than is None else older_than
        if not retention and older_than is None:
            raise InvalidParameterError(
                "older_than: None, and no retention is set; give the days, or set decay.retention_days",
                parameter="older_than",
                value=None,
                expected="days, or the setting decay.retention_days",
            )

        def found(connection: sqlite3.Connection) -> list[str]:
            return [id for id, _ in passes.ripe(connection, scope, now - retention * DAY)]

        if dry_run:
            with self._parts.database.read() as connection:
                return self._removal.receipt(found(connection))
        ids = self._parts.database.write(
            lambda tx: requests.once(tx, key, now, lambda: self._destroy(tx, scope, found(tx.connection)))
        )
        return self._removal.receipt(ids)

    def purge_all(self) -> None:
        """Destroy everybody's archives that are over the retention set, if one is."""
        if not self._retention:
            return
        with self._parts.database.read() as connection:
            users = passes.users(connection)
        for user_id in users:
            self._parts.database.write(partial(self._retire, Scope(user_id, ALL_AGENTS)))

    def _retire(self, scope: Scope, tx: Transaction) -> list[str]:
        """What no clock can be blamed for: as many days have seen a pass since it was archived."""
        now = self._parts.clock()
        seen = passes.dates(tx.connection, scope.user_id)
        ripe = passes.ripe(tx.connection, scope, now - self._retention * DAY)
        past = bisect_right(seen, now // DAY)
        ids = [id for id, at in ripe if past - bisect_right(seen, at // DAY) >= self._retention]
        return self._destroy(tx, scope, ids)

    def _destroy(self, tx: Transaction, scope: Scope, ids: list[str]) -> list[str]:
        stored = memories.find(tx.connection, scope, ids)
        gone = self._change.destroy(tx, [stored[id] for id in ids])
        if gone:
            self._removal.queue(tx)
        return gone
