"""Extracts triples from memories of older schemas, a few at a time."""

from __future__ import annotations

import time
from threading import Event

from memoryd.core.scope import ALL_AGENTS, Scope
from memoryd.engine.context import Parts
from memoryd.engine.triples import evidence
from memoryd.storage.database import Transaction
from memoryd.storage.records import memories
from memoryd.storage.triples import backlog

READ_OLD = "read_old"
_AT_ONCE = 100
"""Memories of one transaction: other writes wait for some 50 ms at most."""


class TripleBackfill:
    """The memories of an older store. seconds: after which it pauses for other jobs."""

    def __init__(self, parts: Parts, stopping: Event, seconds: float) -> None:
        self._parts = parts
        self._stopping = stopping
        self._seconds = seconds

    def is_there(self) -> bool:
        """Whether any memory is left."""
        with self._parts.database.read() as connection:
            return backlog.highest(connection) is not None

    def read(self) -> bool:
        """Continue; return whether more is left."""
        until = time.monotonic() + self._seconds
        while not self._stopping.is_set() and time.monotonic() < until:
            if not self._parts.database.write(self._read_some):
                return False
        return True

    def _read_some(self, tx: Transaction) -> bool:
        taken = backlog.take(tx, _AT_ONCE)
        for user_id in dict.fromkeys(user_id for user_id, _ in taken):
            ids = [id for owner, id in taken if owner == user_id]
            for stored in memories.find(tx.connection, Scope(user_id, ALL_AGENTS), ids).values():
                evidence.add_evidence(tx, stored.record, stored.row, self._parts.ids)
        tx.mark_changed()
        return bool(taken)
