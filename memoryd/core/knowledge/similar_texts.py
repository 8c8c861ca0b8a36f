"""Similar texts by their terms: candidates for duplicates or contradictions."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from memoryd.language.fold import index_terms

_MAX_CHARACTERS = 1_000
"""Only the terms of so many characters are compared."""
_RARE_TERMS = 6
"""The rarest terms of a text, by which similar texts are found."""
_MAX_FREQUENCY = 100
"""Terms in more texts are not used."""
_MIN_SIMILARITY = 0.5
_MAX_RESULTS = 16


def similar_texts(texts: Sequence[str]) -> dict[int, list[int]]:
    """For each position those of earlier texts with a Jaccard similarity of at least .5, best first.

    Candidates are texts with the same terms or with half of the rarest terms of the text.
    """
    held = [frozenset(index_terms(text[:_MAX_CHARACTERS])) for text in texts]
    frequencies = Counter(term for terms in held for term in terms)
    by_term: dict[str, list[int]] = defaultdict(list)
    by_terms: dict[frozenset[str], list[int]] = defaultdict(list)
    found: dict[int, list[int]] = {}
    for place, terms in enumerate(held):
        rare = [term for term in terms if 1 < frequencies[term] <= _MAX_FREQUENCY]
        through = sorted(rare, key=lambda term: (frequencies[term], term))[:_RARE_TERMS]
        met = Counter(other for term in through for other in by_term[term])
        likely = {other for other, shared in met.items() if 2 * shared >= len(through)}
        likely.update(by_terms[terms][-_MAX_RESULTS:])
        near = sorted((-_overlap(terms, held[other]), other) for other in likely)
        if near and -near[0][0] >= _MIN_SIMILARITY:
            found[place] = [other for negative, other in near[:_MAX_RESULTS] if -negative >= _MIN_SIMILARITY]
        by_terms[terms].append(place)
        for term in rare:
            by_term[term].append(place)
    return found


def _overlap(a: frozenset[str], b: frozenset[str]) -> float:
    return len(a & b) / max(1, len(a | b))
