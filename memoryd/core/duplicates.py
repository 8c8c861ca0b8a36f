"""Near-duplicates: which texts say the same, so that one may stand for both.

Nearness of vectors is not enough (对花生过敏 and 对花生不过敏 are nearly one vector): two texts agree only
when negation, numbers, times, persons, names and tense are equal and in the same order, no word of one is
replaced by another word in the other, and what one says more is little. In doubt they do not agree.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from memoryd.core.statement import Statement, read
from memoryd.core.text_cache import text_cache

_MOST_EXTRA = 0.2
"""Plain words that only one of the two has, as a share of the longer one's."""
_LONGEST = 4_000
"""Characters; longer texts agree only when they are the same text, whatever its spacing."""

_statement = text_cache(512)(read)


def guards_agree(a: str, b: str) -> bool:
    """Whether two similar texts say the same, as far as words can tell."""
    if a == b:
        return True
    if max(len(a), len(b)) > _LONGEST:
        return a.split() == b.split()
    return _agree(_statement(a), _statement(b))


def collapse(texts: Sequence[str], similar: Callable[[int, int], bool]) -> list[list[int]]:
    """Positions grouped by what they say; the first of a group is its best, groups by their best.

    texts: best first. similar: whether two positions (earlier, later) are near enough to be compared.
    """
    groups: list[list[int]] = []
    for later, text in enumerate(texts):
        for group in groups:
            if similar(group[0], later) and guards_agree(texts[group[0]], text):
                group.append(later)
                break
        else:
            groups.append([later])
    return groups


def _agree(a: Statement, b: Statement) -> bool:
    if (a.firm, a.times, a.asks) != (b.firm, b.times, b.asks):
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
