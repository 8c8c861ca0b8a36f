"""The ROUTER loop: one thread owns the sockets, queues requests in the lanes and sends replies."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections import deque
from typing import TYPE_CHECKING

import zmq

from memory_client import keys
from memory_client.api import METHODS
from memory_client.errors import BusyError, MalformedMessageError, MemorydError, MessageTooLargeError
from memory_client.protocol import MAX_MESSAGE_BYTES
from memory_client.wakeup import Wakeup
from memoryd.server.auth import DOMAIN, Authenticator
from memoryd.server.frames import error_frame, peek
from memoryd.server.lanes import Lane
from memoryd.server.metrics import MethodMetrics
from memoryd.server.outgoing import HIGH_WATER, Outgoing, held_back
from memoryd.server.request_handler import CallDispatcher, Job, RequestHandler

if TYPE_CHECKING:
    from memory_client.paths import DataPaths

log = logging.getLogger(__name__)

HOST = "127.0.0.1"
CONTROL = frozenset({"memory.ping", "memory.status", "admin.metrics", "admin.config", "admin.shutdown"})
"""Cheap methods with a lane of their own: they are answered even if the others are busy."""
_CONTROL_WORKERS = 2
_FRAME_SLACK = 2**16
_HELD_MESSAGES = 4
_BATCH = 64
_LINGER_MS = 1000
_END_SECONDS = 0.2
_SLOW_SECONDS = 0.2
"""How long a stream waits for its client before another thread takes its worker's place."""


class Server:
    """Answers authenticated clients of one data directory on the loopback address.

    port: used if free, else any. Three lanes: `workers` threads for ordinary methods, `long_workers`
    for those marked long, two for `CONTROL`; so neither long calls nor a full queue stop a search or a
    ping. queue_limit: requests that may wait in a lane; further requests get `BusyError` at once, also
    while the pending ones take four times max_message_bytes. The requests of a client that does not take
    its replies wait; after stall_seconds its replies are dropped.

    `bind`, then `run`; `stop` from anywhere. Raises as `memory_client.keys.server_keypair`.
    """

    def __init__(
        self,
        dispatcher: CallDispatcher,
        paths: DataPaths,
        *,
        port: int = 19876,
        workers: int = 16,
        long_workers: int = 4,
        queue_limit: int = 256,
        max_message_bytes: int = MAX_MESSAGE_BYTES,
        stall_seconds: float = 30.0,
    ) -> None:
        self.metrics = MethodMetrics()
        self.last_activity = time.monotonic()
        """When a request other than of `CONTROL` last arrived or ended, monotonic seconds."""
        self._port = port
        self._queue_limit = queue_limit
        self._limit = max_message_bytes
        self._keys = keys.server_keypair(paths)
        self._auth = Authenticator(paths)
        self._handler = RequestHandler(
            dispatcher, self.metrics, self._send, self._make_room, max_message_bytes
        )
        self._quick = self._lane("quick", workers)
        self._long = self._lane("long", long_workers)
        self._control = self._lane("control", _CONTROL_WORKERS)
        self._lanes = (self._quick, self._long, self._control)
        self._outgoing = Outgoing(stall_seconds)
        self._held_back: deque[Job] = deque()
        self._held_bytes = 0
        self._held_lock = threading.Lock()
        self._refused = 0
        self._drain_until: float | None = None
        self._wakeup = Wakeup()
        self._sockets: _Sockets | None = None

    def bind(self) -> str:
        """Listen; return the endpoint. Requests wait until `run`."""
        self._sockets = _Sockets(self._keys, self._port, self._limit)
        return self._sockets.endpoint

    def run(self) -> None:
        """Serve until `stop`, then free everything. Call `bind` first."""
        if self._sockets is None:
            raise RuntimeError("bind() comes before run()")
        for lane in self._lanes:
            lane.start()
        try:
            with self._wakeup.on_signals():
                self._loop(self._sockets)
        finally:
            self.close()

    def stop(self, drain_seconds: float = 10.0) -> None:
        """Accept no more requests, finish pending ones within `drain_seconds`, end `run`.

        Returns at once; may be called from any thread and from a signal handler.
        """
        self._drain_until = time.monotonic() + drain_seconds
        self._wakeup.wake()

    def close(self) -> None:
        """Free the sockets and the threads; `run` does it at its end. May be called again."""
        self._outgoing.close()
        if self._sockets is not None:
            self._sockets.close()
        ended = [lane.close(_END_SECONDS) for lane in self._lanes]
        if all(ended):
            self._wakeup.close()
        else:  # it must stay open for the threads left behind, which end with the process
            log.warning("closed with requests still running")

    @property
    def queue_depth(self) -> int:
        """Requests waiting for a worker."""
        return sum(lane.waiting for lane in self._lanes)

    @property
    def in_flight(self) -> int:
        """Requests a worker handles now."""
        return max(0, sum(lane.pending for lane in self._lanes) - self.queue_depth)

    def load(self) -> dict[str, int]:
        """For `admin.metrics`: waiting, in_flight, limit, refused (busy)."""
        return {
            "waiting": self.queue_depth,
            "in_flight": self.in_flight,
            "limit": self._queue_limit,
            "refused": self._refused,
        }

    # -- the loop ------------------------------------------------------------------------------------

    def _loop(self, sockets: _Sockets) -> None:
        wakeup = self._wakeup.fileno()
        poller = zmq.Poller()
        for source in (sockets.router, sockets.zap, wakeup):
            poller.register(source, zmq.POLLIN)
        draining = False
        while not self._is_over():
            ready = dict(poller.poll(self._poll_ms()))
            if wakeup in ready:
                self._wakeup.clear()
            if sockets.zap in ready:
                sockets.zap.send_multipart(self._auth.answer(sockets.zap.recv_multipart()))
            if sockets.router in ready:
                self._receive(sockets.router)
            if self._drain_until is not None and not draining:
                # What is not read is sent again by its client, once the socket closes.
                poller.unregister(sockets.router)
                draining = True
            self._flush(sockets.router)
            self._offer_held_back()
        self._flush_last(sockets.router)

    def _is_over(self) -> bool:
        if self._drain_until is None:
            return False
        return not any(lane.pending for lane in self._lanes) or time.monotonic() >= self._drain_until

    def _poll_ms(self) -> int | None:
        retry = self._outgoing.retry_ms()
        if self._drain_until is None:
            return retry
        left = math.ceil(max(0.0, self._drain_until - time.monotonic()) * 1000)
        return left if retry is None else min(left, retry)

    def _receive(self, router: zmq.Socket[bytes]) -> None:
        """Receive a batch at most: replies must be sent in between."""
        for _ in range(_BATCH):
            try:
                peer, *parts = router.recv_multipart(zmq.NOBLOCK)
            except zmq.Again:
                return
            self._take(peer, parts)

    def _take(self, peer: bytes, parts: list[bytes]) -> None:
        frame = parts[0] if parts else b""
        job = Job(peer, frame, *peek(frame))
        refusal = self._refusal(job, parts)
        if refusal is None:
            refusal = self._hold_back(job) if self._outgoing.is_full(job.peer) else self._offer(job)
        if refusal is not None:
            self._outgoing.put(job, error_frame(job.correlation, refusal))

    def _refusal(self, job: Job, parts: list[bytes]) -> MemorydError | None:
        if len(parts) != 1:
            return MalformedMessageError(f"a message has one frame, this one {len(parts)}")
        size = len(job.frame)
        if size > self._limit:
            return MessageTooLargeError(
                f"the message has {size:,} bytes, the limit is {self._limit:,}; send less at a time",
                size=size,
                limit=self._limit,
            )
        if self._held_bytes + size > _HELD_MESSAGES * self._limit:
            self._refused += 1
            return BusyError("the pending requests have as many bytes as are allowed; try again shortly")
        return None

    def _offer(self, job: Job) -> BusyError | None:
        lane = self._lane_of(job.method)
        self._hold(job)
        if lane.offer(job):
            if lane is not self._control:
                self.last_activity = job.received
            return None
        self._release(job)
        return self._busy()

    def _busy(self) -> BusyError:
        self._refused += 1
        return BusyError(f"{self._queue_limit} requests are waiting already; try again shortly")

    def _hold_back(self, job: Job) -> BusyError | None:
        """Keep a request of a client that has yet to take its replies."""
        if len(self._held_back) >= self._queue_limit:
            return self._busy()
        self._hold(job)
        self._held_back.append(job)
        return None

    def _offer_held_back(self) -> None:
        for job in held_back(self._held_back, self._outgoing.is_full):
            self._release(job)
            refusal = self._offer(job)
            if refusal is not None:
                self._outgoing.put(job, error_frame(job.correlation, refusal))
                self._wakeup.wake()

    def _flush(self, router: zmq.Socket[bytes]) -> None:
        self._outgoing.flush(lambda peer, frame: router.send_multipart([peer, frame], zmq.NOBLOCK))

    def _flush_last(self, router: zmq.Socket[bytes]) -> None:
        """Send the remaining replies, for as long as closing lingers."""
        until = time.monotonic() + _LINGER_MS / 1000
        self._flush(router)
        while not self._outgoing.is_empty() and time.monotonic() < until:
            time.sleep(0.002)
            self._flush(router)

    # -- the lanes -----------------------------------------------------------------------------------

    def _lane(self, name: str, workers: int) -> Lane[Job]:
        return Lane(name, workers, self._queue_limit, self._work, self._ended)

    def _lane_of(self, method: str) -> Lane[Job]:
        if method in CONTROL:
            return self._control
        spec = METHODS.get(method)
        return self._long if spec is not None and spec.is_long else self._quick

    def _work(self, job: Job) -> None:
        if self._outgoing.is_full(job.peer):
            self._held_back.append(job)
            self._wakeup.wake()
            return
        self._handler.handle(job)
        self._release(job)
        if job.method not in CONTROL:
            self.last_activity = time.monotonic()

    def _hold(self, job: Job) -> None:
        with self._held_lock:
            self._held_bytes += job.size

    def _release(self, job: Job) -> None:
        with self._held_lock:
            self._held_bytes -= job.size

    def _ended(self) -> None:
        if self._drain_until is not None:
            self._wakeup.wake()

    def _send(self, job: Job, frame: bytes) -> None:
        self._outgoing.put(job, frame)
        self._wakeup.wake()

    def _make_room(self, job: Job) -> None:
        if not self._outgoing.wait(job, _SLOW_SECONDS):
            with self._lane_of(job.method).blocked():
                self._outgoing.wait(job)


class _Sockets:
    """The context with the ROUTER and the ZAP socket. Raises `zmq.ZMQError` if no port is free."""

    def __init__(self, pair: keys.KeyPair, port: int, limit: int) -> None:
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self.zap = self._context.socket(zmq.REP)
        self.router = self._context.socket(zmq.ROUTER)
        try:
            self._set_up(pair, limit)
            self._bind(port)
        except zmq.ZMQError:
            self.close()
            raise

    @property
    def endpoint(self) -> str:
        return self.router.getsockopt_string(zmq.LAST_ENDPOINT)

    def close(self) -> None:
        """Send what is left, for a second at most, and free everything."""
        self.zap.close(linger=0)
        self.router.close(linger=_LINGER_MS)
        self._context.term()

    def _set_up(self, pair: keys.KeyPair, limit: int) -> None:
        self.zap.bind("inproc://zeromq.zap.01")
        self.router.curve_server = True
        self.router.curve_publickey, self.router.curve_secretkey = pair
        self.router.zap_domain = DOMAIN
        self.router.setsockopt(zmq.ZAP_ENFORCE_DOMAIN, 1)  # without an answer nobody gets in
        self.router.router_mandatory = True
        self.router.sndhwm = HIGH_WATER
        # A message within the protocol's limit gets a reply; a larger one ends the connection.
        self.router.maxmsgsize = max(limit, MAX_MESSAGE_BYTES) + _FRAME_SLACK

    def _bind(self, port: int) -> None:
        try:
            self.router.bind(f"tcp://{HOST}:{port or '*'}")
        except zmq.ZMQError as error:
            log.info("port %d cannot be used (%s); using any free one", port, error)
            self.router.bind(f"tcp://{HOST}:*")
