"""Start processes in a clean environment: Python code, helper modules, the command `memoryd`."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parents[1]
_UNDER_TEST = (
    "PYTEST_VERSION",
    "PYTEST_CURRENT_TEST",
    "PYTEST_XDIST_TESTRUNUID",
    "PYTEST_XDIST_WORKER",
    "PYTEST_XDIST_WORKER_COUNT",
)


def clean_environment(**extra: str) -> dict[str, str]:
    """This process's environment without the variables of pytest, as an app has it."""
    return {**{name: value for name, value in os.environ.items() if name not in _UNDER_TEST}, **extra}


def helper_environment() -> dict[str, str]:
    """This process's environment, in which `python -m support.<module>` runs a helper module."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), str(TESTS.parent)])}


def start_process(command: Sequence[str], **options: Any) -> subprocess.Popen[str]:
    """Start a process that reacts to Ctrl-C, even if the tests run in the background.

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
