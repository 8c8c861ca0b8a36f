"""Bounded worker pools, so that no kind of request can starve another."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from queue import SimpleQueue
from typing import Generic, TypeVar

T = TypeVar("T")


class Lane(Generic[T]):
    """Some threads that carry out what is offered, in order; at most `limit` wait.

    `offer` and `close` belong to one thread. `work` must not raise; `done` is called when an item no longer
    counts as pending.
    """

    def __init__(
        self, name: str, workers: int, limit: int, work: Callable[[T], None], done: Callable[[], None]
    ) -> None:
        self._limit = limit
        self._work = work
        self._done = done
        self._queue: SimpleQueue[T | None] = SimpleQueue()
        self._pending = 0
        self._lock = threading.Lock()
        self._threads = [
            threading.Thread(target=self._run, name=f"memoryd-{name}-{n}", daemon=True)
            for n in range(workers)
        ]

    def start(self) -> None:
        """Start the threads."""
        for thread in self._threads:
            thread.start()

    def offer(self, item: T) -> bool:
        """Queue an item; False when the queue is full."""
        if self._queue.qsize() >= self._limit:
            return False
        with self._lock:
            self._pending += 1
        self._queue.put(item)
        return True

    @property
    def waiting(self) -> int:
        """Items not begun."""
        return self._queue.qsize()

    @property
    def pending(self) -> int:
        """Items not finished, those waiting included."""
        return self._pending

    def close(self, seconds: float) -> bool:
        """Tell the threads to end and wait for them; False when one still works after `seconds`."""
        started = [thread for thread in self._threads if thread.ident is not None]
        for _ in started:
            self._queue.put(None)
        end = time.monotonic() + seconds
        for thread in started:
            thread.join(max(0.0, end - time.monotonic()))
        return not any(thread.is_alive() for thread in started)

    def _run(self) -> None:
        while (item := self._queue.get()) is not None:
            try:
                self._work(item)
            finally:
                with self._lock:
                    self._pending -= 1
                self._done()
