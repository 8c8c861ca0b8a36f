"""Handles one request, from its frame to its last reply, on a worker thread."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Generator, Iterator
from typing import Any, Protocol

from memory_client.api import METHODS
from memory_client.deadline import Deadline
from memory_client.errors import InternalError, MalformedMessageError, MemorydError, MessageTooLargeError
from memory_client.protocol import Reply, Request, decode_request, encode_reply, unpack
from memory_client.types import Hits
from memoryd.core.call_context import Call, set_call
from memoryd.server.frames import chunk_frames, error_frame
from memoryd.server.metrics import MethodMetrics

log = logging.getLogger(__name__)

PROGRESS_SECONDS = 0.1
"""Minimum time between two progress reports of one kind."""
LIST_IN_CHUNKS = 256
"""Lists longer than this are streamed, so that no reply comes near the size limit."""


class CallDispatcher(Protocol):
    """Validates and calls a method, raises typed errors. May return an iterator to stream."""

    def dispatch(self, method: str, params: dict[str, Any], call: Call) -> Any: ...


class Job:
    """A request. abandoned: set when its client is gone."""

    __slots__ = ("abandoned", "correlation", "frame", "method", "peer", "received", "size")

    def __init__(self, peer: bytes, frame: bytes, correlation: int, method: str) -> None:
        self.peer = peer
        self.frame = frame
        self.size = len(frame)
        self.correlation = correlation
        self.method = method
        self.received = time.monotonic()
        self.abandoned = False


Send = Callable[[Job, bytes], None]
MakeRoom = Callable[[Job], None]


class RequestHandler:
    """Decodes, dispatches, replies.

    send: passes a frame to the loop, from any thread; make_room: returns when the client can take another
    chunk, or the job is abandoned.
    """

    def __init__(
        self, dispatcher: CallDispatcher, metrics: MethodMetrics, send: Send, make_room: MakeRoom, limit: int
    ) -> None:
        self._dispatcher = dispatcher
        self._metrics = metrics
        self._send = send
        self._make_room = make_room
        self._limit = limit

    def handle(self, job: Job) -> None:
        """Handle a job; its last reply is sent in any case."""
        failed = True
        try:
            self._answer(job)
            failed = False
        except MemorydError as error:
            log.debug("%s: %s", job.method or "a frame", error)
            self._send(job, error_frame(job.correlation, error))
        except Exception:
            log.exception("%s failed", job.method)
            defect = InternalError(f"{job.method} failed inside the daemon; see: memoryd logs")
            self._send(job, error_frame(job.correlation, defect))
        method = job.method if job.method in METHODS else "(unknown)"
        self._metrics.record(method, time.monotonic() - job.received, failed=failed)

    def _answer(self, job: Job) -> None:
        request = decode_request(unpack(job.frame, self._limit))
        job.frame = b""
        deadline = _deadline(job, request)
        deadline.check(f"{request.method} waited in the daemon's queue")
        report = _Report(job, self._send)
        call = Call(deadline, report)
        with set_call(call):
            self._reply(job, self._dispatcher.dispatch(request.method, request.params, call), report)

    def _reply(self, job: Job, result: Any, report: _Report) -> None:
        streamed, last = _parts(result)
        if streamed is not None:
            self._stream(job, streamed)
        frame = _encoded(job, last)
        report.flush()
        self._send(job, frame)

    def _stream(self, job: Job, items: Iterator[Any]) -> None:
        try:
            for frame in chunk_frames(job.correlation, items, self._limit):
                self._make_room(job)
                if job.abandoned:
                    return
                self._send(job, frame)
        finally:
            if isinstance(items, Generator):
                items.close()


class _Report:
    """Sends progress, at most every `PROGRESS_SECONDS` per `what`; the last report is always sent."""

    def __init__(self, job: Job, send: Send) -> None:
        self._job = job
        self._send = send
        self._lock = threading.Lock()
        self._what: str | None = None
        self._next = 0.0
        self._held: tuple[int, int, str] | None = None

    def __call__(self, done: int, total: int, what: str) -> None:
        with self._lock:
            now = time.monotonic()
            if what == self._what and now < self._next:
                self._held = (done, total, what)
                return
            if what != self._what:
                self._send_held()
            self._what, self._next, self._held = what, now + PROGRESS_SECONDS, None
            self._send_progress(done, total, what)

    def flush(self) -> None:
        with self._lock:
            self._send_held()

    def _send_held(self) -> None:
        if self._held is not None:
            self._send_progress(*self._held)
            self._held = None

    def _send_progress(self, done: int, total: int, what: str) -> None:
        payload = {"done": done, "total": total, "what": what}
        self._send(self._job, encode_reply(Reply(self._job.correlation, "progress", payload)))


def _parts(result: Any) -> tuple[Iterator[Any] | None, Any]:
    """The items to stream, if any, and the payload of the last reply."""
    if isinstance(result, Iterator):
        return result, None
    if not isinstance(result, list):
        return None, result
    in_chunks = len(result) > LIST_IN_CHUNKS
    if isinstance(result, Hits):
        last: Any = result.to_wire([] if in_chunks else list(result))
    else:
        last = None if in_chunks else result
    return iter(result) if in_chunks else None, last


def _deadline(job: Job, request: Request) -> Deadline:
    seconds = request.seconds_left
    return Deadline(None if seconds is None else job.received + seconds, seconds)


def _encoded(job: Job, result: Any) -> bytes:
    try:
        return encode_reply(Reply(job.correlation, "ok", result))
    except MessageTooLargeError as error:
        raise MessageTooLargeError(
            f"the reply to {job.method} has {error.data['size']:,} bytes, the limit is "
            f"{error.data['limit']:,}; request less at a time",
            **error.data,
        ) from error
    except MalformedMessageError as error:
        raise TypeError(f"{job.method} returned what cannot be sent: {error}") from error
