"""Progress of long calls, the same for the client and in process.

with on_progress(lambda done, total, what: print(what, done, total)):
    memory.add_many(texts)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

ProgressCallback = Callable[[int, int, str], None]

_callback: ContextVar[ProgressCallback | None] = ContextVar("memory_client_progress", default=None)


@contextmanager
def on_progress(callback: ProgressCallback) -> Iterator[None]:
    """Call `callback(done, total, what)` with the progress of calls inside; it must not block."""
    token = _callback.set(callback)
    try:
        yield
    finally:
        _callback.reset(token)


def current_callback() -> ProgressCallback | None:
    """The current callback, if any."""
    return _callback.get()
