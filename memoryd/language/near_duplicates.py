"""Near-duplicates: which texts say the same, so that one may stand for both.

Nearness of vectors is not enough (对花生过敏 and 对花生不过敏 are nearly one vector): two texts agree only
when negation, numbers, times, persons, names and tense are equal and in the same order, no word of one is
replaced by another word in the other, and what one says more is little. In doubt they do not agree.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence, Set

from memoryd.language.conflicts.tokens import NormalizedText, normalize_text
from memoryd.language.text_cache import text_cache

_MOST_EXTRA = 0.2
"""Plain words that only one of the two has, as a share of the longer one's."""
_LONGEST = 4_000
"""Characters; longer texts agree only when they are the same text, whatever its spacing."""

_MOST_COMPARED = 16
_CHECKED_EVERY = 64

_normalized = text_cache(1024)(normalize_text)


def guards_agree(a: str, b: str) -> bool:
    """Whether two similar texts say the same, as far as words can tell."""
    if a == b:
        return True
    if max(len(a), len(b)) > _LONGEST:
        return a.split() == b.split()
    return _agree(_normalized(a), _normalized(b))


class Groups:
    """Texts grouped by what they say, as they come, the best first; the first of a group is its best.

    share: of the terms of two texts, what both must have to be compared. Takes time in proportion to the
    texts: one is compared with at most `_MOST_COMPARED` groups, those that share its rarest terms.
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
        """Group some more texts.

        terms: of each; check: called every few texts, what it raises ends the work.
        """
        if not self._counts:  # how rare a term is among the first ones will do, but it must not change
            self._counts.update(term for each in terms for term in each)
        for number, (text, own) in enumerate(zip(texts, terms, strict=True)):
            if number % _CHECKED_EVERY == 0:
                check()
            self._add(text, own)

    def positions(self) -> list[list[int]]:
        """The groups by their best, each as the positions of its texts in the order in which they came."""
        return list(self._members.values())

    def _add(self, text: str, terms: Set[str]) -> None:
        at = len(self._texts)
        self._texts.append(text)
        self._terms.append(terms)
        if text not in self._first:
            rare = _rarest(terms, self._counts, self._share)
            same = (one for one in self._near(rare, terms) if guards_agree(self._texts[one], text))
            self._first[text] = next(same, at)
            if self._first[text] == at:
                for term in rare:
                    self._by_term[term].append(at)
        self._members.setdefault(self._first[text], []).append(at)

    def _near(self, rare: Sequence[str], terms: Set[str]) -> Iterator[int]:
        """The first texts of groups that have enough terms in common, in their order."""
        for one in _leaders(rare, self._by_term):
            if _share(self._terms[one], terms) >= self._share:
                yield one


def _rarest(terms: Set[str], counts: Mapping[str, int], share: float) -> list[str]:
    """The rarest terms of a text, so many that any text with that share in common has one of them, too.

    (Chaudhuri, Ganti and Kaushik 2006, prefix filtering.)
    """
    ordered = sorted(terms, key=lambda term: (counts[term], term))
    return ordered[: len(ordered) - math.ceil(share * len(ordered)) + 1]


def _leaders(rare: Sequence[str], by_term: Mapping[str, Sequence[int]]) -> list[int]:
    """The first texts of groups that have one of the terms, in their order."""
    found: set[int] = set()
    for term in rare:
        for one in by_term.get(term, ()):
            if len(found) == _MOST_COMPARED:
                return sorted(found)
            found.add(one)
    return sorted(found)


def _share(first: Set[str], second: Set[str]) -> float:
    """The share of the terms of two texts that both have."""
    both = len(first & second)
    return both / max(1, len(first) + len(second) - both)


def _agree(a: NormalizedText, b: NormalizedText) -> bool:
    if (a.exact, a.times, a.is_question) != (b.exact, b.times, b.is_question):
        return False
    shorter, longer = sorted((a.words, b.words), key=len)
    if len(longer) - len(shorter) > _MOST_EXTRA * len(longer):
        return False
    if not longer and not a.times:
        return False
    return _holds(longer, shorter) and not (Counter(longer) - Counter(shorter)).keys() & (a.names | b.names)


def _holds(longer: Sequence[str], shorter: Sequence[str]) -> bool:
    """Whether the shorter is left when words of the longer are struck out."""
    rest = iter(longer)
    return all(word in rest for word in shorter)
