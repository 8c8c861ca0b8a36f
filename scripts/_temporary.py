"""A daemon of its own in a temporary directory, so that no script touches anybody's memories."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol

from memory_client import KnowledgeClient
from memory_client.deadline import Deadline
from memory_client.launch import stop_daemon
from memory_client.paths import DataPaths

STOP_SECONDS = 60.0


class Store(Protocol):
    """What reports on its model: a client or a `KnowledgeBase`."""

    def status(self) -> Any: ...


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


def wait_for_engine(store: Store, seconds: float) -> None:
    """Until the model is loaded, or cannot be. Raises `TimeoutError`."""
    end = time.monotonic() + seconds
    while store.status()["embedder"]["state"] == "loading":
        if time.monotonic() > end:
            raise TimeoutError(f"the embedding model is not loaded after {seconds:g} s")
        time.sleep(0.1)


def stop(home: Path) -> None:
    """Stop the daemon of a directory, if there is one, and wait until it is gone."""
    stop_daemon(DataPaths.at(home), Deadline.after(STOP_SECONDS))
