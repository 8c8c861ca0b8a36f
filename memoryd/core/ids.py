"""Ids: a prefix that names the kind and a time-ordered rest; ids of a kind sort by creation time."""

from __future__ import annotations

import secrets
import threading
from typing import Any

from memory_client.errors import InvalidParameterError, WrongIdError
from memoryd.core.parameter_errors import abbreviate

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford base 32, in ASCII order
_TIME_DIGITS = 9  # milliseconds until the year 3084
_RANDOM_BITS = 55
_LENGTH = _TIME_DIGITS + _RANDOM_BITS // 5

KINDS = {
    "mem": "memory",
    "trn": "turn",
    "tri": "triple",
    "knp": "knowledge point",
    "rev": "review",
    "pas": "pass",
    "cnf": "conflict",
    "ver": "version",
    "job": "job",
}
MAX_NAME_BYTES = 200


def _base32(number: int, digits: int) -> str:
    return "".join(_ALPHABET[(number >> 5 * place) & 31] for place in reversed(range(digits)))


class IdFactory:
    """Creates increasing ids, even if the clock stops or goes back. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last = (0, 0)

    def new(self, prefix: str, now: float) -> str:
        """A new id. now: epoch seconds."""
        with self._lock:
            stamp, tail = int(now * 1000), secrets.randbits(_RANDOM_BITS - 1)
            if stamp <= self._last[0]:
                stamp, tail = self._last[0], self._last[1] + 1 + secrets.randbits(20)
            self._last = (stamp, tail)
        return f"{prefix}_{_base32(stamp, _TIME_DIGITS)}{_base32(tail, _RANDOM_BITS // 5)}"


def is_id(value: str) -> bool:
    """Whether the value has the form of an id of any kind."""
    got, _, rest = value.partition("_")
    return got in KINDS and len(rest) == _LENGTH and all(c in _ALPHABET for c in rest)


def check_id(value: str, prefix: str, parameter: str = "id") -> str:
    """The id. Raises `WrongIdError` for an id of another kind, `InvalidParameterError` for other values."""
    got = value.partition("_")[0]
    if got == prefix and is_id(value):
        return value
    if got != prefix and got in KINDS:
        raise WrongIdError(
            f"{parameter}: {value!r} is the id of a {KINDS[got]}, expected that of a {KINDS[prefix]}",
            id=value,
            expected=prefix,
            got=got,
        )
    raise InvalidParameterError(
        f"{parameter}: {value[:80]!r} is not an id; the id of a {KINDS[prefix]} looks like {prefix}_0r2v9…",
        parameter=parameter,
        value=value[:80],
        expected=f"{prefix}_…",
    )


def check_name(value: Any, parameter: str) -> str:
    """A name chosen by an app (user, agent, session, request). Raises `InvalidParameterError`."""
    reason = _name_fault(value)
    if reason or not isinstance(value, str):
        found = value[:80] if isinstance(value, str) else abbreviate(value)
        raise InvalidParameterError(
            f"{parameter}: {found!r} {reason}; expected 1 to {MAX_NAME_BYTES} bytes of UTF-8 "
            f"without control characters",
            parameter=parameter,
            value=found.encode("utf-8", "replace").decode("utf-8"),
            expected=f"1 to {MAX_NAME_BYTES} bytes without control characters",
        )
    return value


def _name_fault(value: Any) -> str | None:
    if not isinstance(value, str):
        return "is not a string"
    if not value.strip():
        return "is blank"
    try:
        size = len(value.encode("utf-8"))
    except UnicodeEncodeError:
        return "holds a lone surrogate"
    if size > MAX_NAME_BYTES:
        return f"has {size} bytes"
    if any(ord(c) < 32 or 127 <= ord(c) < 160 for c in value):
        return "holds a control character"
    return None
