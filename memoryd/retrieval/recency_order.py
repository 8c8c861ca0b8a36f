"""The order of a request for what was last: newest first among what matches, then the rest by relevance."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterable, Mapping, Sequence

from memoryd.core.fold import index_terms
from memoryd.core.kinds import TextKind, kind_of
from memoryd.core.knowledge.point import PointRecord
from memoryd.core.normal import normal_form
from memoryd.core.scope import Scope
from memoryd.retrieval.hits import Found, Recorded
from memoryd.retrieval.plan import RetrievalPlan
from memoryd.retrieval.planning.recency import Recency
from memoryd.storage import sessions

_NEAR = 1.0
"""How far the logit of a score may lie below the best for the text to match as well."""
_TEXT_CHARS = 2_000


def in_recency_order(
    connection: sqlite3.Connection,
    scope: Scope,
    plan: RetrievalPlan,
    found: Sequence[Found],
    recipes: Mapping[TextKind, str],
) -> list[Found]:
    """Texts that were ranked by relevance, in the order that the plan's request for what was last asks for.

    recipes: how each kind was ranked; only scores of `ranked` say how well a text matches.
    """
    recency, query = plan.recency, plan.understanding.query
    if recency is None:
        return list(found)
    present = sessions.under_way(connection, scope) if recency.kind == "previous" else None
    matching = _matching([one for one in found if not _repeats(one, query)], recency, recipes)

    def age(one: Found) -> tuple[bool, float, int]:
        moment = one.record.created_at if recency.is_of_talk else _happened_at(one.record)
        return _is_of(one.record, present), -moment, -one.fused.row

    first = sorted(matching, key=age)
    rows = {one.fused.row for one in first}
    return [*first, *(one for one in found if one.fused.row not in rows)]


def _repeats(found: Found, query: str) -> bool:
    """Whether a text is the request itself, stored before it was searched for."""
    return normal_form(found.record.text[:_TEXT_CHARS]) == normal_form(query)


def _matching(found: Sequence[Found], recency: Recency, recipes: Mapping[TextKind, str]) -> list[Found]:
    """Without a topic everything; else texts with all of its words, and those that score near the best.

    Where scores say little, texts with the most of its words.
    """
    if not recency.topic:
        return list(found)
    wanted = set(_terms(recency.topic))
    shares = [len(wanted & set(index_terms(one.record.text[:_TEXT_CHARS]))) / len(wanted) for one in found]
    scored = [one.fused.score for one in found if recipes.get(kind_of(one.fused.row)) == "ranked"]
    least = 1.0 if scored else max(shares, default=0.0)
    near = _logit(max(scored)) - _NEAR if scored else math.inf
    return [
        one
        for one, share in zip(found, shares, strict=True)
        if (share > 0 and share >= least)
        or (recipes.get(kind_of(one.fused.row)) == "ranked" and _logit(one.fused.score) >= near)
    ]


def _terms(words: Iterable[str]) -> Iterable[str]:
    """The terms of some words; of unspaced ones the pairs, where there are any."""
    for word in words:
        terms = index_terms(word)
        yield from [term for term in terms if len(term) > 1] or terms


def _logit(score: float) -> float:
    kept = min(max(score, 1e-9), 1 - 1e-9)
    return math.log(kept / (1 - kept))


def _is_of(record: Recorded, session_id: str | None) -> bool:
    return session_id is not None and not isinstance(record, PointRecord) and record.session_id == session_id


def _happened_at(record: Recorded) -> float:
    """When a text was made; where it speaks of an earlier event, when that was."""
    event = None if isinstance(record, PointRecord) else record.event_start
    return record.created_at if event is None else min(record.created_at, event)
