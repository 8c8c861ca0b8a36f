"""Handlers of group `memory`: conflicts."""

from __future__ import annotations

from memory_client.types import Conflict, ResolveResult
from memoryd.core.ids import check_id
from memoryd.core.scope import Scope
from memoryd.core.times import parse_window
from memoryd.engine.author import Author
from memoryd.engine.conflicts.conflict_queue import ConflictQueue
from memoryd.storage.requests import RequestKey


class ConflictsService:
    """window: seconds, by default."""

    def __init__(self, conflicts: ConflictQueue, window: float) -> None:
        self._conflicts = conflicts
        self._window = window

    def conflicts(
        self, memory_id: str | None, window: str | None, *, decided: bool, scope: Scope
    ) -> list[Conflict]:
        seconds = self._window if window is None else parse_window(window)
        list_conflicts = self._conflicts.decided if decided else self._conflicts.find
        return list_conflicts(memory_id, seconds, scope)

    def resolve(
        self,
        winner: str,
        loser: str,
        author: Author,
        *,
        keep_both: bool,
        scope: Scope,
        key: RequestKey | None,
    ) -> ResolveResult:
        kind = "knp" if keep_both and winner.startswith("knp_") else "mem"
        check_id(winner, kind, "winner")
        check_id(loser, kind, "loser")
        if kind == "knp":
            return self._conflicts.keep_points(winner, loser, author, scope, key)
        return self._conflicts.resolve(winner, loser, author, keep_both, scope, key)
