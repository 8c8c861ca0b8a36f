"""The blocking client."""

from __future__ import annotations

import os
import threading
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, Self

from memory_client.api import (
    AdminAPI,
    ConflictsAPI,
    ConversationAPI,
    DecayAPI,
    ForgetAPI,
    KnowledgeAPI,
    LifeAPI,
    MemoryAPI,
    ReviewAPI,
    TriplesAPI,
    VersionsAPI,
    bind,
)
from memory_client.calls import Block, ClientBase, Steps, Wait
from memory_client.errors import MemorydError
from memory_client.progress import ProgressCallback, current_callback

if TYPE_CHECKING:
    from collections.abc import Callable

    from memory_client.api.spec import MethodSpec
    from memory_client.deadline import Deadline

_Events = SimpleQueue[dict[str, Any] | None]


class _Group:
    """A group of a client: its calls are the client's."""

    def __init__(self, invoke: Callable[[MethodSpec, dict[str, Any]], Any]) -> None:
        self._invoke = invoke


@bind("conversation")
class ConversationClient(_Group, ConversationAPI):
    """Group `conversation` of a client."""


@bind("decay")
class DecayClient(_Group, DecayAPI):
    """Group `decay` of a client."""


@bind("review")
class ReviewClient(_Group, ReviewAPI):
    """Group `review` of a client."""


@bind("triples")
class TriplesClient(_Group, TriplesAPI):
    """Group `triples` of a client."""


@bind("knowledge")
class KnowledgePointsClient(_Group, KnowledgeAPI):
    """Group `knowledge` of a client."""


@bind("admin")
class AdminClient(_Group, AdminAPI):
    """Group `admin` of a client."""


@bind("memory")
class KnowledgeClient(ClientBase, MemoryAPI, ForgetAPI, LifeAPI, VersionsAPI, ConflictsAPI):
    """Memories and recall through the daemon, which is started when none runs; `conversation` keeps what was
    said, `admin` looks after the store.

    data_dir: whose daemon, by default that of `MEMORYD_HOME` or the platform's place. timeout: seconds for
    a call, None without limit; calls marked long have none. autostart: False raises
    `DaemonUnavailableError` instead of starting. locate: finds the daemon in another way.

    Thread-safe; a fork is noticed. Lost connections are made again and the call is sent again, a write with
    the same `request_id`. A busy daemon is tried again three times within 0.2 s, then `BusyError` is
    raised. Progress goes to the callback of `memory_client.progress.on_progress`, in the calling thread.
    """

    conversation: ConversationClient
    decay: DecayClient
    review: ReviewClient
    triples: TriplesClient
    knowledge: KnowledgePointsClient
    admin: AdminClient

    def close(self) -> None:
        """Free the connection; calls in hand fail. May be called again."""
        if self._owns_link:
            self._link.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _adopt(self) -> None:
        self.conversation = ConversationClient(self._invoke)
        self.decay = DecayClient(self._invoke)
        self.review = ReviewClient(self._invoke)
        self.triples = TriplesClient(self._invoke)
        self.knowledge = KnowledgePointsClient(self._invoke)
        self.admin = AdminClient(self._invoke)

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
        future.cancel()  # no reply is awaited any more; nothing happens to a finished one


_client: KnowledgeClient | None = None
_client_lock = threading.Lock()


def get_knowledge_client() -> KnowledgeClient:
    """The process's one client, on the default data directory; a new one when it was closed."""
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
