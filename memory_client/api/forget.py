"""Group `memory`, continued: destroying memories."""

from __future__ import annotations

from memory_client.api.parameters import ForgettableIds, MemoryId, MemoryIds, Name, ResultCount
from memory_client.api.spec import long_running
from memory_client.types import DeleteAllResult, DeleteResult, Filters, ForgetResult


class ForgetAPI:
    """Destroying memories, with everything that belongs only to them.

    Deleted data is removed from every index and file within the hour; `delete_all` removes it before it
    returns. Backups are not changed; the reply names them.
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

        `sources` also destroys the turn it came from (`source_id`). A salted hash of its text remains, so
        that it is not extracted again; adding the text again removes the hash. A memory of category `system`
        needs `force=True`. `operator` (as in `update_text`) and `reason` are kept without the text, and the
        `NotFoundError` of `history` shows them: do not repeat the text in the reason. Raises `NotFoundError`,
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
        """Preview the memories of any state, turns and triples that match a query; destroy some by `ids`.

        `forget(query)` is the preview: the `n_results` (1 to 1000) best texts and the triples around them. A
        text matches if it contains all words of the query or is clearly close to it in meaning; `more_count`
        counts the matches that are not shown. `forget(ids=[...], dry_run=False)` destroys the chosen ones,
        all or none. System, core and pinned memories are kept and listed in `skipped`, also in the preview,
        unless `force=True`. `reason` and `operator` as in `delete`. Raises `NotFoundError`, `WrongIdError`.
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
        """Destroy memories by `ids`, or those that match the filters; give one of the two, not empty.

        Unknown ids raise `NotFoundError`, and nothing is deleted. System, core and pinned memories are kept
        and listed in `skipped`, unless `force=True`. `dry_run` only returns what would be deleted. `reason`
        and `operator` as in `delete`.
        """

    @long_running
    def delete_all(self, user_id: Name, *, request_id: Name | None = None) -> DeleteAllResult:
        """Destroy every row and file of a user, physically, before it returns. `user_id` has no default."""
