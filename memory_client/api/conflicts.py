"""Group `memory`, continued: conflicts between memories."""

from __future__ import annotations

from memory_client.api.parameters import MemoryId, Name
from memory_client.api.spec import long_running
from memory_client.types import Conflict, ResolveResult


class ConflictsAPI:
    """Conflicts between memories, and between versions of one memory."""

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
        """Statements that contradict each other, the most severe first, then the newest.

        Types: negation, antonyms, numbers, dates, places, and attributes of which a person has one (name,
        birthday, age, job, spouse, home). Recurring events (trips, purchases, meetings) do not contradict
        each other by their times and numbers.

        Active memories created or changed within `window` (`12h`, `30d`, `8w`, `all`; default: setting
        `conflicts.window_days`; at most the 1,000 newest) are compared with similar memories and with related
        triples; with `memory_id` only that memory is compared, whatever its age. A conflict is recorded and
        returned again until it is resolved or one of its memories is changed or no longer active. A change
        within the window that contradicts the version before is returned with state `resolved` and no id.
        Without `memory_id`, conflicts between knowledge points (ids `knp_`) found by a merge are returned
        too. Archived and superseded memories have no conflicts.

        `decided=True` returns instead the decisions of `resolve` within the window that still hold:
        `resolved` by archiving the loser, or `dismissed` by `keep_both`, with `decided_by`, `decided_at` and
        the reason as `decision`. Raises `NotFoundError`, `WrongIdError`, `InvalidParameterError`.
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
        """Decide between two memories: archive the loser as `wrong` and close their conflicts.

        The winner is unchanged. `restore` makes the loser active again, and its conflicts open again.
        `keep_both`: they do not contradict each other; nothing is archived, and the pair is not reported
        again while both texts are unchanged. Two knowledge points can only be resolved this way. Raises
        `NotFoundError`, `WrongIdError`, `InvalidParameterError` if both ids are the same or the loser is a
        system memory, and `InvalidStateError` if one of them is not active.
        """
