"""One owner a data directory: an OS lock held for the life of the process, and a record of who holds it."""

from __future__ import annotations

import logging
import os
import time

from filelock import FileLock, Timeout

from memory_client.owner import OwnerRecord, Role, in_use, living_owner, read_owner, unusable, write_owner
from memory_client.paths import DataPaths
from memory_client.process import ProcessId

log = logging.getLogger(__name__)

_RECORD_WAIT = 0.5
"""Seconds to wait for the record of an owner that has just taken the lock."""


class DirectoryOwner:
    """Ownership of a data directory, for the daemon and for an in-process `KnowledgeBase` alike."""

    def __init__(self, paths: DataPaths, role: Role) -> None:
        self._paths = paths
        self._me = OwnerRecord(ProcessId.current(), role)
        # Taken in one thread, released perhaps in another.
        self._lock = FileLock(paths.owner_lock, timeout=0, thread_local=False, mode=0o600)
        self._file: tuple[int, int] | None = None

    def take(self) -> None:
        """Make the directories and take the lock.

        Raises `DataDirectoryInUse` naming the owner, `UnsafeDirectoryError`, `DataDirectoryError`.
        """
        try:
            self._paths.make()
            self._lock.acquire(blocking=False)
            self._file = self._identity()
            write_owner(self._paths, self._me)
        except Timeout:
            raise in_use(self._paths, self._holder()) from None
        except OSError as error:
            self._lock.release()
            raise unusable(self._paths, error) from error

    def still_owner(self) -> bool:
        """Whether lock file and record are still ours: somebody may have removed or replaced them."""
        try:
            return self._file == self._identity() and read_owner(self._paths) == self._me
        except FileNotFoundError:
            return False
        except OSError as error:
            log.warning("the ownership of %s cannot be checked: %s", self._paths.root, error)
            return True

    def mark_active(self) -> None:
        """Note that work is being done now, for `memory_client.owner.idle_seconds`."""
        os.utime(self._paths.owner)

    def release(self) -> None:
        """Give the directory up; the record goes first, and only if it is ours."""
        if not self._lock.is_locked:
            return
        if self.still_owner():
            self._paths.owner.unlink(missing_ok=True)
        self._lock.release()

    def _identity(self) -> tuple[int, int]:
        info = os.stat(self._paths.owner_lock)
        return info.st_dev, info.st_ino

    def _holder(self) -> OwnerRecord | None:
        until = time.monotonic() + _RECORD_WAIT
        while (owner := living_owner(self._paths)) is None and time.monotonic() < until:
            time.sleep(0.02)
        return owner
