"""Handlers of group `memory`: add, read, search and update."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

from memory_client.deadline import Deadline
from memory_client.protocol import PROTOCOL
from memory_client.types import (
    Direction,
    Filters,
    Hits,
    Memory,
    MemoryItem,
    Order,
    Page,
    PingResult,
    SearchReport,
)
from memory_client.version import VERSION
from memoryd.core.scope import Scope
from memoryd.core.times import parse_time
from memoryd.engine.maintenance import Maintenance
from memoryd.engine.memories.as_of import AsOfReader
from memoryd.engine.memories.read_memories import MemoryReader, PageRequest
from memoryd.engine.memories.write_memories import MemoryEditor, Owner
from memoryd.retrieval.search import Search
from memoryd.service.search_requests import SearchRequests
from memoryd.storage.requests import RequestKey


class MemoryService:
    """Memories and recall."""

    def __init__(
        self,
        remember: MemoryEditor,
        recall: MemoryReader,
        as_of: AsOfReader,
        search: Search,
        requests: SearchRequests,
        maintain: Maintenance,
    ) -> None:
        self._remember = remember
        self._recall = recall
        self._as_of = as_of
        self._search = search
        self._requests = requests
        self._maintain = maintain
        self.get_many = recall.get_many
        self.get_all = recall.get_all
        self.count = recall.count
        self.stats = recall.stats
        self.update_text = remember.update_text
        self.update_metadata = remember.update_metadata
        self.update_importance = remember.update_importance
        self.status = maintain.status

    def add(
        self,
        text: str,
        metadata: dict[str, Any] | None,
        session_id: str | None,
        scope: Scope,
        key: RequestKey | None,
    ) -> str:
        return self._remember.add(text, metadata, Owner(scope.user_id, scope.agent_id, session_id), key)

    def add_many(
        self,
        items: list[str | MemoryItem],
        session_id: str | None,
        scope: Scope,
        key: RequestKey | None,
    ) -> list[str]:
        return self._remember.add_many(items, Owner(scope.user_id, scope.agent_id, session_id), key)

    def get(self, id: str, as_of: float | str | None, scope: Scope) -> Memory | None:
        if as_of is not None:
            return self._as_of.get(id, parse_time(as_of, "as_of"), scope)
        return self._recall.get_many([id], scope)[0]

    def page(
        self,
        filters: Filters | None,
        order: Order,
        sort_order: Direction,
        cursor: str | None,
        limit: int,
        as_of: float | str | None,
        scope: Scope,
    ) -> Page:
        where = PageRequest(order, sort_order, cursor, limit)
        if as_of is not None:
            return self._as_of.page(filters, parse_time(as_of, "as_of"), where, scope)
        return self._recall.page(filters, where, scope)

    def search(
        self,
        query: str,
        n_results: int,
        visible: Scope,
        deadline: Deadline,
        *,
        explain: bool,
        **options: Any,
    ) -> Hits:
        request = self._requests.request(query, n_results, visible, deadline, options)
        return self._search.search(replace(request, explain=explain))

    def explain(
        self, query: str, n_results: int, visible: Scope, deadline: Deadline, **options: Any
    ) -> SearchReport:
        return self._search.explain(self._requests.request(query, n_results, visible, deadline, options))

    def ping(self) -> PingResult:
        return PingResult(pid=os.getpid(), stage=self._maintain.stage, version=VERSION, protocol=PROTOCOL)
