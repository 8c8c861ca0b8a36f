"""Group `decay`: what the clock does to memories."""

from __future__ import annotations

from typing import Annotated

from memory_client.api.parameters import Between, Name, PassId
from memory_client.api.spec import long_running
from memory_client.types import DecayPass, DecayPreview, DeleteResult, UndoPassResult


class DecayAPI:
    """Passes over what has faded, and over what has expired.

    A pass archives and queues reviews, never destroys: facts whose importance has fallen below .2 (unless
    verified or stated by the user), episodes after 7 days, and what is past its `expires_at`; a review for
    each fact that falls below .5. It takes a share of the memories at a time (`decay.max_fraction`). One is
    made when the last is a day old (`decay.pass_hours`). User and agent as everywhere.
    """

    @long_running
    def preview(
        self,
        limit: Annotated[int, Between(0, 1000)] = 100,
        *,
        user_id: Name = "default",
        agent_id: Name | None = None,
    ) -> DecayPreview:
        """What a pass would do now, the first `limit` (0 to 1000) memories by name; changes nothing."""

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
        """Bring back what a pass archived, each as `restore` does, and withdraw its open reviews.

        What it did to memories of other agents stays; `agent_id="*"` undoes all of it. Raises
        `NotFoundError`, `WrongIdError`, `InvalidStateError` when it is undone already.
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
        """Destroy what was archived more than `older_than_days` days ago, by default `decay.retention_days`.

        Skips memories that are pinned, core or system, and those whose age may come from a jump of the clock:
        a period without a pass or an active day counts for at most a quarter of `older_than_days`. `dry_run`
        only returns what would be destroyed. Raises `InvalidParameterError` if only such memories are left.
        """
