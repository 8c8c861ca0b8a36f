"""Group `memory`, continued: what is destroyed for good."""

from __future__ import annotations

from memory_client.api.parameters import ForgettableIds, MemoryId, MemoryIds, Name, ResultCount
from memory_client.api.spec import long_running
from memory_client.types import DeleteAllResult, DeleteResult, Filters, ForgetResult


class ForgetAPI:
    """Destroying memories, with all that only they carry.

    What goes is gone from every index and file within the hour, of a whole user before the call returns;
    backups are left, and named.
    """

    def delete(
        self,
        id: MemoryId,
        reason: str | None = None,
        *,
        sources: bool = False,
        force: bool = False,
        operator: str = "app",
        user_id: Name = "default",
        agent_id: Name | None = None,
        request_id: Name | None = None,
    ) -> DeleteResult:
        """Destroy a memory in every state and version, and everything derived from it.

        `sources` also destroys the turn it came from (`source_id`). What it said leaves a salted hash, so
        that it is not extracted again; saying it again lifts that. A memory of category `system` needs
        `force=True`. `operator` (as in `update_text`) and `reason` are kept without the text, and named by
        the `NotFoundError` of `history`: do not repeat the text in the reason. Raises `NotFoundError`,
        `WrongIdError`.
        """

    def forget(
        self,
        query: str | None = None,
        *,
        ids: ForgettableIds | None = None,
        dry_run: bool = True,
        force: bool = False,
        n_results: ResultCount = 20,
        reason: str | None = None,
        operator: str = "app",
        user_id: Name = "default",
        agent_id: Name | None = None,
        request_id: Name | None = None,
    ) -> ForgetResult:
        """Show what a query means, active or not: memories, turns and triples; then destroy some by `ids`.

        `forget(query)` is the preview, of the `n_results` (1 to 1000) best texts and the triples around
        them: what holds all words of the query, and what is clearly near in meaning where none of them
        stands; `more_count` says how many are not shown. `forget(ids=[...], dry_run=False)` destroys what was
        chosen of it, all or none. Memories that are system, core or pinned are left and named as `skipped`,
        in the preview too, unless `force=True`. `reason` and `operator` as in `delete`. Raises
        `NotFoundError`, `WrongIdError`.
        """

    @long_running
    def delete_many(
        self,
        ids: MemoryIds | None = None,
        *,
        filters: Filters | None = None,
        dry_run: bool = False,
        force: bool = False,
        reason: str | None = None,
        operator: str = "app",
        user_id: Name = "default",
        agent_id: Name | None = None,
        request_id: Name | None = None,
    ) -> DeleteResult:
        """Destroy the memories of `ids`, or those the filters find: one of the two, and not empty.

        Unknown ids raise `NotFoundError` and nothing is deleted. Memories that are system, core or pinned are
        left and named as `skipped`, unless `force=True`. `dry_run` only returns which would go. `reason` and
        `operator` as in `delete`.
        """

    @long_running
    def delete_all(self, user_id: Name, *, request_id: Name | None = None) -> DeleteAllResult:
        """Destroy every row and file of a user, physically, before it returns. `user_id` has no default."""
