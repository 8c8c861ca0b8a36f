from __future__ import annotations

import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from memory_client.errors import StorageError
from memoryd.core.ids import IdFactory
from memoryd.knowledge_base import KnowledgeBase
from memoryd.storage import jobs
from memoryd.workers.runner import JobRunner, Schedule
from support.schema_fixtures import NO_MODEL
from support.small_store import START, SmallStore
from support.waiting import eventually

PAGES = "SELECT group_concat(kind || ' ' || state || ' ' || attempts, ', ') FROM jobs"


class Clock:
    """A clock that is set."""

    now = START

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@contextmanager
def running(
    store: SmallStore, clock: Clock, handlers: dict[str, Callable[[], None]], *schedules: Schedule
) -> Iterator[JobRunner]:
    runner = JobRunner(store.database, handlers, schedules, clock, IdFactory())
    runner.start()
    try:
        yield runner
    finally:
        runner.stop()


def waiting(store: SmallStore) -> dict[str, float]:
    """Kind -> seconds from the start until it is due."""
    with store.database.read() as connection:
        found = connection.execute("SELECT kind, not_before FROM jobs WHERE state = 'queued'").fetchall()
    return {kind: due - START for kind, due in found}


def test_a_job_that_is_queued_is_carried_out(store: SmallStore, clock: Clock) -> None:
    done = threading.Event()
    with running(store, clock, {"k": done.set}) as runner:
        runner.enqueue("k")
        assert done.wait(20)
        eventually("the job is gone", lambda: store.scalar("SELECT count(*) FROM jobs") == 0)


def test_one_after_the_other(store: SmallStore, clock: Clock) -> None:
    inside, worst, done = 0, 0, []

    def work() -> None:
        nonlocal inside, worst
        inside += 1
        worst = max(worst, inside)
        time.sleep(0.01)
        inside -= 1
        done.append(1)

    with running(store, clock, {"a": work, "b": work, "c": work}) as runner:
        for kind in "abc":
            runner.enqueue(kind)
        eventually("all are done", lambda: len(done) == 3)
    assert worst == 1


def test_a_job_waits_until_it_is_due(store: SmallStore, clock: Clock) -> None:
    done = threading.Event()
    with running(store, clock, {"k": done.set, "now": lambda: None}) as runner:
        runner.enqueue("k", delay=100)
        runner.enqueue("now")
        eventually("the other is done", lambda: waiting(store) == {"k": 100})
        assert not done.is_set()
        clock.now += 100
        runner.enqueue("now")
        assert done.wait(20)


def test_schedules_are_queued_at_the_start_and_again_when_done(store: SmallStore, clock: Clock) -> None:
    done = threading.Event()
    schedules = (Schedule("daily", 86400), Schedule("hourly", 3600), Schedule("never", 0))
    with running(store, clock, {"daily": lambda: None, "hourly": done.set}, *schedules) as runner:
        assert waiting(store) == {"daily": 86400, "hourly": 3600}
        clock.now += 3600
        runner.enqueue("hourly")
        assert done.wait(20)
        eventually("the next is queued", lambda: waiting(store) == {"daily": 86400, "hourly": 7200})


def test_schedules_survive_a_clock_that_is_put_back(store: SmallStore, clock: Clock) -> None:
    times: list[float] = []
    with running(
        store, clock, {"daily": lambda: times.append(clock.now)}, Schedule("daily", 86400)
    ) as runner:
        for year in (10, -20, 0):
            clock.now = START + year * 365 * 86400
            runner._wake.set()
            eventually("the job ran and is queued anew", lambda: times[-1:] == [clock.now])
            eventually("for a day later", lambda: waiting(store) == {"daily": clock.now - START + 86400})
    assert len(times) == 3


def test_a_small_step_back_makes_nothing_due(store: SmallStore, clock: Clock) -> None:
    with running(store, clock, {"k": lambda: None, "now": lambda: None}) as runner:
        runner.enqueue("k", delay=100)
        clock.now -= 1800
        runner.enqueue("now")
        eventually("only the other is done", lambda: waiting(store) == {"k": 100})


def test_a_restart_leaves_the_schedule_and_a_shorter_one_counts(store: SmallStore, clock: Clock) -> None:
    for seconds, due in ((1000, 1000), (5000, 1000), (100, 600)):
        with running(store, clock, {"k": lambda: None}, Schedule("k", seconds)):
            pass
        assert waiting(store) == {"k": due}
        clock.now = START + 500


def test_a_handler_that_fails_is_logged_and_tried_again_later(
    store: SmallStore, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    other = threading.Event()
    with running(store, clock, {"bad": lambda: 1 // 0, "good": other.set}) as runner:  # type: ignore[dict-item,return-value]
        runner.enqueue("bad")
        eventually("it waits again", lambda: waiting(store) == {"bad": 30})
        runner.enqueue("good")
        assert other.wait(20)
    assert store.scalar("SELECT error FROM jobs").startswith("ZeroDivisionError: ")
    assert "job bad failed" in caplog.text


def test_a_schedule_goes_on_after_a_job_failed_for_good(store: SmallStore, clock: Clock) -> None:
    ended = "SELECT max(attempts) FROM jobs WHERE state != 'running'"
    with running(store, clock, {"k": lambda: 1 // 0}, Schedule("k", 86400)) as runner:  # type: ignore[dict-item,return-value]
        for attempt in range(1, jobs.MAX_ATTEMPTS + 1):
            clock.now += 86400
            runner.enqueue("k")
            eventually("the attempt is over", lambda n=attempt: store.scalar(ended) == n)  # type: ignore[misc]
        eventually("the next is queued", lambda: waiting(store) == {"k": clock.now - START + 86400})
    assert store.scalar(PAGES).count("failed") == 1


def test_a_job_nobody_knows_any_more_fails(store: SmallStore, clock: Clock) -> None:
    with running(store, clock, {}) as runner:
        runner.enqueue("gone")
        eventually("it failed once", lambda: waiting(store) == {"gone": 30})


def test_what_was_running_at_the_death_of_the_process_runs_at_the_start(
    store: SmallStore, clock: Clock
) -> None:
    store.database.write(lambda tx: jobs.enqueue(tx, "job_1", "k", START))
    store.database.write(lambda tx: jobs.take(tx, START))
    done = threading.Event()
    with running(store, clock, {"k": done.set}):
        assert done.wait(20)


def test_stopping_waits_for_the_job_in_hand_and_begins_no_other(store: SmallStore, clock: Clock) -> None:
    begun, release, done = threading.Event(), threading.Event(), []

    def work() -> None:
        begun.set()
        release.wait(20)
        done.append(1)

    runner = JobRunner(store.database, {"a": work, "b": lambda: done.append(2)}, (), clock, IdFactory())
    runner.start()
    runner.enqueue("a")
    assert begun.wait(20)
    assert runner.is_busy
    runner.enqueue("b")
    stopper = threading.Thread(target=runner.stop)
    stopper.start()
    release.set()
    stopper.join()
    assert done == [1]
    assert not runner.is_busy
    assert waiting(store) == {"b": 0}


def test_a_store_that_cannot_be_written_for_a_while_loses_no_job(
    store: SmallStore, clock: Clock, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("memoryd.workers.runner._LONGEST_WAIT", 0.01)
    done: list[int] = []
    full = True
    finish = jobs.finish

    def finish_when_there_is_room(*arguments: Any) -> None:
        if full:
            raise sqlite3.OperationalError("database or disk is full")
        finish(*arguments)

    monkeypatch.setattr(jobs, "finish", finish_when_there_is_room)
    with caplog.at_level(logging.ERROR), running(store, clock, {"k": lambda: done.append(1)}) as runner:
        runner.enqueue("k")
        eventually("the runner complains", lambda: "could not go on" in caplog.text)
        assert store.scalar(PAGES) == "k running 1"
        full = False
        eventually("it is settled", lambda: store.scalar("SELECT count(*) FROM jobs") == 0)
        eventually("nothing is in hand", lambda: not runner.is_busy)
    assert done == [1]


def test_a_store_that_does_not_open_leaves_nothing_behind(tmp_path: Path) -> None:
    """No threads (a fixture sees to that), no owner; and the error is the one that says what is wrong."""
    with KnowledgeBase(tmp_path, settings=NO_MODEL) as kb:
        kb.add("zebra")
    with closing(sqlite3.connect(tmp_path / "memory.sqlite3")) as connection:
        connection.executescript("DROP TABLE keyword_partitions")
    for _ in range(2):
        with pytest.raises(StorageError, match="keyword_partitions"):
            KnowledgeBase(tmp_path, settings=NO_MODEL)


def test_jobs_of_the_lowest_priority_wait_for_all_others(store: SmallStore, clock: Clock) -> None:
    done: list[str] = []
    handlers = {kind: (lambda kind=kind: done.append(kind)) for kind in ("merge", "compact", "tidy")}  # type: ignore[misc]
    runner = JobRunner(store.database, handlers, (), clock, IdFactory(), last=("merge",))
    for kind, since in (("merge", 50), ("compact", 10), ("tidy", 1)):
        store.database.write(
            lambda tx, kind=kind, since=since: jobs.enqueue(tx, kind, kind, clock(), clock() - since)  # type: ignore[misc]
        )
    runner.start()
    try:
        eventually("all are done", lambda: len(done) == 3)
    finally:
        runner.stop()
    assert done == ["compact", "tidy", "merge"]
