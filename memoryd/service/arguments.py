"""What the services of several groups do with their arguments."""

from __future__ import annotations

from typing import Any

from memoryd.core.ids import check_id, check_name
from memoryd.core.operators import CALLER
from memoryd.core.scope import Scope
from memoryd.service.validation import in_range
from memoryd.storage.requests import RequestKey

MAX_PAGE = 1000
MAX_IDS = 100_000


def request_key(
    method: str, scope: Scope, request_id: str | None, params: dict[str, Any]
) -> RequestKey | None:
    """The key of a repeatable request, None for one without an id."""
    if request_id is None:
        return None
    return RequestKey.of(scope.user_id, method, check_name(request_id, "request_id"), params)


def added(operator: str, reason: str | None = None) -> dict[str, Any]:
    """Who and why, for the key of a repeatable request: left out at their defaults, so that a request made
    before there were these parameters may be repeated."""
    given = {} if operator == CALLER else {"operator": operator}
    return given if reason is None else {**given, "reason": reason}


def checked_ids(ids: list[str], prefix: str) -> list[str]:
    """Ids of one kind. Raises `WrongIdError`, `InvalidParameterError`."""
    in_range("ids", len(ids), 0, MAX_IDS)
    return [check_id(id, prefix, f"ids[{i}]") for i, id in enumerate(ids)]
