"""The durable jobs and the schedules: one thread, one job at a time."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from memoryd.core.ids import IdFactory
from memoryd.storage import jobs
from memoryd.storage.database import Database, Transaction

log = logging.getLogger(__name__)

_LONGEST_WAIT = 60.0

Handler = Callable[[], float | None]
"""Carries out a job; returns the seconds after which it runs again, None if it is done."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """A job that is due at an interval in seconds; 0 is never."""

    kind: str
    seconds: float


class JobRunner:
    """Runs queued jobs when they are due.

    handlers: by kind; a handler that raises is tried again. last: kinds of the lowest priority.
    """

    def __init__(
        self,
        database: Database,
        handlers: Mapping[str, Handler],
        schedules: tuple[Schedule, ...],
        clock: Callable[[], float],
        ids: IdFactory,
        last: Sequence[str] = (),
    ) -> None:
        self._database = database
        self._handlers = handlers
        self._schedules = [schedule for schedule in schedules if schedule.seconds > 0]
        self._clock = clock
        self._ids = ids
        self._last = last
        self._stopping = threading.Event()
        self._in_hand: jobs.QueuedJob | None = None
        self._error: str | None = None
        self._again: float | None = None
        self._wake = threading.Event()
        self._thread = threading.Thread(target=self._run, name="memoryd-jobs", daemon=True)

    def start(self) -> None:
        """Start; a job that was running when the process died runs again."""
        self._database.write(self._prepare)
        self._thread.start()

    def stop(self) -> None:
        """Finish the current job and end."""
        self._stopping.set()
        self._wake.set()
        if self._thread.ident is not None:
            self._thread.join()

    @property
    def is_busy(self) -> bool:
        """Whether a job is running."""
        return self._in_hand is not None

    def enqueue(self, kind: str, delay: float = 0.0) -> None:
        """Queue a job of a kind, unless one is queued."""
        self._database.write(lambda tx: self._enqueue(tx, kind, delay))
        self._wake.set()

    def _prepare(self, tx: Transaction) -> None:
        jobs.requeue_running(tx, self._clock())
        for schedule in self._schedules:
            self._enqueue(tx, schedule.kind, schedule.seconds)

    def _enqueue(self, tx: Transaction, kind: str, delay: float) -> None:
        now = self._clock()
        jobs.enqueue(tx, self._ids.new("job", now), kind, now, now + delay)

    def _run(self) -> None:
        while not self._stopping.is_set():
            self._wake.clear()
            try:
                pause = self._work()
            except Exception:  # the table could not be read or written, which the store reports elsewhere
                log.exception("the job runner could not go on; trying again in %d s", _LONGEST_WAIT)
                pause = _LONGEST_WAIT
            self._wake.wait(pause)

    def _work(self) -> float:
        """Run the jobs that are due; return the seconds until the next."""
        self._settle()
        while not self._stopping.is_set():
            self._in_hand = self._database.write(lambda tx: jobs.take(tx, self._clock(), self._last))
            if self._in_hand is None:
                break
            self._error = self._carry_out(self._in_hand)
            self._settle()
        with self._database.read() as connection:
            due = jobs.next_due(connection)
        return _LONGEST_WAIT if due is None else min(_LONGEST_WAIT, max(0.0, due - self._clock()))

    def _carry_out(self, job: jobs.QueuedJob) -> str | None:
        """Run the handler; return its error, if any."""
        log.info("job %s begins", job.kind)
        self._again = None
        try:
            self._again = self._handlers[job.kind]()
        except Exception as error:
            log.exception("job %s failed", job.kind)
            return f"{type(error).__name__}: {error}"
        return None

    def _settle(self) -> None:
        """Record how the current job ended; it stays current if that fails, as on a full disk."""
        job, error = self._in_hand, self._error
        if job is not None:
            self._database.write(lambda tx: self._ended(tx, job, error))
            self._in_hand = None

    def _ended(self, tx: Transaction, job: jobs.QueuedJob, error: str | None) -> None:
        if error is None:
            jobs.finish(tx, job)
        elif jobs.fail(tx, job, error, self._clock()):
            return
        if self._again is not None and not self._stopping.is_set():
            self._enqueue(tx, job.kind, self._again)
        for schedule in self._schedules:
            if schedule.kind == job.kind:
                self._enqueue(tx, schedule.kind, schedule.seconds)
