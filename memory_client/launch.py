"""Starting and stopping the daemon.

The steps of a start, all within the caller's deadline:

1. Look for a running daemon, without a lock.
2. Take `run/start.lock`: one starter goes on, the others wait.
3. Look again: another process may have started it meanwhile.
4. Check the owner: wait for a daemon that is starting or stopping; an in-process owner is an error.
5. Remove the reports of earlier starts. A stale or damaged connection file is left to the new daemon:
   only the holder of the owner lock knows that no other daemon is alive.
6. Make missing keys.
7. Start a fresh interpreter.
8. Wait for its report or its exit; a process that was killed before it reported is started once more.
9. Check the protocol of the daemon.

Guarantees: there is never a second daemon on a directory (its owner lock ensures that);
only the recorded daemon is ever stopped, by pid and create time; a failed start reports the reason.
"""

from __future__ import annotations

import logging
import re
import shlex
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from memory_client import discovery, keys, report, spawn
from memory_client.deadline import Deadline
from memory_client.discovery import ConnectionInfo
from memory_client.errors import (
    DataDirectoryInUse,
    LaunchError,
    MemorydError,
    VersionError,
)
from memory_client.owner import idle_seconds, in_use, living_owner, unusable
from memory_client.paths import DataPaths
from memory_client.process import ProcessId, process_exists
from memory_client.protocol import PROTOCOL
from memory_client.version import VERSION

if TYPE_CHECKING:
    from subprocess import Popen

log = logging.getLogger(__name__)

START_SECONDS = 30.0
"""Time limit of a start without a limit of the caller."""
STOP_SECONDS = 30.0
"""Time limit of a graceful stop; after it the process is killed."""
_ASK_SECONDS = 5.0
_IDLE_SECONDS = 3.0
"""A daemon that was idle for so long may be replaced by a newer one."""
_POLL = 0.01


def find_daemon(paths: DataPaths) -> ConnectionInfo | None:
    """The running daemon, whatever its version; None when there is none."""
    info = discovery.read(paths)
    if info is None or not process_exists(info.pid):
        return None
    # The create time differs when the clock was set meanwhile: then the key decides.
    return info if discovery.is_alive(info) or _answers_ping(info, paths) else None


def ensure_daemon(paths: DataPaths, deadline: Deadline, settings: Sequence[str] = ()) -> ConnectionInfo:
    """A running daemon of a compatible version, started if there is none.

    settings: `name=value` for the command line of a new daemon.
    Raises `LaunchError`, `VersionError`, `DataDirectoryInUse`, `UnsafeDirectoryError`,
    `AuthenticationError`, `DeadlineExceededError`.
    """
    info = find_daemon(paths)  # 1
    if info is not None and _choose_action(info, paths) == "use":
        return info
    with start_lock(paths, deadline):  # 2
        return _ensure_locked(paths, deadline, settings)


def stop_daemon(paths: DataPaths, deadline: Deadline) -> int | None:
    """Stop the daemon and wait for its exit; its pid, or None if none ran.

    It is asked first and has time to finish; then it is terminated, then killed, if pid and create time
    are those recorded. Raises `DataDirectoryInUse` for an in-process owner, `DeadlineExceededError`.
    """
    info, owner = find_daemon(paths), living_owner(paths)
    if owner is not None and owner.role == "in-process":
        raise in_use(paths, owner)
    if owner is not None:
        process = owner.process
    elif info is not None:
        process = ProcessId(info.pid, info.create_time)
    else:
        return None
    asked = info is not None and _ask_to_stop(info, paths)
    gone = asked and process.wait(deadline.within(STOP_SECONDS))
    if not gone and not process.end(deadline.within(STOP_SECONDS)):
        raise deadline.error(f"stopping the daemon of process {process.pid}")
    return process.pid


def ask(info: ConnectionInfo, paths: DataPaths, method: str, deadline: Deadline) -> Any:
    """One call over a new connection. Raises its error, `ConnectionError`, `TimeoutError`."""
    from memory_client.connection import Connection

    connection = Connection(info, paths)
    try:
        seconds = deadline.within(_ASK_SECONDS)
        return connection.submit(method, {}, seconds).result(seconds)
    finally:
        connection.close()


@contextmanager
def start_lock(paths: DataPaths, deadline: Deadline) -> Iterator[None]:
    """Hold `run/start.lock`, making the directories first.

    Raises `DeadlineExceededError`, `UnsafeDirectoryError`, `DataDirectoryError`.
    """
    from filelock import FileLock, Timeout

    limit = Deadline.after(deadline.within(START_SECONDS))
    try:
        paths.make()
        lock = FileLock(paths.start_lock, timeout=limit.within(START_SECONDS), poll_interval=0.02, mode=0o600)
        lock.acquire()
    except Timeout:
        raise limit.error("waiting for another process that is starting the daemon") from None
    except OSError as error:
        raise unusable(paths, error) from error
    try:
        yield
    finally:
        lock.release()


def _ensure_locked(paths: DataPaths, deadline: Deadline, settings: Sequence[str]) -> ConnectionInfo:
    limit = Deadline.after(deadline.within(START_SECONDS))
    info = _await_owner(paths, limit)  # 3, 4
    if info is not None:
        if _choose_action(info, paths) == "use":
            return info
        log.info("replacing the idle daemon of memoryd %s by %s", info.version, VERSION)
        stop_daemon(paths, limit)
    report.clear_reports(paths)  # 5
    keys.ensure_keys(paths)  # 6
    attempt = _Attempt(paths, limit, settings, spawn.log_size(paths))
    started = attempt.start() or attempt.start()  # 7, 8
    if started is None:
        raise attempt.failure("it was killed while starting, twice")
    if started.protocol != PROTOCOL:  # 9
        raise _skew(started, f"the interpreter {spawn.interpreter()} has memoryd {started.version}")
    return started


def _await_owner(paths: DataPaths, limit: Deadline) -> ConnectionInfo | None:
    """The running daemon, or None once the directory has no owner."""
    while True:
        info = find_daemon(paths)
        if info is not None:
            return info
        owner = living_owner(paths)
        if owner is None:
            return None
        if owner.role == "in-process":
            raise in_use(paths, owner)
        if limit.over:
            reason = f"{owner} neither serves nor exits; stop it with: {_command(paths, 'stop')}"
            raise _Attempt(paths, limit, (), 0).failure(reason)
        time.sleep(_POLL)


@dataclass(frozen=True, slots=True)
class _Attempt:
    """An attempt to start a process. log_start: offset of its part of the log."""

    paths: DataPaths
    limit: Deadline
    settings: Sequence[str]
    log_start: int

    def start(self) -> ConnectionInfo | None:
        """Start a process and wait for its report; None if it was killed before it reported."""
        place = report.new_report(self.paths)
        child = spawn.spawn(self.paths, place, self.settings)
        try:
            answer = self._await_report(child, place)
        finally:
            spawn.reap_later(child)
            place.unlink(missing_ok=True)
        if isinstance(answer, DataDirectoryInUse):
            return _await_owner(self.paths, self.limit)  # somebody took it without the start lock
        if isinstance(answer, MemorydError):
            raise self.failure(str(answer), answer)
        return answer

    def failure(self, reason: str, cause: MemorydError | None = None) -> LaunchError:
        """The error of a failed start: the reason, how to reproduce it, the end of the log."""
        error = LaunchError(
            f"the daemon of {self.paths.root} did not start: {reason}\n"
            f"to see it happen: {_command(self.paths, 'serve')}\n"
            f"{spawn.log_tail(self.paths, self.log_start)}".rstrip(),
            path=str(self.paths.root),
            log=str(self.paths.log_file),
            cause=None if cause is None else cause.code,
        )
        error.__cause__ = cause
        return error

    def _await_report(self, child: Popen[bytes], place: Path) -> ConnectionInfo | MemorydError | None:
        while True:
            ended = child.poll()  # before the file is read: the report is written before the end
            answer = report.read_report(place)
            if answer is not None:
                return answer
            if ended is not None and ended < 0:
                return None
            if ended is not None:
                raise self.failure(f"its process ended with code {ended} before it served")
            if self.limit.over:
                seconds = self.limit.seconds
                raise self.failure(f"it did not serve within {seconds:.3g} s (process {child.pid})")
            time.sleep(_POLL)


def _choose_action(info: ConnectionInfo, paths: DataPaths) -> Literal["use", "replace"]:
    """What to do with a running daemon. Raises `VersionError` if it can be neither used nor replaced."""
    ours, theirs = (PROTOCOL, _numbers(VERSION)), (info.protocol, _numbers(info.version))
    if theirs < ours and idle_seconds(paths) >= _IDLE_SECONDS:
        return "replace"
    if info.protocol == PROTOCOL:
        return "use"
    if theirs < ours:
        raise _skew(info, f"it is busy; replace it with: {_command(paths, 'restart')}")
    raise _skew(info, "update this client: python -m pip install --upgrade memoryd")


def _skew(info: ConnectionInfo, fix: str) -> VersionError:
    return VersionError(
        f"the daemon (memoryd {info.version}) speaks protocol {info.protocol}, "
        f"this client (memoryd {VERSION}) protocol {PROTOCOL}; {fix}",
        client=PROTOCOL,
        daemon=info.protocol,
    )


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version))


def _command(paths: DataPaths, command: str) -> str:
    return f"memoryd --data-dir {shlex.quote(str(paths.root))} {command}"


def _answers_ping(info: ConnectionInfo, paths: DataPaths) -> bool:
    if info.protocol != PROTOCOL:
        return False
    try:
        reply = ask(info, paths, "memory.ping", Deadline.after(_ASK_SECONDS))
    except (MemorydError, OSError):
        return False
    return bool(reply["pid"] == info.pid)


def _ask_to_stop(info: ConnectionInfo, paths: DataPaths) -> bool:
    """Whether the daemon accepted the request, or exited meanwhile."""
    if info.protocol != PROTOCOL:
        return False
    try:
        ask(info, paths, "admin.shutdown", Deadline.after(_ASK_SECONDS))
    except ConnectionError:
        return True
    except (MemorydError, TimeoutError) as error:
        log.info("the daemon of process %d cannot be asked to stop: %s", info.pid, error)
        return False
    return True
