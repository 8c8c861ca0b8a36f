"""A daemon of its own in a temporary directory, so that no script touches anybody's memories."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from memory_client import KnowledgeClient
from memory_client.deadline import Deadline
from memory_client.launch import stop_daemon
from memory_client.paths import DataPaths

STOP_SECONDS = 60.0


def leave_tidily() -> None:
    """Make SIGTERM an ordinary exit, so that daemons are stopped and directories removed."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))


@contextmanager
def temporary_home() -> Iterator[Path]:
    """An empty data directory, removed at the end with its daemon stopped."""
    with TemporaryDirectory(prefix="memoryd-", ignore_cleanup_errors=True) as directory:
        try:
            yield Path(directory)
        finally:
            stop(Path(directory))


@contextmanager
def temporary_daemon() -> Iterator[KnowledgeClient]:
    """A client whose first call starts a daemon on an empty directory."""
    with temporary_home() as home, KnowledgeClient(home) as client:
        yield client


def stop(home: Path) -> None:
    """Stop the daemon of a directory, if there is one, and wait until it is gone."""
    stop_daemon(DataPaths.at(home), Deadline.after(STOP_SECONDS))
