"""The durable job table. One job of a kind waits at most; a job found running at start runs again.

A job that fails waits longer each time and after `MAX_ATTEMPTS` stays as failed, for people to see, until
one of its kind succeeds. An attempt that took the process with it counts too.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from memoryd.storage.database import Transaction

MAX_ATTEMPTS = 5
_BACK_OFF_SECONDS = 30.0
_CLOCK_SLACK = 3600.0
"""A clock may be set back this much; jobs queued later than that come from a wrong clock and are due now."""


@dataclass(frozen=True, slots=True)
class QueuedJob:
    """A job that is being run."""

    id: str
    kind: str
    attempts: int


def enqueue(tx: Transaction, id: str, kind: str, now: float, not_before: float | None = None) -> None:
    """Queue a job unless one of its kind waits already; the earlier time wins."""
    due = now if not_before is None else not_before
    waiting = tx.execute(
        "UPDATE jobs SET not_before = min(not_before, ?), updated_at = ? WHERE kind = ? AND state = 'queued'",
        (due, now, kind),
    )
    if waiting.rowcount == 0:
        tx.execute("INSERT INTO jobs VALUES (?, ?, 'queued', 0, ?, ?, ?, NULL)", (id, kind, due, now, now))


def take(tx: Transaction, now: float, last: Sequence[str] = ()) -> QueuedJob | None:
    """Mark the next due job running and return it; last: kinds that wait until nothing else is due.

    What was queued in the future was queued by another clock: nobody knows when it is due, so it is now.
    """
    row = tx.execute(
        "SELECT id, kind, attempts FROM jobs WHERE state = 'queued' AND (not_before <= ? OR updated_at > ?) "
        "ORDER BY kind IN (SELECT value FROM json_each(?)), not_before, id LIMIT 1",
        (now, now + _CLOCK_SLACK, json.dumps(last)),
    ).fetchone()
    if row is None:
        return None
    tx.execute(
        "UPDATE jobs SET state = 'running', attempts = attempts + 1, updated_at = ? WHERE id = ?",
        (now, row[0]),
    )
    return QueuedJob(str(row[0]), str(row[1]), int(row[2]) + 1)


def finish(tx: Transaction, job: QueuedJob) -> None:
    """A job is done: its row goes, and with it what of its kind had failed."""
    tx.execute("DELETE FROM jobs WHERE id = ? OR (kind = ? AND state = 'failed')", (job.id, job.kind))


def fail(tx: Transaction, job: QueuedJob, error: str, now: float) -> bool:
    """A job failed; return whether it will be tried again."""
    due = now + _BACK_OFF_SECONDS * 2 ** (job.attempts - 1)
    return _put_back(tx, job, due, now, error)


def requeue_running(tx: Transaction, now: float) -> None:
    """At start: what was running when the process died is due again."""
    found = tx.execute("SELECT id, kind, attempts FROM jobs WHERE state = 'running'").fetchall()
    for row in found:
        _put_back(tx, QueuedJob(*row), now, now, "the process ended while it ran")


def _put_back(tx: Transaction, job: QueuedJob, due: float, now: float, error: str) -> bool:
    again = job.attempts < MAX_ATTEMPTS
    if again:  # queued once more while it ran: one of the two is enough
        tx.execute("DELETE FROM jobs WHERE kind = ? AND state = 'queued'", (job.kind,))
    tx.execute(
        "UPDATE jobs SET state = ?, not_before = ?, updated_at = ?, error = ? WHERE id = ?",
        ("queued" if again else "failed", due, now, error, job.id),
    )
    return again


def next_due(connection: sqlite3.Connection) -> float | None:
    """When the next queued job is due, epoch seconds."""
    row = connection.execute("SELECT min(not_before) FROM jobs WHERE state = 'queued'").fetchone()
    return None if row[0] is None else float(row[0])


def counts(connection: sqlite3.Connection) -> dict[str, int]:
    """Jobs by state."""
    found = connection.execute("SELECT state, count(*) FROM jobs GROUP BY state")
    return {"queued": 0, "running": 0, "failed": 0} | {str(state): int(n) for state, n in found}
