"""Which texts share most of their words: candidates for being the same, or for contradicting each other."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from memoryd.language.fold import index_terms

_READ = 1_000
"""Characters of a text whose terms are compared."""
_RARE = 6
"""Terms of a text through which others are looked for, its rarest."""
_COMMON = 100
"""Texts a term may stand in; more common ones lead to everything."""
_SHARE = 0.5
_MOST = 16


def similar_texts(texts: Sequence[str]) -> dict[int, list[int]]:
    """Of each place the earlier places of texts with at least half of all terms in common, nearest first.

    Looked for among those with all of its terms, or half of its rarest: what says the same has nearly all.
    """
    held = [frozenset(index_terms(text[:_READ])) for text in texts]
    frequencies = Counter(term for terms in held for term in terms)
    by_term: dict[str, list[int]] = defaultdict(list)
    by_terms: dict[frozenset[str], list[int]] = defaultdict(list)
    found: dict[int, list[int]] = {}
    for place, terms in enumerate(held):
        rare = [term for term in terms if 1 < frequencies[term] <= _COMMON]
        through = sorted(rare, key=lambda term: (frequencies[term], term))[:_RARE]
        met = Counter(other for term in through for other in by_term[term])
        likely = {other for other, shared in met.items() if 2 * shared >= len(through)}
        likely.update(by_terms[terms][-_MOST:])
        near = sorted((-_overlap(terms, held[other]), other) for other in likely)
        if near and -near[0][0] >= _SHARE:
            found[place] = [other for negative, other in near[:_MOST] if -negative >= _SHARE]
        by_terms[terms].append(place)
        for term in rare:
            by_term[term].append(place)
    return found


def _overlap(a: frozenset[str], b: frozenset[str]) -> float:
    return len(a & b) / max(1, len(a | b))
