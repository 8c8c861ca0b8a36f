"""The order of a request for the latest: newest first among the texts that match, then the rest by relevance.

With a topic it is the occasion that is newest: a statement is not worth less than the reply to it. So what
was made in one session, or within half an hour, keeps the order of relevance.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence

from memoryd.core.knowledge.point import PointRecord
from memoryd.core.row_ranges import TextKind, kind_of
from memoryd.language.fold import hash_form, index_terms
from memoryd.language.query.recency import Recency
from memoryd.retrieval.results.hits import FoundRecord, Recorded

_NEAR = 0.5
"""How far the logit of a score may lie below the best for the text to match as well."""
_TEXT_CHARS = 2_000
_OCCASION_SECONDS = 1_800.0
"""How far apart in time texts are of one occasion, a session apart."""
_DAY = 86_400.0
"""How far apart they are in one session: some apps have one that never ends."""


def in_recency_order(
    found: Sequence[FoundRecord],
    query: str,
    recency: Recency,
    fusion_methods: Mapping[TextKind, str],
    current_session: str | None,
) -> list[FoundRecord]:
    """Texts that were ranked by relevance, in the order of a request for the latest.

    fusion_methods: how each kind was ranked; only scores of `ranked` say how well a text matches.
    current_session: the one whose texts come last, if any.
    """
    matching = _matching([one for one in found if not _repeats(one, query)], recency, fusion_methods)

    def age(one: FoundRecord) -> tuple[bool, float, int]:
        return _is_of(one.record, current_session), -_moment(one.record, recency), -one.fused.row

    first = sorted(matching, key=age)
    if recency.topic:
        first = _by_occasion(first, matching, recency)
    rows = {one.fused.row for one in first}
    return [*first, *(one for one in found if one.fused.row not in rows)]


def _by_occasion(
    first: Sequence[FoundRecord], by_relevance: Sequence[FoundRecord], recency: Recency
) -> list[FoundRecord]:
    """The same, newest occasion first, each by relevance. first: newest first."""
    occasion = {first[0].fused.row: 0} if first else {}
    for later, one in itertools.pairwise(first):
        is_same = _is_one_occasion(later, one, recency)
        occasion[one.fused.row] = occasion[later.fused.row] + (0 if is_same else 1)
    return sorted(by_relevance, key=lambda one: occasion[one.fused.row])


def _is_one_occasion(later: FoundRecord, earlier: FoundRecord, recency: Recency) -> bool:
    gap = _moment(later.record, recency) - _moment(earlier.record, recency)
    return gap <= _OCCASION_SECONDS or (
        _session(later.record) is not None
        and _session(later.record) == _session(earlier.record)
        and gap <= _DAY
    )


def _repeats(found: FoundRecord, query: str) -> bool:
    """Whether a text is the request itself, stored before it was searched for."""
    return hash_form(found.record.text[:_TEXT_CHARS]) == hash_form(query)


def _matching(
    found: Sequence[FoundRecord], recency: Recency, fusion_methods: Mapping[TextKind, str]
) -> list[FoundRecord]:
    """Without a topic everything; else texts with all of its words, and those that score near the best.

    Where scores say little, texts with the most of its words.
    """
    if not recency.topic:
        return list(found)
    wanted = set(_terms(recency.topic))
    shares = [len(wanted & set(index_terms(one.record.text[:_TEXT_CHARS]))) / len(wanted) for one in found]
    scored = [one.fused.score for one in found if fusion_methods.get(kind_of(one.fused.row)) == "ranked"]
    least = 1.0 if scored else max(shares, default=0.0)
    near = _logit(max(scored)) - _NEAR if scored else math.inf
    return [
        one
        for one, share in zip(found, shares, strict=True)
        if (share > 0 and share >= least)
        or (fusion_methods.get(kind_of(one.fused.row)) == "ranked" and _logit(one.fused.score) >= near)
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
    return session_id is not None and _session(record) == session_id


def _session(record: Recorded) -> str | None:
    return None if isinstance(record, PointRecord) else record.session_id


def _moment(record: Recorded, recency: Recency) -> float:
    """When a text was made; of what happened, where it speaks of an earlier event, when that was."""
    event = None if isinstance(record, PointRecord) or recency.is_of_talk else record.event_start
    return record.created_at if event is None else min(record.created_at, event)
