"""Group `decay`: validation and user scoping; the work is done by the engine."""

from __future__ import annotations

from memory_client.api import DecayAPI
from memory_client.types import DecayPass, DecayPreview, DeleteResult, UndoPassResult
from memoryd.core.ids import check_id
from memoryd.core.scope import Scope
from memoryd.engine.decay.decay_passes import DecayPasses
from memoryd.engine.deletion.purge import ArchivePurge
from memoryd.service.arguments import MAX_PAGE, request_key
from memoryd.service.validation import in_range

_MOST_DAYS = 100_000


class DecayService(DecayAPI):
    """The passes over one store."""

    def __init__(self, decay: DecayPasses, purge: ArchivePurge) -> None:
        self._decay = decay
        self._purge = purge

    def preview(
        self, limit: int = 100, *, user_id: str = "default", agent_id: str | None = None
    ) -> DecayPreview:
        in_range("limit", limit, 0, MAX_PAGE)
        return self._decay.preview(limit, Scope.checked(user_id, agent_id))

    def run(
        self, *, user_id: str = "default", agent_id: str | None = None, request_id: str | None = None
    ) -> DecayPass:
        scope = Scope.checked(user_id, agent_id)
        return self._decay.run(scope, request_key("decay.run", scope, request_id, {"agent_id": agent_id}))

    def undo_pass(
        self,
        id: str,
        *,
        user_id: str = "default",
        agent_id: str | None = None,
        request_id: str | None = None,
    ) -> UndoPassResult:
        check_id(id, "pas")
        scope = Scope.checked(user_id, agent_id)
        key = request_key("decay.undo_pass", scope, request_id, {"id": id, "agent_id": agent_id})
        return self._decay.undo_pass(id, scope, key)

    def purge(
        self,
        older_than: float | None = None,
        *,
        dry_run: bool = False,
        user_id: str = "default",
        agent_id: str | None = None,
        request_id: str | None = None,
    ) -> DeleteResult:
        if older_than is not None:
            in_range("older_than", older_than, 0, _MOST_DAYS)
        scope = Scope.checked(user_id, agent_id)
        params = {"older_than": older_than, "agent_id": agent_id}
        key = None if dry_run else request_key("decay.purge", scope, request_id, params)
        return self._purge.purge(older_than, dry_run=dry_run, scope=scope, key=key)
