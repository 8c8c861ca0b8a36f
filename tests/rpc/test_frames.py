"""Whatever comes in a frame: a typed error, and the server lives."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgpack
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_client import keys
from memory_client.api import METHODS
from memory_client.errors import registry
from memory_client.protocol import PROTOCOL, Request, encode_request
from memoryd.server.frames import Peek, chunk_frames, error_frame, peek
from support.rpc_server import RawPeer, Scripted, Serving, data_paths, serving
from support.waiting import no_new_threads

LIMIT = 50_000
_pings = itertools.count(10**6)

quickly = settings(
    deadline=None, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**64 - 1),
    st.floats(),
    st.text(max_size=20),
    st.binary(max_size=20),
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.dictionaries(st.text(max_size=8) | st.integers(0, 9), inner, max_size=5)
    ),
    max_leaves=10,
)
methods = st.one_of(st.sampled_from(sorted(METHODS)), st.text(max_size=30), values)


@pytest.fixture(autouse=True)
def _no_leaked_threads() -> None:
    """The server outlives a test; it is checked at its end."""


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    paths = data_paths(Path(tmp_path_factory.mktemp("frames")) / "home")
    with no_new_threads(), serving(paths, Scripted(), max_message_bytes=LIMIT) as serving_now:
        yield serving_now


@pytest.fixture(scope="module")
def peer(running: Serving) -> Iterator[RawPeer]:
    with RawPeer(running.info, keys.client_keypair(running.paths)) as connected:
        yield connected


def still_answers(peer: RawPeer) -> list[list[Any]]:
    """What came before the answer to a ping."""
    correlation = next(_pings)
    peer.socket.send(encode_request(Request(correlation, "memory.ping", {}, None)))
    before = []
    while True:
        frame = peer.receive()
        assert frame is not None, "the server does not answer any more"
        reply = msgpack.unpackb(frame)
        if reply[0] == correlation:
            assert reply[1] == "ok"
            return before
        before.append(reply)


def typed_errors(replies: list[list[Any]]) -> list[str]:
    codes = [reply[2]["code"] for reply in replies if reply[1] == "error"]
    assert set(codes) <= set(registry()), codes
    return codes


def wait_reply(peer: RawPeer) -> list[Any]:
    frame = peer.receive()
    assert frame is not None
    return list(msgpack.unpackb(frame))


@quickly
@given(st.binary(max_size=300))
def test_garbage(peer: RawPeer, frame: bytes) -> None:
    peer.socket.send(frame)
    reply = wait_reply(peer)
    assert reply[1] == "error"
    typed_errors([reply])
    still_answers(peer)


@quickly
@given(st.lists(values, max_size=7))
def test_arrays_of_anything(peer: RawPeer, message: list[Any]) -> None:
    peer.socket.send(msgpack.packb(message))
    reply = wait_reply(peer)
    assert typed_errors([reply])
    still_answers(peer)


@quickly
@given(st.data())
def test_requests_with_any_method_and_parameters(peer: RawPeer, data: st.DataObject) -> None:
    message = [PROTOCOL, 7, data.draw(methods), data.draw(values), data.draw(scalars)]
    peer.socket.send(msgpack.packb(message))
    reply = wait_reply(peer)
    assert reply[0] == 7
    if reply[1] == "error":
        assert typed_errors([reply])[0] != "internal"
    still_answers(peer)


@quickly
@given(st.data())
def test_requests_cut_short(peer: RawPeer, data: st.DataObject) -> None:
    whole = msgpack.packb([PROTOCOL, 5, "memory.add", {"text": "x" * 40, "user_id": "u"}, 3.0])
    cut = data.draw(st.integers(1, len(whole) - 1))
    peer.socket.send(whole[:cut])
    reply = wait_reply(peer)
    assert typed_errors([reply]) == ["malformed_message"]
    assert reply[0] == (5 if cut >= 3 else -1)


@quickly
@given(st.lists(st.binary(max_size=30), min_size=2, max_size=6))
def test_messages_of_several_frames(peer: RawPeer, frames: list[bytes]) -> None:
    peer.socket.send_multipart(frames)
    assert typed_errors([wait_reply(peer)]) == ["malformed_message"]
    still_answers(peer)


@pytest.mark.parametrize(
    ("message", "code", "text"),
    [
        ([PROTOCOL, 3, "memory.serach", {}, None], "unknown_method", "did you mean 'memory.search'"),
        (
            [PROTOCOL, 3, "memory.search", {"query": "x", "n_result": 5}, None],
            "unknown_parameter",
            "n_results",
        ),
        ([PROTOCOL, 3, "memory.search", {}, None], "unknown_parameter", "'query'"),
        ([PROTOCOL, 3, "memory.ping", [], None], "malformed_message", "map"),
        ([PROTOCOL, 3, "memory.ping", {1: 2}, None], "malformed_message", "key"),
        ([PROTOCOL, 3, 9, {}, None], "malformed_message", "string"),
        ([PROTOCOL, 3, "memory.ping", {}, "soon"], "malformed_message", "number"),
        ([PROTOCOL, 3, "memory.ping", {}, float("nan")], "malformed_message", "number"),
        ([PROTOCOL, 3, "memory.ping", {}], "malformed_message", "5 elements"),
        ([PROTOCOL, -3, "memory.ping", {}, None], "malformed_message", "correlation"),
        ([PROTOCOL + 1, 3, "memory.ping", {}, None], "version", "install the same version"),
    ],
)
def test_what_is_wrong_is_named(peer: RawPeer, message: list[Any], code: str, text: str) -> None:
    peer.socket.send(msgpack.packb(message))
    reply = wait_reply(peer)
    assert (reply[0], reply[1], reply[2]["code"]) == (message[1], "error", code)
    assert text in reply[2]["message"]


@pytest.mark.parametrize("size", [LIMIT + 1, 10 * LIMIT])
def test_oversized_requests_are_told_so(peer: RawPeer, size: int) -> None:
    frame = encode_request(Request(11, "memory.add", {"text": "x" * size}, None))
    peer.socket.send(frame)
    reply = wait_reply(peer)
    assert reply[:2] == [11, "error"]
    assert reply[2]["code"] == "message_too_large"
    assert reply[2]["data"] == {"size": len(frame), "limit": LIMIT}
    still_answers(peer)


def test_the_largest_request_that_fits(peer: RawPeer) -> None:
    empty = len(encode_request(Request(11, "memory.add", {"text": "x" * (LIMIT // 2)}, None))) - LIMIT // 2
    frame = encode_request(Request(11, "memory.add", {"text": "x" * (LIMIT - empty)}, None))
    assert len(frame) == LIMIT
    peer.socket.send(frame)
    assert wait_reply(peer)[:2] == [11, "ok"]


def test_more_than_the_protocol_allows_ends_the_connection_only(running: Serving, peer: RawPeer) -> None:
    with RawPeer(running.info, keys.client_keypair(running.paths)) as rude:
        rude.socket.send(bytes(65 * 2**20))
        assert rude.receive(seconds=1) is None
    still_answers(peer)


@given(st.binary(max_size=600))
def test_peek_never_raises(frame: bytes) -> None:
    peek(frame)


@given(st.integers(0, 2**64 - 1), st.text(max_size=60), values)
def test_peek_finds_correlation_and_method(correlation: int, method: str, params: Any) -> None:
    assert peek(msgpack.packb([PROTOCOL, correlation, method, params, None])) == Peek(correlation, method)


@given(st.lists(st.integers() | st.text(), max_size=50))
def test_chunks_carry_the_items_in_order(items: list[Any]) -> None:
    items = [item if isinstance(item, str) else item % 2**32 for item in items]
    replies = [msgpack.unpackb(frame) for frame in chunk_frames(9, items, LIMIT)]
    assert [reply[:2] for reply in replies] == [[9, "chunk"]] * len(replies)
    assert replies, "an empty list is a chunk too"
    assert [item for reply in replies for item in reply[2]] == items


def test_an_error_that_cannot_be_sent_is_sent_without_its_data() -> None:
    error = registry()["invalid_parameter"]("x \ud800" + "y" * 10**6, value=object())
    reply = msgpack.unpackb(error_frame(4, error))
    assert reply[2]["code"] == "invalid_parameter"
    assert reply[2]["data"] == {}
    assert reply[2]["message"].startswith("x \\ud800y")
