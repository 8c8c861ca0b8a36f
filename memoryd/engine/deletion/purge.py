"""Destroys memories that were archived for longer than the retention."""

from __future__ import annotations

from functools import partial

from memory_client.errors import InvalidParameterError
from memory_client.types import DeleteResult
from memoryd.core.life.active_days import DAY, trusted_days
from memoryd.core.operators import CALLER, DECAY
from memoryd.core.scope import ALL_AGENTS, Scope
from memoryd.engine.context import Parts
from memoryd.engine.decay.effective_importance import find_clock_jump
from memoryd.engine.deletion.removal import PhysicalRemoval
from memoryd.engine.memories.memory_writer import MemoryWriter
from memoryd.storage.connection import Connection
from memoryd.storage.database import Transaction
from memoryd.storage.life import active_days, decay_passes
from memoryd.storage.records import memories
from memoryd.storage.records.deletions import Deletion
from memoryd.storage.requests import RequestKey

_REASON = "purged: archived for longer than the retention"
_STRETCH = 0.25
"""Of a retention, the longest stretch without a sign of the user that counts towards it."""


class ArchivePurge:
    """purge. retention: days of the setting, 0 for never."""

    def __init__(
        self, parts: Parts, writer: MemoryWriter, removal: PhysicalRemoval, retention: float
    ) -> None:
        self._parts = parts
        self._writer = writer
        self._removal = removal
        self._retention = retention

    def purge(
        self, older_than_days: float | None, *, dry_run: bool, scope: Scope, key: RequestKey | None
    ) -> DeleteResult:
        """Destroy what was archived longer ago than so many days."""
        now, retention = self._parts.clock(), self._retention if older_than_days is None else older_than_days
        if not retention and older_than_days is None:
            raise InvalidParameterError(
                "older_than_days: None, and no retention is set; give the days, or set decay.retention_days",
                parameter="older_than_days",
                value=None,
                expected="days, or the setting decay.retention_days",
            )

        def found(connection: Connection) -> list[str]:
            ids = self._ripe(connection, scope, retention, now)
            if not ids and find_clock_jump(connection, self._parts.calendar, scope.user_id, now):
                raise _clock_jumped(retention)
            return ids

        if dry_run:
            with self._parts.database.read() as connection:
                return self._removal.receipt(found(connection))
        ids = self._parts.write_once(
            key, lambda tx: self._destroy(tx, scope, found(tx.connection), CALLER), now
        )
        return self._removal.receipt(ids)

    def purge_all(self) -> None:
        """Destroy every user's archived memories that are older than `decay.retention_days`, if set."""
        if not self._retention:
            return
        with self._parts.database.read() as connection:
            users = decay_passes.users(connection)
        for user_id in users:
            self._parts.database.write(partial(self._retire, Scope(user_id, ALL_AGENTS)))

    def _retire(self, scope: Scope, tx: Transaction) -> list[str]:
        ids = self._ripe(tx.connection, scope, self._retention, self._parts.clock())
        return self._destroy(tx, scope, ids, DECAY)

    def _ripe(self, connection: Connection, scope: Scope, retention: float, now: float) -> list[str]:
        """What was archived so many days ago; a jump of the clock makes nothing old."""
        day = self._parts.calendar.day
        ripe = decay_passes.archived_before(connection, scope, now - retention * DAY)
        signs = [date for date, _ in active_days.recorded_days(connection, scope.user_id)]
        signs += [day(at) for at in decay_passes.times(connection, scope.user_id)]
        longest = max(1.0, retention * _STRETCH)
        passed = trusted_days([day(at) for _, at in ripe], day(now), signs, longest)
        return [id for (id, _), known in zip(ripe, passed, strict=True) if known >= int(retention)]

    def _destroy(self, tx: Transaction, scope: Scope, ids: list[str], operator: str) -> list[str]:
        stored = memories.find(tx.connection, scope, ids)
        deletion = Deletion(self._parts.clock(), operator, _REASON)
        gone = self._writer.destroy(tx, [stored[id] for id in ids], deletion)
        if gone:
            self._removal.queue(tx)
        return gone


def _clock_jumped(retention: float) -> InvalidParameterError:
    return InvalidParameterError(
        f"older_than_days: the clock seems to have jumped, and nothing was archived for {retention:g} days "
        "on which the user was active; set the clock right, or use delete_many(ids)",
        parameter="older_than_days",
        value=retention,
        expected="a clock that is right, or ids for delete_many",
    )
