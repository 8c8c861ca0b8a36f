"""Bounded worker pools, so that no kind of request starves another."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
from queue import SimpleQueue
from typing import Generic, TypeVar

T = TypeVar("T")


class _Order(Enum):
    """An order to a thread in place of an item."""

    END = 1


class Lane(Generic[T]):
    """Threads that process items in order; at most `limit` items wait.

    `offer` and `close` belong to one thread. `work` must not raise; `done` is called when an item is no
    longer pending.
    """

    def __init__(
        self, name: str, workers: int, limit: int, work: Callable[[T], None], done: Callable[[], None]
    ) -> None:
        self._limit = limit
        self._work = work
        self._done = done
        self._queue: SimpleQueue[T | _Order] = SimpleQueue()
        self._pending = 0
        self._lock = threading.Lock()
        self._name = name
        self._threads = [self._thread(str(n)) for n in range(workers)]

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

    @contextmanager
    def blocked(self) -> Iterator[None]:
        """While a worker waits for a client, another thread takes its place."""
        substitute = self._thread("substitute")
        with self._lock:
            self._threads.append(substitute)
        substitute.start()
        try:
            yield
        finally:
            self._queue.put(_Order.END)

    @property
    def waiting(self) -> int:
        """Items not started."""
        return self._queue.qsize()

    @property
    def pending(self) -> int:
        """Items not finished, including those waiting."""
        return self._pending

    def close(self, seconds: float) -> bool:
        """Stop the threads and wait for them; False if one still works after `seconds`."""
        with self._lock:
            started = [thread for thread in self._threads if thread.ident is not None]
        for _ in started:
            self._queue.put(_Order.END)
        end = time.monotonic() + seconds
        for thread in started:
            thread.join(max(0.0, end - time.monotonic()))
        return not any(thread.is_alive() for thread in started)

    def _thread(self, number: str) -> threading.Thread:
        return threading.Thread(target=self._run, name=f"memoryd-{self._name}-{number}", daemon=True)

    def _run(self) -> None:
        while not isinstance(item := self._queue.get(), _Order):
            try:
                self._work(item)
            finally:
                with self._lock:
                    self._pending -= 1
                self._done()
        with self._lock:
            if threading.current_thread() in self._threads:
                self._threads.remove(threading.current_thread())
