"""The lane of callers that wait for a vector: served at once, and batched when many wait."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field

from memory_client.errors import ModelUnavailableError
from memoryd.core.passage import Passage
from memoryd.models.base import Encoding

# With more, the first caller waits for too many others.
MOST_JOINED = 16

Embed = Callable[[bool, Sequence[Passage]], Sequence[Encoding]]
"""Encodes texts of one kind: queries if the first argument is true, else passages."""


@dataclass(frozen=True, slots=True)
class _Request:
    is_query: bool
    passage: Passage
    future: Future[Encoding] = field(default_factory=Future)


class UrgentLane:
    """`threads` threads that encode one text at a time, and share the waiting ones if there are more."""

    def __init__(self, embed: Embed, threads: int) -> None:
        self._embed = embed
        self._waiting: deque[_Request] = deque()
        self._changed = threading.Condition()
        self._idle = 0
        self._running = 0
        self._closed = False
        self._quiet = threading.Event()
        self._quiet.set()
        self._threads = [
            threading.Thread(target=self._work, name=f"memoryd-embed-urgent_{number}", daemon=True)
            for number in range(threads)
        ]
        for thread in self._threads:
            thread.start()

    def submit(self, is_query: bool, passage: Passage) -> Future[Encoding]:
        """The encoding of one text. Raises `RuntimeError` after `close`."""
        request = _Request(is_query, passage)
        with self._changed:
            if self._closed:
                raise RuntimeError("the lane was closed")
            self._waiting.append(request)
            self._quiet.clear()
            self._changed.notify()
        return request.future

    def wait_quiet(self, seconds: float) -> None:
        """Return when no caller waits here, or after `seconds`."""
        self._quiet.wait(seconds)

    def close(self) -> None:
        """Cancel calls that have not begun; wait for the others."""
        with self._changed:
            self._closed = True
            dropped = list(self._waiting)
            self._waiting.clear()
            self._quiet.set()
            self._changed.notify_all()
        for request in dropped:
            request.future.cancel()
        for thread in self._threads:
            thread.join()

    def _work(self) -> None:
        while requests := self._take():
            begun = [each for each in requests if each.future.set_running_or_notify_cancel()]
            if begun:
                self._answer(begun)
            self._done()

    def _take(self) -> list[_Request]:
        """The next requests of one kind, this thread's share of those that wait; none after `close`."""
        with self._changed:
            self._idle += 1
            while not self._waiting and not self._closed:
                self._changed.wait()
            self._idle -= 1
            share = min(max(1, len(self._waiting) // (self._idle + 1)), MOST_JOINED)
            taken: list[_Request] = []
            while self._waiting and len(taken) < share:
                if taken and self._waiting[0].is_query != taken[0].is_query:
                    break
                taken.append(self._waiting.popleft())
            self._running += bool(taken)
            return taken

    def _done(self) -> None:
        with self._changed:
            self._running -= 1
            if not self._running and not self._waiting:
                self._quiet.set()

    def _answer(self, requests: list[_Request]) -> None:
        try:
            encodings = self._embed(requests[0].is_query, [each.passage for each in requests])
            answers = list(zip(requests, encodings, strict=True))
        except Exception as error:
            self._fail(requests, error)
            return
        for each, encoding in answers:
            each.future.set_result(encoding)

    def _fail(self, requests: list[_Request], error: Exception) -> None:
        """One text must not fail the others; but if the model is down, it is down for all."""
        for each in requests:
            if len(requests) == 1 or self._closed or _is_passing(error):
                each.future.set_exception(error)
            else:
                self._answer([each])


def _is_passing(error: Exception) -> bool:
    return isinstance(error, ModelUnavailableError) and bool(error.data.get("passing"))
