"""A newer client may replace an idle older daemon; an older client never touches a newer one."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from memory_client import KnowledgeClient
from memory_client.deadline import Deadline
from memory_client.discovery import ConnectionInfo
from memory_client.errors import VersionError
from memory_client.launch import ensure_daemon, find_daemon, stop_daemon
from memory_client.paths import DataPaths
from memory_client.protocol import PROTOCOL
from memory_client.version import VERSION
from support.processes import helper_environment, start_process
from support.waiting import PATIENCE, eventually

OLDER, NEWER = "0.0.9", "99.0.0"

Start = Callable[..., ConnectionInfo]


@pytest.fixture
def stand_in(home: Path) -> Iterator[Start]:
    """Starts a daemon of another protocol or version on `home`."""
    processes = []

    def start(protocol: int, version: str, mood: str = "idle") -> ConnectionInfo:
        command = [sys.executable, "-m", "support.other_release", str(home), str(protocol), version, mood]
        processes.append(start_process(command, env=helper_environment()))
        return eventually("the stand-in serves", lambda: find_daemon(DataPaths(home)))

    try:
        yield start
    finally:
        for process in processes:
            process.kill()
            process.wait(PATIENCE)


def ensure(home: Path) -> ConnectionInfo:
    return ensure_daemon(DataPaths(home), Deadline.after(PATIENCE))


@pytest.mark.parametrize("protocol", [PROTOCOL, PROTOCOL - 1])
def test_an_idle_older_daemon_is_replaced(home: Path, stand_in: Start, protocol: int) -> None:
    old = stand_in(protocol, OLDER)
    new = ensure(home)
    assert not psutil.pid_exists(old.pid) or psutil.Process(old.pid).status() == psutil.STATUS_ZOMBIE
    assert (new.version, new.protocol) == (VERSION, PROTOCOL)
    with KnowledgeClient(home) as client:
        assert client.ping()["pid"] == new.pid


def test_a_busy_older_daemon_of_our_protocol_is_used(home: Path, stand_in: Start) -> None:
    old = stand_in(PROTOCOL, OLDER, "busy")
    eventually("it has worked", lambda: DataPaths(home).owner.stat().st_mtime > old.create_time)
    assert ensure(home) == old


def test_a_busy_older_daemon_of_another_protocol_is_left_alone(home: Path, stand_in: Start) -> None:
    old = stand_in(PROTOCOL - 1, OLDER, "busy")
    eventually("it has worked", lambda: DataPaths(home).owner.stat().st_mtime > old.create_time)
    with pytest.raises(VersionError, match=r"memoryd --data-dir .* restart") as caught:
        ensure(home)
    assert caught.value.data == {"client": PROTOCOL, "daemon": PROTOCOL - 1}
    assert find_daemon(DataPaths(home)) == old


def test_a_newer_daemon_of_our_protocol_is_used(home: Path, stand_in: Start) -> None:
    assert ensure(home) == stand_in(PROTOCOL, NEWER) or pytest.fail("it was replaced")


def test_a_newer_daemon_of_another_protocol_is_never_replaced(home: Path, stand_in: Start) -> None:
    new = stand_in(PROTOCOL + 1, NEWER)
    with pytest.raises(VersionError, match="update this client"):
        ensure(home)
    with KnowledgeClient(home) as client, pytest.raises(VersionError):
        client.ping()
    assert find_daemon(DataPaths(home)) == new


@pytest.mark.parametrize("protocol", [PROTOCOL, PROTOCOL - 1, PROTOCOL + 1])
def test_stop_ends_a_daemon_of_any_version(home: Path, stand_in: Start, protocol: int) -> None:
    other = stand_in(protocol, NEWER)
    assert stop_daemon(DataPaths(home), Deadline.after(PATIENCE)) == other.pid
    assert find_daemon(DataPaths(home)) is None
