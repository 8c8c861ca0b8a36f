"""Group `memory`, continued: what excludes each other, and which of it holds."""

from __future__ import annotations

from memory_client.api.parameters import MemoryId, Name
from memory_client.api.spec import long_running
from memory_client.types import Conflict, ResolveResult


class ConflictsAPI:
    """Conflicts between memories, and between versions of one."""

    @long_running
    def conflicts(
        self,
        memory_id: MemoryId | None = None,
        window: str | None = None,
        *,
        decided: bool = False,
        user_id: Name = "default",
        agent_id: Name | None = None,
    ) -> list[Conflict]:
        """Statements that exclude each other: negation, opposite words, numbers, dates, places, attributes of
        which there is one (name, birthday, age, job, spouse, home); the gravest first, then the newest.

        The active memories made or changed within `window` (`12h`, `30d`, `8w`, `all`; by default the setting
        `conflicts.window_days`; at most the 1,000 newest) are compared with those near them in meaning and by
        triples; with `memory_id` that memory is, whenever it was made. What is found is noted and returned
        again until it is resolved, until one of the two is changed or no longer active. Changes of a memory
        within the window that contradict the version before are returned too, with the state `resolved` and
        no id; without `memory_id` also contradictions between knowledge points (ids `knp_`) that a merge has
        met. Each side names its version, who made it, when and why. Of a memory that is archived or
        superseded nothing is returned. `decided=True` returns instead what `resolve` has decided within the
        window and still holds: `resolved` by archiving the loser, or `dismissed` by `keep_both`, with
        `decided_by`, `decided_at` and the reason as `decision`.

        Happenings that may recur (trips, purchases, meetings) do not exclude each other by their times and
        numbers. Raises `NotFoundError`, `WrongIdError`, `InvalidParameterError`.
        """

    def resolve(
        self,
        winner: str,
        loser: str,
        *,
        reason: str | None = None,
        keep_both: bool = False,
        operator: str = "app",
        user_id: Name = "default",
        agent_id: Name | None = None,
        request_id: Name | None = None,
    ) -> ResolveResult:
        """Decide between two memories: the loser is archived as `wrong`, and what was open between the two is
        closed; the winner stays as it is. `restore` brings the loser back, with all that it excludes.

        keep_both: they do not exclude each other; nothing is archived and the pair is not told again while
        both say what they say. Only so can two knowledge points be resolved. Raises `NotFoundError`,
        `WrongIdError`, `InvalidParameterError` when both are one or the loser is a system memory,
        `InvalidStateError` when one of them is not active.
        """
