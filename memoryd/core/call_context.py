"""What code below the service may know of the call it works for: its deadline and its listener."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from memory_client.deadline import Deadline


def ignore_progress(done: int, total: int, what: str) -> None:
    """Nobody listens."""


@dataclass(frozen=True, slots=True)
class Call:
    """A call in hand. report: `(done, total, what)`, cheap, from any thread."""

    deadline: Deadline
    report: Callable[[int, int, str], None] = ignore_progress


_UNLIMITED = Call(Deadline.after(None))
_call: ContextVar[Call] = ContextVar("memoryd_call", default=_UNLIMITED)


def current_call() -> Call:
    """The call in hand; outside of one, a call without limit."""
    return _call.get()


@contextmanager
def set_call(call: Call) -> Iterator[None]:
    """Make `call` the current one."""
    token = _call.set(call)
    try:
        yield
    finally:
        _call.reset(token)
