"""The blocking client."""

from __future__ import annotations

import os
import threading
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, Self

from memory_client.calls import Block, ClientBase, Steps, Wait
from memory_client.errors import MemorydError
from memory_client.groups import Methods
from memory_client.progress import ProgressCallback, current_callback

if TYPE_CHECKING:
    from collections.abc import Callable

    from memory_client.api.spec import MethodSpec
    from memory_client.deadline import Deadline

_Events = SimpleQueue[dict[str, Any] | None]


class KnowledgeClient(ClientBase, Methods):
    """All methods through the daemon, which is started if none runs.

    data_dir: that of the daemon, by default `MEMORYD_HOME` or the platform's directory. timeout: seconds for
    a call, None without limit; calls marked long have none. autostart: False raises
    `DaemonUnavailableError` instead of starting. locate: finds the daemon in another way.

    Thread-safe, and safe to use after a fork. A lost connection is reopened and the call is sent again, a
    write with the same `request_id`. A busy daemon is retried three times within 0.2 s, then `BusyError` is
    raised. Progress goes to the callback of `memory_client.progress.on_progress`, in the calling thread.
    """

    def close(self) -> None:
        """Free the connection; pending calls fail. May be called again."""
        if self._owns_link:
            self._link.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _invoke(self, spec: MethodSpec, params: dict[str, Any]) -> Any:
        callback = current_callback()
        events: _Events | None = None if callback is None else SimpleQueue()
        steps, deadline = self._steps(spec, params, None if events is None else events.put)
        return _take(steps, lambda wait: _result(wait, deadline, events, callback))


def _take(steps: Steps, waited: Callable[[Wait], Any]) -> Any:
    try:
        step = next(steps)
        while True:
            try:
                value = step.function() if isinstance(step, Block) else waited(step)
            except Exception as error:
                step = steps.throw(error)
            else:
                step = steps.send(value)
    except StopIteration as end:
        return end.value


def _result(wait: Wait, deadline: Deadline, events: _Events | None, callback: ProgressCallback | None) -> Any:
    future = wait.future
    try:
        if events is not None and callback is not None:
            future.add_done_callback(lambda _: events.put(None))
            while (event := events.get(timeout=deadline.left())) is not None:
                callback(event["done"], event["total"], event["what"])
        return future.result(deadline.left())
    except MemorydError:
        raise  # DeadlineExceededError is a TimeoutError too
    except (TimeoutError, Empty):
        raise deadline.error(wait.step) from None
    finally:
        future.cancel()  # the reply is not awaited any more; a finished future ignores it


_client: KnowledgeClient | None = None
_client_lock = threading.Lock()


def get_knowledge_client() -> KnowledgeClient:
    """The client of this process, on the default data directory; a new one after it was closed."""
    global _client
    with _client_lock:
        if _client is None or _client._link.closed:
            _client = KnowledgeClient()
        return _client


def _renew_lock() -> None:
    global _client_lock
    _client_lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_lock)
