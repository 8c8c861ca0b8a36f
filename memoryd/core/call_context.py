"""The current call: its deadline and its progress callback."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from memory_client.deadline import Deadline


def ignore_progress(done: int, total: int, what: str) -> None:
    """The callback of a call without one."""


@dataclass(frozen=True, slots=True)
class Call:
    """A call. report: progress callback `(done, total, what)`, cheap, from any thread."""

    deadline: Deadline
    report: Callable[[int, int, str], None] = ignore_progress


_UNLIMITED = Call(Deadline.after(None))
_call: ContextVar[Call] = ContextVar("memoryd_call", default=_UNLIMITED)


def current_call() -> Call:
    """The current call; outside of a call, one without deadline."""
    return _call.get()


@contextmanager
def set_call(call: Call) -> Iterator[None]:
    """Make `call` the current call."""
    token = _call.set(call)
    try:
        yield
    finally:
        _call.reset(token)
