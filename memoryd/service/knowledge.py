"""Handlers of group `knowledge`."""

from __future__ import annotations

from memory_client.deadline import Deadline
from memory_client.types import (
    Filters,
    KnowledgeItem,
    KnowledgePoint,
    KnowledgeVersion,
    RelevantPoint,
    SharedSet,
)
from memoryd.core.knowledge.filters import parse_point_filters
from memoryd.core.knowledge.versions import check_version_id
from memoryd.core.text import clean_text
from memoryd.engine.knowledge.knowledge_merge import KnowledgeMerger
from memoryd.engine.knowledge.knowledge_sharing import KnowledgeSharing
from memoryd.engine.knowledge.knowledge_store import KnowledgeStore
from memoryd.service.parameters import check_one_given
from memoryd.storage.requests import RequestKey

_MAX_QUERY_CHARS = 100_000


class KnowledgeService:
    """Knowledge points, their versions and shared sets."""

    def __init__(
        self, knowledge: KnowledgeStore, merging: KnowledgeMerger, sharing: KnowledgeSharing
    ) -> None:
        self._knowledge = knowledge
        self._merging = merging
        self._sharing = sharing
        self.load_knowledge = knowledge.load
        self.get_version = knowledge.describe
        self.compare = knowledge.compare
        self.get_latest_version_id = knowledge.storage.get_latest_version_id
        self.get_recent_versions = knowledge.storage.get_recent_versions
        self.merge = merging.merge
        self.subscribe = sharing.subscribe
        self.unsubscribe = sharing.unsubscribe
        self.revoke = sharing.revoke
        self.shared = sharing.shared

    def save_knowledge(
        self, user_id: str, version_id: str | None, points: list[KnowledgeItem], key: RequestKey | None
    ) -> KnowledgeVersion:
        if version_id is not None:
            check_version_id(version_id)
        saved = self._knowledge.save(user_id, version_id, points, key)
        self._merging.expect(user_id)
        return saved

    def retrieve_relevant_knowledge(
        self, user_id: str, query: str | None, top_k: int | None, deadline: Deadline
    ) -> list[RelevantPoint]:
        text = None if query is None else clean_text(query, _MAX_QUERY_CHARS, "query")[0]
        return self._knowledge.relevant(user_id, text, top_k or self._default_top_k, deadline)

    def retrieve_knowledge_with_sampling(
        self, user_id: str, top_k: int | None, seed: int | None
    ) -> list[KnowledgePoint]:
        return self._knowledge.sample(user_id, top_k or self._default_top_k, seed)

    def rollback(self, user_id: str, version_id: str, key: RequestKey | None) -> KnowledgeVersion:
        return self._knowledge.rollback(user_id, check_version_id(version_id), key)

    def publish(
        self,
        user_id: str,
        name: str,
        ids: list[str] | None,
        filters: Filters | None,
        key: RequestKey | None,
    ) -> SharedSet:
        check_one_given(ids=ids, filters=filters)
        return self._sharing.publish(user_id, name, ids or None, parse_point_filters(filters), key)

    @property
    def _default_top_k(self) -> int:
        return self._knowledge.config.default_top_k
