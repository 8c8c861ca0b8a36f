"""Group `decay`: passes that archive faded and expired memories."""

from __future__ import annotations

from typing import Annotated

from memory_client.api.parameters import Between, Name, PassId
from memory_client.api.spec import long_running
from memory_client.types import DecayPass, DecayPreview, DeleteResult, UndoPassResult


class DecayAPI:
    """Decay passes: they archive memories and queue reviews, and never destroy anything.

    A pass archives facts whose importance is below 0.2 (unless verified or stated by the user), episodes
    after 7 days, and memories past their `expires_at`; it queues a review of each fact below 0.5. One pass
    changes at most a fraction of the memories (`decay.max_fraction`). A pass is made when the last one is a
    day old (`decay.pass_hours`). User and agent work as in the group `memory`.
    """

    @long_running
    def preview(
        self,
        limit: Annotated[int, Between(0, 1000)] = 100,
        *,
        user_id: Name = "default",
        agent_id: Name | None = None,
    ) -> DecayPreview:
        """What a pass would do now, with the first `limit` (0 to 1000) memories; changes nothing."""

    @long_running
    def run(
        self, *, user_id: Name = "default", agent_id: Name | None = None, request_id: Name | None = None
    ) -> DecayPass:
        """Make a pass now.

        A pass is skipped, and `note` says why, while the clock seems to be wrong: set back, if the dates on
        which the user was active continue after today; set ahead, if there were none for over a year.
        """

    @long_running
    def undo_pass(
        self,
        id: PassId,
        *,
        user_id: Name = "default",
        agent_id: Name | None = None,
        request_id: Name | None = None,
    ) -> UndoPassResult:
        """Restore what a pass archived, each memory as `restore` does, and withdraw its pending reviews.

        Changes to memories of other agents are kept; `agent_id="*"` undoes all. Raises `NotFoundError`,
        `WrongIdError`, and `InvalidStateError` if it is already undone.
        """

    @long_running
    def purge(
        self,
        older_than_days: Annotated[float, Between(0, 100_000)] | None = None,
        *,
        dry_run: bool = False,
        user_id: Name = "default",
        agent_id: Name | None = None,
        request_id: Name | None = None,
    ) -> DeleteResult:
        """Destroy memories archived more than `older_than_days` days ago; default: `decay.retention_days`.

        Pinned, core and system memories are kept, and so are those whose age may come from a jump of the
        clock: a period without a pass or an active day counts for at most a quarter of `older_than_days`.
        `dry_run` only returns what would be destroyed. Raises `InvalidParameterError` if nothing is old
        enough and the clock seems to have jumped.
        """
