"""Knowledge points in the caller's process, without a daemon, in a storage of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memory_client.errors import LLMExtractionError
from memory_client.types import ConversationMessage, KnowledgePoint
from memoryd.core.ids import check_name
from memoryd.core.knowledge.config import check_messages, memory_config_of
from memoryd.core.knowledge.point import read_knowledge_point
from memoryd.core.knowledge.sampling import sample_points
from memoryd.core.parameter_errors import invalid_value
from memoryd.core.text import clean_text
from memoryd.engine.memories.keyword_ranking import keyword_scores
from memoryd.storage.knowledge.base import EVERY, MemStorage, VersionStorage
from memoryd.storage.knowledge.files import MemStorageFileSys

_MOST = 10_000
_MAX_QUERY_CHARS = 100_000
_STORAGE = ("save_knowledge", "load_knowledge", "get_latest_version_id", "get_recent_versions")


class MemoryManager:
    """Finds and draws the points of a storage.

    config: a `MemoryConfig`, or anything that has one as `.memory_config`. storage: a `MemStorage`, or any
    object with its four methods; by default `MemStorageFileSys` in `storage_path`. Raises
    `InvalidParameterError` for another type.
    """

    def __init__(self, config: Any, storage: MemStorage | None = None) -> None:
        self.memory_config = memory_config_of(config, "config")
        if storage is None:
            storage = MemStorageFileSys(self.memory_config.storage_path, self.memory_config)
        self.storage = _checked_storage(storage)

    def retrieve_relevant_knowledge(
        self, user_id: str, query: str | None = None, top_k: int | None = None
    ) -> list[KnowledgePoint]:
        """The current points that share words with the query, best first; without a query, or if no point
        matches, the points with the best scores.

        top_k: 1 to 10000, `default_top_k` unless given. Points under `min_score_threshold` are left out.
        """
        count = self._count(user_id, top_k)
        points = sorted(self._known(user_id), key=lambda point: -point["score"])
        if query is None:
            return points[:count]
        asked = clean_text(_checked_query(query), _MAX_QUERY_CHARS, "query")[0]
        scores = keyword_scores([point["content"] for point in points], asked)
        matching = [place for place, score in enumerate(scores) if score > 0]
        matching.sort(key=lambda place: -scores[place])
        return [points[place] for place in matching or range(len(points))][:count]

    def retrieve_knowledge_with_sampling(
        self, user_id: str, top_k: int | None = None, *, seed: int | None = None
    ) -> list[KnowledgePoint]:
        """Points of the newest `recent_versions_count` versions, drawn with weights equal to their scores.

        top_k: 1 to 10000, `default_top_k` unless given. seed: for the same draw every time.
        """
        count = self._count(user_id, top_k)
        ids = self.storage.get_recent_versions(user_id, self.memory_config.recent_versions_count)
        versions = (self._points(user_id, id) for id in ids)
        return sample_points(versions, count, seed, least_score=self.memory_config.min_score_threshold)

    def extract_knowledge_sync(
        self, user_id: str, messages: Sequence[ConversationMessage]
    ) -> list[KnowledgePoint]:
        """The points that a language model finds in a conversation, saved as a new version.

        Raises `LLMExtractionError`: this version of memoryd uses no language model.
        """
        check_name(user_id, "user_id")
        check_messages(messages)
        raise LLMExtractionError(
            "no knowledge points were extracted: this version of memoryd uses no language model; "
            "save points with storage.save_knowledge(user_id, version_id, knowledge_data)"
        )

    async def extract_knowledge_async(
        self, user_id: str, messages: Sequence[ConversationMessage]
    ) -> list[KnowledgePoint]:
        """As `extract_knowledge_sync`."""
        return self.extract_knowledge_sync(user_id, messages)

    def _known(self, user_id: str) -> list[KnowledgePoint]:
        """Each content once, from the newest version that counts."""
        known: dict[str, KnowledgePoint] = {}
        for version_id in self._counting_versions(user_id):
            for point in self._points(user_id, version_id):
                known.setdefault(point["content"], point)
        return [point for point in known.values() if point["score"] >= self.memory_config.min_score_threshold]

    def _counting_versions(self, user_id: str) -> list[str]:
        """Newest first. In a storage without merges all versions are increments, and all count."""
        if isinstance(self.storage, VersionStorage):
            return self.storage.counting_versions(user_id)
        return self.storage.get_recent_versions(user_id, EVERY)

    def _points(self, user_id: str, version_id: str) -> list[KnowledgePoint]:
        points = self.storage.load_knowledge(user_id, version_id)
        if isinstance(self.storage, VersionStorage):
            return points
        places = enumerate(points)
        return [read_knowledge_point(point, user_id, f"{version_id}[{place}]") for place, point in places]

    def _count(self, user_id: str, top_k: int | None) -> int:
        check_name(user_id, "user_id")
        if top_k is None:
            return self.memory_config.default_top_k
        if type(top_k) is not int or not 1 <= top_k <= _MOST:
            raise invalid_value("top_k", top_k, f"a whole number from 1 to {_MOST}")
        return top_k


def _checked_storage(storage: Any) -> MemStorage:
    missing = [name for name in _STORAGE if not callable(getattr(storage, name, None))]
    if missing or isinstance(storage, type):
        methods = ", ".join(missing or _STORAGE)
        raise invalid_value("storage", storage, f"an object with the methods {methods}")
    found: MemStorage = storage
    return found


def _checked_query(query: Any) -> str:
    if not isinstance(query, str):
        raise invalid_value("query", query, "a text, or None")
    return query
