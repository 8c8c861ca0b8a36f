"""Snippets: the part of a text with the most query terms.

Positions refer to the original text, even if folding changes its length. A text of more than a few thousand
characters is searched only at its start and around the usual spellings of each term (as it is, capitalised,
in capitals).
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from memoryd.language.fold import (
    STOP_CHARACTERS_ZH,
    UNSPACED,
    fold,
    index_terms,
    query_terms,
    simplified_table,
)
from memoryd.language.text_cache import text_cache

_LONG = 4_000
_MAX_PLACES = 4
"""Places of a term in a long text."""
_AROUND = 160
"""Characters before such a place, and half of those after it."""
_MAX_TERMS = 10
"""Terms to search for in a long text."""
_MAX_MATCHES = 50
"""Matches of a term in one stretch."""
_WORD = re.compile(rf"(?:(?![{UNSPACED}_])\w)+(?:'(?:(?![{UNSPACED}_])\w)+)*[+#]*")
_SENTENCE_END = re.compile(r"[。！？!?…\n]+[”’」』\"')）]*|\.(?=\s)")
_ELLIPSIS = "…"

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Snippet:
    """text: part of a text, with ellipses; start, end: its position in the whole text; marks: positions of
    the matches in `text`, in order, disjoint."""

    text: str
    start: int
    end: int
    marks: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class _Match:
    start: int
    end: int
    term: str


def snippet(text: str, terms: Sequence[str], width: int = 160) -> Snippet:
    """The part of at most `width` characters with the most terms (of `fold.query_terms`).

    It is cut between sentences or words; line breaks become spaces; without a match it is the start.
    """
    width = max(width, 1)
    matches = _matches(text, tuple(terms))
    first, last = _densest(matches, width)
    start, end = _cut(text, first, last, width)
    before = _ELLIPSIS if text[:start].strip() else ""
    after = _ELLIPSIS if text[end : end + 1] and not text[end:].isspace() else ""
    shift = len(before) - start
    shown = [one for one in matches if start <= one.start and one.end <= end]
    marks = tuple((a + shift, b + shift) for a, b in _merge_spans(text, shown))
    return Snippet(before + _one_line(text[start:end]) + after, start, end, marks)


def matched_terms(text: str, query: str) -> list[str]:
    """The distinct words of the query that a text contains, as spelled and ordered there."""
    found: dict[str, str] = {}
    for start, end in _merge_spans(text, _matches(text, _query_terms(query))):
        found.setdefault(fold(text[start:end]), _one_line(text[start:end]))
    return list(found.values())


@text_cache(16)
def _query_terms(query: str) -> tuple[str, ...]:
    return tuple(query_terms(query))


def _one_line(text: str) -> str:
    return re.sub(r"\s", " ", text)


# -- matches


@text_cache(4)  # a hit needs its words and its snippet
def _matches(text: str, terms: tuple[str, ...]) -> list[_Match]:
    """The matches of terms in a text, in order."""
    wanted = frozenset(terms)
    if not wanted:
        return []
    found = {
        _Match(start + one.start, start + one.end, one.term)
        for start, end in _stretches(text, terms)
        for one in _matches_within(text[start:end], wanted)
    }
    return sorted(found, key=lambda one: (one.start, one.end))


def _stretches(text: str, terms: Sequence[str]) -> list[Span]:
    """The stretches of a text to search, in order, disjoint."""
    if len(text) <= _LONG:
        return [(0, len(text))]
    simplified = text.translate(simplified_table())
    places = sorted({0, *(place for term in terms[:_MAX_TERMS] for place in _places(simplified, term))})
    stretches: list[Span] = []
    for place in places:
        start = _word_start(text, max(0, place - _AROUND))
        end = _word_start(text, min(len(text), place + 2 * _AROUND))
        if stretches and start <= stretches[-1][1]:
            start = stretches.pop()[0]
        stretches.append((start, end))
    return stretches


def _places(text: str, term: str) -> Iterator[int]:
    """The first places of a term, in its first spelling that occurs."""
    spelling, at = next(((one, at) for one in _spellings(term) if (at := text.find(one)) >= 0), ("", -1))
    for _ in range(_MAX_PLACES):
        if at < 0:
            return
        yield at
        at = text.find(spelling, at + _AROUND)


@text_cache(1024)
def _spellings(term: str) -> tuple[str, ...]:
    """The usual spellings of a term."""
    root = term[:-1] if term.endswith("i") else term  # the stem of happy is happi
    return tuple(dict.fromkeys((root, root.capitalize(), root.upper())))


def _matches_within(text: str, wanted: frozenset[str]) -> Iterator[_Match]:
    folded, positions = _folded(text)
    words = {term for term in wanted if _WORD.fullmatch(term)}
    for start, end, term in _words(folded, words) if words else ():
        yield _Match(positions[start], positions[end], term)
    for term in wanted - words:
        for start in _occurrences(folded, term):
            yield _Match(positions[start], positions[start + len(term)], term)


def _folded(text: str) -> tuple[str, Sequence[int]]:
    """The folded text, and the position in the text of each of its positions and its end."""
    folded = fold(text)
    if len(folded) == len(text):
        return folded, range(len(text) + 1)
    pieces = [fold(c) for c in text]
    positions = [i for i, piece in enumerate(pieces) for _ in piece]
    return "".join(pieces), [*positions, len(text)]


def _words(folded: str, wanted: set[str]) -> Iterator[tuple[int, int, str]]:
    for match in _WORD.finditer(folded):
        term = _term(match.group())
        if term in wanted:
            yield match.start(), match.end(), term


@text_cache(8192)
def _stem(word: str) -> str:
    return next(iter(index_terms(word)), word)


def _term(word: str) -> str:
    return _stem(word[:64])


def _occurrences(folded: str, term: str) -> Iterator[int]:
    at = folded.find(term)
    for _ in range(_MAX_MATCHES):
        if at < 0:
            return
        yield at
        at = folded.find(term, at + 1)


def _merge_spans(text: str, matches: Iterable[_Match]) -> list[Span]:
    """The spans of matches; overlapping ones, such as the bigrams of a word, are one."""
    spans: list[Span] = []
    for one in matches:
        if spans and one.start < spans[-1][1]:
            spans[-1] = spans[-1][0], max(spans[-1][1], one.end)
        else:
            spans.append((one.start, one.end))
    return [span for span in (_trim(text, *span) for span in spans) if span[0] < span[1]]


def _trim(text: str, start: int, end: int) -> Span:
    """The span without particles at its ends (在北京 -> 北京); empty if one character of a pair is left."""
    first, last = start, end
    while first < last and text[first] in STOP_CHARACTERS_ZH:
        first += 1
    while first < last and text[last - 1] in STOP_CHARACTERS_ZH:
        last -= 1
    if first == last:
        return start, end
    return (first, first) if last - first == 1 < end - start else (first, last)


# -- the part to show


def _densest(matches: Sequence[_Match], width: int) -> Span:
    """From first to last match of the part with the most different terms, then the most matches."""
    best, best_span, head = (0, 0), (0, 0), 0
    inside: Counter[str] = Counter()
    for tail, one in enumerate(matches):
        inside[one.term] += 1
        while one.end - matches[head].start > width and head < tail:
            inside[matches[head].term] -= 1
            inside += Counter()
            head += 1
        worth = len(inside), tail - head
        if worth > best:
            best, best_span = worth, (matches[head].start, one.end)
    return best_span


def _cut(text: str, first: int, last: int, width: int) -> Span:
    """The part around first to last, from the start of a sentence or word to the end of one."""
    if len(text) <= width:
        return 0, len(text)
    last = min(last, first + width)
    room = width - (last - first)
    earliest = max(0, first - (room if last else 0))
    start = _start(text, earliest, first, room)
    limit = min(len(text), start + width)
    if limit == len(text):
        start = max(start, _word_start(text, max(0, limit - width)))
    return start, _end(text, last, limit)


def _start(text: str, earliest: int, first: int, room: int) -> int:
    """The start of a sentence within the room, else of a word a third of the room earlier."""
    if earliest == 0:
        return 0
    ends = [match.end() for match in _SENTENCE_END.finditer(text, earliest, first)]
    if ends:
        start = ends[bisect_left(ends, first - room // 2)] if ends[-1] >= first - room // 2 else ends[-1]
    else:
        start = _word_start(text, first - room // 3)
    return start + len(text[start:first]) - len(text[start:first].lstrip())


def _end(text: str, last: int, limit: int) -> int:
    """The end of the last sentence near the limit, else of the last word."""
    if limit == len(text):
        return limit
    ends = [match.end() for match in _SENTENCE_END.finditer(text, last, limit)]
    if ends and ends[-1] > (last + limit) // 2:
        return ends[-1]
    return max(last, _word_start(text, limit)) if limit > last else limit


def _word_start(text: str, at: int) -> int:
    """The start of the word that a position cuts, if it is near, else the position."""
    if at <= 0 or at >= len(text) or not _in_word(text[at]) or not _in_word(text[at - 1]):
        return at
    start = at
    while start > max(0, at - 30) and _in_word(text[start - 1]):
        start -= 1
    return start if start == 0 or not _in_word(text[start - 1]) else at


def _in_word(character: str) -> bool:
    return character == "'" or _WORD.fullmatch(character) is not None
