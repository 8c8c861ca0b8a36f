"""The one connection of a client: opened on demand, reopened when lost or after a fork."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING

from memory_client import discovery
from memory_client.connection import Connection
from memory_client.errors import DaemonUnavailableError

if TYPE_CHECKING:
    from memory_client.deadline import Deadline
    from memory_client.discovery import ConnectionInfo
    from memory_client.paths import DataPaths

Locate = Callable[["DataPaths", "Deadline"], "ConnectionInfo"]
"""Finds the daemon of a data directory, perhaps starting it."""


def running_daemon(paths: DataPaths, deadline: Deadline) -> ConnectionInfo:
    """The running daemon. Raises `DaemonUnavailableError` if there is none."""
    deadline.check("looking for the daemon")
    from memory_client.launch import find_daemon  # it works after the clock was set, too

    info = find_daemon(paths)
    if info is None:
        reason = discovery.damage(paths) or f"no daemon runs for {paths.root}"
        raise DaemonUnavailableError(f"{reason}; run: memoryd start")
    return info


def started_daemon(paths: DataPaths, deadline: Deadline) -> ConnectionInfo:
    """The running daemon, started if there is none."""
    from memory_client.launch import ensure_daemon  # only starting needs it

    return ensure_daemon(paths, deadline)


class Link:
    """The one connection of a client and its views. Thread-safe; a fork leaves the child without one."""

    def __init__(self, paths: DataPaths, locate: Locate) -> None:
        self.paths = paths
        self._locate = locate
        self._lock = threading.Lock()
        self._connection: Connection | None = None
        self._finalizer: weakref.finalize[[], Link] | None = None
        self.closed = False
        self.was_connected = False
        _links.add(self)

    @property
    def live(self) -> Connection | None:
        """The connection, if it works."""
        connection = self._connection
        return connection if connection is not None and connection.alive else None

    def connect(self, deadline: Deadline, locate: Locate | None = None) -> Connection:
        """The connection, opened if needed; locate: replaces that of the link for this call.

        Raises `DeadlineExceededError`, `DaemonUnavailableError` and its kind, `UnsafeDirectoryError`.
        """
        left = deadline.left()
        if not self._lock.acquire(timeout=-1 if left is None else left):
            raise deadline.error("waiting for the daemon to start")
        try:
            if self.closed:
                raise closed_error()
            return self.live or self._renew((locate or self._locate)(self.paths, deadline))
        finally:
            self._lock.release()

    def is_outdated(self, info: ConnectionInfo) -> bool:
        """Whether the daemon of `info` is gone, so that it must be looked for again."""
        return discovery.read(self.paths) != info or not discovery.is_alive(info)

    def close(self) -> None:
        """Free everything; pending and later calls fail. May be called again."""
        self.closed = True
        with self._lock:
            self._drop()

    def _renew(self, info: ConnectionInfo) -> Connection:
        self._drop()
        self._connection = Connection(info, self.paths)
        self.was_connected = True
        self._finalizer = weakref.finalize(self, self._connection.close)
        return self._connection

    def _drop(self) -> None:
        self._connection = None
        if self._finalizer is not None:
            self._finalizer()
            self._finalizer = None

    def _forget(self) -> None:
        """In a forked child: the connection and the lock's holder stayed with the parent."""
        self._lock = threading.Lock()
        self._connection = None
        if self._finalizer is not None:
            self._finalizer.detach()
            self._finalizer = None


def closed_error() -> DaemonUnavailableError:
    """The error of calls of a closed client."""
    return DaemonUnavailableError("this client was closed; make a new one")


_links: weakref.WeakSet[Link] = weakref.WeakSet()


def _forget_all() -> None:
    for link in list(_links):
        link._forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_all)
