"""Naming a process for good: its pid together with its create time, as pids are used again."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import psutil

_SAME_TIME = 2.0
"""Seconds two readings of one create time may differ by: Linux derives it from the boot time, which moves
when the clock is set."""
_KILL_SECONDS = 5.0
_POLL = 0.01


def process_exists(pid: int) -> bool:
    """Whether some process has this pid."""
    import psutil  # 20 ms, and most calls never need it

    return psutil.pid_exists(pid)


@dataclass(frozen=True, slots=True)
class ProcessId:
    """A process that cannot be mistaken for a later one of the same pid. create_time: epoch seconds."""

    pid: int
    create_time: float

    @classmethod
    def current(cls) -> ProcessId:
        """This process."""
        import psutil

        me = psutil.Process()
        return cls(me.pid, me.create_time())

    @property
    def is_alive(self) -> bool:
        """Whether it still runs; one that only waits to be reaped does not."""
        return self._find() is not None

    def wait(self, seconds: float) -> bool:
        """Whether it is gone within `seconds`."""
        until = time.monotonic() + seconds
        while self.is_alive:
            if time.monotonic() >= until:
                return False
            time.sleep(_POLL)
        return True

    def end(self, seconds: float) -> bool:
        """Ask it to stop, after `seconds` end it by force; whether it is gone.

        The process is checked against its create time, so no other one is ever hit.
        Raises `PermissionError` when it belongs to somebody else.
        """
        import psutil

        try:
            process = self._find()
            if process is not None:
                process.terminate()
            if process is not None and not self.wait(seconds):
                process.kill()
        except psutil.NoSuchProcess:
            return True
        except psutil.AccessDenied:
            raise PermissionError(f"process {self.pid} belongs to somebody else") from None
        return self.wait(_KILL_SECONDS)

    def _find(self) -> psutil.Process | None:
        import psutil

        try:
            process = psutil.Process(self.pid)
            same = abs(process.create_time() - self.create_time) <= _SAME_TIME
            return process if same and process.status() != psutil.STATUS_ZOMBIE else None
        except (psutil.NoSuchProcess, psutil.AccessDenied, ValueError, OverflowError):
            return None
