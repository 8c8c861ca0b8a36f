"""What tests of spawned processes share: a clean environment, finding and ending daemons, waiting."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import psutil

from memory_client.deadline import Deadline
from memory_client.discovery import ConnectionInfo
from memory_client.launch import ensure_daemon, find_daemon, stop_daemon
from memory_client.paths import DataPaths

T = TypeVar("T")

PATIENCE = 20.0
"""Seconds a test waits for what should happen at once: two busy cores are slow."""
_UNDER_TEST = ("PYTEST_VERSION", "PYTEST_CURRENT_TEST")


def clean_environment(**extra: str) -> dict[str, str]:
    """This process's environment as an app would have it, without the traces of pytest."""
    return {**{name: value for name, value in os.environ.items() if name not in _UNDER_TEST}, **extra}


def start_process(command: Sequence[str], **options: Any) -> subprocess.Popen[str]:
    """Start a process that heeds Ctrl-C, whoever started the tests.

    A shell without job control ignores SIGINT for what it runs in the background, and children inherit that.
    """
    before = signal.getsignal(signal.SIGINT)
    is_ignored = before is signal.SIG_IGN and threading.current_thread() is threading.main_thread()
    if is_ignored:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return subprocess.Popen(command, text=True, **options)
    finally:
        if is_ignored:
            signal.signal(signal.SIGINT, before)


@contextmanager
def spawned(command: Sequence[str], **options: Any) -> Iterator[subprocess.Popen[str]]:
    """As `start_process`; the process is killed at the end, if it still runs."""
    with start_process(command, **options) as process:
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()


def python_process(code: str, env: Mapping[str, str], *arguments: str) -> subprocess.Popen[str]:
    """A fresh interpreter that runs `code`, its output piped."""
    return start_process(
        [sys.executable, "-c", code, *arguments],
        env=dict(env),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def run_python(code: str, env: Mapping[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `code` in a fresh interpreter to its end."""
    with python_process(code, env, *arguments) as process:
        try:
            out, err = process.communicate(timeout=60)
        except BaseException:
            process.kill()
            raise
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def memoryd(*arguments: str | Path, env: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """Run the command `memoryd` to its end."""
    return subprocess.run(
        [sys.executable, "-m", "memoryd", *map(str, arguments)],
        env=dict(env),
        capture_output=True,
        text=True,
        timeout=90,
    )


def eventually(what: str, probe: Callable[[], T], seconds: float = PATIENCE) -> T:
    """What `probe` returns once it is true. Fails naming `what`."""
    until = time.monotonic() + seconds
    while not (value := probe()):
        assert time.monotonic() < until, f"within {seconds:g} s not: {what}"
        time.sleep(0.01)
    return value


def daemons_of(home: Path) -> list[psutil.Process]:
    """The processes that serve a data directory, or one below it, or are about to."""
    return [process for process in psutil.process_iter() if _serves(process, home)]


def _serves(process: psutil.Process, home: Path) -> bool:
    try:
        command = process.cmdline()
        is_one = "serve" in command and any(str(home) in part for part in command)
        return is_one and process.status() != psutil.STATUS_ZOMBIE
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return False


def end_daemons(home: Path) -> None:
    """End every daemon of a data directory at once: nobody needs what it would still put in order."""
    for process in daemons_of(home):
        process.kill()
        process.wait(PATIENCE)


class SpawnedDaemon:
    """A real daemon in a process of its own. values: `name=value` for its command line."""

    def __init__(self, home: Path, *values: str) -> None:
        self.home = home
        self.paths = DataPaths(home)
        self._values = values
        self.info: ConnectionInfo = self.start()

    def start(self) -> ConnectionInfo:
        """Start it, or find it running."""
        self.info = ensure_daemon(self.paths, Deadline.after(PATIENCE), self._values)
        return self.info

    def stop(self) -> None:
        """Stop it as `memoryd stop` does."""
        stop_daemon(self.paths, Deadline.after(PATIENCE))

    def kill(self) -> None:
        """End it without a chance to clean up."""
        process = psutil.Process(self.info.pid)
        process.kill()
        eventually("the killed daemon is gone", lambda: find_daemon(self.paths) is None)

    @property
    def log(self) -> str:
        return self.paths.log_file.read_text(encoding="utf-8")


def write_json(path: Path, content: Any) -> None:
    """Write a file of `run/` as a process of the past would have."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.write_text(json.dumps(content), encoding="utf-8")


_OF_THE_PROCESS = frozenset({"LanceDBBackgroundEventLoop", "GarbageCollectorThread"})
"""Threads, by name or class, that lancedb and pyzmq (for large frames) start once and never end."""


def _threads() -> set[threading.Thread]:
    return {t for t in threading.enumerate() if not {t.name, type(t).__name__} & _OF_THE_PROCESS}


@contextmanager
def no_new_threads() -> Iterator[None]:
    """Fail when threads that were started inside are still alive a little later."""
    before = _threads()
    yield
    until = time.monotonic() + 5
    while (left := _threads() - before) and time.monotonic() < until:
        time.sleep(0.01)
    assert not left, f"threads left running: {sorted(thread.name for thread in left)}"
