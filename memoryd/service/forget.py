"""Handlers of group `memory`: deletion."""

from __future__ import annotations

from dataclasses import replace

from memory_client.deadline import Deadline
from memory_client.errors import InvalidParameterError
from memory_client.types import DeleteAllResult, DeleteResult, Filters, ForgetResult
from memoryd.core.filters.grammar import parse_filters
from memoryd.core.scope import Scope
from memoryd.engine.author import Author
from memoryd.engine.deletion.delete_memories import MemoryDeletion
from memoryd.engine.deletion.forget_preview import ForgetPreview
from memoryd.engine.maintenance import Maintenance
from memoryd.service.parameters import DELETE_ALL_HINT, check_one_given
from memoryd.service.search_requests import SearchRequests
from memoryd.storage.requests import RequestKey


class ForgetService:
    """Destroys memories, turns and triples."""

    def __init__(
        self, forget: MemoryDeletion, preview: ForgetPreview, requests: SearchRequests, maintain: Maintenance
    ) -> None:
        self._forget = forget
        self._preview = preview
        self._requests = requests
        self._maintain = maintain
        self.delete = forget.delete

    def forget(
        self,
        query: str | None,
        ids: list[str] | None,
        n_results: int,
        author: Author,
        scope: Scope,
        key: RequestKey | None,
        deadline: Deadline,
        *,
        dry_run: bool,
        force: bool,
    ) -> ForgetResult:
        if dry_run:
            return self._forget_preview(query, ids, n_results, scope, deadline, force=force)
        if not ids:
            raise InvalidParameterError(
                "ids: none given; forget destroys by ids alone, take those of the preview forget(query)",
                parameter="ids",
                value=repr(ids),
                expected="ids of the preview",
            )
        gone = self._forget.forget(ids, author, force=force, scope=scope, key=key)
        return ForgetResult(**gone, matches=[], more_count=0)

    def _forget_preview(
        self,
        query: str | None,
        ids: list[str] | None,
        n_results: int,
        scope: Scope,
        deadline: Deadline,
        *,
        force: bool,
    ) -> ForgetResult:
        if query is None or ids is not None:
            raise InvalidParameterError(
                "query, ids: a preview takes a query and no ids; to destroy these ids, add dry_run=False",
                parameter="query" if query is None else "ids",
                value=repr(query if query is None else ids)[:80],
                expected="a query, or ids with dry_run=False",
            )
        everywhere = replace(scope, archived=True)
        request = self._requests.plain(query, n_results, everywhere, deadline, scope=["memory", "turn"])
        seen = self._preview.preview(request)
        would = self._forget.preview([one["id"] for one in seen.found], force=force, scope=scope)
        return ForgetResult(**would, matches=seen.found, more_count=seen.more)

    def delete_many(
        self,
        ids: list[str] | None,
        filters: Filters | None,
        author: Author,
        scope: Scope,
        key: RequestKey | None,
        *,
        dry_run: bool,
        force: bool,
    ) -> DeleteResult:
        check_one_given(DELETE_ALL_HINT, ids=ids, filters=filters)
        wanted = ids or parse_filters(filters)
        return self._forget.delete_many(wanted, author, dry_run=dry_run, force=force, scope=scope, key=key)

    def delete_all(self, user_id: str, key: RequestKey | None) -> DeleteAllResult:
        receipt = self._forget.delete_all(user_id, key and replace(key, nameless=True))
        self._maintain.remove_physically()
        return receipt
