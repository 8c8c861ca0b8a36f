from __future__ import annotations

from typing import Any

import pytest

from memoryd.storage import jobs
from memoryd.storage.jobs import MAX_ATTEMPTS, QueuedJob
from support.small_store import START, SmallStore


class Table:
    """The job table, a call a transaction."""

    def __init__(self, store: SmallStore) -> None:
        self.store, self.number = store, 0

    def enqueue(self, kind: str = "k", due: float | None = None, now: float = START) -> None:
        self.number += 1
        id = f"job_{self.number}"
        self.store.database.write(lambda tx: jobs.enqueue(tx, id, kind, now, due))

    def take(self, now: float = START) -> QueuedJob | None:
        return self.store.database.write(lambda tx: jobs.take(tx, now))

    def finish(self, job: QueuedJob | None) -> None:
        assert job is not None
        self.store.database.write(lambda tx: jobs.finish(tx, job))

    def fail(self, job: QueuedJob | None, now: float = START) -> bool:
        assert job is not None
        return self.store.database.write(lambda tx: jobs.fail(tx, job, "boom", now))

    def restart(self, now: float = START) -> None:
        self.store.database.write(lambda tx: jobs.requeue_running(tx, now))

    def counts(self) -> dict[str, int]:
        with self.store.database.read() as connection:
            return jobs.counts(connection)

    def due(self) -> float | None:
        with self.store.database.read() as connection:
            return jobs.next_due(connection)

    def column(self, name: str) -> Any:
        return self.store.scalar(f"SELECT {name} FROM jobs")


@pytest.fixture
def table(store: SmallStore) -> Table:
    return Table(store)


def test_a_job_waits_is_taken_once_and_goes_when_done(table: Table) -> None:
    table.enqueue()
    assert table.counts() == {"queued": 1, "running": 0, "failed": 0}
    job = table.take()
    assert job == QueuedJob("job_1", "k", 1)
    assert table.take() is None
    assert table.counts() == {"queued": 0, "running": 1, "failed": 0}
    table.finish(job)
    assert sum(table.counts().values()) == 0


def test_one_of_a_kind_waits_and_the_earlier_time_wins(table: Table) -> None:
    table.enqueue(due=START + 100)
    table.enqueue(due=START + 10)
    table.enqueue(due=START + 1000)
    table.enqueue("other", due=START + 50)
    assert table.counts()["queued"] == 2
    assert table.due() == START + 10
    assert table.take(START + 9.9) is None
    assert [table.take(START + 60), table.take(START + 60)] == [
        QueuedJob("job_1", "k", 1),
        QueuedJob("job_4", "other", 1),
    ]


def test_one_may_wait_while_one_runs(table: Table) -> None:
    table.enqueue()
    job = table.take()
    table.enqueue()
    assert table.counts() == {"queued": 1, "running": 1, "failed": 0}
    table.finish(job)
    assert table.take() == QueuedJob("job_2", "k", 1)


def test_a_failing_job_waits_twice_as_long_each_time_and_fails_after_five(table: Table) -> None:
    table.enqueue()
    waits, now, again = [], START, True
    while again:
        job = table.take(now)
        again = table.fail(job, now)
        if again:
            waits.append((table.due() or 0) - now)
            now += waits[-1]
    assert waits == [30, 60, 120, 240]
    assert MAX_ATTEMPTS == 5
    assert table.counts() == {"queued": 0, "running": 0, "failed": 1}
    assert table.column("error") == "boom"
    assert table.take(now + 1e6) is None


def test_a_failed_job_is_no_hindrance_and_goes_when_one_of_its_kind_succeeds(table: Table) -> None:
    table.enqueue()
    now = START
    while table.fail(table.take(now), now):
        now = table.due() or 0
    table.enqueue()
    assert table.counts() == {"queued": 1, "running": 0, "failed": 1}
    table.finish(table.take(now))
    assert sum(table.counts().values()) == 0


def test_two_of_a_kind_never_wait_after_one_failed(table: Table) -> None:
    table.enqueue()
    job = table.take()
    table.enqueue()
    assert table.fail(job)
    assert table.counts() == {"queued": 1, "running": 0, "failed": 0}


def test_what_was_running_when_the_process_died_runs_again(table: Table) -> None:
    table.enqueue()
    table.take()
    table.enqueue()
    table.restart(START + 5)
    assert table.counts() == {"queued": 1, "running": 0, "failed": 0}
    assert table.take(START + 5) == QueuedJob("job_1", "k", 2)


def test_a_job_that_kills_the_process_does_not_do_so_for_ever(table: Table) -> None:
    table.enqueue()
    deaths = 0
    while table.take() is not None:
        deaths += 1
        table.restart()
    assert deaths == MAX_ATTEMPTS
    assert table.counts() == {"queued": 0, "running": 0, "failed": 1}
    assert "process ended" in table.column("error")


def test_a_job_that_was_not_committed_is_not_there(table: Table, store: SmallStore) -> None:
    def fails(tx: Any) -> None:
        jobs.enqueue(tx, "job_x", "k", START)
        raise OSError("no")

    with pytest.raises(OSError, match="no"):
        store.database.write(fails)
    assert table.take() is None
    assert table.due() is None
