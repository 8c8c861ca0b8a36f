"""The frames of the server: the head of requests, and replies within the size limit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import msgpack

from memory_client.errors import (
    MalformedMessageError,
    MemorydError,
    MessageTooLargeError,
    to_wire,
)
from memory_client.protocol import Reply, encode_reply

CHUNK_BYTES = 2**18
"""Size to which a chunk is filled; a larger item is a chunk of its own."""
_PEEK_BYTES = 512
_ERROR_TEXT = 2000


class Peek(NamedTuple):
    """The head of a frame; correlation -1 and method "" if it cannot be read."""

    correlation: int
    method: str


def peek(frame: bytes) -> Peek:
    """Correlation and method, without decoding the parameters. Never raises."""
    unpacker = msgpack.Unpacker(raw=False, strict_map_key=True)
    correlation, method = -1, ""
    try:
        unpacker.feed(frame[:_PEEK_BYTES])
        unpacker.read_array_header()
        unpacker.skip()
        first, second = unpacker.unpack(), ""
        correlation = first if isinstance(first, int) and not isinstance(first, bool) else -1
        second = unpacker.unpack()
        method = second if isinstance(second, str) else ""
    except (ValueError, msgpack.UnpackException, RecursionError, OverflowError):
        return Peek(correlation, method)
    return Peek(correlation, method)


def error_frame(correlation: int, error: MemorydError) -> bytes:
    """The frame of an error; data that cannot be sent is left out, a long message is truncated."""
    payload = to_wire(error)
    try:
        return encode_reply(Reply(correlation, "error", payload))
    except (MalformedMessageError, MessageTooLargeError):
        payload = {"code": error.code, "message": _sendable(error.message), "data": {}}
        return encode_reply(Reply(correlation, "error", payload))


def chunk_frames(correlation: int, items: Iterable[Any], limit: int) -> Iterator[bytes]:
    """The frames of `items`, at least one, packed lazily.

    Raises `MessageTooLargeError` for an item over `limit` bytes.
    """
    packer = msgpack.Packer(use_bin_type=True)
    held: list[bytes] = []
    size = 0
    for item in items:
        packed = packer.pack(item)
        if len(packed) > limit:
            raise MessageTooLargeError(
                f"one item of the reply has {len(packed):,} bytes, the limit is {limit:,}",
                size=len(packed),
                limit=limit,
            )
        if held and size + len(packed) > CHUNK_BYTES:
            yield _chunk(packer, correlation, held)
            held, size = [], 0
        held.append(packed)
        size += len(packed)
    yield _chunk(packer, correlation, held)


def _chunk(packer: msgpack.Packer, correlation: int, packed: list[bytes]) -> bytes:
    head = packer.pack_array_header(3) + packer.pack(correlation) + packer.pack("chunk")
    return b"".join((head, packer.pack_array_header(len(packed)), *packed))


def _sendable(message: str) -> str:
    return message[:_ERROR_TEXT].encode("utf-8", "backslashreplace").decode()
