"""Group `knowledge`: validation and user scoping; the work is done by the engine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from memory_client.api import KnowledgeAPI
from memory_client.errors import InvalidParameterError
from memory_client.types import (
    Filters,
    KnowledgeComparison,
    KnowledgeItem,
    KnowledgeMergeResult,
    KnowledgePoint,
    KnowledgeVersion,
    RelevantPoint,
    SharedSet,
)
from memoryd.core.call_context import current_call
from memoryd.core.ids import check_name
from memoryd.core.knowledge.filters import parse_point_filters
from memoryd.core.knowledge.versions import LATEST, check_version_id
from memoryd.core.scope import Scope
from memoryd.core.text import clean_text
from memoryd.engine.knowledge.knowledge_merge import KnowledgeMerger
from memoryd.engine.knowledge.knowledge_sharing import KnowledgeSharing
from memoryd.engine.knowledge.knowledge_store import KnowledgeStore
from memoryd.service.arguments import MAX_PAGE, checked_ids, request_key
from memoryd.service.validation import in_range
from memoryd.storage.requests import RequestKey

_MOST_DRAWN = 10_000
_MAX_QUERY_CHARS = 100_000


class KnowledgeService(KnowledgeAPI):
    """Knowledge over one store."""

    def __init__(
        self, knowledge: KnowledgeStore, merging: KnowledgeMerger, sharing: KnowledgeSharing
    ) -> None:
        self._knowledge = knowledge
        self._merging = merging
        self._sharing = sharing

    def save_knowledge(
        self,
        user_id: str,
        version_id: str | None,
        points: list[KnowledgeItem],
        *,
        request_id: str | None = None,
    ) -> KnowledgeVersion:
        if version_id is not None:
            check_version_id(version_id)
        key = _key("save_knowledge", user_id, request_id, version_id=version_id, points=points)
        saved = self._knowledge.save(user_id, version_id, points, key)
        self._merging.expect(user_id)
        return saved

    def load_knowledge(
        self, user_id: str, version_id: str | None = LATEST, top_k: int | None = None
    ) -> list[KnowledgePoint]:
        """A stream: the server sends it in chunks, the in-process face makes a list of it."""
        check_name(user_id, "user_id")
        if top_k is not None:
            in_range("top_k", top_k, 1, _MOST_DRAWN)
        points: Iterator[KnowledgePoint] = self._knowledge.load(user_id, version_id, top_k)
        return cast("list[KnowledgePoint]", points)

    def get_latest_version_id(self, user_id: str) -> str:
        return self._knowledge.storage.get_latest_version_id(check_name(user_id, "user_id"))

    def get_recent_versions(self, user_id: str, count: int = 5) -> list[str]:
        in_range("count", count, 1, MAX_PAGE)
        return self._knowledge.storage.get_recent_versions(check_name(user_id, "user_id"), count)

    def get_version(self, user_id: str, version_id: str = LATEST) -> KnowledgeVersion | None:
        return self._knowledge.describe(check_name(user_id, "user_id"), version_id)

    def retrieve_relevant_knowledge(
        self, user_id: str, query: str | None = None, top_k: int | None = None
    ) -> list[RelevantPoint]:
        check_name(user_id, "user_id")
        count = self._knowledge.config.default_top_k if top_k is None else top_k
        in_range("top_k", count, 1, MAX_PAGE)
        asked = None if query is None else clean_text(query, _MAX_QUERY_CHARS, "query")[0]
        return self._knowledge.relevant(user_id, asked, count, current_call().deadline)

    def retrieve_knowledge_with_sampling(
        self, user_id: str, top_k: int | None = None, *, seed: int | None = None
    ) -> list[KnowledgePoint]:
        check_name(user_id, "user_id")
        count = self._knowledge.config.default_top_k if top_k is None else top_k
        in_range("top_k", count, 1, _MOST_DRAWN)
        if seed is not None:
            in_range("seed", seed, 0, 2**63 - 1)
        return self._knowledge.sample(user_id, count, seed)

    def merge(self, user_id: str, *, request_id: str | None = None) -> KnowledgeMergeResult:
        return self._merging.merge(user_id, _key("merge", user_id, request_id))

    def compare(self, user_id: str, first: str, second: str) -> KnowledgeComparison:
        return self._knowledge.compare(check_name(user_id, "user_id"), first, second)

    def rollback(self, user_id: str, version_id: str, *, request_id: str | None = None) -> KnowledgeVersion:
        key = _key("rollback", user_id, request_id, version_id=version_id)
        return self._knowledge.rollback(user_id, check_version_id(version_id), key)

    def publish(
        self,
        name: str,
        ids: list[str] | None = None,
        filters: Filters | None = None,
        *,
        user_id: str = "default",
        request_id: str | None = None,
    ) -> SharedSet:
        check_name(name, "name")
        if bool(ids) == bool(filters):
            raise InvalidParameterError(
                "ids, filters: give exactly one of them, and not empty",
                parameter="ids",
                value=f"ids={ids!r:.40}, filters={filters!r:.40}",
                expected="either ids or filters",
            )
        key = _key("publish", user_id, request_id, name=name, ids=ids, filters=filters)
        chosen = checked_ids(ids, "knp") if ids else None
        return self._sharing.publish(user_id, name, chosen, parse_point_filters(filters), key)

    def subscribe(
        self, owner: str, name: str, *, user_id: str = "default", request_id: str | None = None
    ) -> SharedSet:
        key = _key("subscribe", user_id, request_id, owner=owner, name=name)
        return self._sharing.subscribe(user_id, check_name(owner, "owner"), check_name(name, "name"), key)

    def unsubscribe(
        self, owner: str, name: str, *, user_id: str = "default", request_id: str | None = None
    ) -> None:
        key = _key("unsubscribe", user_id, request_id, owner=owner, name=name)
        self._sharing.unsubscribe(user_id, check_name(owner, "owner"), check_name(name, "name"), key)

    def revoke(
        self,
        name: str,
        subscriber: str | None = None,
        *,
        user_id: str = "default",
        request_id: str | None = None,
    ) -> int:
        if subscriber is not None:
            check_name(subscriber, "subscriber")
        key = _key("revoke", user_id, request_id, name=name, subscriber=subscriber)
        return self._sharing.revoke(user_id, check_name(name, "name"), subscriber, key)

    def shared(self, *, user_id: str = "default") -> list[SharedSet]:
        return self._sharing.shared(check_name(user_id, "user_id"))


def _key(method: str, user_id: str, request_id: str | None, **params: object) -> RequestKey | None:
    """The key of a write. Raises `InvalidParameterError` for a user that cannot be."""
    return request_key(f"knowledge.{method}", Scope.checked(user_id, None), request_id, params)
