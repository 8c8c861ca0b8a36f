"""Group `memory`, continued: validation and user scoping of conflicts."""

from __future__ import annotations

from memory_client.api import ConflictsAPI
from memory_client.types import Conflict, ResolveResult
from memoryd.core.filters.window import parse_window
from memoryd.core.ids import check_id
from memoryd.core.scope import Scope
from memoryd.engine.author import Author
from memoryd.engine.conflicts.conflict_queue import ConflictQueue
from memoryd.service.arguments import added, request_key


class ConflictsService(ConflictsAPI):
    """Conflicts over one store. window: seconds, where a call names none."""

    def __init__(self, conflicts: ConflictQueue, window: float) -> None:
        self._conflicts = conflicts
        self._window = window

    def conflicts(
        self,
        memory_id: str | None = None,
        window: str | None = None,
        *,
        decided: bool = False,
        user_id: str = "default",
        agent_id: str | None = None,
    ) -> list[Conflict]:
        wanted = None if memory_id is None else check_id(memory_id, "mem", "memory_id")
        seconds = self._window if window is None else parse_window(window)
        list_conflicts = self._conflicts.decided if decided else self._conflicts.find
        return list_conflicts(wanted, seconds, Scope.checked(user_id, agent_id))

    def resolve(
        self,
        winner: str,
        loser: str,
        *,
        reason: str | None = None,
        keep_both: bool = False,
        operator: str = "app",
        user_id: str = "default",
        agent_id: str | None = None,
        request_id: str | None = None,
    ) -> ResolveResult:
        kind = "knp" if keep_both and winner.startswith("knp_") else "mem"
        check_id(winner, kind, "winner")
        check_id(loser, kind, "loser")
        scope = Scope.checked(user_id, agent_id)
        params = {
            "winner": winner,
            "loser": loser,
            "reason": reason,
            "keep_both": keep_both,
            "agent_id": agent_id,
            **added(operator),
        }
        author = Author.checked(operator, reason)
        key = request_key("memory.resolve", scope, request_id, params)
        if kind == "knp":
            return self._conflicts.keep_points(winner, loser, author, scope, key)
        return self._conflicts.resolve(winner, loser, author, keep_both, scope, key)
