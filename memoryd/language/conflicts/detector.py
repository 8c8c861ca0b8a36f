"""The most severe conflict of two texts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from memoryd.language.conflicts.types import DatedText, DetectedConflict
from memoryd.language.triples import extract_statements

_RANK = {"high": 0, "medium": 1, "low": 2}
_YEAR_SECONDS = 365.25 * 86_400
_CHANGE_YEARS = 1.0  # after which a difference is more likely a change than a contradiction
_BIRTHDAY_YEARS = 0.05  # after which a person of 27 may be 28


def detect_conflict(first: DatedText, second: DatedText) -> DetectedConflict | None:
    """The most severe conflict of two texts about the same person, by rules.

    A medium conflict of texts stated over a year apart is low; an age that grew with the years is none.
    """
    years = (second.at - first.at) / _YEAR_SECONDS
    conflicts = [conflict for conflict in _conflicts(first, second) if not _has_aged(conflict, years)]
    worst = min(conflicts, key=lambda one: (_RANK[one.severity], len(one.detail)), default=None)
    if worst is not None and worst.severity == "medium" and abs(years) >= _CHANGE_YEARS:
        return replace(worst, severity="low")
    return worst


def _conflicts(first: DatedText, second: DatedText) -> Iterator[DetectedConflict]:
    # imported here: the patterns take a tenth of a second to compile
    from memoryd.language.conflicts.clauses import read_clauses
    from memoryd.language.conflicts.comparison import abbreviate_pair, compare_clauses
    from memoryd.language.conflicts.triple_conflicts import compare_triples

    clauses = read_clauses(first.text), read_clauses(second.text)
    is_hedged = any("hedge" in clause.roles for side in clauses for clause in side)
    triples = [extract_statements(t.text) if t.triples is None else t.triples for t in (first, second)]
    for mine in triples[0]:
        for theirs in triples[1]:
            if conflict := compare_triples(mine, theirs):
                detail = conflict.detail or abbreviate_pair(first.text, second.text)
                yield replace(conflict, detail=detail, severity="low" if is_hedged else conflict.severity)
    for a in clauses[0]:
        for b in clauses[1]:
            if conflict := compare_clauses(a, b):
                yield conflict


def _has_aged(conflict: DetectedConflict, years: float) -> bool:
    """Whether two ages differ by about the years between them."""
    difference = conflict.age_difference
    return difference is not None and abs(years) > _BIRTHDAY_YEARS and abs(difference - years) <= 1
