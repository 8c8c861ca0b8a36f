"""Naming a process for good: its pid together with its create time, as pids are used again."""

from __future__ import annotations

from dataclasses import dataclass

import psutil

_SAME_TIME = 1.0
"""Seconds two readings of one create time may differ by (the kernel's ticks, slews of the clock)."""


@dataclass(frozen=True, slots=True)
class ProcessId:
    """A process that cannot be mistaken for a later one of the same pid. create_time: epoch seconds."""

    pid: int
    create_time: float

    @classmethod
    def current(cls) -> ProcessId:
        """This process."""
        me = psutil.Process()
        return cls(me.pid, me.create_time())

    @property
    def is_alive(self) -> bool:
        """Whether it still runs; one that only waits to be reaped does not."""
        return self._find() is not None

    def end(self, seconds: float) -> bool:
        """Ask it to stop, after `seconds` end it by force; False when it is not there (any more).

        The process is checked against its create time, so no other one is ever hit.
        Raises `psutil.AccessDenied` when it belongs to somebody else.
        """
        process = self._find()
        if process is None:
            return False
        try:
            process.terminate()
            process.wait(seconds)
        except psutil.TimeoutExpired:
            process.kill()
            process.wait(seconds)
        except psutil.NoSuchProcess:
            return False
        return True

    def _find(self) -> psutil.Process | None:
        try:
            process = psutil.Process(self.pid)
            same = abs(process.create_time() - self.create_time) <= _SAME_TIME
            return process if same and process.status() != psutil.STATUS_ZOMBIE else None
        except (psutil.NoSuchProcess, ValueError, OverflowError):
            return None
