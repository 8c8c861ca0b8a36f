"""Group `memory`, continued: validation and user scoping of a memory's life."""

from __future__ import annotations

from memory_client.api import LifeAPI
from memory_client.types import Updated
from memoryd.core.ids import check_id
from memoryd.core.scope import Scope
from memoryd.engine.shelve import Shelve
from memoryd.service.arguments import request_key


class LifeService(LifeAPI):
    """The flat methods of a memory's life over one store."""

    def __init__(self, shelve: Shelve) -> None:
        self._shelve = shelve

    def archive(
        self,
        id: str,
        reason: str | None = None,
        *,
        user_id: str = "default",
        agent_id: str | None = None,
        request_id: str | None = None,
    ) -> Updated:
        check_id(id, "mem")
        scope = Scope.checked(user_id, agent_id)
        params = {"id": id, "reason": reason, "agent_id": agent_id}
        key = request_key("memory.archive", scope, request_id, params)
        return self._shelve.archive(id, reason, scope, key)
