"""Queued replies per client: a client that reads slowly delays only its own streams."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import zmq

from memory_client.errors import BusyError
from memoryd.server.frames import error_frame
from memoryd.server.request_handler import Job

log = logging.getLogger(__name__)

HIGH_WATER = 8
"""Messages that ZeroMQ holds per client; a chunk of a stream has a quarter of a megabyte."""
BUDGET_BYTES = 2**21
"""Bytes that may wait for a client, beyond those in ZeroMQ, before its streams wait too."""
_MOST_GIVEN_UP = 1000
_RETRY_MS, _LATER_MS = 2, 20

TrySend = Callable[[bytes, bytes], object]


@dataclass(slots=True)
class _Peer:
    """A client with queued replies. since: when it stopped taking them, None while it takes them."""

    frames: deque[tuple[Job, bytes]] = field(default_factory=deque)
    size: int = 0
    since: float | None = None
    given_up: set[int] = field(default_factory=set)


class Outgoing:
    """The queues of replies. `put` and `wait` belong to the workers, the rest to the thread of the socket.

    stall_seconds: a client that takes nothing for so long loses its queued replies. It gets an error for them
    once it reads again.
    """

    def __init__(self, stall_seconds: float) -> None:
        self._stall_seconds = stall_seconds
        self._peers: dict[bytes, _Peer] = {}
        self._changed = threading.Condition()
        self._is_closed = False

    def put(self, job: Job, frame: bytes) -> None:
        """Queue a reply."""
        with self._changed:
            if not job.abandoned:
                peer = self._peers.setdefault(job.peer, _Peer())
                peer.frames.append((job, frame))
                peer.size += len(frame)

    def wait(self, job: Job, seconds: float | None = None) -> bool:
        """Return once the client has room for more, or is gone; False after `seconds`."""
        with self._changed:
            return self._changed.wait_for(lambda: job.abandoned or not self._is_full(job.peer), seconds)

    def is_full(self, peer: bytes) -> bool:
        """Whether a client should take its replies before it gets more."""
        with self._changed:
            return self._is_full(peer)

    def flush(self, send: TrySend) -> None:
        """Send what can be sent. send: raises `zmq.Again` for a client that takes nothing now, and another
        `zmq.ZMQError` for a client that is gone."""
        with self._changed:
            peers = list(self._peers.items())
        for name, peer in peers:
            try:
                self._send_all(name, peer, send)
            except zmq.Again:
                self._stalled(peer)
            except zmq.ZMQError as error:
                log.debug("%d replies to a client that is gone are dropped: %s", len(peer.frames), error)
                self._drop(peer)
            self._tidy(name, peer)

    def retry_ms(self) -> int | None:
        """When to flush again for clients that take nothing now, None for never."""
        now = time.monotonic()
        with self._changed:
            since = [peer.since for peer in self._peers.values() if peer.since is not None]
        if not since:
            return None
        return _RETRY_MS if now - max(since) < 0.2 else _LATER_MS

    def is_empty(self) -> bool:
        """Whether no reply is queued."""
        with self._changed:
            return not any(peer.frames for peer in self._peers.values())

    def close(self) -> None:
        """End all waiting."""
        with self._changed:
            self._is_closed = True
            for peer in self._peers.values():
                self._abandon(peer)
            self._changed.notify_all()

    def _is_full(self, name: bytes) -> bool:
        peer = self._peers.get(name)
        return not self._is_closed and peer is not None and peer.size > BUDGET_BYTES

    def _send_all(self, name: bytes, peer: _Peer, send: TrySend) -> None:
        for correlation in list(peer.given_up):
            send(name, error_frame(correlation, _given_up(self._stall_seconds)))
            peer.given_up.discard(correlation)
        while (frame := self._first(peer)) is not None:
            send(name, frame)
            with self._changed:
                peer.frames.popleft()
                peer.size -= len(frame)
                peer.since = None
                self._changed.notify_all()
        peer.since = None

    def _first(self, peer: _Peer) -> bytes | None:
        with self._changed:
            return peer.frames[0][1] if peer.frames else None

    def _stalled(self, peer: _Peer) -> None:
        now = time.monotonic()
        if peer.since is None:
            peer.since = now
        elif peer.frames and now - peer.since >= self._stall_seconds:
            log.warning(
                "a client has taken no reply for %g s: %d replies of %d bytes to it are dropped",
                self._stall_seconds,
                len(peer.frames),
                peer.size,
            )
            correlations = {job.correlation for job, _ in peer.frames}
            self._drop(peer)
            peer.given_up.update(list(correlations)[: _MOST_GIVEN_UP - len(peer.given_up)])
            peer.since = now

    def _drop(self, peer: _Peer) -> None:
        with self._changed:
            self._abandon(peer)
            peer.frames.clear()
            peer.given_up.clear()
            peer.size = 0
            peer.since = None
            self._changed.notify_all()

    @staticmethod
    def _abandon(peer: _Peer) -> None:
        for job, _ in peer.frames:
            job.abandoned = True

    def _tidy(self, name: bytes, peer: _Peer) -> None:
        with self._changed:
            if not peer.frames and not peer.given_up:
                self._peers.pop(name, None)


def _given_up(seconds: float) -> BusyError:
    return BusyError(f"the reply was dropped: the client read none for {seconds:g} s; send the request again")


def held_back(waiting: deque[Job], is_full: Callable[[bytes], bool]) -> Iterator[Job]:
    """Take the jobs whose clients have room again out of a queue, in order."""
    for _ in range(len(waiting)):
        job = waiting.popleft()
        if is_full(job.peer):
            waiting.append(job)
        else:
            yield job
