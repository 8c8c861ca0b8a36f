"""From ranked rows to what a caller gets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memory_client.types import Explanation, Hit, SearchScope, Snippet
from memoryd.core.knowledge.point import PointRecord
from memoryd.core.record import Record, public_metadata
from memoryd.core.row_ranges import TextKind, kind_of
from memoryd.core.turn import TurnRecord
from memoryd.language.fold import query_terms
from memoryd.language.snippet import matched_terms, snippet
from memoryd.retrieval.plan import RetrievalPlan
from memoryd.retrieval.ranking.fuse import Fused

Recorded = Record | TurnRecord | PointRecord


@dataclass(frozen=True, slots=True)
class FoundRecord:
    """A ranked row with what is stored there.

    same: ids of near-duplicates it stands for; effective_importance: what time has left of a memory's.
    """

    record: Recorded
    fused: Fused
    same: tuple[str, ...] = ()
    effective_importance: float | None = None


@dataclass(frozen=True, slots=True)
class Trace:
    """What a search has to say of itself.

    fusion_methods: how each kind was ranked; keys: what rows were found by literally.
    """

    plan: RetrievalPlan
    mode: str
    fusion_methods: Mapping[TextKind, str]
    notes: tuple[str, ...]
    missing: int
    milliseconds: Mapping[str, float]
    keys: Mapping[int, str]


def hit_of(found: FoundRecord) -> Hit:
    """The hit of a row."""
    record, fused = found.record, found.fused
    return Hit(
        id=record.id,
        type=_TYPES[type(record)],
        text=record.text,
        score=fused.score,
        rank_score=fused.rank_score,
        calibrated=fused.is_calibrated,
        metadata=_metadata(record),
        category=record.category if isinstance(record, Record) else None,
        importance=record.importance if isinstance(record, Record) else None,
        effective_importance=found.effective_importance,
        state=record.state if isinstance(record, Record) else None,
        created_at=record.created_at,
        scores=fused.raw,
    )


_TYPES: Mapping[type, SearchScope] = {Record: "memory", TurnRecord: "turn", PointRecord: "shared"}


def _metadata(record: Recorded) -> dict[str, Any]:
    if isinstance(record, Record):
        return public_metadata(record)
    return _of_turn(record) if isinstance(record, TurnRecord) else _of_shared(record)


def _of_shared(record: PointRecord) -> dict[str, Any]:
    """What is told of another user's point: where it is from, and what its owner thinks of it."""
    return {
        "citation": f"[Source: shared {record.shared}]",
        "owner": record.user_id,
        "set": record.shared,
        "knowledge_type": record.type,
        "knowledge_score": record.score,
        "timestamp": record.created_at,
    }


def _of_turn(record: TurnRecord) -> dict[str, Any]:
    """A turn's metadata: its own keys, and where it was said."""
    return {
        **record.metadata,
        "session_id": record.session_id,
        "position": record.position,
        "role": record.role,
        "speaker": record.speaker,
        "timestamp": record.created_at,
    }


def explanation(found: FoundRecord, query: str, trace: Trace, plan: dict[str, Any]) -> Explanation:
    """How a hit came about. plan: the trace's, described."""
    text, fused = found.record.text, found.fused
    cut = snippet(text, query_terms(query[:1000]))
    key = trace.keys.get(fused.row)
    return Explanation(
        mode=trace.mode,
        notes=list(trace.notes),
        ranks=fused.ranks,
        missing_vector_count=trace.missing,
        milliseconds=dict(trace.milliseconds),
        terms=matched_terms(text, query[:1000]),
        keys=[] if key is None else [key],
        snippet=Snippet(text=cut.text, marks=[list(mark) for mark in cut.marks]),
        duplicates=list(found.same),
        fusion_method=trace.fusion_methods[kind_of(fused.row)],
        fusion={
            name: {"value": round(value, 4), "contribution": round(contribution, 4)}
            for name, (value, contribution) in fused.contributions().items()
        },
        standing=round(fused.standing, 4),
        plan=plan,
    )
