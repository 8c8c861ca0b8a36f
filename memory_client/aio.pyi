"""Made by scripts/generate_stubs.py from memory_client.api; do not edit."""

from collections.abc import Callable
from typing import Any, Literal

from memory_client.api import MethodSpec
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

class AsyncConversationClient:
    def __init__(self, invoke: Callable[[MethodSpec, dict[str, Any]], Any]) -> None: ...
    async def append(
        self,
        session_id: str,
        role: Role,
        text: str,
        *,
        user_id: str = "default",
        agent_id: str | None = None,
        at: float | str | None = None,
        tz: str | None = None,
        speaker: str | None = None,
        metadata: dict[str, Any] | None = None,
        remember: bool = True,
        request_id: str | None = None,
    ) -> AppendResult: ...
    async def extend(
        self,
        session_id: str,
        turns: list[TurnItem],
        *,
        user_id: str = "default",
        agent_id: str | None = None,
        tz: str | None = None,
        request_id: str | None = None,
    ) -> ExtendResult: ...
    async def window(
        self,
        session_id: str,
        limit: int = 20,
        *,
        user_id: str = "default",
        agent_id: str | None = None,
    ) -> list[Turn]: ...
    async def page(
        self,
        session_id: str | None = None,
        *,
        filters: Filters | None = None,
        sort_order: Direction = "asc",
        cursor: str | None = None,
        limit: int = 50,
        user_id: str = "default",
        agent_id: str | None = None,
    ) -> TurnPage: ...
    async def get(
        self,
        id: str,
        *,
        user_id: str = "default",
        agent_id: str | None = None,
    ) -> Turn | None: ...
    async def delete(
        self,
        ids: list[str] | None = None,
        *,
        session_id: str | None = None,
        user_id: str = "default",
        agent_id: str | None = None,
        request_id: str | None = None,
    ) -> DeleteResult: ...
    async def end(
        self,
        session_id: str,
        *,
        user_id: str = "default",
        agent_id: str | None = None,
        request_id: str | None = None,
    ) -> EndResult: ...

class AsyncDecayClient:
    def __init__(self, invoke: Callable[[MethodSpec, dict[str, Any]], Any]) -> None: ...
    async def preview(
        self,
        limit: int = 100,
        *,
        user_id: str = "default",
        agent_id: str | None = None,
    ) -> DecayPreview: ...
    async def run(
        self,
        *,
        user_id: str = "default",
        agent_id: str | None = None,
        request_id: str | None = None,
    ) -> DecayPass: ...
    async def undo_pass(
        self,
        id: str,
        *,
        user_id: str = "default",
        agent_id: str | None = None,
        request_id: str | None = None,
    ) -> UndoPassResult: ...
    async def purge(
        self,
        older_than: float | None = None,
        *,
        dry_run: bool = False,
        user_id: str = "default",
        agent_id: str | None = None,
        request_id: str | None = None,
    ) -> DeleteResult: ...

class AsyncReviewClient:
    def __init__(self, invoke: Callable[[MethodSpec, dict[str, Any]], Any]) -> None: ...
    async def page(
        self,
        state: ReviewState = "pending",
        *,
        kind: ReviewKind | None = None,
        cursor: str | None = None,
        limit: int = 50,
        user_id: str = "default",
        agent_id: str | None = None,
    ) -> ReviewPage: ...
    async def decide(
        self,
        id: str,
        verdict: Verdict,
        reason: str | None = None,
        *,
        operator: str = "app",
        user_id: str = "default",
        agent_id: str | None = None,
        request_id: str | None = None,
    ) -> DecideResult: ...

class AsyncTriplesClient:
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
        evidence: list[str] | None = None,
        user_id: str = "default",
        agent_id: str | None = None,
        request_id: str | None = None,
    ) -> str: ...
    async def page(
        self,
        *,
        subject: str | None = None,
        predicate: str | None = None,
        object: str | None = None,
        entity: str | None = None,
        negation: bool | None = None,
        evidence: str | None = None,
        include_archived: bool = False,
        cursor: str | None = None,
        limit: int = 50,
        user_id: str = "default",
        agent_id: str | None = None,
    ) -> TriplePage: ...
    async def query(
        self,
        entity: str,
        hops: int = 1,
        *,
        predicate: str | None = None,
        limit: int = 50,
        include_archived: bool = False,
        user_id: str = "default",
        agent_id: str | None = None,
    ) -> TripleQuery: ...
    async def path(
        self,
        a: str,
        b: str,
        max_hops: int = 3,
        *,
        include_archived: bool = False,
        user_id: str = "default",
        agent_id: str | None = None,
    ) -> TriplePath: ...
    async def delete(
        self,
        id: str,
        *,
        user_id: str = "default",
        agent_id: str | None = None,
        request_id: str | None = None,
    ) -> DeleteResult: ...
    async def alias(
        self,
        alias: str,
        entity: str,
        *,
        user_id: str = "default",
        request_id: str | None = None,
    ) -> TripleAlias: ...
    async def unalias(
        self,
        alias: str,
        *,
        user_id: str = "default",
        request_id: str | None = None,
    ) -> None: ...
    async def aliases(
        self,
        entity: str | None = None,
        *,
        limit: int = 1000,
        user_id: str = "default",
    ) -> list[TripleAlias]: ...
    async def export_jsonl(
        self,
        user_id: str = "default",
        *,
        shape: TripleShape = "memoryd",
    ) -> list[str]: ...
    async def import_jsonl(
        self,
        lines: list[str],
        *,
        memory_ids: dict[str, str] | None = None,
        user_id: str = "default",
        request_id: str | None = None,
    ) -> TripleImport: ...
    async def stats(
        self,
        *,
        user_id: str = "default",
        agent_id: str | None = None,
    ) -> TripleStats: ...

class AsyncKnowledgePointsClient:
    def __init__(self, invoke: Callable[[MethodSpec, dict[str, Any]], Any]) -> None: ...
    async def save_knowledge(
        self,
        user_id: str,
        version_id: str | None,
        points: list[KnowledgeItem],
        *,
        request_id: str | None = None,
    ) -> KnowledgeVersion: ...
    async def load_knowledge(
        self,
        user_id: str,
        version_id: str | None = "latest",
        top_k: int | None = None,
    ) -> list[KnowledgePoint]: ...
    async def get_latest_version_id(
        self,
        user_id: str,
    ) -> str: ...
    async def get_recent_versions(
        self,
        user_id: str,
        count: int = 5,
    ) -> list[str]: ...
    async def get_version(
        self,
        user_id: str,
        version_id: str = "latest",
    ) -> KnowledgeVersion | None: ...
    async def retrieve_relevant_knowledge(
        self,
        user_id: str,
        query: str | None = None,
        top_k: int | None = None,
    ) -> list[RelevantPoint]: ...
    async def retrieve_knowledge_with_sampling(
        self,
        user_id: str,
        top_k: int | None = None,
        *,
        seed: int | None = None,
    ) -> list[KnowledgePoint]: ...
    async def merge(
        self,
        user_id: str,
        *,
        request_id: str | None = None,
    ) -> KnowledgeMergeResult: ...
    async def compare(
        self,
        user_id: str,
        first: str,
        second: str,
    ) -> KnowledgeComparison: ...
    async def rollback(
        self,
        user_id: str,
        version_id: str,
        *,
        request_id: str | None = None,
    ) -> KnowledgeVersion: ...
    async def publish(
        self,
        name: str,
        ids: list[str] | None = None,
        filters: Filters | None = None,
        *,
        user_id: str = "default",
        request_id: str | None = None,
    ) -> SharedSet: ...
    async def subscribe(
        self,
        owner: str,
        name: str,
        *,
        user_id: str = "default",
        request_id: str | None = None,
    ) -> SharedSet: ...
    async def unsubscribe(
        self,
        owner: str,
        name: str,
        *,
        user_id: str = "default",
        request_id: str | None = None,
    ) -> None: ...
    async def revoke(
        self,
        name: str,
        subscriber: str | None = None,
        *,
        user_id: str = "default",
        request_id: str | None = None,
    ) -> int: ...
    async def shared(
        self,
        *,
        user_id: str = "default",
    ) -> list[SharedSet]: ...

class AsyncAdminClient:
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
    conversation: AsyncConversationClient
    decay: AsyncDecayClient
    review: AsyncReviewClient
    triples: AsyncTriplesClient
    knowledge: AsyncKnowledgePointsClient
    admin: AsyncAdminClient
    async def add(
        self,
        text: str,
        metadata: dict[str, Any] | None = None,
        *,
        user_id: str = "default",
        agent_id: str | None = None,
        session_id: str | None = None,
        request_id: str | None = None,
    ) -> str: ...
    async def add_many(
        self,
        items: list[str | MemoryItem],
        *,
        user_id: str = "default",
        agent_id: str | None = None,
        session_id: str | None = None,
        request_id: str | None = None,
    ) -> list[str]: ...
    async def get(
        self,
        id: str,
        *,
        as_of: float | str | None = None,
        user_id: str = "default",
        agent_id: str | None = None,
    ) -> Memory | None: ...
    async def get_many(
        self,
        ids: list[str],
        *,
        user_id: str = "default",
        agent_id: str | None = None,
    ) -> list[Memory | None]: ...
    async def get_all(
        self,
        user_id: str = "default",
        *,
        include_archived: bool = False,
        agent_id: str | None = None,
    ) -> list[Memory]: ...
    async def page(
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
    ) -> Page: ...
    async def search(
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
    ) -> Hits: ...
    async def explain(
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
    ) -> SearchReport: ...
    async def count(
        self,
        *,
        filters: Filters | None = None,
        include_archived: bool = False,
        user_id: str = "default",
        agent_id: str | None = None,
    ) -> int: ...
    async def stats(
        self,
        *,
        user_id: str = "default",
        agent_id: str | None = None,
    ) -> Stats: ...
    async def update_text(
        self,
        id: str,
        text: str,
        reason: str | None = None,
        *,
        operator: str = "app",
        user_id: str = "default",
        agent_id: str | None = None,
        request_id: str | None = None,
    ) -> UpdateResult: ...
    async def update_metadata(
        self,
        id: str,
        metadata: dict[str, Any],
        reason: str | None = None,
        *,
        operator: str = "app",
        user_id: str = "default",
        agent_id: str | None = None,
        request_id: str | None = None,
    ) -> UpdateResult: ...
    async def update_importance(
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
    ) -> UpdateResult: ...
    async def ping(self) -> PingResult: ...
    async def status(self) -> Status: ...
    async def delete(
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
    ) -> DeleteResult: ...
    async def forget(
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
    ) -> ForgetResult: ...
    async def delete_many(
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
    ) -> DeleteResult: ...
    async def delete_all(
        self,
        user_id: str,
        *,
        request_id: str | None = None,
    ) -> DeleteAllResult: ...
    async def boost(
        self,
        id: str,
        reason: str | None = None,
        *,
        operator: str = "app",
        user_id: str = "default",
        agent_id: str | None = None,
        request_id: str | None = None,
    ) -> BoostResult: ...
    async def mark_used(
        self,
        ids: list[str],
        *,
        user_id: str = "default",
        agent_id: str | None = None,
        request_id: str | None = None,
    ) -> list[BoostResult]: ...
    async def feedback(
        self,
        id: str,
        finding: Feedback,
        reason: str | None = None,
        *,
        operator: str = "app",
        user_id: str = "default",
        agent_id: str | None = None,
        request_id: str | None = None,
    ) -> FeedbackResult: ...
    async def pin(
        self,
        id: str,
        pinned: bool = True,
        reason: str | None = None,
        *,
        operator: str = "app",
        user_id: str = "default",
        agent_id: str | None = None,
        request_id: str | None = None,
    ) -> UpdateResult: ...
    async def archive(
        self,
        id: str,
        reason: str | None = None,
        *,
        operator: str = "app",
        user_id: str = "default",
        agent_id: str | None = None,
        request_id: str | None = None,
    ) -> UpdateResult: ...
    async def restore(
        self,
        id: str,
        reason: str | None = None,
        *,
        operator: str = "app",
        user_id: str = "default",
        agent_id: str | None = None,
        request_id: str | None = None,
    ) -> UpdateResult: ...
    async def history(
        self,
        id: str,
        *,
        limit: int = 50,
        before: int | None = None,
        user_id: str = "default",
        agent_id: str | None = None,
    ) -> list[Version]: ...
    async def compare(
        self,
        id: str,
        a: int | None = None,
        b: int | None = None,
        *,
        user_id: str = "default",
        agent_id: str | None = None,
    ) -> Comparison: ...
    async def revert(
        self,
        id: str,
        to: int,
        reason: str | None = None,
        *,
        operator: str = "app",
        user_id: str = "default",
        agent_id: str | None = None,
        request_id: str | None = None,
    ) -> UpdateResult: ...
    async def supersede(
        self,
        id: str,
        text: str,
        metadata: dict[str, Any] | None = None,
        reason: str | None = None,
        *,
        operator: str = "app",
        user_id: str = "default",
        agent_id: str | None = None,
        request_id: str | None = None,
    ) -> str: ...
    async def conflicts(
        self,
        memory_id: str | None = None,
        window: str | None = None,
        *,
        decided: bool = False,
        user_id: str = "default",
        agent_id: str | None = None,
    ) -> list[Conflict]: ...
    async def resolve(
        self,
        winner: str,
        loser: str,
        *,
        reason: str | None = None,
        keep_both: bool = False,
        operator: str = "app",
        user_id: str = "default",
        agent_id: str | None = None,
        request_id: str | None = None,
    ) -> ResolveResult: ...
