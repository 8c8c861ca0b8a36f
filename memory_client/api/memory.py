"""Group `memory`: the methods of a client or a `KnowledgeBase` itself."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from memory_client.api.parameters import Between, MemoryId, MemoryIds, Name, ResultCount
from memory_client.api.spec import long_running
from memory_client.types import (
    Direction,
    Filters,
    Hits,
    Intent,
    Memory,
    MemoryItem,
    Mode,
    Order,
    Page,
    PingResult,
    SearchOrder,
    SearchReport,
    SearchScope,
    Stats,
    Status,
    Threshold,
    UpdateResult,
)


class MemoryAPI:
    """Memories and search.

    `user_id` is part of every key: another user's ids are unknown. `agent_id=None` sees only the user's
    common memories, a name also the agent's own, `"*"` all of the user's. `request_id` makes a write safe to
    repeat for 24 hours. Every method raises `InvalidParameterError` for an invalid value.
    """

    def add(
        self,
        text: str,
        metadata: dict[str, Any] | None = None,
        *,
        user_id: Name = "default",
        agent_id: Name | None = None,
        session_id: Name | None = None,
        request_id: Name | None = None,
    ) -> str:
        """Store one memory durably and return its id.

        These keys of `metadata` become fields: `category kind importance confidence verified source source_id
        tags exact_keys event_start event_end valid_from valid_to expires_at timestamp (or created_at)
        last_access agent_id session_id` and, as a whole number, `position`; every other key is stored
        unchanged. `temporal_start temporal_end last_accessed_at`, `exact_keys` as `{name: key}` and category
        `general` are converted, and `get(id)["warnings"]` describes how. Credentials are replaced by
        `[secret:kind]` before the text is stored. Defaults: category fact, kind fact, source user, confidence
        1.0, importance 1.0 (3.0 for core and system).
        """

    @long_running
    def add_many(
        self,
        items: list[str | MemoryItem],
        *,
        user_id: Name = "default",
        agent_id: Name | None = None,
        session_id: Name | None = None,
        request_id: Name | None = None,
    ) -> list[str]:
        """Store many memories in chunks; return their ids in order.

        Every item is checked before the first is stored. A chunk is stored completely or not at all; a
        repeated request continues after the last stored chunk.
        """

    def get(
        self,
        id: MemoryId,
        *,
        as_of: float | str | None = None,
        user_id: Name = "default",
        agent_id: Name | None = None,
    ) -> Memory | None:
        """One memory in any state, or None if it is unknown, another user's or destroyed.

        `as_of`: the memory as it was known at a time (epoch seconds or ISO 8601), None if it did not exist
        yet; raises `HistoryLimitError` for a time before its `history_from`.
        """

    def get_many(
        self, ids: MemoryIds, *, user_id: Name = "default", agent_id: Name | None = None
    ) -> list[Memory | None]:
        """The memories of `ids` in their order; None where `get` would return None."""

    @long_running
    def get_all(
        self, user_id: Name = "default", *, include_archived: bool = False, agent_id: Name | None = None
    ) -> list[Memory]:
        """All active memories, oldest first; with `include_archived` also those in other states."""

    def page(
        self,
        filters: Filters | None = None,
        *,
        order: Order = "created_at",
        sort_order: Direction = "desc",
        cursor: str | None = None,
        limit: ResultCount = 50,
        as_of: float | str | None = None,
        include_archived: bool = False,
        user_id: Name = "default",
        agent_id: Name | None = None,
    ) -> Page:
        """Active memories page by page, `limit` 1 to 1000; with `include_archived` in every state.

        `cursor` comes from the page before and requires the same filters and order; `total` counts all pages.
        Memories with equal order values are ordered by id. `as_of`: what was known at a time (epoch seconds
        or ISO 8601), active then and true then (`valid_from` to `valid_to`); with `include_archived`
        everything known then. Memories destroyed since then are not returned.
        """

    def search(
        self,
        query: str,
        n_results: ResultCount = 5,
        *,
        user_id: Name = "default",
        agent_id: Name | None = None,
        session_id: Name | None = None,
        mode: Mode = "auto",
        scope: list[SearchScope] | Literal["all"] | None = None,
        filters: Filters | None = None,
        offset: Annotated[int, Between(0, 100_000)] = 0,
        min_score: Threshold | None = None,
        sort_by: SearchOrder = "relevance",
        sort_order: Direction = "desc",
        intent: Intent | None = None,
        weights: dict[str, float] | None = None,
        time_range: list[float | str | None] | None = None,
        as_of: float | str | None = None,
        include_archived: bool = False,
        reference_time: float | str | None = None,
        tz: str | None = None,
        explain: bool = False,
    ) -> Hits:
        """Active memories that match the query, best first.

        `scope`: any of `memory turn shared`, or "all"; default: memories. Shared knowledge points are cited
        by `metadata["citation"]`. `mode`: `lexical` by words, `semantic` by meaning, `hybrid` by all sources,
        `auto` by the best that is ready, `exact` by ids, exact keys and quoted phrases, `temporal` by the
        time that the query or `time_range` gives. A request for the newest (刚才聊了什么, "what did we just
        talk about?") is answered newest first by `auto`, `hybrid` and `temporal`. Without a model `auto` and
        `hybrid` search by words: the result is then `degraded`, with the `reason` in words. `semantic` waits
        for a loading model within the call's time limit.

        `session_id` limits the search to a session, `time_range` to memories and turns created within [start,
        end) or about that time (either end may be None). `sort_by` reorders the `n_results` (1 to 1000) best,
        `min_score` in [0, 1] drops hits below it. `intent` replaces the intent read from the query; `weights`
        multiplies the contribution of `exact semantic temporal recency lexical graph`, 1 by default.
        `include_archived` also finds memories that are not active, marked by `state`. `as_of` finds what was
        known, active and true at a time, as in `page`, with the text it had then, and turns received by then.
        Times in the query (last week, 上周三) are relative to `reference_time`, default: now, in the time
        zone `tz`, default: the setting `search.timezone`, else that of the machine; a `reference_time` and a
        `time_range` without offset are read in it too. Raises `ModelUnavailableError` if `semantic` has no
        model.
        """

    def explain(
        self,
        query: str,
        n_results: ResultCount = 5,
        *,
        user_id: Name = "default",
        agent_id: Name | None = None,
        session_id: Name | None = None,
        mode: Mode = "auto",
        scope: list[SearchScope] | Literal["all"] | None = None,
        filters: Filters | None = None,
        offset: Annotated[int, Between(0, 100_000)] = 0,
        min_score: Threshold | None = None,
        sort_by: SearchOrder = "relevance",
        sort_order: Direction = "desc",
        intent: Intent | None = None,
        weights: dict[str, float] | None = None,
        time_range: list[float | str | None] | None = None,
        as_of: float | str | None = None,
        include_archived: bool = False,
        reference_time: float | str | None = None,
        tz: str | None = None,
    ) -> SearchReport:
        """The plan of a search, its hits with explanations, and the reason if there are none; never cached.

        Takes the parameters of `search`; its hits have `explain`.
        """

    def count(
        self,
        *,
        filters: Filters | None = None,
        include_archived: bool = False,
        user_id: Name = "default",
        agent_id: Name | None = None,
    ) -> int:
        """How many active memories match the filters; with `include_archived` memories in any state."""

    def stats(self, *, user_id: Name = "default", agent_id: Name | None = None) -> Stats:
        """Counts by category, kind, source and state, sizes and ages."""

    def update_text(
        self,
        id: MemoryId,
        text: str,
        reason: str | None = None,
        *,
        operator: str = "app",
        user_id: Name = "default",
        agent_id: Name | None = None,
        request_id: Name | None = None,
    ) -> UpdateResult:
        """Replace the text of a memory: same id, next version.

        `operator` is who makes the change and `reason` why, up to 1,000 characters; `history` shows both. An
        app gives its own name (`user`, `import`); `monitor reviewer decay system` are refused. Every method
        that changes a memory takes both. Raises `NotFoundError`, `WrongIdError`.
        """

    def update_metadata(
        self,
        id: MemoryId,
        metadata: dict[str, Any],
        reason: str | None = None,
        *,
        operator: str = "app",
        user_id: Name = "default",
        agent_id: Name | None = None,
        request_id: Name | None = None,
    ) -> UpdateResult:
        """Merge `metadata` into that of a memory; None removes a key (a field gets its default).

        Takes the fields that `add` takes, except `agent_id`, `session_id` and `importance`, which has its own
        method. Raises `NotFoundError`, `WrongIdError`.
        """

    def update_importance(
        self,
        id: MemoryId,
        delta: Annotated[float, Between(-5, 5)] | None = None,
        *,
        value: Annotated[float, Between(0, 5)] | None = None,
        reason: str | None = None,
        operator: str = "app",
        user_id: Name = "default",
        agent_id: Name | None = None,
        request_id: Name | None = None,
    ) -> UpdateResult:
        """Change the importance by `delta`, or set it to `value`; it stays between 0 and 5.

        Raises `NotFoundError`, `WrongIdError`.
        """

    def ping(self) -> PingResult:
        """Whether the process answers."""

    def status(self) -> Status:
        """The state of the process, its model and its store, with the memory and disk space they use."""
