"""A process named by its pid and create time, as pids are reused."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import psutil

_SAME_TIME = 2.0
"""How much two readings of one create time may differ: Linux derives it from the boot time, which moves
when the clock is set."""
_KILL_SECONDS = 5.0
_POLL = 0.01


def process_exists(pid: int) -> bool:
    """Whether some process has this pid."""
    import psutil  # 20 ms, and most calls never need it

    return psutil.pid_exists(pid)


@dataclass(frozen=True, slots=True)
class ProcessId:
    """A process, distinct from a later one with the same pid. create_time: epoch seconds."""

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
        """Whether it still runs; a zombie does not."""
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
        """Terminate it, and kill it after `seconds`; whether it is gone.

        Its create time is checked first, so no other process is ever hit.
        Raises `PermissionError` if it belongs to another user.
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
            raise PermissionError(f"process {self.pid} belongs to another user") from None
        return self.wait(_KILL_SECONDS)

    def _find(self) -> psutil.Process | None:
        import psutil

        try:
            process = psutil.Process(self.pid)
            same = abs(process.create_time() - self.create_time) <= _SAME_TIME
            return process if same and process.status() != psutil.STATUS_ZOMBIE else None
        except (psutil.NoSuchProcess, psutil.AccessDenied, ValueError, OverflowError):
            return None
