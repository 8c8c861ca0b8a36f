"""Near-duplicates: texts of the same meaning, of which one can represent all.

Similar vectors are not enough (those of 对花生过敏 and 对花生不过敏 are nearly equal): negation, numbers,
times, persons, names and tense must be equal and in the same order, and one text may only have a few more
words than the other. In doubt two texts are different.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence, Set

from memoryd.language.conflicts.tokens import NormalizedText, normalize_text
from memoryd.language.text_cache import text_cache

_MAX_EXTRA = 0.2
"""Fraction of the words of the longer text that the other may lack."""
_MAX_CHARACTERS = 4_000
"""Longer texts are near-duplicates only if they differ in white space alone."""

_MAX_COMPARED = 16
_CHECK_INTERVAL = 64

_normalized = text_cache(1024)(normalize_text)


def are_near_duplicates(a: str, b: str) -> bool:
    """Whether two similar texts have the same meaning."""
    if a == b:
        return True
    if max(len(a), len(b)) > _MAX_CHARACTERS:
        return a.split() == b.split()
    return _have_same_meaning(_normalized(a), _normalized(b))


class DuplicateGroups:
    """Groups of near-duplicates, built from texts in order; the first text of a group represents it.

    share: fraction of terms that two texts must have in common to be compared. Takes linear time: a text is
    compared with at most `_MAX_COMPARED` groups, those that share its rarest terms.
    """

    def __init__(self, share: float) -> None:
        self._share = share
        self._texts: list[str] = []
        self._terms: list[Set[str]] = []
        self._counts: Counter[str] = Counter()
        self._first: dict[str, int] = {}
        self._by_term: defaultdict[str, list[int]] = defaultdict(list)
        self._members: dict[int, list[int]] = {}

    def __len__(self) -> int:
        return len(self._members)

    def add(
        self, texts: Sequence[str], terms: Sequence[Set[str]], check: Callable[[], None] = lambda: None
    ) -> None:
        """Add texts. terms: of each text; check: called every few texts, may raise to stop."""
        if not self._counts:  # the first batch decides how rare a term is; that must not change
            self._counts.update(term for each in terms for term in each)
        for number, (text, own) in enumerate(zip(texts, terms, strict=True)):
            if number % _CHECK_INTERVAL == 0:
                check()
            self._add(text, own)

    def positions(self) -> list[list[int]]:
        """The groups in order, each as the positions of its texts in order."""
        return list(self._members.values())

    def _add(self, text: str, terms: Set[str]) -> None:
        at = len(self._texts)
        self._texts.append(text)
        self._terms.append(terms)
        if text not in self._first:
            rare = _rarest(terms, self._counts, self._share)
            same = (one for one in self._near(rare, terms) if are_near_duplicates(self._texts[one], text))
            self._first[text] = next(same, at)
            if self._first[text] == at:
                for term in rare:
                    self._by_term[term].append(at)
        self._members.setdefault(self._first[text], []).append(at)

    def _near(self, rare: Sequence[str], terms: Set[str]) -> Iterator[int]:
        """The first texts of groups with enough terms in common, in order."""
        for one in _leaders(rare, self._by_term):
            if _share(self._terms[one], terms) >= self._share:
                yield one


def _rarest(terms: Set[str], counts: Mapping[str, int], share: float) -> list[str]:
    """The rarest terms of a text: any text with that share of terms in common has one of them.

    (Prefix filtering; Chaudhuri, Ganti and Kaushik 2006.)
    """
    ordered = sorted(terms, key=lambda term: (counts[term], term))
    return ordered[: len(ordered) - math.ceil(share * len(ordered)) + 1]


def _leaders(rare: Sequence[str], by_term: Mapping[str, Sequence[int]]) -> list[int]:
    """The first texts of groups that have one of the terms, in order."""
    found: set[int] = set()
    for term in rare:
        for one in by_term.get(term, ()):
            if len(found) == _MAX_COMPARED:
                return sorted(found)
            found.add(one)
    return sorted(found)


def _share(first: Set[str], second: Set[str]) -> float:
    """Jaccard similarity."""
    both = len(first & second)
    return both / max(1, len(first) + len(second) - both)


def _have_same_meaning(a: NormalizedText, b: NormalizedText) -> bool:
    if (a.exact, a.times, a.is_question) != (b.exact, b.times, b.is_question):
        return False
    shorter, longer = sorted((a.words, b.words), key=len)
    if len(longer) - len(shorter) > _MAX_EXTRA * len(longer):
        return False
    if not longer and not a.times:
        return False
    extra = Counter(longer) - Counter(shorter)
    return _is_subsequence(longer, shorter) and not extra.keys() & (a.names | b.names)


def _is_subsequence(longer: Sequence[str], shorter: Sequence[str]) -> bool:
    """Whether the shorter is a subsequence of the longer."""
    rest = iter(longer)
    return all(word in rest for word in shorter)
