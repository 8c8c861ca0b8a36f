"""Wrong key, no key, wrong server: refused before anything is decoded, and said at once."""

from __future__ import annotations

import os
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import zmq

from memory_client import discovery, keys
from memory_client.client import KnowledgeClient
from memory_client.connection import Connection
from memory_client.errors import (
    AuthenticationError,
    DaemonUnavailableError,
    UnsafeDirectoryError,
    VersionError,
)
from memory_client.keys import KeyPair
from memory_client.paths import DataPaths
from memory_client.protocol import PROTOCOL, Request, encode_request
from memoryd.server import server as server_module
from memoryd.server.auth import Authenticator
from support.rpc_server import PATIENCE, RawPeer, Scripted, Serving, info_of, serving

FRAME = encode_request(Request(1, "memory.count", {}, None))


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The frames the server looked into."""
    frames: list[bytes] = []
    real = server_module.peek

    def peek(frame: bytes) -> object:
        frames.append(frame)
        return real(frame)

    monkeypatch.setattr(server_module, "peek", peek)
    return frames


@pytest.fixture
def running(paths: DataPaths) -> Iterator[Serving]:
    with serving(paths, Scripted()) as serving_now:
        yield serving_now


def fresh_pair() -> KeyPair:
    return KeyPair(*zmq.curve_keypair())


def write_client_key(paths: DataPaths, pair: KeyPair) -> None:
    keys.client_key_file(paths).write_bytes(b"public %s\nsecret %s\n" % pair)


def test_the_right_keys_are_let_in(running: Serving, taken: list[bytes]) -> None:
    with RawPeer(running.info, keys.client_keypair(running.paths)) as peer:
        peer.socket.send(FRAME)
        assert peer.receive() is not None
    assert taken == [FRAME]


@pytest.mark.parametrize("peer_keys", ["none", "unknown", "server key wrong"])
def test_others_are_refused_before_anything_is_read(
    running: Serving, taken: list[bytes], peer_keys: str
) -> None:
    pair = {"none": None, "unknown": fresh_pair()}.get(peer_keys, keys.client_keypair(running.paths))
    server_key = fresh_pair().public.decode() if peer_keys == "server key wrong" else None
    with RawPeer(running.info, pair, server_key) as peer:
        monitor = peer.socket.get_monitor_socket(zmq.EVENT_DISCONNECTED)
        peer.socket.send(FRAME)
        assert monitor.poll(int(PATIENCE * 1000)), "the server did not hang up"
        assert peer.receive(seconds=0.2) is None
        peer.socket.disable_monitor()
        monitor.close()
    assert taken == []


def test_an_unknown_client_key_is_said_at_once(running: Serving) -> None:
    write_client_key(running.paths, fresh_pair())
    # Without a time limit: only an answer at once ends this.
    with (
        KnowledgeClient(running.paths.root, timeout=None, autostart=False) as client,
        pytest.raises(AuthenticationError, match="memoryd restart") as caught,
    ):
        client.count()
    assert caught.value.data["path"] == str(keys.client_key_file(running.paths))


def test_a_wrong_server_key_is_said_at_once(running: Serving) -> None:
    wrong = info_of(running.paths, running.info.endpoint, server_key=fresh_pair().public.decode())
    discovery.publish(running.paths, wrong)
    with (
        KnowledgeClient(running.paths.root, timeout=None, autostart=False) as client,
        pytest.raises(AuthenticationError, match="is not the daemon of") as caught,
    ):
        client.count()
    assert caught.value.data["path"] == str(running.paths.connection)


def test_a_missing_client_key_is_said_at_once(running: Serving) -> None:
    keys.client_key_file(running.paths).unlink()
    with KnowledgeClient(running.paths.root, autostart=False) as client, pytest.raises(AuthenticationError):
        client.count()


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX modes")
def test_a_client_key_that_others_may_read_is_refused(running: Serving) -> None:
    os.chmod(keys.client_key_file(running.paths), 0o644)
    with KnowledgeClient(running.paths.root, autostart=False) as client, pytest.raises(UnsafeDirectoryError):
        client.count()


@contextmanager
def listener(talk: bytes) -> Iterator[int]:
    """Somebody else's server: it says `talk` to whoever comes and hangs up."""

    def answer() -> None:
        while True:
            try:
                peer, _ = server.accept()
            except OSError:
                return
            with peer:
                peer.sendall(talk)

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=answer)
        thread.start()
        try:
            yield server.getsockname()[1]
        finally:
            server.shutdown(socket.SHUT_RDWR)
            thread.join(PATIENCE)


@pytest.mark.parametrize("talk", [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\xff" * 200])
def test_a_foreign_listener_is_not_taken_for_the_daemon(paths: DataPaths, talk: bytes) -> None:
    with listener(talk) as port:
        discovery.publish(paths, info_of(paths, f"tcp://127.0.0.1:{port}"))
        with (
            KnowledgeClient(paths.root, timeout=None, autostart=False) as client,
            pytest.raises(AuthenticationError, match="is not the daemon of"),
        ):
            client.count()


def test_a_foreign_listener_behind_a_stale_file_means_no_daemon(paths: DataPaths) -> None:
    with listener(b"") as port:
        stale = info_of(paths, f"tcp://127.0.0.1:{port}", create_time=1.0)
        discovery.publish(paths, stale)
        with (
            KnowledgeClient(paths.root, autostart=False) as client,
            pytest.raises(DaemonUnavailableError, match="memoryd start"),
        ):
            client.count()


def test_a_key_counts_from_when_it_is_put_into_allowed(running: Serving) -> None:
    pair = fresh_pair()
    write_client_key(running.paths, pair)
    with KnowledgeClient(running.paths.root, autostart=False) as client:
        with pytest.raises(AuthenticationError):
            client.count()
        file = keys.allowed_directory(running.paths) / "second.pub"
        file.write_bytes(b"public %s\n" % pair.public)
        os.chmod(file, 0o600)
        assert client.count()
    file.unlink()
    with KnowledgeClient(running.paths.root, autostart=False) as client, pytest.raises(AuthenticationError):
        client.count()


def test_keys_that_cannot_be_read_let_nobody_in(running: Serving, taken: list[bytes]) -> None:
    (keys.allowed_directory(running.paths) / "broken.pub").write_bytes(b"?")
    with KnowledgeClient(running.paths.root, autostart=False) as client, pytest.raises(AuthenticationError):
        client.count()
    assert taken == []


@pytest.mark.parametrize(
    "request_frames",
    [
        [],
        [b"1.0"],
        [b"1.0", b"1", b"memoryd", b"127.0.0.1", b"", b"NULL"],
        [b"1.0", b"1", b"memoryd", b"127.0.0.1", b"", b"PLAIN", b"user", b"secret"],
        [b"9.9", b"1", b"memoryd", b"127.0.0.1", b"", b"CURVE", b"\0" * 32],
        [b"1.0", b"1", b"memoryd", b"127.0.0.1", b"", b"CURVE", b"\0" * 32],
    ],
)
def test_the_zap_handler_says_no_to_everything_else(paths: DataPaths, request_frames: list[bytes]) -> None:
    version, _, code, *_ = Authenticator(paths).answer(request_frames)
    assert (version, code) == (b"1.0", b"400")


def test_another_protocol_is_a_version_error(running: Serving) -> None:
    newer = info_of(running.paths, running.info.endpoint, protocol=99, version="9.9")
    with pytest.raises(VersionError, match=r"9\.9") as caught:
        Connection(newer, running.paths)
    assert caught.value.data == {"client": PROTOCOL, "daemon": 99}
