"""Group `memory`, continued: validation and user scoping of a memory's life."""

from __future__ import annotations

from memory_client.api import LifeAPI
from memory_client.types import BoostResult, Feedback, FeedbackResult, UpdateResult
from memoryd.core.ids import check_id
from memoryd.core.scope import Scope
from memoryd.engine.author import Author
from memoryd.engine.memories.archive import MemoryArchive
from memoryd.engine.memories.usage import MemoryUsage
from memoryd.service.arguments import MAX_PAGE, added, checked_ids, request_key
from memoryd.service.validation import in_range


class LifeService(LifeAPI):
    """The flat methods of a memory's life over one store."""

    def __init__(self, use: MemoryUsage, shelve: MemoryArchive) -> None:
        self._use = use
        self._shelve = shelve

    def boost(
        self,
        id: str,
        reason: str | None = None,
        *,
        operator: str = "app",
        user_id: str = "default",
        agent_id: str | None = None,
        request_id: str | None = None,
    ) -> BoostResult:
        check_id(id, "mem")
        scope = Scope.checked(user_id, agent_id)
        params = {"id": id, "reason": reason, "agent_id": agent_id, **added(operator)}
        key = request_key("memory.boost", scope, request_id, params)
        return self._use.boost(id, Author.checked(operator, reason), scope, key)

    def mark_used(
        self,
        ids: list[str],
        *,
        user_id: str = "default",
        agent_id: str | None = None,
        request_id: str | None = None,
    ) -> list[BoostResult]:
        in_range("ids", len(ids), 0, MAX_PAGE)
        scope = Scope.checked(user_id, agent_id)
        key = request_key("memory.mark_used", scope, request_id, {"ids": ids, "agent_id": agent_id})
        return self._use.mark_used(checked_ids(ids, "mem"), scope, key)

    def feedback(
        self,
        id: str,
        finding: Feedback,
        reason: str | None = None,
        *,
        operator: str = "app",
        user_id: str = "default",
        agent_id: str | None = None,
        request_id: str | None = None,
    ) -> FeedbackResult:
        check_id(id, "mem")
        scope = Scope.checked(user_id, agent_id)
        params = {"id": id, "finding": finding, "reason": reason, "agent_id": agent_id, **added(operator)}
        key = request_key("memory.feedback", scope, request_id, params)
        return self._use.feedback(id, finding, Author.checked(operator, reason), scope, key)

    def pin(
        self,
        id: str,
        pinned: bool = True,
        reason: str | None = None,
        *,
        operator: str = "app",
        user_id: str = "default",
        agent_id: str | None = None,
        request_id: str | None = None,
    ) -> UpdateResult:
        check_id(id, "mem")
        scope = Scope.checked(user_id, agent_id)
        params = {"id": id, "pinned": pinned, "agent_id": agent_id, **added(operator, reason)}
        key = request_key("memory.pin", scope, request_id, params)
        return self._use.pin(id, Author.checked(operator, reason), pinned=pinned, scope=scope, key=key)

    def archive(
        self,
        id: str,
        reason: str | None = None,
        *,
        operator: str = "app",
        user_id: str = "default",
        agent_id: str | None = None,
        request_id: str | None = None,
    ) -> UpdateResult:
        check_id(id, "mem")
        scope = Scope.checked(user_id, agent_id)
        params = {"id": id, "reason": reason, "agent_id": agent_id, **added(operator)}
        key = request_key("memory.archive", scope, request_id, params)
        return self._shelve.archive(id, Author.checked(operator, reason), scope, key)

    def restore(
        self,
        id: str,
        reason: str | None = None,
        *,
        operator: str = "app",
        user_id: str = "default",
        agent_id: str | None = None,
        request_id: str | None = None,
    ) -> UpdateResult:
        check_id(id, "mem")
        scope = Scope.checked(user_id, agent_id)
        params = {"id": id, "reason": reason, "agent_id": agent_id, **added(operator)}
        key = request_key("memory.restore", scope, request_id, params)
        return self._shelve.restore(id, Author.checked(operator, reason), scope, key)
