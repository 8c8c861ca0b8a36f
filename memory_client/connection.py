"""One authenticated connection to one daemon.

An I/O thread owns the context, the CURVE DEALER socket and its monitor; callers hand it frames and wait on
futures. The monitor reports a refused handshake and a lost connection at once. A connection never
reconnects: its owner looks for the daemon again and opens a new one.
"""

from __future__ import annotations

import itertools
import logging
import struct
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

import zmq

from memory_client import keys
from memory_client.errors import AuthenticationError, MalformedMessageError, VersionError, from_wire
from memory_client.protocol import (
    MAX_MESSAGE_BYTES,
    PROTOCOL,
    Reply,
    Request,
    decode_reply,
    encode_request,
)
from memory_client.version import VERSION
from memory_client.wakeup import Wakeup

if TYPE_CHECKING:
    from memory_client.discovery import ConnectionInfo
    from memory_client.paths import DataPaths

log = logging.getLogger(__name__)

ProgressSink = Callable[[dict[str, Any]], None]

HANDSHAKE_SECONDS = 10.0
"""Longest handshake: a starting daemon may hold its interpreter for a second or two."""
_FRAME_SLACK = 2**16
_NEVER_MS = 3_600_000
_EVENTS = (
    zmq.EVENT_HANDSHAKE_SUCCEEDED
    | zmq.EVENT_HANDSHAKE_FAILED_AUTH
    | zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL
    | zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL
    | zmq.EVENT_DISCONNECTED
    | zmq.EVENT_CLOSED
)


class ConnectionLost(ConnectionError):
    """The connection is lost, and whether the call ran is unknown: send it again."""


class _Call:
    """A call that waits for its reply."""

    __slots__ = ("chunks", "future", "in_chunks", "on_progress")

    def __init__(self, future: Future[Any], on_progress: ProgressSink | None) -> None:
        self.future = future
        self.on_progress = on_progress
        self.chunks: list[Any] = []
        self.in_chunks = False

    def whole(self, payload: Any) -> Any:
        """The result: the last payload, or the list that came in chunks, under `items` of a map."""
        if not self.in_chunks:
            return payload
        return self.chunks if payload is None else {**payload, "items": self.chunks}


class Connection:
    """A connection to the daemon of `info`; any thread may submit.

    Raises `VersionError` for a daemon of another protocol, `AuthenticationError` and `UnsafeDirectoryError`
    for a client key that cannot be used.
    """

    def __init__(self, info: ConnectionInfo, paths: DataPaths) -> None:
        if info.protocol != PROTOCOL:
            raise VersionError(
                f"the daemon (memoryd {info.version}) speaks protocol {info.protocol}, this client (memoryd "
                f"{VERSION}) {PROTOCOL}; install the same version on both sides and run: memoryd restart",
                client=PROTOCOL,
                daemon=info.protocol,
            )
        self.info = info
        self._paths = paths
        self._keys = keys.client_keypair(paths)
        self._wakeup = Wakeup()
        self._correlations = itertools.count()
        self._calls: dict[int, _Call] = {}
        self._outgoing: deque[bytes] = deque()
        self._lock = threading.Lock()
        self._end: Callable[[], Exception] | None = None
        self._closing = False
        self._thread = threading.Thread(target=self._run, name="memoryd-client", daemon=True)
        self._thread.start()

    @property
    def alive(self) -> bool:
        """Whether calls can still be submitted."""
        return self._end is None and not self._closing

    def submit(
        self,
        method: str,
        params: dict[str, Any],
        seconds_left: float | None = None,
        on_progress: ProgressSink | None = None,
    ) -> Future[Any]:
        """Send a call; the future has its result or raises its error, `ConnectionLost` included.

        on_progress: called on the I/O thread with `{done, total, what}`; it must not block or raise.
        Cancelling the future forgets the call; the daemon still runs it.
        Raises `MessageTooLargeError`, `MalformedMessageError` before anything is sent.
        """
        correlation = next(self._correlations)
        frame = encode_request(Request(correlation, method, params, seconds_left))
        future: Future[Any] = Future()
        future.add_done_callback(lambda _: self._calls.pop(correlation, None))
        with self._lock:
            if self._end is not None:
                raise self._end()
            self._calls[correlation] = _Call(future, on_progress)
            self._outgoing.append(frame)
            self._wakeup.wake()
        return future

    def close(self) -> None:
        """Stop the thread, free the sockets, fail pending calls. May be called again."""
        self._closing = True
        with self._lock:
            self._wakeup.wake()
        if self._thread is not threading.current_thread():  # a finaliser may run anywhere
            self._thread.join()

    # -- the I/O thread ------------------------------------------------------------------------------

    # In a forked child the thread is gone and its frame, with the context and the sockets, is never freed:
    # nothing there touches what belongs to the parent.

    def _run(self) -> None:
        context = zmq.Context()
        dealer = self._dealer(context)
        monitor = dealer.get_monitor_socket(_EVENTS)
        try:
            dealer.connect(self.info.endpoint)
            self._loop(dealer, monitor)
        except zmq.ZMQError as error:
            self._finish(_lost(f"{self.info.endpoint}: {error}"))
        except Exception as error:
            log.exception("the connection to %s broke", self.info.endpoint)
            self._finish(_lost(f"{type(error).__name__}: {error}"))
        finally:
            dealer.disable_monitor()
            monitor.close(linger=0)
            dealer.close(linger=0)
            context.term()
            self._finish(_lost("the client was closed"))
            with self._lock:  # nobody is in the middle of a wake-up
                self._wakeup.close()

    def _dealer(self, context: zmq.Context[zmq.Socket[bytes]]) -> zmq.Socket[bytes]:
        dealer = context.socket(zmq.DEALER)
        dealer.linger = 0
        dealer.sndhwm = dealer.rcvhwm = 0
        # Long, not off: without reconnecting ZeroMQ drops the answers it holds when the daemon goes away.
        dealer.reconnect_ivl = _NEVER_MS
        dealer.handshake_ivl = int(HANDSHAKE_SECONDS * 1000)
        dealer.maxmsgsize = MAX_MESSAGE_BYTES + _FRAME_SLACK
        dealer.curve_publickey, dealer.curve_secretkey = self._keys
        dealer.curve_serverkey = self.info.server_key.encode()
        return dealer

    def _loop(self, dealer: zmq.Socket[bytes], monitor: zmq.Socket[bytes]) -> None:
        poller = zmq.Poller()
        wakeup = self._wakeup.fileno()
        for source in (dealer, wakeup, monitor):
            poller.register(source, zmq.POLLIN)
        watch = _Handshake(self.info, self._paths)
        while not self._closing:
            ready = dict(poller.poll())
            if dealer in ready:
                self._receive_all(dealer)
            if monitor in ready and (end := watch.take(monitor)) is not None:
                self._receive_all(dealer)  # what came before the end
                self._finish(end)
                return
            if wakeup in ready:
                self._wakeup.clear()
            # Never a blocking send: a peer that has gone takes nothing, and the monitor says so next.
            while self._outgoing and dealer.poll(0, zmq.POLLOUT):
                dealer.send(self._outgoing.popleft())
            poller.modify(dealer, zmq.POLLIN | (zmq.POLLOUT if self._outgoing else 0))

    def _receive_all(self, dealer: zmq.Socket[bytes]) -> None:
        while True:
            try:
                parts = dealer.recv_multipart(zmq.NOBLOCK)
            except zmq.Again:
                return
            try:
                self._take(decode_reply(parts[-1]))
            except MalformedMessageError as error:
                log.warning("a reply of the daemon was dropped: %s", error)

    def _take(self, reply: Reply) -> None:
        call = self._calls.get(reply.correlation)
        if call is None:
            log.debug("a reply to the unknown call %d was dropped", reply.correlation)
        elif reply.status == "progress":
            if call.on_progress is not None:
                call.on_progress(reply.payload)
        elif reply.status == "chunk":
            call.chunks.extend(reply.payload)
            call.in_chunks = True
        elif call.future.set_running_or_notify_cancel():
            if reply.status == "error":
                call.future.set_exception(from_wire(reply.payload))
            else:
                call.future.set_result(call.whole(reply.payload))

    def _finish(self, end: Callable[[], Exception]) -> None:
        """Fail all pending and later calls."""
        with self._lock:
            if self._end is None:
                self._end = end
            calls = list(self._calls.values())
        for call in calls:
            if call.future.set_running_or_notify_cancel():
                call.future.set_exception(self._end())


class _Handshake:
    """Reads the monitor: the outcome of the handshake, and the end of the connection."""

    def __init__(self, info: ConnectionInfo, paths: DataPaths) -> None:
        self._info = info
        self._paths = paths
        self._done = False

    def take(self, monitor: zmq.Socket[bytes]) -> Callable[[], Exception] | None:
        """The error of all calls, None while the connection lives."""
        event, _ = struct.unpack("=Hi", monitor.recv_multipart()[0])
        if event == zmq.EVENT_HANDSHAKE_SUCCEEDED:
            self._done = True
            return None
        if event == zmq.EVENT_HANDSHAKE_FAILED_AUTH:
            return self._refused
        if event == zmq.EVENT_CLOSED:
            return _lost(f"nothing listens at {self._info.endpoint}")
        return _lost("the daemon is gone") if self._done else self._wrong_daemon

    def _refused(self) -> AuthenticationError:
        file = keys.client_key_file(self._paths)
        allowed = keys.allowed_directory(self._paths)
        return AuthenticationError(
            f"the daemon at {self._info.endpoint} refused the key {file}: its public half is not in "
            f"{allowed}; run: memoryd restart (it lets the key in again)",
            path=str(file),
        )

    def _wrong_daemon(self) -> AuthenticationError:
        file = self._paths.connection
        return AuthenticationError(
            f"the process at {self._info.endpoint} does not have the server key in {file}: it is not the "
            f"daemon of {self._paths.root}; run: memoryd restart",
            path=str(file),
        )


def _lost(reason: str) -> Callable[[], Exception]:
    return lambda: ConnectionLost(reason)
