"""Group `memory`, continued: validation and user scoping of versions and successors."""

from __future__ import annotations

from typing import Any

from memory_client.api import VersionsAPI
from memory_client.types import Comparison, UpdateResult, Version
from memoryd.core.ids import check_id
from memoryd.core.scope import Scope
from memoryd.engine.author import Author
from memoryd.engine.memories.history import VersionHistory
from memoryd.engine.memories.supersede import MemorySuccession
from memoryd.service.arguments import MAX_PAGE, added, request_key
from memoryd.service.validation import in_range

_MOST_VERSIONS = 2**53


class VersionsService(VersionsAPI):
    """What memories were and became, over one store."""

    def __init__(self, history: VersionHistory, supersede: MemorySuccession) -> None:
        self._history = history
        self._supersede = supersede

    def history(
        self,
        id: str,
        *,
        limit: int = 50,
        before: int | None = None,
        user_id: str = "default",
        agent_id: str | None = None,
    ) -> list[Version]:
        check_id(id, "mem")
        in_range("limit", limit, 1, MAX_PAGE)
        _check_versions(before=before)
        return self._history.history(id, Scope.checked(user_id, agent_id), before, limit)

    def compare(
        self,
        id: str,
        a: int | None = None,
        b: int | None = None,
        *,
        user_id: str = "default",
        agent_id: str | None = None,
    ) -> Comparison:
        check_id(id, "mem")
        _check_versions(a=a, b=b)
        return self._history.compare(id, Scope.checked(user_id, agent_id), a, b)

    def revert(
        self,
        id: str,
        to: int,
        reason: str | None = None,
        *,
        operator: str = "app",
        user_id: str = "default",
        agent_id: str | None = None,
        request_id: str | None = None,
    ) -> UpdateResult:
        check_id(id, "mem")
        _check_versions(to=to)
        scope = Scope.checked(user_id, agent_id)
        params = {"id": id, "to": to, "reason": reason, "agent_id": agent_id, **added(operator)}
        key = request_key("memory.revert", scope, request_id, params)
        return self._history.revert(id, to, Author.checked(operator, reason), scope, key)

    def supersede(
        self,
        id: str,
        text: str,
        metadata: dict[str, Any] | None = None,
        reason: str | None = None,
        *,
        operator: str = "app",
        user_id: str = "default",
        agent_id: str | None = None,
        request_id: str | None = None,
    ) -> str:
        check_id(id, "mem")
        scope = Scope.checked(user_id, agent_id)
        params = {"id": id, "text": text, "metadata": metadata, "reason": reason, "agent_id": agent_id}
        params |= added(operator)
        key = request_key("memory.supersede", scope, request_id, params)
        return self._supersede.supersede(id, text, metadata, Author.checked(operator, reason), scope, key)


def _check_versions(**numbers: int | None) -> None:
    for name, number in numbers.items():
        if number is not None:
            in_range(name, number, 1, _MOST_VERSIONS)
