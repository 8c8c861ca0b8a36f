"""What a call goes through, once for the blocking and the asynchronous client.

`carry_out` is a generator of steps without I/O of its own: a `Block` is a function that may take its time, a
`Wait` a future. The two clients differ only in how they take these steps.
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
from memory_client.link import Link, Locate, closed_error, running_daemon, started_daemon
from memory_client.paths import DataPaths

if TYPE_CHECKING:
    from memory_client.api.spec import MethodSpec
    from memory_client.connection import Connection

LOSSES = 5
"""How often a call is sent again: one that kills the daemon must not do so for ever."""
_SHUTDOWN = "admin.shutdown"
_BUSY_PAUSES = (0.01, 0.04, 0.15)
_MARGIN = 0.25


class Block(NamedTuple):
    """Run a function that may block; its result is sent back."""

    function: Callable[[], Any]


class Wait(NamedTuple):
    """Wait for a future within the deadline; `step` names what for."""

    future: Future[Any]
    step: str


Steps = Generator[Block | Wait, Any, Any]


def carry_out(
    link: Link, spec: MethodSpec, params: dict[str, Any], deadline: Deadline, on_progress: ProgressSink | None
) -> Steps:
    """The steps of one call.

    A write gets its `request_id` here, once: it is sent again with the same one when the connection is
    lost, at most `LOSSES` times. A busy daemon refuses before it starts anything, so any call is tried
    again, three times within a fifth of a second. A shutdown is never sent twice, nor starts a daemon.
    """
    params = _stamped(spec, params)
    locate = running_daemon if spec.wire == _SHUTDOWN else None
    pauses = iter(_BUSY_PAUSES)
    losses = 0
    while True:
        connection = link.live
        try:
            if connection is None:
                connection = yield Block(partial(link.connect, deadline, locate))
            deadline.check(f"sending {spec.wire}")
            future = connection.submit(spec.wire, params, _for_daemon(deadline), on_progress)
            return spec.result((yield Wait(future, f"waiting for the answer to {spec.wire}")))
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

    After a refused handshake, when the connection file was that of a daemon that is gone; when none runs,
    but one did: it may be on its way back.
    """
    if connection is not None:
        return isinstance(error, AuthenticationError) and link.is_outdated(connection.info)
    return link.was_connected and type(error) is DaemonUnavailableError and not link.closed


def _next_loss(losses: int, spec: MethodSpec, error: Exception) -> tuple[int, float]:
    """The count after one more loss and the seconds to wait; raises when it is enough."""
    if losses >= LOSSES:
        if isinstance(error, DaemonUnavailableError):
            raise error
        raise DaemonUnavailableError(
            f"the connection was lost {losses + 1} times during {spec.wire}, last because {error}; "
            f"run: memoryd logs"
        ) from error
    return losses + 1, 0.0 if losses == 0 else 0.1 * 2 ** (losses - 1)


def _stamped(spec: MethodSpec, params: dict[str, Any]) -> dict[str, Any]:
    if spec.is_write and params.get("request_id") is None:
        return {**params, "request_id": os.urandom(16).hex()}
    return params


def _for_daemon(deadline: Deadline) -> float | None:
    """The daemon's share: a little less, so that its own time-out, which knows the step, arrives."""
    left = deadline.left()
    return None if left is None else left - min(_MARGIN, left / 10)


class ClientBase:
    """What both clients are made of: the link and the time limits."""

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
        self._adopt()

    def with_timeout(self, seconds: float | None) -> Self:
        """A view on this client with another time limit, long calls included; None for no limit.

        It shares the connection; closing the view does nothing.
        """
        view = copy.copy(self)
        view._timeout = view._long_timeout = checked_timeout(seconds)
        view._owns_link = False
        view._adopt()
        return view

    def _adopt(self) -> None:
        """Tie the groups to this object."""

    def _steps(
        self, spec: MethodSpec, params: dict[str, Any], on_progress: ProgressSink | None
    ) -> tuple[Steps, Deadline]:
        deadline = Deadline.after(self._long_timeout if spec.is_long else self._timeout)
        return carry_out(self._link, spec, params, deadline, on_progress), deadline


def checked_timeout(seconds: float | None) -> float | None:
    """The time limit. Raises `InvalidParameterError` unless it is None or a positive number."""
    if seconds is None:
        return None
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds < math.inf:
        raise InvalidParameterError(
            f"timeout is {seconds!r}; it takes seconds over 0, or None for no limit",
            parameter="timeout",
            value=repr(seconds),
            expected="seconds over 0, or None",
        )
    return float(seconds)
