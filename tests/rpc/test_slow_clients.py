"""A client that stops reading costs the daemon little, and nobody else anything."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgpack
import psutil
import pytest
import zmq

from memory_client import KnowledgeClient, keys
from memory_client.connection import Connection
from memory_client.discovery import ConnectionInfo
from memory_client.paths import DataPaths
from memory_client.protocol import Request, encode_request
from memoryd.core.call_context import Call
from support.daemons import SpawnedDaemon
from support.rpc_server import PATIENCE, Scripted, Serving, serving
from support.waiting import eventually

TEN_MEGABYTES = ["x" * 100_000] * 100


class Unread:
    """A client with the right key that takes next to nothing before it is told to."""

    def __init__(self, info: ConnectionInfo, paths: DataPaths) -> None:
        self._context = zmq.Context()
        self.socket = self._context.socket(zmq.DEALER)
        self.socket.linger = 0
        self.socket.rcvhwm = 1
        self.socket.rcvbuf = 4096
        self.socket.curve_serverkey = info.server_key.encode()
        self.socket.curve_publickey, self.socket.curve_secretkey = keys.client_keypair(paths)
        self.socket.connect(info.endpoint)

    def send(self, correlation: int, method: str, **params: Any) -> None:
        self.socket.send(encode_request(Request(correlation, method, params, None)))

    def receive(self) -> list[Any]:
        assert self.socket.poll(int(PATIENCE * 1000)), "nothing comes"
        reply: list[Any] = msgpack.unpackb(self.socket.recv())
        return reply

    def __enter__(self) -> Unread:
        return self

    def __exit__(self, *exception: object) -> None:
        self._context.destroy(linger=0)


@pytest.fixture
def streaming() -> Scripted:
    return Scripted(memory__get_all=lambda _: iter(TEN_MEGABYTES))


def asked(running: Serving, method: str, **params: Any) -> Any:
    """The answer to another client."""
    connection = Connection(running.info, running.paths)
    try:
        return connection.submit(method, params).result(PATIENCE)
    finally:
        connection.close()


def test_six_unread_answers_of_ten_megabytes_stay_small(home: Path) -> None:
    daemon = SpawnedDaemon(home, "embedder.model=none")
    with KnowledgeClient(home) as client:
        client.add_many(["word " * 4000] * 500)
        assert len(client.get_all()) == 500
        process = psutil.Process(daemon.info.pid)
        before = process.memory_info().rss
        highest = before
        with Unread(daemon.info, daemon.paths) as unread:
            for correlation in range(6):
                unread.send(correlation, "memory.get_all", user_id="default")
            until = time.monotonic() + 3
            while time.monotonic() < until:
                assert client.ping()["pid"] == daemon.info.pid
                assert client.count() == 500
                highest = max(highest, process.memory_info().rss)
                time.sleep(0.1)
            assert len(client.get_all()) == 500, "a long call of another client"
            assert unread.receive()[1] == "chunk", "it was being answered"
    assert (highest - before) / 2**20 < 40


def test_a_slow_client_gets_all_of_every_answer(paths: DataPaths, streaming: Scripted) -> None:
    with serving(paths, streaming) as running, Unread(running.info, paths) as slow:
        for correlation in range(6):
            slow.send(correlation, "memory.get_all")
        slow.send(6, "memory.count")
        time.sleep(1)
        assert asked(running, "memory.get_all") == TEN_MEGABYTES
        items: dict[int, int] = {}
        left = 7
        while left:
            correlation, status, payload = slow.receive()
            if status == "chunk":
                items[correlation] = items.get(correlation, 0) + len(payload)
            else:
                assert status == "ok"
                left -= 1
        assert items == dict.fromkeys(range(6), 100)


def test_more_streams_than_workers_leave_the_others_alone(paths: DataPaths, streaming: Scripted) -> None:
    with serving(paths, streaming, long_workers=2) as running, Unread(running.info, paths) as slow:
        for correlation in range(8):
            slow.send(correlation, "memory.get_all")
        time.sleep(1)
        for _ in range(3):
            assert asked(running, "memory.get_all") == TEN_MEGABYTES
            assert asked(running, "memory.count")
        names = [thread.name for thread in threading.enumerate()]
        assert names.count("memoryd-long-substitute") <= 8


def test_a_client_that_stops_reading_is_given_up_and_told_when_it_reads(
    paths: DataPaths, caplog: pytest.LogCaptureFixture
) -> None:
    ended = threading.Semaphore(0)

    def get_all(_: Call) -> Iterator[str]:
        try:
            while True:
                yield "x" * 2**18
        finally:
            ended.release()

    caplog.set_level(logging.WARNING)
    dispatcher = Scripted(memory__get_all=get_all)
    with serving(paths, dispatcher, stall_seconds=1.0) as running, Unread(running.info, paths) as gone:
        gone.send(7, "memory.get_all")
        assert ended.acquire(timeout=PATIENCE), "the stream is given up"
        eventually("it is logged", lambda: "has taken no reply for 1 s" in caplog.text)
        assert asked(running, "memory.count")
        replies = iter(gone.receive, None)
        correlation, status, payload = next(one for one in replies if one[1] != "chunk")
        assert (correlation, status, payload["code"]) == (7, "error", "busy")
        assert "the client read none for 1 s" in payload["message"]
        gone.send(8, "memory.count")
        assert gone.receive()[:2] == [8, "ok"]


def test_a_server_stops_while_a_client_does_not_read(paths: DataPaths, streaming: Scripted) -> None:
    running = Serving(paths, streaming)
    with Unread(running.info, paths) as slow:
        for correlation in range(6):
            slow.send(correlation, "memory.get_all")
        eventually("they are at work", lambda: streaming.seen)
        running.stop(drain_seconds=0.5)
