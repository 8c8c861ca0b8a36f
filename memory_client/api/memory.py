"""Group `memory`: the flat methods of a client or a `KnowledgeBase`."""

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
    """Memories and recall.

    Everywhere: `user_id` is part of every key, another user's id is unknown. `agent_id=None` sees the
    user's common memories only, a name sees these and the agent's own, `"*"` sees all of the user's.
    `request_id` makes a write safe to repeat for 24 hours.
    Raises `InvalidParameterError` for a value that does not fit, everywhere.
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
        """Store one memory durably; return its id.

        `metadata` may hold the fields `category kind importance confidence verified source source_id tags
        exact_keys event_start event_end valid_from valid_to expires_at timestamp (or created_at)
        last_access agent_id session_id` and, as a whole number, `position`; every other key is kept as it is.
        `temporal_start temporal_end last_accessed_at`, `exact_keys` as `{name: key}` and category `general`
        are understood, and `get(id)["warnings"]` says how. Credentials in the text are replaced by
        `[secret:kind]` first. Defaults: category fact, kind fact, source user, confidence 1.0,
        importance 1.0 (3.0 for core and system).
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
        """Store many memories, chunk by chunk; return their ids in order.

        Every item is checked before the first is stored. A chunk is acknowledged as a whole; a repeated
        request goes on where the first one stopped.
        """

    def get(
        self,
        id: MemoryId,
        *,
        as_of: float | str | None = None,
        user_id: Name = "default",
        agent_id: Name | None = None,
    ) -> Memory | None:
        """One memory in any state, or None when it is unknown, another user's or destroyed.

        `as_of`: what was known of it at a time (epoch seconds or ISO 8601), None when nothing was; raises
        `HistoryLimitError` for a time before its `history_from`.
        """

    def get_many(
        self, ids: MemoryIds, *, user_id: Name = "default", agent_id: Name | None = None
    ) -> list[Memory | None]:
        """The memories of `ids`, in their order, None where `get` would say None."""

    @long_running
    def get_all(
        self, user_id: Name = "default", *, include_archived: bool = False, agent_id: Name | None = None
    ) -> list[Memory]:
        """All active memories, oldest first; with `include_archived` those in other states, too."""

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

        `cursor` is that of the page before and goes with the same filters and order; `total` counts all
        pages. Rows with equal order values come in order of their ids. `as_of`: what was known at a time
        (epoch seconds or ISO 8601), was active then and true then (`valid_from` to `valid_to`); with
        `include_archived` all that was known. What was destroyed since is not told.
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
        """Active memories that fit the query, best first; with `scope` also what was said, turn by turn, and
        the knowledge points others share with the user, to be cited by `metadata["citation"]`.

        `mode`: `lexical` by words, `semantic` by meaning, `hybrid` everything there is, `auto` the best
        that is ready, `exact` by ids, exact keys and quoted phrases, `temporal` by the time that the query
        or `time_range` names. A request for what was last (刚才聊了什么, "what did we just talk about?") is
        answered newest first by `auto`, `hybrid` and `temporal`. When the model is missing `auto` and
        `hybrid` answer by words: the result is then `degraded`, with the `reason` in words. `semantic`
        waits for a model that is loading, within the call's time. `scope`: any of `memory turn shared`,
        or "all"; memories by default. `session_id` narrows to a session, `time_range` to [start, end)
        (either may be None) of what was made then or speaks of it, `sort_by` reorders the `n_results` (1 to
        1000) best, `min_score` in [0, 1] drops the weaker ones. `intent` replaces the one read from the
        query; `weights` multiplies what `exact semantic temporal recency lexical graph` count, 1 by default.
        `include_archived` also finds memories that are no longer active, marked by `state`. `as_of` finds
        what was known, active and true at a time, as `page` does, in the words it had then; a turn when it
        was received by then. Times in the query (last week, 上周三) are told from `reference_time`, now by
        default, in the zone `tz`, by default that of the setting `search.timezone`, else the machine's; a
        `reference_time` and a `time_range` without offset are read in it, too.
        Raises `ModelUnavailableError` when `semantic` has no model.
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
        """The plan of a search, its hits with their reasons, and why there are none if so; never cached.

        Takes what `search` takes; its hits have `explain`.
        """

    def count(
        self,
        *,
        filters: Filters | None = None,
        include_archived: bool = False,
        user_id: Name = "default",
        agent_id: Name | None = None,
    ) -> int:
        """How many active memories fit the filters; with `include_archived` memories in any state."""

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
        """Put a memory better: same id, next version.

        `operator` is who makes the change and `reason` why, up to 1,000 characters; `history` shows both. A
        surface names itself (`user`, `import`); `monitor reviewer decay system` are refused. Every method
        that changes a memory takes them. Raises `NotFoundError`, `WrongIdError`.
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
        """Merge `metadata` into a memory's; None removes a key (a field falls back to its default).

        Takes the fields that `add` takes, but for `agent_id`, `session_id` and `importance`, which has
        its own method. Raises `NotFoundError`, `WrongIdError`.
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
        """Change the importance by `delta`, or set it to `value`; kept within 0 and 5.

        Raises `NotFoundError`, `WrongIdError`.
        """

    def ping(self) -> PingResult:
        """Whether the process answers."""

    def status(self) -> Status:
        """The state of the process, its model, its store and what they take."""
