"""Made by scripts/generate_stubs.py from memory_client.api; do not edit."""

from collections.abc import Callable
from typing import Annotated, Any, Literal

from memory_client.api import MethodSpec
from memory_client.api.parameters import (
    Between,
    Entity,
    EvidenceId,
    ForgettableIds,
    MemoryId,
    MemoryIds,
    Name,
    PassId,
    PointIds,
    ResultCount,
    ReviewId,
    Seed,
    TripleId,
    TurnId,
    TurnIds,
    VersionNumber,
)
from memory_client.async_core import AsyncCore
from memory_client.types import (
    AppendResult,
    BoostResult,
    CheckResult,
    CompactResult,
    Comparison,
    Conflict,
    DecayPass,
    DecayPreview,
    DecideResult,
    DeleteAllResult,
    DeleteResult,
    Direction,
    EndResult,
    ExtendResult,
    Feedback,
    FeedbackResult,
    Filters,
    ForgetResult,
    Hits,
    Intent,
    KnowledgeComparison,
    KnowledgeItem,
    KnowledgeMergeResult,
    KnowledgePoint,
    KnowledgeVersion,
    Memory,
    MemoryItem,
    Metrics,
    Mode,
    Order,
    Page,
    PingResult,
    ReindexResult,
    RelevantPoint,
    ResolveResult,
    ReviewKind,
    ReviewPage,
    ReviewState,
    Role,
    SearchOrder,
    SearchReport,
    SearchScope,
    SettingValue,
    SharedSet,
    Stats,
    Status,
    Threshold,
    TripleAlias,
    TripleImport,
    TriplePage,
    TriplePath,
    TripleQuery,
    TripleShape,
    TripleStats,
    Turn,
    TurnItem,
    TurnPage,
    UndoPassResult,
    UpdateResult,
    Verdict,
    Version,
)

class _ConversationGroup:
    def __init__(self, invoke: Callable[[MethodSpec, dict[str, Any]], Any]) -> None: ...
    async def append(
        self,
        session_id: Name,
        role: Role,
        text: str,
        *,
        user_id: Name = "default",
        agent_id: Name | None = None,
        at: float | str | None = None,
        tz: str | None = None,
        speaker: str | None = None,
        metadata: dict[str, Any] | None = None,
        remember: bool = True,
        request_id: Name | None = None,
    ) -> AppendResult: ...
    async def extend(
        self,
        session_id: Name,
        turns: list[TurnItem],
        *,
        user_id: Name = "default",
        agent_id: Name | None = None,
        tz: str | None = None,
        request_id: Name | None = None,
    ) -> ExtendResult: ...
    async def window(
        self,
        session_id: Name,
        limit: ResultCount = 20,
        *,
        user_id: Name = "default",
        agent_id: Name | None = None,
    ) -> list[Turn]: ...
    async def page(
        self,
        session_id: Name | None = None,
        *,
        filters: Filters | None = None,
        sort_order: Direction = "asc",
        cursor: str | None = None,
        limit: ResultCount = 50,
        user_id: Name = "default",
        agent_id: Name | None = None,
    ) -> TurnPage: ...
    async def get(
        self,
        id: TurnId,
        *,
        user_id: Name = "default",
        agent_id: Name | None = None,
    ) -> Turn | None: ...
    async def delete(
        self,
        ids: TurnIds | None = None,
        *,
        session_id: Name | None = None,
        user_id: Name = "default",
        agent_id: Name | None = None,
        request_id: Name | None = None,
    ) -> DeleteResult: ...
    async def end(
        self,
        session_id: Name,
        *,
        user_id: Name = "default",
        agent_id: Name | None = None,
        request_id: Name | None = None,
    ) -> EndResult: ...

class _DecayGroup:
    def __init__(self, invoke: Callable[[MethodSpec, dict[str, Any]], Any]) -> None: ...
    async def preview(
        self,
        limit: Annotated[int, Between(0, 1000)] = 100,
        *,
        user_id: Name = "default",
        agent_id: Name | None = None,
    ) -> DecayPreview: ...
    async def run(
        self,
        *,
        user_id: Name = "default",
        agent_id: Name | None = None,
        request_id: Name | None = None,
    ) -> DecayPass: ...
    async def undo_pass(
        self,
        id: PassId,
        *,
        user_id: Name = "default",
        agent_id: Name | None = None,
        request_id: Name | None = None,
    ) -> UndoPassResult: ...
    async def purge(
        self,
        older_than_days: Annotated[float, Between(0, 100000)] | None = None,
        *,
        dry_run: bool = False,
        user_id: Name = "default",
        agent_id: Name | None = None,
        request_id: Name | None = None,
    ) -> DeleteResult: ...

class _ReviewGroup:
    def __init__(self, invoke: Callable[[MethodSpec, dict[str, Any]], Any]) -> None: ...
    async def page(
        self,
        state: ReviewState = "pending",
        *,
        kind: ReviewKind | None = None,
        cursor: str | None = None,
        limit: ResultCount = 50,
        user_id: Name = "default",
        agent_id: Name | None = None,
    ) -> ReviewPage: ...
    async def decide(
        self,
        id: ReviewId,
        verdict: Verdict,
        reason: str | None = None,
        *,
        operator: str = "app",
        user_id: Name = "default",
        agent_id: Name | None = None,
        request_id: Name | None = None,
    ) -> DecideResult: ...

class _TriplesGroup:
    def __init__(self, invoke: Callable[[MethodSpec, dict[str, Any]], Any]) -> None: ...
    async def add(
        self,
        subject: str,
        predicate: str,
        object: str,
        *,
        negation: bool = False,
        frequency: str | None = None,
        condition: str | None = None,
        degree: str | None = None,
        evidence: Annotated[list[EvidenceId], Between(0, 100)] | None = None,
        user_id: Name = "default",
        agent_id: Name | None = None,
        request_id: Name | None = None,
    ) -> str: ...
    async def page(
        self,
        *,
        subject: Entity | None = None,
        predicate: Entity | None = None,
        object: Entity | None = None,
        entity: Entity | None = None,
        negation: bool | None = None,
        evidence: EvidenceId | None = None,
        include_archived: bool = False,
        cursor: str | None = None,
        limit: ResultCount = 50,
        user_id: Name = "default",
        agent_id: Name | None = None,
    ) -> TriplePage: ...
    async def query(
        self,
        entity: Entity,
        hops: Annotated[int, Between(1, 3)] = 1,
        *,
        predicate: Entity | None = None,
        limit: Annotated[int, Between(1, 500)] = 50,
        include_archived: bool = False,
        user_id: Name = "default",
        agent_id: Name | None = None,
    ) -> TripleQuery: ...
    async def path(
        self,
        a: Entity,
        b: Entity,
        max_hops: Annotated[int, Between(1, 6)] = 3,
        *,
        include_archived: bool = False,
        user_id: Name = "default",
        agent_id: Name | None = None,
    ) -> TriplePath: ...
    async def delete(
        self,
        id: TripleId,
        *,
        user_id: Name = "default",
        agent_id: Name | None = None,
        request_id: Name | None = None,
    ) -> DeleteResult: ...
    async def alias(
        self,
        alias: Entity,
        entity: Entity,
        *,
        user_id: Name = "default",
        request_id: Name | None = None,
    ) -> TripleAlias: ...
    async def unalias(
        self,
        alias: Entity,
        *,
        user_id: Name = "default",
        request_id: Name | None = None,
    ) -> None: ...
    async def aliases(
        self,
        entity: Entity | None = None,
        *,
        limit: Annotated[int, Between(1, 10000)] = 1000,
        user_id: Name = "default",
    ) -> list[TripleAlias]: ...
    async def export_jsonl(
        self,
        user_id: Name = "default",
        *,
        shape: TripleShape = "memoryd",
    ) -> list[str]: ...
    async def import_jsonl(
        self,
        lines: Annotated[list[str], Between(0, 1000000)],
        *,
        memory_ids: Annotated[dict[str, EvidenceId], Between(0, 1000000)] | None = None,
        user_id: Name = "default",
        request_id: Name | None = None,
    ) -> TripleImport: ...
    async def stats(
        self,
        *,
        user_id: Name = "default",
        agent_id: Name | None = None,
    ) -> TripleStats: ...

class _KnowledgeGroup:
    def __init__(self, invoke: Callable[[MethodSpec, dict[str, Any]], Any]) -> None: ...
    async def save_knowledge(
        self,
        user_id: Name,
        version_id: str | None,
        points: list[KnowledgeItem],
        *,
        request_id: Name | None = None,
    ) -> KnowledgeVersion: ...
    async def load_knowledge(
        self,
        user_id: Name,
        version_id: str | None = "latest",
        top_k: Annotated[int, Between(1, 10000)] | None = None,
    ) -> list[KnowledgePoint]: ...
    async def get_latest_version_id(
        self,
        user_id: Name,
    ) -> str: ...
    async def get_recent_versions(
        self,
        user_id: Name,
        count: ResultCount = 5,
    ) -> list[str]: ...
    async def get_version(
        self,
        user_id: Name,
        version_id: str = "latest",
    ) -> KnowledgeVersion | None: ...
    async def retrieve_relevant_knowledge(
        self,
        user_id: Name,
        query: str | None = None,
        top_k: ResultCount | None = None,
    ) -> list[RelevantPoint]: ...
    async def retrieve_knowledge_with_sampling(
        self,
        user_id: Name,
        top_k: Annotated[int, Between(1, 10000)] | None = None,
        *,
        seed: Seed | None = None,
    ) -> list[KnowledgePoint]: ...
    async def merge(
        self,
        user_id: Name,
        *,
        request_id: Name | None = None,
    ) -> KnowledgeMergeResult: ...
    async def compare(
        self,
        user_id: Name,
        first: str,
        second: str,
    ) -> KnowledgeComparison: ...
    async def rollback(
        self,
        user_id: Name,
        version_id: str,
        *,
        request_id: Name | None = None,
    ) -> KnowledgeVersion: ...
    async def publish(
        self,
        name: Name,
        ids: PointIds | None = None,
        filters: Filters | None = None,
        *,
        user_id: Name = "default",
        request_id: Name | None = None,
    ) -> SharedSet: ...
    async def subscribe(
        self,
        owner: Name,
        name: Name,
        *,
        user_id: Name = "default",
        request_id: Name | None = None,
    ) -> SharedSet: ...
    async def unsubscribe(
        self,
        owner: Name,
        name: Name,
        *,
        user_id: Name = "default",
        request_id: Name | None = None,
    ) -> None: ...
    async def revoke(
        self,
        name: Name,
        subscriber: Name | None = None,
        *,
        user_id: Name = "default",
        request_id: Name | None = None,
    ) -> int: ...
    async def shared(
        self,
        *,
        user_id: Name = "default",
    ) -> list[SharedSet]: ...

class _AdminGroup:
    def __init__(self, invoke: Callable[[MethodSpec, dict[str, Any]], Any]) -> None: ...
    async def reindex(self) -> ReindexResult: ...
    async def compact(self) -> CompactResult: ...
    async def doctor(
        self,
        *,
        repair: bool = False,
    ) -> list[CheckResult]: ...
    async def metrics(self) -> Metrics: ...
    async def config(self) -> list[SettingValue]: ...
    async def shutdown(self) -> None: ...

class AsyncKnowledgeClient(AsyncCore):
    conversation: _ConversationGroup
    decay: _DecayGroup
    review: _ReviewGroup
    triples: _TriplesGroup
    knowledge: _KnowledgeGroup
    admin: _AdminGroup
    async def add(
        self,
        text: str,
        metadata: dict[str, Any] | None = None,
        *,
        user_id: Name = "default",
        agent_id: Name | None = None,
        session_id: Name | None = None,
        request_id: Name | None = None,
    ) -> str: ...
    async def add_many(
        self,
        items: list[str | MemoryItem],
        *,
        user_id: Name = "default",
        agent_id: Name | None = None,
        session_id: Name | None = None,
        request_id: Name | None = None,
    ) -> list[str]: ...
    async def get(
        self,
        id: MemoryId,
        *,
        as_of: float | str | None = None,
        user_id: Name = "default",
        agent_id: Name | None = None,
    ) -> Memory | None: ...
    async def get_many(
        self,
        ids: MemoryIds,
        *,
        user_id: Name = "default",
        agent_id: Name | None = None,
    ) -> list[Memory | None]: ...
    async def get_all(
        self,
        user_id: Name = "default",
        *,
        include_archived: bool = False,
        agent_id: Name | None = None,
    ) -> list[Memory]: ...
    async def page(
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
    ) -> Page: ...
    async def search(
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
        offset: Annotated[int, Between(0, 100000)] = 0,
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
    ) -> Hits: ...
    async def explain(
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
        offset: Annotated[int, Between(0, 100000)] = 0,
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
    ) -> SearchReport: ...
    async def count(
        self,
        *,
        filters: Filters | None = None,
        include_archived: bool = False,
        user_id: Name = "default",
        agent_id: Name | None = None,
    ) -> int: ...
    async def stats(
        self,
        *,
        user_id: Name = "default",
        agent_id: Name | None = None,
    ) -> Stats: ...
    async def update_text(
        self,
        id: MemoryId,
        text: str,
        reason: str | None = None,
        *,
        operator: str = "app",
        user_id: Name = "default",
        agent_id: Name | None = None,
        request_id: Name | None = None,
    ) -> UpdateResult: ...
    async def update_metadata(
        self,
        id: MemoryId,
        metadata: dict[str, Any],
        reason: str | None = None,
        *,
        operator: str = "app",
        user_id: Name = "default",
        agent_id: Name | None = None,
        request_id: Name | None = None,
    ) -> UpdateResult: ...
    async def update_importance(
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
    ) -> UpdateResult: ...
    async def ping(self) -> PingResult: ...
    async def status(self) -> Status: ...
    async def delete(
        self,
        id: MemoryId,
        reason: str | None = None,
        *,
        sources: bool = False,
        force: bool = False,
        operator: str = "app",
        user_id: Name = "default",
        agent_id: Name | None = None,
        request_id: Name | None = None,
    ) -> DeleteResult: ...
    async def forget(
        self,
        query: str | None = None,
        *,
        ids: ForgettableIds | None = None,
        dry_run: bool = True,
        force: bool = False,
        n_results: ResultCount = 20,
        reason: str | None = None,
        operator: str = "app",
        user_id: Name = "default",
        agent_id: Name | None = None,
        request_id: Name | None = None,
    ) -> ForgetResult: ...
    async def delete_many(
        self,
        ids: MemoryIds | None = None,
        *,
        filters: Filters | None = None,
        dry_run: bool = False,
        force: bool = False,
        reason: str | None = None,
        operator: str = "app",
        user_id: Name = "default",
        agent_id: Name | None = None,
        request_id: Name | None = None,
    ) -> DeleteResult: ...
    async def delete_all(
        self,
        user_id: Name,
        *,
        request_id: Name | None = None,
    ) -> DeleteAllResult: ...
    async def boost(
        self,
        id: MemoryId,
        reason: str | None = None,
        *,
        operator: str = "app",
        user_id: Name = "default",
        agent_id: Name | None = None,
        request_id: Name | None = None,
    ) -> BoostResult: ...
    async def mark_used(
        self,
        ids: Annotated[list[MemoryId], Between(0, 1000)],
        *,
        user_id: Name = "default",
        agent_id: Name | None = None,
        request_id: Name | None = None,
    ) -> list[BoostResult]: ...
    async def feedback(
        self,
        id: MemoryId,
        finding: Feedback,
        reason: str | None = None,
        *,
        operator: str = "app",
        user_id: Name = "default",
        agent_id: Name | None = None,
        request_id: Name | None = None,
    ) -> FeedbackResult: ...
    async def pin(
        self,
        id: MemoryId,
        pinned: bool = True,
        reason: str | None = None,
        *,
        operator: str = "app",
        user_id: Name = "default",
        agent_id: Name | None = None,
        request_id: Name | None = None,
    ) -> UpdateResult: ...
    async def archive(
        self,
        id: MemoryId,
        reason: str | None = None,
        *,
        operator: str = "app",
        user_id: Name = "default",
        agent_id: Name | None = None,
        request_id: Name | None = None,
    ) -> UpdateResult: ...
    async def restore(
        self,
        id: MemoryId,
        reason: str | None = None,
        *,
        operator: str = "app",
        user_id: Name = "default",
        agent_id: Name | None = None,
        request_id: Name | None = None,
    ) -> UpdateResult: ...
    async def history(
        self,
        id: MemoryId,
        *,
        limit: ResultCount = 50,
        before: VersionNumber | None = None,
        user_id: Name = "default",
        agent_id: Name | None = None,
    ) -> list[Version]: ...
    async def compare(
        self,
        id: MemoryId,
        a: VersionNumber | None = None,
        b: VersionNumber | None = None,
        *,
        user_id: Name = "default",
        agent_id: Name | None = None,
    ) -> Comparison: ...
    async def revert(
        self,
        id: MemoryId,
        to: VersionNumber,
        reason: str | None = None,
        *,
        operator: str = "app",
        user_id: Name = "default",
        agent_id: Name | None = None,
        request_id: Name | None = None,
    ) -> UpdateResult: ...
    async def supersede(
        self,
        id: MemoryId,
        text: str,
        metadata: dict[str, Any] | None = None,
        reason: str | None = None,
        *,
        operator: str = "app",
        user_id: Name = "default",
        agent_id: Name | None = None,
        request_id: Name | None = None,
    ) -> str: ...
    async def conflicts(
        self,
        memory_id: MemoryId | None = None,
        window: str | None = None,
        *,
        decided: bool = False,
        user_id: Name = "default",
        agent_id: Name | None = None,
    ) -> list[Conflict]: ...
    async def resolve(
        self,
        winner: str,
        loser: str,
        *,
        reason: str | None = None,
        keep_both: bool = False,
        operator: str = "app",
        user_id: Name = "default",
        agent_id: Name | None = None,
        request_id: Name | None = None,
    ) -> ResolveResult: ...
