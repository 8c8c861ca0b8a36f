"""Wakes a thread that polls sockets."""

from __future__ import annotations

import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Wakeup:
    """One byte over a socket pair; calls in a row cost one byte.

    `wake` may be called from any thread and from a signal handler; the rest belongs to the polling thread.
    """

    def __init__(self) -> None:
        self._reader, self._writer = socket.socketpair()
        self._reader.setblocking(False)
        self._writer.setblocking(False)
        self._pending = False

    def fileno(self) -> int:
        """The file descriptor to poll for reading."""
        return self._reader.fileno()

    @contextmanager
    def on_signals(self) -> Iterator[None]:
        """Inside, signals wake the poller if it is the main thread.

        Python's own handler only sets a flag: a signal just before the poll would wait until something
        else makes the poll return.
        """
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = signal.set_wakeup_fd(self._writer.fileno(), warn_on_full_buffer=False)
        try:
            yield
        finally:
            signal.set_wakeup_fd(before)

    def wake(self) -> None:
        """Make the poller return. Queue its work first."""
        if self._pending:
            return
        self._pending = True
        try:
            self._writer.send(b"\0")
        except BlockingIOError:
            return  # full of wake-ups
        except OSError:
            return  # closed

    def clear(self) -> None:
        """Clear the wake-ups; look for work after it, never before."""
        try:
            self._reader.recv(4096)
        except BlockingIOError:
            return
        finally:
            self._pending = False

    def close(self) -> None:
        """Free both ends."""
        self._reader.close()
        self._writer.close()
