"""Group `memory`: validation and user scoping; the work is done by the engine."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Literal, cast

from memory_client.api import MemoryAPI
from memory_client.protocol import PROTOCOL
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
from memory_client.version import VERSION
from memoryd.core.call_context import current_call
from memoryd.core.ids import check_id
from memoryd.core.scope import Scope
from memoryd.core.times import parse_time
from memoryd.engine.author import Author
from memoryd.engine.maintenance import Maintenance
from memoryd.engine.memories.as_of import AsOfReader
from memoryd.engine.memories.read_memories import MemoryReader, PageRequest
from memoryd.engine.memories.write_memories import MemoryEditor, Owner
from memoryd.retrieval.request import SearchRequest
from memoryd.retrieval.search import Search
from memoryd.service.arguments import MAX_PAGE, added, checked_ids, request_key
from memoryd.service.searching import Asking
from memoryd.service.validation import in_range

_NO_OPTIONS = ("self", "query", "n_results", "explain")


class MemoryService(MemoryAPI):
    """The flat methods over one store."""

    def __init__(
        self,
        remember: MemoryEditor,
        recall: MemoryReader,
        as_of: AsOfReader,
        search: Search,
        asking: Asking,
        maintain: Maintenance,
    ) -> None:
        self._remember = remember
        self._recall = recall
        self._as_of = as_of
        self._search = search
        self._asking = asking
        self._maintain = maintain

    def add(
        self,
        text: str,
        metadata: dict[str, Any] | None = None,
        *,
        user_id: str = "default",
        agent_id: str | None = None,
        session_id: str | None = None,
        request_id: str | None = None,
    ) -> str:
        params = {"text": text, "metadata": metadata, "agent_id": agent_id, "session_id": session_id}
        key = request_key("memory.add", Scope.checked(user_id, agent_id), request_id, params)
        return self._remember.add(text, metadata, Owner(user_id, agent_id, session_id), key)

    def add_many(
        self,
        items: list[str | MemoryItem],
        *,
        user_id: str = "default",
        agent_id: str | None = None,
        session_id: str | None = None,
        request_id: str | None = None,
    ) -> list[str]:
        params = {"items": items, "agent_id": agent_id, "session_id": session_id}
        key = request_key("memory.add_many", Scope.checked(user_id, agent_id), request_id, params)
        return self._remember.add_many(items, Owner(user_id, agent_id, session_id), key)

    def get(
        self,
        id: str,
        *,
        as_of: float | str | None = None,
        user_id: str = "default",
        agent_id: str | None = None,
    ) -> Memory | None:
        check_id(id, "mem")
        scope = Scope.checked(user_id, agent_id)
        if as_of is not None:
            return self._as_of.get(id, parse_time(as_of, "as_of"), scope)
        return self._recall.get_many([id], scope)[0]

    def get_many(
        self, ids: list[str], *, user_id: str = "default", agent_id: str | None = None
    ) -> list[Memory | None]:
        return self._recall.get_many(checked_ids(ids, "mem"), Scope.checked(user_id, agent_id))

    def get_all(
        self, user_id: str = "default", *, include_archived: bool = False, agent_id: str | None = None
    ) -> list[Memory]:
        """A stream: the server sends it in chunks, the in-process face makes a list of it."""
        scope = Scope.checked(user_id, agent_id, archived=include_archived)
        memories: Iterator[Memory] = self._recall.get_all(scope)
        return cast("list[Memory]", memories)

    def page(
        self,
        filters: Filters | None = None,
        *,
        order: Order = "created_at",
        sort_order: Direction = "desc",
        cursor: str | None = None,
        limit: int = 50,
        as_of: float | str | None = None,
        include_archived: bool = False,
        user_id: str = "default",
        agent_id: str | None = None,
    ) -> Page:
        in_range("limit", limit, 1, MAX_PAGE)
        scope = Scope.checked(user_id, agent_id, archived=include_archived)
        where = PageRequest(order, sort_order, cursor, limit)
        if as_of is not None:
            return self._as_of.page(filters, parse_time(as_of, "as_of"), where, scope)
        return self._recall.page(filters, where, scope)

    def search(
        self,
        query: str,
        n_results: int = 5,
        *,
        user_id: str = "default",
        agent_id: str | None = None,
        session_id: str | None = None,
        mode: Mode = "auto",
        scope: list[SearchScope] | Literal["all"] | None = None,
        filters: Filters | None = None,
        offset: int = 0,
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
        return self._search.search(replace(self._request(locals()), explain=explain))

    def explain(
        self,
        query: str,
        n_results: int = 5,
        *,
        user_id: str = "default",
        agent_id: str | None = None,
        session_id: str | None = None,
        mode: Mode = "auto",
        scope: list[SearchScope] | Literal["all"] | None = None,
        filters: Filters | None = None,
        offset: int = 0,
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
        return self._search.explain(self._request(locals()))

    def _request(self, given: Mapping[str, Any]) -> SearchRequest:
        """The request of a call of `search` or `explain` with these parameters."""
        options = {name: value for name, value in given.items() if name not in _NO_OPTIONS}
        return self._asking.request(given["query"], given["n_results"], current_call().deadline, options)

    def count(
        self,
        *,
        filters: Filters | None = None,
        include_archived: bool = False,
        user_id: str = "default",
        agent_id: str | None = None,
    ) -> int:
        return self._recall.count(filters, Scope.checked(user_id, agent_id, archived=include_archived))

    def stats(self, *, user_id: str = "default", agent_id: str | None = None) -> Stats:
        return self._recall.stats(Scope.checked(user_id, agent_id))

    def update_text(
        self,
        id: str,
        text: str,
        reason: str | None = None,
        *,
        operator: str = "app",
        user_id: str = "default",
        agent_id: str | None = None,
        request_id: str | None = None,
    ) -> UpdateResult:
        check_id(id, "mem")
        scope, author = Scope.checked(user_id, agent_id), Author.checked(operator, reason)
        params = {"id": id, "text": text, "agent_id": agent_id, **added(operator, reason)}
        key = request_key("memory.update_text", scope, request_id, params)
        return self._remember.update_text(id, text, author, scope, key)

    def update_metadata(
        self,
        id: str,
        metadata: dict[str, Any],
        reason: str | None = None,
        *,
        operator: str = "app",
        user_id: str = "default",
        agent_id: str | None = None,
        request_id: str | None = None,
    ) -> UpdateResult:
        check_id(id, "mem")
        scope, author = Scope.checked(user_id, agent_id), Author.checked(operator, reason)
        params = {"id": id, "metadata": metadata, "agent_id": agent_id, **added(operator, reason)}
        key = request_key("memory.update_metadata", scope, request_id, params)
        return self._remember.update_metadata(id, metadata, author, scope, key)

    def update_importance(
        self,
        id: str,
        delta: float | None = None,
        *,
        value: float | None = None,
        reason: str | None = None,
        operator: str = "app",
        user_id: str = "default",
        agent_id: str | None = None,
        request_id: str | None = None,
    ) -> UpdateResult:
        check_id(id, "mem")
        for name, number, low in (("delta", delta, -5), ("value", value, 0)):
            if number is not None:
                in_range(name, number, low, 5)
        scope, author = Scope.checked(user_id, agent_id), Author.checked(operator, reason)
        params = {"id": id, "delta": delta, "value": value, "agent_id": agent_id, **added(operator, reason)}
        key = request_key("memory.update_importance", scope, request_id, params)
        return self._remember.update_importance(id, delta, value, author, scope, key)

    def ping(self) -> PingResult:
        return PingResult(pid=os.getpid(), stage=self._maintain.stage, version=VERSION, protocol=PROTOCOL)

    def status(self) -> Status:
        return self._maintain.status()
