"""The wire protocol: msgpack arrays, one frame each way.

Request `[protocol, correlation, method, params, seconds left or None]`; reply
`[correlation, status, payload]` with status `ok | error | progress | chunk`. A method that streams sends
its list in `chunk`s and ends with `ok` and None. `progress` carries `{done, total, what}`.

A method that returns `Hits` ends with `ok` and `{items, degraded, reason, answerable}`; `items` is empty
when they came in chunks. (Protocol 1 sent the plain list.)
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import msgpack

from memory_client.errors import (
    InvalidParameterError,
    MalformedMessageError,
    MessageTooLargeError,
    VersionError,
)
from memory_client.version import VERSION

PROTOCOL = 3
MAX_MESSAGE_BYTES = 64 * 2**20
"""Limit of one message, both ways; longer lists go in chunks."""
_MAX_DEPTH = 64

ReplyStatus = Literal["ok", "error", "progress", "chunk"]
_STATUSES = ("ok", "error", "progress", "chunk")


@dataclass(frozen=True, slots=True)
class Request:
    """One call. seconds_left: of the caller's time limit, None without limit."""

    correlation: int
    method: str
    params: dict[str, Any]
    seconds_left: float | None


@dataclass(frozen=True, slots=True)
class Reply:
    """One reply, or a part of it."""

    correlation: int
    status: ReplyStatus
    payload: Any


def pack(message: list[Any], limit: int = MAX_MESSAGE_BYTES) -> bytes:
    """Encode; raises `MessageTooLargeError`, and `MalformedMessageError` for what msgpack cannot carry."""
    try:
        frame: bytes = msgpack.packb(message, use_bin_type=True)
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise MalformedMessageError(f"a value cannot be sent: {error}") from error
    if len(frame) > limit:
        raise MessageTooLargeError(
            f"the message has {len(frame):,} bytes, the limit is {limit:,}; send less at a time",
            size=len(frame),
            limit=limit,
        )
    return frame


def unpack(frame: bytes, limit: int = MAX_MESSAGE_BYTES) -> list[Any]:
    """Decode a frame to its array. Raises `MalformedMessageError`, `MessageTooLargeError`."""
    if len(frame) > limit:
        raise MessageTooLargeError(
            f"the message has {len(frame):,} bytes, the limit is {limit:,}", size=len(frame), limit=limit
        )
    try:
        message = msgpack.unpackb(frame, raw=False, strict_map_key=True)
    except (ValueError, msgpack.UnpackException, RecursionError, UnicodeDecodeError) as error:
        raise MalformedMessageError(f"the frame is not msgpack: {error}") from error
    if not isinstance(message, list):
        raise MalformedMessageError("the frame is not an array")
    return message


def encode_request(request: Request) -> bytes:
    """The frame of a request. Raises `InvalidParameterError` for a value that cannot be sent."""
    message = [PROTOCOL, request.correlation, request.method, request.params, request.seconds_left]
    try:
        return pack(message)
    except MalformedMessageError as error:
        raise _unsendable(request.params) or error from error


def _unsendable(params: dict[str, Any]) -> InvalidParameterError | None:
    """The error that names the value that cannot be sent."""
    for path, value in _leaves(params, ""):
        try:
            msgpack.packb(value)
        except (TypeError, ValueError, OverflowError):
            return InvalidParameterError(
                f"{path}: {value!a:.80} cannot be sent; expected plain values, and text that UTF-8 can carry",
                parameter=path,
                value=f"{value!a:.80}",
                expected="text that UTF-8 can carry, finite numbers, true, false, null, lists, maps",
            )
    return None


def _leaves(value: Any, path: str, depth: int = 0) -> Iterator[tuple[str, Any]]:
    if depth > _MAX_DEPTH or not isinstance(value, dict | list | tuple):
        yield path, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield f"{path} key".lstrip(), key
            yield from _leaves(inner, f"{path}.{key}".lstrip("."), depth + 1)
    else:
        for i, inner in enumerate(value):
            yield from _leaves(inner, f"{path}[{i}]", depth + 1)


def correlation_of(message: list[Any]) -> int:
    """The correlation of a possibly malformed request; -1 if there is none."""
    value = message[1] if len(message) > 1 else None
    return value if isinstance(value, int) and not isinstance(value, bool) else -1


def decode_request(message: list[Any]) -> Request:
    """The request of an array. Raises `VersionError`, `MalformedMessageError`."""
    if message and message[0] != PROTOCOL:
        raise VersionError(
            f"the client speaks protocol {message[0]!r}, this daemon {PROTOCOL} (memoryd {VERSION}); "
            f"install the same version on both sides",
            client=message[0],
            daemon=PROTOCOL,
        )
    if len(message) != 5:
        raise MalformedMessageError(f"a request has 5 elements, this one {len(message)}")
    _, correlation, method, params, seconds = message
    if correlation_of(message) < 0:
        raise MalformedMessageError("the correlation is not a non-negative integer")
    if not isinstance(method, str):
        raise MalformedMessageError("the method is not a string")
    if not isinstance(params, dict) or not all(isinstance(key, str) for key in params):
        raise MalformedMessageError("the parameters are not a map with string keys")
    if seconds is not None and not (type(seconds) in (int, float) and math.isfinite(seconds)):
        raise MalformedMessageError("the seconds left are not a number")
    return Request(correlation, method, params, None if seconds is None else float(seconds))


def encode_reply(reply: Reply) -> bytes:
    """The frame of a reply."""
    return pack([reply.correlation, reply.status, reply.payload])


def decode_reply(frame: bytes) -> Reply:
    """The reply of a frame. Raises `MalformedMessageError`."""
    message = unpack(frame)
    if len(message) != 3 or not isinstance(message[0], int) or message[1] not in _STATUSES:
        raise MalformedMessageError("the reply is not [correlation, status, payload]")
    return Reply(*message)
