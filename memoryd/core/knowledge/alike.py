"""Which texts share most of their words: candidates for being the same, or for contradicting each other."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from memoryd.core.fold import index_terms

_READ = 1_000
"""Characters of a text whose terms are compared."""
_RARE = 6
"""Terms of a text through which others are looked for, its rarest."""
_COMMON = 400
"""Texts a term may stand in; more common ones lead to everything."""
_SHARE = 0.5
_MOST = 16


def alike(texts: Sequence[str]) -> dict[int, list[int]]:
    """Of each place the earlier places of texts with at least half of all terms in common, nearest first."""
    held = [frozenset(index_terms(text[:_READ])) for text in texts]
    frequencies = Counter(term for terms in held for term in terms)
    by_term: dict[str, list[int]] = defaultdict(list)
    found: dict[int, list[int]] = {}
    for place, terms in enumerate(held):
        rare = sorted(terms, key=lambda term: (frequencies[term], term))
        through = [term for term in rare if frequencies[term] <= _COMMON]
        met = {other for term in through[:_RARE] for other in by_term[term]}
        shares = {other: _overlap(terms, held[other]) for other in met}
        near = sorted((other for other in met if shares[other] >= _SHARE), key=lambda o: (-shares[o], o))
        if near:
            found[place] = near[:_MOST]
        for term in through:
            by_term[term].append(place)
    return found


def _overlap(a: frozenset[str], b: frozenset[str]) -> float:
    return len(a & b) / max(1, len(a | b))
