"""The steps of a call, shared by the blocking and the asynchronous client.

`call_steps` generates steps and does no I/O of its own: a `Block` is a function that may block, a `Wait` a
future. The two clients differ only in how they run these steps.
"""

from __future__ import annotations

import copy
import math
import os
import time
from collections.abc import Callable, Generator
from concurrent.futures import Future
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from memory_client.connection import ConnectionLost, ProgressSink
from memory_client.deadline import Deadline
from memory_client.errors import (
    AuthenticationError,
    BusyError,
    DaemonUnavailableError,
    InvalidParameterError,
    MemorydError,
)
from memory_client.groups import open_groups
from memory_client.link import Link, Locate, closed_error, running_daemon, started_daemon
from memory_client.paths import DataPaths

if TYPE_CHECKING:
    from memory_client.api.spec import MethodSpec
    from memory_client.connection import Connection

LOSSES = 5
"""How often a call is sent again: a call that kills the daemon must not do so forever."""
_SHUTDOWN = "admin.shutdown"
_BUSY_PAUSES = (0.01, 0.04, 0.15)
_MARGIN = 0.25


class Block(NamedTuple):
    """Run a function that may block; its result is sent back."""

    function: Callable[[], Any]


class Wait(NamedTuple):
    """Wait for a future within the deadline; `step` names it in errors."""

    future: Future[Any]
    step: str


Steps = Generator[Block | Wait, Any, Any]


def call_steps(
    link: Link, spec: MethodSpec, params: dict[str, Any], deadline: Deadline, on_progress: ProgressSink | None
) -> Steps:
    """The steps of one call.

    A write gets its `request_id` here, once: when the connection is lost it is sent again with the same
    one, at most `LOSSES` times. A busy daemon refuses before it starts anything, so any call is retried,
    three times within 0.2 s. A shutdown is never sent twice and never starts a daemon.
    """
    params = _with_request_id(spec, params)
    locate = running_daemon if spec.wire == _SHUTDOWN else None
    pauses = iter(_BUSY_PAUSES)
    losses = 0
    while True:
        connection = link.live
        try:
            if connection is None:
                connection = yield Block(partial(link.connect, deadline, locate))
            deadline.check(f"sending {spec.wire}")
            future = connection.submit(spec.wire, params, _daemon_seconds(deadline), on_progress)
            return spec.result((yield Wait(future, f"waiting for the reply to {spec.wire}")))
        except BusyError:
            pause = next(pauses, None)
            if pause is None:
                raise
        except ConnectionLost as error:
            if link.closed:
                raise closed_error() from None
            if spec.wire == _SHUTDOWN:
                return None
            losses, pause = _next_loss(losses, spec, error)
        except DaemonUnavailableError as error:
            if spec.wire == _SHUTDOWN or not (yield Block(partial(_may_recover, link, connection, error))):
                raise
            losses, pause = _next_loss(losses, spec, error)
        if pause:
            yield Block(partial(time.sleep, deadline.within(pause)))


def _may_recover(link: Link, connection: Connection | None, error: MemorydError) -> bool:
    """Whether to look for the daemon again.

    Yes after a refused handshake, if the connection file was that of a daemon that is gone; and if no
    daemon runs but one did: it may be restarting.
    """
    if connection is not None:
        return isinstance(error, AuthenticationError) and link.is_outdated(connection.info)
    return link.was_connected and type(error) is DaemonUnavailableError and not link.closed


def _next_loss(losses: int, spec: MethodSpec, error: Exception) -> tuple[int, float]:
    """The count after one more loss and the seconds to wait. Raises after `LOSSES`."""
    if losses >= LOSSES:
        if isinstance(error, DaemonUnavailableError):
            raise error
        raise DaemonUnavailableError(
            f"the connection was lost {losses + 1} times during {spec.wire}, last because {error}; "
            f"run: memoryd logs"
        ) from error
    return losses + 1, 0.0 if losses == 0 else 0.1 * 2 ** (losses - 1)


def _with_request_id(spec: MethodSpec, params: dict[str, Any]) -> dict[str, Any]:
    if spec.is_write and params.get("request_id") is None:
        return {**params, "request_id": os.urandom(16).hex()}
    return params


def _daemon_seconds(deadline: Deadline) -> float | None:
    """Seconds for the daemon: a little less, so that its own timeout, which names the step, arrives."""
    left = deadline.left()
    return None if left is None else left - min(_MARGIN, left / 10)


class ClientBase:
    """The link and the time limits of both clients."""

    def __init__(
        self,
        data_dir: str | os.PathLike[str] | None = None,
        *,
        timeout: float | None = 30.0,
        autostart: bool = True,
        locate: Locate | None = None,
    ) -> None:
        self._timeout = checked_timeout(timeout)
        self._long_timeout: float | None = None
        self._link = Link(DataPaths.at(data_dir), locate or (started_daemon if autostart else running_daemon))
        self._owns_link = True
        open_groups(self)

    def with_timeout(self, seconds: float | None) -> Self:
        """A view of this client with another time limit, also for long calls; None for no limit.

        It shares the connection; closing the view does nothing.
        """
        view = copy.copy(self)
        view._timeout = view._long_timeout = checked_timeout(seconds)
        view._owns_link = False
        open_groups(view)
        return view

    def _steps(
        self, spec: MethodSpec, params: dict[str, Any], on_progress: ProgressSink | None
    ) -> tuple[Steps, Deadline]:
        deadline = Deadline.after(self._long_timeout if spec.is_long else self._timeout)
        return call_steps(self._link, spec, params, deadline, on_progress), deadline


def checked_timeout(seconds: float | None) -> float | None:
    """The time limit. Raises `InvalidParameterError` unless it is None or a positive number."""
    if seconds is None:
        return None
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds < math.inf:
        raise InvalidParameterError(
            f"timeout must be over 0 seconds, or None for no limit, got {seconds!r}",
            parameter="timeout",
            value=repr(seconds),
            expected="seconds over 0, or None",
        )
    return float(seconds)
