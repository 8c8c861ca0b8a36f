"""The server's promises: back-pressure, lanes, deadlines, streaming, a clean end."""

from __future__ import annotations

import logging
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future
from typing import Any

import pytest

from memory_client import discovery
from memory_client.connection import Connection, ConnectionLost
from memory_client.deadline import Deadline
from memory_client.errors import (
    BusyError,
    DeadlineExceededError,
    InternalError,
    MessageTooLargeError,
    NotFoundError,
)
from memory_client.paths import DataPaths
from memory_client.protocol import MAX_MESSAGE_BYTES
from memoryd.core.call_context import Call, current_call
from memoryd.server.request_handler import LIST_IN_CHUNKS
from support.rpc_server import PATIENCE, Blocker, Scripted, ServerProcess, Serving, serving
from support.waiting import eventually


class Wire:
    """A connection whose answers are waited for."""

    def __init__(self, running: Serving) -> None:
        self.connection = Connection(running.info, running.paths)

    def send(self, method: str, seconds: float | None = None, **params: Any) -> Future[Any]:
        return self.connection.submit(method, params, seconds)

    def call(self, method: str, **params: Any) -> Any:
        return self.send(method, **params).result(PATIENCE)

    def __enter__(self) -> Wire:
        return self

    def __exit__(self, *exception: object) -> None:
        self.connection.close()


# -- back-pressure and lanes ------------------------------------------------------------------------


def test_a_full_queue_says_busy_at_once_and_ping_is_answered_still(paths: DataPaths) -> None:
    block = Blocker()
    with (
        serving(paths, Scripted(memory__count=block), workers=2, queue_limit=3) as running,
        Wire(running) as wire,
    ):
        working = [wire.send("memory.count") for _ in range(2)]
        block.wait_begun(2)
        waiting = [wire.send("memory.count") for _ in range(3)]
        with pytest.raises(BusyError, match="3 requests are waiting"):
            wire.call("memory.count")
        assert (running.server.in_flight, running.server.queue_depth) == (2, 3)
        assert running.server.load() == {"waiting": 3, "in_flight": 2, "limit": 3, "refused": 1}
        assert wire.call("memory.ping")["method"] == "memory.ping"
        assert wire.call("memory.status")
        block.release()
        assert [future.result(PATIENCE) for future in working + waiting] == ["done"] * 5
        assert wire.call("memory.search", query="x")["method"] == "memory.search"


def test_long_calls_leave_the_ordinary_ones_alone(paths: DataPaths) -> None:
    block = Blocker()
    with (
        serving(paths, Scripted(memory__get_all=block), workers=1, long_workers=2) as running,
        Wire(running) as wire,
    ):
        slow = [wire.send("memory.get_all") for _ in range(10)]
        block.wait_begun(2)
        assert wire.call("memory.count")
        block.release()
        assert [future.result(PATIENCE) for future in slow] == ["done"] * 10


def test_one_slow_request_holds_up_nobody(paths: DataPaths) -> None:
    block = Blocker()
    with serving(paths, Scripted(memory__stats=block), workers=2) as running, Wire(running) as wire:
        slow = wire.send("memory.stats")
        block.wait_begun()
        for _ in range(50):
            assert wire.call("memory.count")
        assert not slow.done()
        block.release()
        assert slow.result(PATIENCE) == "done"


def test_requests_in_hand_are_bounded_in_bytes(paths: DataPaths) -> None:
    block = Blocker()
    with (
        serving(paths, Scripted(memory__add=block), max_message_bytes=1000) as running,
        Wire(running) as wire,
    ):
        held = [wire.send("memory.add", text="x" * 900) for _ in range(4)]
        block.wait_begun(4)
        with pytest.raises(BusyError, match="bytes"):
            wire.call("memory.add", text="x" * 900)
        assert wire.call("memory.ping")
        block.release()
        assert [future.result(PATIENCE) for future in held] == ["done"] * 4
        eventually("the room is free again", lambda: wire.call("memory.add", text="x" * 900))


# -- deadlines --------------------------------------------------------------------------------------


def test_an_expired_request_is_not_begun(paths: DataPaths) -> None:
    block = Blocker()
    dispatcher = Scripted(memory__count=block)
    with serving(paths, dispatcher, workers=1) as running, Wire(running) as wire:
        working = wire.send("memory.count")
        block.wait_begun()
        late = wire.send("memory.stats", 0.05)
        time.sleep(0.1)
        block.release()
        working.result(PATIENCE)
        with pytest.raises(
            DeadlineExceededError, match=r"memory\.stats waited in the daemon's queue"
        ) as caught:
            late.result(PATIENCE)
        assert "queue" in caught.value.data["step"]
        assert [method for method, _ in dispatcher.seen] == ["memory.count"]


@pytest.mark.parametrize("seconds", [0, -1, -1e300])
def test_no_time_left_is_an_error_not_a_call(paths: DataPaths, seconds: float) -> None:
    dispatcher = Scripted()
    with serving(paths, dispatcher) as running, Wire(running) as wire:
        with pytest.raises(DeadlineExceededError):
            wire.send("memory.count", seconds).result(PATIENCE)
        assert dispatcher.seen == []


def test_the_handler_has_the_callers_deadline(paths: DataPaths) -> None:
    def count(call: Call) -> list[float | None]:
        assert current_call() is call
        return [call.deadline.left(), call.deadline.seconds]

    with serving(paths, Scripted(memory__count=count)) as running, Wire(running) as wire:
        left, seconds = wire.send("memory.count", 50.0).result(PATIENCE)
        assert seconds == 50.0
        assert 0 < left < 50
        assert wire.call("memory.count") == [None, None]


def test_a_handler_that_runs_out_of_time_names_its_step(paths: DataPaths) -> None:
    def search(call: Call, **_: Any) -> None:
        while True:
            call.deadline.check("waiting for the model")
            time.sleep(0.005)

    with (
        serving(paths, Scripted(memory__search=search)) as running,
        Wire(running) as wire,
        pytest.raises(DeadlineExceededError, match="waiting for the model"),
    ):
        wire.send("memory.search", 0.05, query="x").result(PATIENCE)


# -- answers ----------------------------------------------------------------------------------------


def test_a_defect_is_logged_once_and_says_nothing_of_the_inside(
    paths: DataPaths, caplog: pytest.LogCaptureFixture
) -> None:
    def count(_: Call) -> None:
        raise ZeroDivisionError("secret detail")

    with serving(paths, Scripted(memory__count=count)) as running, Wire(running) as wire:
        with caplog.at_level(logging.INFO), pytest.raises(InternalError, match="memoryd logs") as caught:
            wire.call("memory.count")
        assert "secret" not in str(caught.value)
        assert "secret" not in str(caught.value.data)
        traced = [record for record in caplog.records if record.exc_info]
        assert len(traced) == 1
        assert "memory.count" in traced[0].getMessage()
        assert wire.call("memory.ping")


def test_an_answer_that_cannot_be_sent_is_a_defect(paths: DataPaths) -> None:
    with (
        serving(paths, Scripted(memory__count=lambda _: object())) as running,
        Wire(running) as wire,
        pytest.raises(InternalError),
    ):
        wire.call("memory.count")


def test_too_large_an_answer_is_a_typed_error(paths: DataPaths) -> None:
    with (
        serving(paths, Scripted(memory__get=lambda _, **__: bytes(MAX_MESSAGE_BYTES))) as running,
        Wire(running) as wire,
        pytest.raises(MessageTooLargeError, match=r"memory\.get"),
    ):
        wire.call("memory.get", id="mem_1")


def test_a_request_over_the_limit_is_refused_before_it_is_sent(paths: DataPaths) -> None:
    dispatcher = Scripted()
    with serving(paths, dispatcher) as running, Wire(running) as wire:
        with pytest.raises(MessageTooLargeError) as caught:
            wire.send("memory.add", text="x" * MAX_MESSAGE_BYTES)
        assert caught.value.data["limit"] == MAX_MESSAGE_BYTES
        assert wire.call("memory.count")
        assert len(dispatcher.seen) == 1


@pytest.mark.parametrize("items", [[], [1], list(range(10_000)), ["x" * 3 * 2**20, "y"], ["z" * 1000] * 5000])
def test_iterators_are_streamed_in_bounded_chunks(paths: DataPaths, items: list[Any]) -> None:
    with (
        serving(paths, Scripted(memory__get_all=lambda _: iter(items))) as running,
        Wire(running) as wire,
    ):
        assert wire.call("memory.get_all") == items


def test_long_lists_are_streamed_and_come_as_lists(paths: DataPaths) -> None:
    items = ["x" * 2**20] * (LIST_IN_CHUNKS + 1)  # together over any limit
    with (
        serving(paths, Scripted(memory__get_all=lambda _: items)) as running,
        Wire(running) as wire,
    ):
        assert wire.call("memory.get_all") == items


def test_an_error_in_the_middle_of_a_stream_is_raised(paths: DataPaths) -> None:
    def get_all(_: Call) -> Iterator[int]:
        yield from range(100)
        raise NotFoundError("gone", id="mem_1")

    with (
        serving(paths, Scripted(memory__get_all=get_all)) as running,
        Wire(running) as wire,
        pytest.raises(NotFoundError, match="gone"),
    ):
        wire.call("memory.get_all")


def test_a_stream_to_a_client_that_left_is_given_up(paths: DataPaths) -> None:
    ended = threading.Event()

    def get_all(_: Call) -> Iterator[str]:
        try:
            while True:
                yield "x" * 2**18
                time.sleep(0.001)
        finally:
            ended.set()

    with serving(paths, Scripted(memory__get_all=get_all)) as running:
        with Wire(running) as wire:
            wire.send("memory.get_all")
            eventually("it streams", lambda: running.server.in_flight)
        assert ended.wait(PATIENCE)
        eventually("the worker is free", lambda: running.server.in_flight == 0)


def progress_of(running: Serving, method: str) -> list[tuple[int, int, str]]:
    connection = Connection(running.info, running.paths)
    reports: list[dict[str, Any]] = []
    try:
        connection.submit(method, {}, None, reports.append).result(PATIENCE)
    finally:
        connection.close()
    return [(report["done"], report["total"], report["what"]) for report in reports]


def test_progress_is_thinned_out_and_its_end_always_comes(paths: DataPaths) -> None:
    def reindex(call: Call) -> None:
        for done in range(5000):
            call.report(done + 1, 5000, "words")
        for done in range(3):
            call.report(done + 1, 5000, "vectors")

    with serving(paths, Scripted(admin__reindex=reindex)) as running:
        reports = progress_of(running, "admin.reindex")
    assert reports[0] == (1, 5000, "words")
    assert (5000, 5000, "words") in reports
    assert reports[-1] == (3, 5000, "vectors")
    assert len(reports) < 100
    assert reports == sorted(reports, key=lambda report: (report[2] == "vectors", report[0]))


# -- figures ----------------------------------------------------------------------------------------


def test_metrics_count_by_method(paths: DataPaths) -> None:
    def stats(_: Call) -> None:
        raise NotFoundError("none")

    with serving(paths, Scripted(memory__stats=stats)) as running, Wire(running) as wire:
        for _ in range(3):
            wire.call("memory.count")
        for method in ("memory.stats", "no.such", "other.such"):
            with pytest.raises(Exception, match=r"none|no method"):
                wire.call(method)
        figures = eventually(
            "all are counted",
            lambda: (
                (snapshot := running.server.metrics.snapshot())
                and sum(entry["count"] for entry in snapshot.values()) == 6
                and snapshot
            ),
        )
    assert set(figures) == {"memory.count", "memory.stats", "(unknown)"}
    assert (figures["memory.count"]["count"], figures["memory.count"]["error_count"]) == (3, 0)
    assert (figures["(unknown)"]["count"], figures["(unknown)"]["error_count"]) == (2, 2)
    assert 0 < figures["memory.count"]["p50_ms"] <= figures["memory.count"]["p95_ms"]


def test_pings_are_no_activity(paths: DataPaths) -> None:
    with serving(paths, Scripted()) as running, Wire(running) as wire:
        before = running.server.last_activity
        wire.call("memory.ping")
        wire.call("memory.status")
        assert running.server.last_activity == before
        wire.call("memory.count")
        assert running.server.last_activity > before


# -- the end ----------------------------------------------------------------------------------------


def test_stopping_finishes_what_is_in_hand(paths: DataPaths) -> None:
    block = Blocker()
    with serving(paths, Scripted(memory__count=block), workers=1) as running, Wire(running) as wire:
        in_hand = [wire.send("memory.count") for _ in range(3)]
        block.wait_begun()
        eventually("all are in hand", lambda: running.server.queue_depth == 2)
        running.server.stop(PATIENCE)
        time.sleep(0.05)
        after = wire.send("memory.stats")
        block.release()
        assert [future.result(PATIENCE) for future in in_hand] == ["done"] * 3
        with pytest.raises(ConnectionLost):
            after.result(PATIENCE)


def test_draining_has_a_cap(paths: DataPaths) -> None:
    block = Blocker()
    running = Serving(paths, Scripted(memory__count=block))
    with Wire(running) as wire:
        stuck = wire.send("memory.count")
        block.wait_begun()
        running.stop(drain_seconds=0.1)
        with pytest.raises(ConnectionLost):
            stuck.result(PATIENCE)
    block.release()
    running.server.close()  # now that its worker is free


def test_the_port_asked_for_or_any(paths: DataPaths) -> None:
    with serving(paths, Scripted()) as first:
        port = int(first.info.endpoint.rpartition(":")[2])
        with serving(paths, Scripted(), port=port) as second, Wire(second) as wire:
            assert second.info.endpoint != first.info.endpoint
            assert second.info.endpoint.startswith("tcp://127.0.0.1:")
            assert wire.call("memory.count")
    with serving(paths, Scripted(), port=port) as third:
        assert third.info.endpoint == first.info.endpoint


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="POSIX signals")
def test_a_signal_right_after_traffic_ends_it(paths: DataPaths) -> None:
    for _ in range(4):
        process = ServerProcess(paths)
        try:
            info = process.locate(paths, Deadline.after(PATIENCE))
            connection = Connection(info, paths)
            for _ in range(50):
                connection.submit("memory.ping", {}).result(PATIENCE)
            assert process.stop() == 0
            connection.close()
        finally:
            process.kill()
        assert discovery.read(paths) is None
