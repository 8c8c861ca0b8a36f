"""Page cursors: the last item of a page, tied to the page's query."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from typing import Any, TypeVar

from memory_client.errors import InvalidParameterError

K = TypeVar("K", int, str)


def mark_of(*query: Any) -> str:
    """A hash that ties a cursor to its query."""
    return hashlib.sha256(
        json.dumps(query, sort_keys=True, default=str).encode("utf-8", "surrogatepass")
    ).hexdigest()[:12]


def encode(value: float, key: int | str, mark: str) -> str:
    """The cursor of the page after the item with this order value and key."""
    return base64.urlsafe_b64encode(json.dumps([value, key, mark]).encode()).decode()


def decode(cursor: str, mark: str, key_type: type[K]) -> tuple[float, K]:
    """The order value and key. Raises `InvalidParameterError` for a cursor of another query."""
    try:
        value, key, made_for = json.loads(base64.urlsafe_b64decode(cursor.encode()))
    except (ValueError, TypeError, binascii.Error):
        value, key, made_for = None, None, None
    if made_for != mark or type(key) is not key_type or not isinstance(value, int | float):
        raise InvalidParameterError(
            "cursor: not the cursor of a page with these filters and this order; start again without one",
            parameter="cursor",
            value=cursor[:80],
            expected="the cursor of the page before",
        )
    return value, key
