"""The steps of `memoryd.daemon`: owning, serving, leaving, and what happens when it is killed."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from memory_client import KnowledgeClient
from memory_client.deadline import Deadline
from memory_client.errors import DaemonUnavailableError, DataDirectoryInUse, UnsafeDirectoryError
from memory_client.launch import ensure_daemon, find_daemon, stop_daemon
from memory_client.owner import idle_seconds, read_owner
from memory_client.paths import DataPaths
from memory_client.process import ProcessId
from memory_client.version import VERSION
from memoryd.storage.ownership import DirectoryOwner
from support.daemons import SpawnedDaemon, daemons_of, write_json
from support.processes import clean_environment, memoryd, spawned
from support.waiting import PATIENCE, eventually

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="signals and modes are POSIX")


@contextmanager
def serving_by_hand(home: Path, *values: str) -> Iterator[subprocess.Popen[str]]:
    """`memoryd serve` in the foreground, answering; killed at the end, if it still runs."""
    options = [part for value in values for part in ("--set", value)]
    command = [sys.executable, "-m", "memoryd", "--data-dir", str(home), "serve", *options]
    with spawned(command, env=clean_environment(), stderr=subprocess.PIPE) as process:
        eventually("the daemon serves", lambda: find_daemon(DataPaths(home)))
        yield process


def test_what_was_acknowledged_survives_a_kill_and_the_client_finds_the_next_daemon(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MEMORYD_EMBEDDER_MODEL")  # the bundled one
    daemon = SpawnedDaemon(home)
    with KnowledgeClient(daemon.home) as client:
        memory = client.add("我对花生过敏")
        before = client.ping()["pid"]
        daemon.kill()
        assert client.get(memory)["text"] == "我对花生过敏"
        assert client.ping()["pid"] != before


def test_a_client_without_autostart_says_how_to_start(home: Path) -> None:
    with (
        KnowledgeClient(home, autostart=False) as client,
        pytest.raises(DaemonUnavailableError, match="memoryd start"),
    ):
        client.ping()


def test_a_stopped_daemon_leaves_nothing_in_run_and_can_be_started_again(daemon: SpawnedDaemon) -> None:
    first = daemon.info
    daemon.stop()
    assert not ProcessId(first.pid, first.create_time).is_alive
    assert {path.name for path in daemon.paths.run.iterdir()} <= {"owner.lock", "start.lock"}
    assert daemon.start().pid != first.pid


def test_stopping_what_does_not_run(home: Path) -> None:
    assert stop_daemon(DataPaths(home), Deadline.after(1)) is None


@POSIX
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_lets_it_finish_the_work_in_hand(home: Path, number: signal.Signals) -> None:
    texts = [f"memory {i} about nothing in particular" for i in range(3000)]
    with serving_by_hand(home) as process, KnowledgeClient(home, autostart=False) as client:
        ids: list[str] = []
        adding = threading.Thread(target=lambda: ids.extend(client.add_many(texts)))
        adding.start()
        eventually("it is at work", lambda: client.admin.metrics()["queue"]["in_flight"] > 1)
        process.send_signal(number)
        _, err = process.communicate(timeout=PATIENCE)
        adding.join()
    assert process.returncode == 0
    assert len(ids) == len(texts)
    assert f"leaving: {number.name}" in err
    assert "Traceback" not in err
    assert not DataPaths(home).connection.exists()


@POSIX
def test_the_second_signal_ends_it_at_once(home: Path) -> None:
    with serving_by_hand(home) as process:
        os.kill(process.pid, signal.SIGSTOP)
        os.kill(process.pid, signal.SIGTERM)
        os.kill(process.pid, signal.SIGINT)
        os.kill(process.pid, signal.SIGCONT)
        process.communicate(timeout=PATIENCE)
    assert process.returncode in (128 + signal.SIGTERM, 128 + signal.SIGINT)


@POSIX
def test_a_process_of_the_tests_heeds_an_interrupt_in_the_background(home: Path) -> None:
    """A shell without job control ignores SIGINT for what it runs in the background."""
    test = f"{Path(__file__).name}::test_the_second_signal_ends_it_at_once"
    command = f"{shlex.quote(sys.executable)} -m pytest -q -p no:cacheprovider {test} & wait $!"
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=Path(__file__).parent,
        env={**clean_environment(), "MEMORYD_HOME": str(home)},
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_first_line_of_the_log_and_its_mode(daemon: SpawnedDaemon) -> None:
    first = daemon.log.splitlines()[0]
    for word in (VERSION, f"pid {daemon.info.pid}", daemon.info.endpoint, str(daemon.home)):
        assert word in first
    daemon.stop()
    assert daemon.log.splitlines()[-1].endswith("stopped")


def test_no_text_of_a_memory_gets_into_the_log(daemon: SpawnedDaemon) -> None:
    with KnowledgeClient(daemon.home) as client:
        client.update_text(client.add("a most private sentence"), "an even more private sentence")
        client.search("private")
        with pytest.raises(ValueError, match="metadata"):
            client.add("private once more", metadata={"importance": "private"})
    daemon.stop()
    assert "private" not in daemon.log


@POSIX
def test_everything_it_makes_is_private(home: Path) -> None:
    before = os.umask(0o000)
    try:
        daemon = SpawnedDaemon(home)
    finally:
        os.umask(before)
    with KnowledgeClient(home) as client:
        client.add("a memory")
    daemon.stop()
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in [home, *home.rglob("*")]}
    assert [str(path) for path, mode in modes.items() if mode & 0o077] == []


def test_the_logs_rotate(home: Path) -> None:
    paths = DataPaths(home)
    paths.make()
    paths.log_file.write_bytes(b"an old line\n" * 100_000)
    paths.log_file.chmod(0o600)
    SpawnedDaemon(home, "log.max_mb=1", "log.backup_count=1")
    rotated = paths.log_file.with_name("memoryd.log.1")
    assert rotated.read_bytes().startswith(b"an old line")
    assert "an old line" not in paths.log_file.read_text()
    if sys.platform != "win32":
        assert stat.S_IMODE(paths.log_file.stat().st_mode) == 0o600


def test_a_second_daemon_is_refused_and_told_by_whom(daemon: SpawnedDaemon) -> None:
    done = memoryd("--data-dir", daemon.home, "serve", env=clean_environment())
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert f"in use by the memoryd daemon of process {daemon.info.pid}" in done.stderr
    assert "stop" in done.stderr
    assert find_daemon(daemon.paths) == daemon.info


def test_a_daemon_gives_way_to_an_owner_in_process(home: Path) -> None:
    owner = DirectoryOwner(DataPaths(home), "in-process")
    owner.take()
    try:
        with pytest.raises(DataDirectoryInUse, match=f"process {os.getpid()}") as caught:
            ensure_daemon(DataPaths(home), Deadline.after(PATIENCE))
        assert caught.value.data["pid"] == os.getpid()
        with pytest.raises(DataDirectoryInUse):
            stop_daemon(DataPaths(home), Deadline.after(PATIENCE))
    finally:
        owner.release()


@POSIX
@pytest.mark.parametrize("name", ["", "run", "keys"])
def test_a_directory_that_others_may_write_is_refused(home: Path, name: str) -> None:
    paths = DataPaths(home)
    paths.make()
    (home / name).chmod(0o770)
    with pytest.raises(UnsafeDirectoryError, match="chmod go-w"):
        ensure_daemon(paths, Deadline.after(PATIENCE))
    done = memoryd("--data-dir", home, "serve", env=clean_environment())
    assert (done.returncode, "others may write" in done.stderr) == (1, True)
    assert daemons_of(home) == []


def steal_by_another_lock_file(paths: DataPaths) -> None:
    """What `rm -rf run` and a second daemon do."""
    paths.owner_lock.rename(paths.run / "old.lock")
    paths.owner_lock.touch()


def steal_the_record(paths: DataPaths) -> None:
    """Another process wrote itself down as the owner."""
    write_json(paths.owner, {"pid": os.getpid(), "create_time": 1.0, "role": "daemon"})


def remove_the_directory(paths: DataPaths) -> None:
    """Somebody removed everything."""
    shutil.rmtree(paths.root)


@POSIX
@pytest.mark.parametrize("theft", [steal_by_another_lock_file, steal_the_record, remove_the_directory])
def test_a_daemon_that_is_no_longer_the_owner_leaves(daemon: SpawnedDaemon, theft) -> None:
    process = psutil.Process(daemon.info.pid)
    theft(daemon.paths)
    process.wait(PATIENCE)
    if daemon.paths.log_file.exists():
        assert "is not owned by this process any more" in daemon.log


def test_it_leaves_when_idle_but_not_while_it_is_used(home: Path) -> None:
    daemon = SpawnedDaemon(home, "daemon.idle_exit_seconds=2")
    process = ProcessId(daemon.info.pid, daemon.info.create_time)
    with KnowledgeClient(home, autostart=False) as client:
        until = time.monotonic() + 5
        while time.monotonic() < until:
            client.count()
            time.sleep(0.2)
        assert process.is_alive
    eventually("it has left", lambda: not process.is_alive)
    assert "leaving: idle for 2 s" in daemon.log


def test_work_is_noted_for_clients_of_any_version(daemon: SpawnedDaemon) -> None:
    past = time.time() - 3600
    os.utime(daemon.paths.owner, (past, past))
    with KnowledgeClient(daemon.home) as client:
        client.count()
    eventually("the work was noted", lambda: idle_seconds(daemon.paths) < 60)
    assert read_owner(daemon.paths).process.pid == daemon.info.pid


def test_a_port_that_is_taken_is_left_to_its_owner(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        monkeypatch.setenv("MEMORYD_DAEMON_PORT", str(port))
        daemon = SpawnedDaemon(home)
        assert daemon.info.endpoint.startswith("tcp://127.0.0.1:")
        assert not daemon.info.endpoint.endswith(f":{port}")
        with KnowledgeClient(home) as client:
            assert "daemon.port" in client.status()["settings_from_environment"]
