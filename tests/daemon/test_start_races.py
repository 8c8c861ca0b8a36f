"""Steps 1 to 9 of `memory_client.launch`: whatever lies around, eight starters get one daemon."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path

import psutil
import pytest

from memory_client import KnowledgeClient
from memory_client.discovery import ConnectionInfo
from memory_client.discovery import read as read_connection
from memory_client.paths import DataPaths
from memory_client.process import ProcessId
from support.daemons import SpawnedDaemon, daemons_of, write_json
from support.processes import clean_environment, python_process
from support.waiting import eventually

STARTERS = 8
# The import starts the daemon in the background, the first call does too: both at once in each process.
ASK = "import memory_client; print(memory_client.get_knowledge_client().ping()['pid'])"


def connection(process: ProcessId, port: int) -> dict[str, object]:
    """A connection file as the daemon of `process` would have left it."""
    info = ConnectionInfo(
        endpoint=f"tcp://127.0.0.1:{port}",
        server_key="x" * 40,
        pid=process.pid,
        create_time=process.create_time,
        protocol=1,
        version="0.1.0",
        schema=1,
        settings="0" * 16,
    )
    return asdict(info)


def dead_process() -> ProcessId:
    """A process that has ended."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        return ProcessId(child.pid, psutil.Process(child.pid).create_time())


@contextmanager
def nothing(paths: DataPaths) -> Iterator[int]:
    """No directory at all."""
    assert not paths.root.exists()
    yield 0


@contextmanager
def stale_files(paths: DataPaths) -> Iterator[int]:
    """What a daemon leaves that was killed."""
    dead = dead_process()
    paths.make()
    write_json(paths.connection, connection(dead, 9))
    write_json(paths.owner, {"pid": dead.pid, "create_time": dead.create_time, "role": "daemon"})
    paths.owner_lock.touch()
    paths.start_lock.touch()
    (paths.run / ".connection.json.1.tmp").write_text("{")
    yield 0


@contextmanager
def corrupt_files(paths: DataPaths) -> Iterator[int]:
    """What a full disk may leave."""
    paths.make()
    paths.connection.write_bytes(b'{"endpoint": \xff\x00')
    paths.owner.write_bytes(b"")
    yield 0


@contextmanager
def reused_pid(paths: DataPaths) -> Iterator[int]:
    """A connection file whose pid is another process by now."""
    paths.make()
    write_json(paths.connection, connection(ProcessId(os.getpid(), 1.0), 9))
    yield 0


@contextmanager
def foreign_listener(paths: DataPaths) -> Iterator[int]:
    """Somebody else on the port, and a connection file of ours that points there."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        paths.make()
        write_json(paths.connection, connection(dead_process(), port))
        yield port


def starters(port: int, home: Path, **extra: str) -> list[subprocess.Popen[str]]:
    env = clean_environment(MEMORYD_HOME=str(home), MEMORYD_DAEMON_PORT=str(port), **extra)
    return [python_process(ASK, env) for _ in range(STARTERS)]


def answers(processes: list[subprocess.Popen[str]]) -> list[str]:
    """What they print; whoever fails, or says anything else, fails the test."""
    try:
        outcomes = [(*process.communicate(timeout=60), process.returncode) for process in processes]
    finally:
        for process in processes:
            process.kill()
    assert [(err, code) for _, err, code in outcomes] == [("", 0)] * STARTERS
    return [out.strip() for out, _, _ in outcomes]


@pytest.mark.parametrize("state", [nothing, stale_files, corrupt_files, reused_pid, foreign_listener])
def test_eight_starters_get_one_daemon(state: Callable[..., Iterator[int]], home: Path) -> None:
    paths = DataPaths(home)
    with state(paths) as port:
        pids = answers(starters(port, home))
    running = [process.pid for process in daemons_of(home)]
    assert len(running) == 1
    assert set(pids) == {str(running[0])}
    info = read_connection(paths)
    assert info is not None
    assert info.pid == running[0]
    assert list(paths.run.glob("spawn-*")) == list(paths.run.glob(".*.tmp")) == []


def test_a_clock_that_was_set_does_not_hide_the_daemon(daemon: SpawnedDaemon) -> None:
    """The create time of a process seems to change with the clock; then the daemon's key decides."""
    shifted = replace(daemon.info, create_time=daemon.info.create_time - 3600)
    write_json(daemon.paths.connection, asdict(shifted))
    assert daemon.start() == shifted
    with KnowledgeClient(daemon.home, autostart=False) as client:
        assert client.ping()["pid"] == shifted.pid
    assert len(daemons_of(daemon.home)) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="a killed process cannot be told from a failed one")
def test_a_daemon_killed_while_it_starts_is_started_again(home: Path) -> None:
    processes = starters(0, home, MEMORYD_AUTOSTART="0")  # else the first call is a second try
    victim = eventually("a daemon is starting", lambda: daemons_of(home))[0]
    victim.kill()
    assert not DataPaths(home).connection.exists(), "killed too late for this test"
    pids = answers(processes)
    running = [process.pid for process in daemons_of(home)]
    assert set(pids) == {str(pid) for pid in running}
    assert running != [victim.pid]
    assert len(running) == 1


def test_the_connection_file_holds_no_secret_and_names_the_process(home: Path) -> None:
    answers(starters(0, home))
    paths = DataPaths(home)
    published = json.loads(paths.connection.read_text())
    secret = (paths.keys / "server.key").read_text().split()[-1]
    assert secret not in paths.connection.read_text()
    assert ProcessId(published["pid"], published["create_time"]).is_alive
