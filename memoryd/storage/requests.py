"""Replies to requests already carried out, so that a repeated one changes nothing. Kept for 24 hours."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import msgpack

from memory_client.errors import InvalidParameterError, RequestIdConflict
from memoryd.storage.database import Transaction
from memoryd.storage.salt import salted_hash

T = TypeVar("T")
KEEP_SECONDS = 24 * 3600


@dataclass(frozen=True, slots=True)
class RequestKey:
    """A repeatable request.

    part: the chunk of a request that is carried out in several; nameless: user and request are kept as
    hashes only, for the request that forgets the user.
    """

    user_id: str
    method: str
    request_id: str
    params_hash: bytes
    part: int | None = None
    nameless: bool = False

    @classmethod
    def of(cls, user_id: str, method: str, request_id: str, params: Mapping[str, Any]) -> RequestKey:
        """params: hashed once; those of a long request are as large as it is."""
        return cls(user_id, method, request_id, _digest(params))

    @property
    def stored_id(self) -> str:
        return self.request_id if self.part is None else f"{self.request_id}#{self.part}"


def run_once(tx: Transaction, key: RequestKey | None, now: float, change: Callable[[], T]) -> T:
    """The reply of `change`, carried out now or taken from before, within the write's own transaction.

    The reply must hold ids and counts only. Raises `RequestIdConflict` on other parameters.
    """
    if key is None:
        return change()
    known, reply = find_reply(tx.connection, key)
    if known:
        return reply  # type: ignore[no-any-return]
    reply = change()
    tx.execute(
        "INSERT INTO requests VALUES (?, ?, ?, ?, ?, ?)",
        (*_place(tx.connection, key), salted_hash(tx.connection, key.params_hash), msgpack.packb(reply), now),
    )
    return reply


def find_reply(connection: sqlite3.Connection, key: RequestKey | None) -> tuple[bool, Any]:
    """Whether the request was carried out before (one without a key never was), and its reply.

    Raises `RequestIdConflict`.
    """
    if key is None:
        return False, None
    row = connection.execute(
        "SELECT params_hash, reply FROM requests WHERE user_id = ? AND method = ? AND request_id = ?",
        _place(connection, key),
    ).fetchone()
    if row is None:
        return False, None
    if bytes(row[0]) != salted_hash(connection, key.params_hash):
        raise RequestIdConflict(
            f"request_id {key.request_id!r} was used for {key.method} with other parameters; "
            f"take a new one for every new call",
            request_id=key.request_id,
        )
    return True, msgpack.unpackb(row[1])


def forget_user(tx: Transaction, user_id: str) -> None:
    """Drop the replies of a user."""
    tx.execute("DELETE FROM requests WHERE user_id = ?", (user_id,))


def delete_expired(tx: Transaction, now: float) -> None:
    """Drop replies whose time is over."""
    tx.execute("DELETE FROM requests WHERE at < ?", (now - KEEP_SECONDS,))


def _place(connection: sqlite3.Connection, key: RequestKey) -> tuple[str, str, str]:
    """The primary key of a request's row."""
    if not key.nameless:
        return key.user_id, key.method, key.stored_id
    hashes = [salted_hash(connection, name.encode()).hex() for name in (key.user_id, key.stored_id)]
    return hashes[0], key.method, hashes[1]


def _digest(params: Mapping[str, Any]) -> bytes:
    """Equal for equal parameters; what is no JSON is refused later, by name."""
    try:
        packed = msgpack.packb(_sorted(dict(params)), default=repr, unicode_errors="surrogatepass")
    except (RecursionError, ValueError) as error:
        raise InvalidParameterError(
            f"{', '.join(params)}: nested too deep for a request_id; expected a few levels",
            parameter=next(iter(params)),
            value="…",
            expected="a few levels",
        ) from error
    return hashlib.blake2b(packed).digest()


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _sorted(value[name]) for name in sorted(value, key=repr)}
    return [_sorted(item) for item in value] if isinstance(value, list | tuple) else value
