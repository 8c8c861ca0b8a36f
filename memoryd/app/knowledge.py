"""The part of the store that keeps knowledge points."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from memoryd.app.setting_groups import KnowledgeSettings
from memoryd.core.knowledge.config import MemoryConfig
from memoryd.engine.context import Parts
from memoryd.engine.knowledge.knowledge_index import KnowledgeIndex
from memoryd.engine.knowledge.knowledge_merge import KnowledgeMerger, MergeRule
from memoryd.engine.knowledge.knowledge_sharing import KnowledgeSharing
from memoryd.engine.knowledge.knowledge_store import KnowledgeStore
from memoryd.language.conflicts.detector import detect_conflict
from memoryd.retrieval.search import Search
from memoryd.service.knowledge import KnowledgeService
from memoryd.storage.knowledge.files import MemStorageFileSys
from memoryd.storage.knowledge.sqlite import MemStorageSQLite


@dataclass(frozen=True, slots=True)
class KnowledgePart:
    """What others need of it."""

    knowledge: KnowledgeStore
    merging: KnowledgeMerger
    service: KnowledgeService


def build_knowledge(
    parts: Parts, settings: KnowledgeSettings, search: Search, on_merge: Callable[[], None]
) -> KnowledgePart:
    """Put it together. on_merge: has the job that merges carried out."""
    in_files = settings.storage == "files"
    config = MemoryConfig(
        parts.paths.knowledge,
        default_top_k=settings.default_top_k,
        min_score_threshold=settings.min_score_threshold,
        recent_versions_count=settings.recent_versions_count,
        max_knowledge_points=settings.max_points,
    )
    catalogue = MemStorageSQLite(
        parts.database,
        config,
        clock=parts.clock,
        indexing=KnowledgeIndex(parts),
        ids=parts.ids,
        in_files=in_files,
    )
    files = MemStorageFileSys(config.storage_path, config, clock=parts.clock)
    knowledge = KnowledgeStore(parts, catalogue, files, search, in_files=in_files)
    rule = MergeRule(settings.merge_days, settings.merge_increments)
    merging = KnowledgeMerger(parts, knowledge, rule, detect_conflict, on_merge)
    service = KnowledgeService(knowledge, merging, KnowledgeSharing(parts, knowledge))
    return KnowledgePart(knowledge, merging, service)
