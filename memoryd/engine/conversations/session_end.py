"""The end of a session: said by the app, or after a while without a turn."""

from __future__ import annotations

from collections.abc import Sequence

from memory_client.errors import NotFoundError
from memory_client.types import EndResult
from memoryd.core.scope import Scope
from memoryd.engine.context import Parts
from memoryd.engine.deletion.removal import PhysicalRemoval
from memoryd.storage import jobs
from memoryd.storage.connection import Connection
from memoryd.storage.database import Transaction
from memoryd.storage.records import sessions, turns
from memoryd.storage.records.sessions import SessionRow
from memoryd.storage.requests import RequestKey

IDLE = "idle"
"""The job that closes quiet sessions; one waits as long as any is open."""


class SessionCloser:
    """end, and what the clock does. idle_seconds: without a turn until a session closes, 0 never."""

    def __init__(self, parts: Parts, removal: PhysicalRemoval, idle_seconds: float) -> None:
        self._parts = parts
        self._removal = removal
        self._idle_seconds = idle_seconds

    def end(self, session_id: str, scope: Scope, key: RequestKey | None) -> EndResult:
        """Close a session."""
        now = self._parts.clock()

        def apply(tx: Transaction) -> tuple[bool, int]:
            still_open = [one.number for one in get_sessions(tx.connection, scope, session_id) if one.is_open]
            return bool(still_open), self._close(tx, still_open, now)

        closed, dropped = self._parts.write_once(key, apply, now)
        return EndResult(session_id=session_id, closed=closed, dropped_count=dropped)

    def close_idle(self) -> None:
        """Close the sessions that have been quiet for long enough; the job comes again for the others."""
        now = self._parts.clock()

        def apply(tx: Transaction) -> None:
            if self._idle_seconds:
                self._close(tx, sessions.idle(tx.connection, now - self._idle_seconds), now)
            self.expect(tx)

        self._parts.database.write(apply)

    def resume(self) -> None:
        """At start: see to the sessions that were left open."""
        with self._parts.database.read() as connection:
            is_any_open = sessions.longest_idle(connection) is not None
        if is_any_open:
            self._parts.database.write(self.expect)

    def expect(self, tx: Transaction) -> None:
        """Queue the job for when the next open session may be closed."""
        since = sessions.longest_idle(tx.connection)
        if self._idle_seconds and since is not None:
            now = self._parts.clock()
            jobs.enqueue(tx, self._parts.ids.new("job", now), IDLE, now, since + self._idle_seconds)

    def _close(self, tx: Transaction, numbers: Sequence[int], now: float) -> int:
        """Return how many turns went, those not to be remembered."""
        sessions.close(tx, numbers, now)
        dropped = turns.remove_not_remembered(tx, numbers)
        if dropped:
            self._removal.queue(tx)
        return dropped


def get_sessions(connection: Connection, scope: Scope, session_id: str) -> list[SessionRow]:
    """The visible sessions of a name. Raises `NotFoundError` when there is none."""
    found = sessions.find(connection, scope, session_id)
    if not found:
        raise NotFoundError(
            f"no session {session_id!r} for this user and agent; it never was, was deleted, or is another's",
            session_id=session_id,
        )
    return found
