"""Start, find and end the daemons of a data directory."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import psutil

from memory_client.deadline import Deadline
from memory_client.discovery import ConnectionInfo
from memory_client.launch import ensure_daemon, find_daemon, stop_daemon
from memory_client.paths import DataPaths
from support.waiting import PATIENCE, eventually


def daemons_of(home: Path) -> list[psutil.Process]:
    """The daemons of a data directory or of one below it, starting ones included."""
    return [process for process in psutil.process_iter() if _serves(process, home)]


def _serves(process: psutil.Process, home: Path) -> bool:
    try:
        command = process.cmdline()
        is_one = "serve" in command and any(Path(part).is_relative_to(home) for part in command)
        return is_one and process.status() != psutil.STATUS_ZOMBIE
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return False


def end_daemons(home: Path) -> None:
    """Kill every daemon of a data directory."""
    for process in daemons_of(home):
        process.kill()
        process.wait(PATIENCE)


class SpawnedDaemon:
    """A daemon in its own process. values: settings as `name=value`."""

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
        """Kill it."""
        process = psutil.Process(self.info.pid)
        process.kill()
        eventually("the killed daemon is gone", lambda: find_daemon(self.paths) is None)

    @property
    def log(self) -> str:
        return self.paths.log_file.read_text(encoding="utf-8")


def write_json(path: Path, content: Any) -> None:
    """Write a file of `run/` that an earlier process left behind."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.write_text(json.dumps(content), encoding="utf-8")
