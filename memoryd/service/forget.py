"""Group `memory`, continued: validation and user scoping of what is destroyed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from memory_client.api import ForgetAPI
from memory_client.errors import InvalidParameterError
from memory_client.types import DeleteAllResult, DeleteResult, Filters, ForgetResult
from memoryd.core.call_context import current_call
from memoryd.core.filters.grammar import parse_filters
from memoryd.core.ids import check_id
from memoryd.core.scope import Scope
from memoryd.engine.author import Author
from memoryd.engine.deletion.delete_memories import MemoryDeletion
from memoryd.engine.deletion.forget_preview import ForgetPreview
from memoryd.engine.maintenance import Maintenance
from memoryd.service.arguments import added, checked_ids, request_key
from memoryd.service.searching import Asking

_FORGETTABLE = ("mem", "trn", "tri")


class ForgetService(ForgetAPI):
    """Deletes over one store."""

    def __init__(
        self, forget: MemoryDeletion, preview: ForgetPreview, asking: Asking, maintain: Maintenance
    ) -> None:
        self._forget = forget
        self._preview = preview
        self._asking = asking
        self._maintain = maintain

    def delete(
        self,
        id: str,
        reason: str | None = None,
        *,
        sources: bool = False,
        force: bool = False,
        operator: str = "app",
        user_id: str = "default",
        agent_id: str | None = None,
        request_id: str | None = None,
    ) -> DeleteResult:
        check_id(id, "mem")
        scope = Scope.checked(user_id, agent_id)
        author = Author.checked(operator, reason)
        params = {"id": id, "force": force, "agent_id": agent_id, **added(operator, reason)}
        if sources:  # without it as it was before there was one: requests may be repeated after an update
            params["sources"] = True
        key = request_key("memory.delete", scope, request_id, params)
        return self._forget.delete(id, author, sources=sources, force=force, scope=scope, key=key)

    def forget(
        self,
        query: str | None = None,
        *,
        ids: list[str] | None = None,
        dry_run: bool = True,
        force: bool = False,
        n_results: int = 20,
        reason: str | None = None,
        operator: str = "app",
        user_id: str = "default",
        agent_id: str | None = None,
        request_id: str | None = None,
    ) -> ForgetResult:
        scope = Scope.checked(user_id, agent_id)
        if dry_run:
            return self._forget_preview(query, ids, n_results, scope, force=force)
        if not ids:
            raise InvalidParameterError(
                "ids: none; forget destroys by ids alone: take those of forget(query), the preview",
                parameter="ids",
                value=repr(ids),
                expected="ids of the preview",
            )
        checked = [check_id(id, _kind_of(id), f"ids[{i}]") for i, id in enumerate(ids)]
        author = Author.checked(operator, reason)
        params = {"ids": ids, "agent_id": agent_id, **_forced(force), **added(operator, reason)}
        key = request_key("memory.forget", scope, request_id, params)
        gone = self._forget.forget(checked, author, force=force, scope=scope, key=key)
        return ForgetResult(**gone, found=[], more=0)

    def _forget_preview(
        self, query: str | None, ids: list[str] | None, n_results: int, scope: Scope, *, force: bool
    ) -> ForgetResult:
        if query is None or ids is not None:
            raise InvalidParameterError(
                "query, ids: a preview takes a query and no ids; to destroy these ids, add dry_run=False",
                parameter="query" if query is None else "ids",
                value=repr(query if query is None else ids)[:80],
                expected="a query, or ids with dry_run=False",
            )
        request = self._asking.plain(
            query,
            n_results,
            current_call().deadline,
            user_id=scope.user_id,
            agent_id=scope.agent_id,
            scope=["memory", "turn"],
            include_archived=True,
        )
        seen = self._preview.preview(request)
        would = self._forget.preview([one["id"] for one in seen.found], force=force, scope=scope)
        return ForgetResult(**would, found=seen.found, more=seen.more)

    def delete_many(
        self,
        ids: list[str] | None = None,
        *,
        filters: Filters | None = None,
        dry_run: bool = False,
        force: bool = False,
        reason: str | None = None,
        operator: str = "app",
        user_id: str = "default",
        agent_id: str | None = None,
        request_id: str | None = None,
    ) -> DeleteResult:
        if bool(ids) == bool(filters):
            raise InvalidParameterError(
                "ids, filters: give exactly one of them, and not empty; delete_all forgets a whole user",
                parameter="ids",
                value=f"ids={ids!r:.40}, filters={filters!r:.40}",
                expected="either ids or filters",
            )
        scope = Scope.checked(user_id, agent_id)
        author = Author.checked(operator, reason)
        params = {"ids": ids, "filters": filters, "agent_id": agent_id}
        params |= {**_forced(force), **added(operator, reason)}
        key = None if dry_run else request_key("memory.delete_many", scope, request_id, params)
        wanted = checked_ids(ids, "mem") if ids else parse_filters(filters)
        return self._forget.delete_many(wanted, author, dry_run=dry_run, force=force, scope=scope, key=key)

    def delete_all(self, user_id: str, *, request_id: str | None = None) -> DeleteAllResult:
        key = request_key("memory.delete_all", Scope.checked(user_id, None), request_id, {})
        receipt = self._forget.delete_all(user_id, key and replace(key, nameless=True))
        self._maintain.remove_physically()
        return receipt


def _forced(force: bool) -> dict[str, Any]:
    """For the key of a request, as `added`."""
    return {"force": True} if force else {}


def _kind_of(id: str) -> str:
    """Of what an id says it is, where that can be forgotten."""
    prefix = id.partition("_")[0]
    return prefix if prefix in _FORGETTABLE else "mem"
