"""Differences between two texts, by words, and by characters in scripts written without spaces.

Sentences are compared first, then the words of those that differ. Tokens that occur once in both texts are
matched first (patience diff); `difflib` compares what lies between them.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby
from operator import itemgetter
from typing import Literal

from memoryd.language.fold import UNSPACED

Op = Literal["equal", "insert", "delete", "replace"]
_Anchor = tuple[int, int, "_Anchor | None"]
"""A position in each text, and the anchor before it."""

_EXTENDING = r"[\u0300-\u036f\ufe0e\ufe0f\U0001f3fb-\U0001f3ff]|\u200d."
"""What continues a grapheme: accents, variation selectors, skin tones, joined emoji."""
_WORDS = re.compile(
    rf"(?:(?![{UNSPACED}])\w)+(?:['’](?:(?![{UNSPACED}])\w)+)*|\s+|.(?:{_EXTENDING})*", re.DOTALL
)
_SENTENCES = re.compile(r".+?(?:[。！？!?\n]+|\.\s+|$)", re.DOTALL)
_MAX_WORK = 20_000_000
"""Pairs of equal words times the words of the shorter stretch, summed over the stretches compared; each costs
about 15 ns. Stretches beyond the limit count as replaced: `SequenceMatcher` visits every pair for every block
it finds, and `a b a a` has all its words in common with anything."""
_MAX_EQUAL, _CONTEXT = 80, 30
"""An equal stretch longer than `_MAX_EQUAL` characters is shown as `_CONTEXT` characters beside a change."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of both texts; `a` is empty for `insert`, `b` for `delete`; both are the same for `equal`."""

    a: str
    b: str

    @property
    def op(self) -> Op:
        """How `b` differs from `a`."""
        if self.a == self.b:
            return "equal"
        return "replace" if self.a and self.b else "delete" if self.a else "insert"


@dataclass(slots=True)
class _Budget:
    """The work that is left."""

    left: int = _MAX_WORK

    def spend(self, a: Sequence[str], b: Sequence[str]) -> bool:
        """Pay for a comparison; False if the two share no word or the work is too much."""
        counts = Counter(b)
        work = sum(counts[word] for word in a if not _is_mark(word)) * min(len(a), len(b))
        if not 0 < work <= self.left:
            return False
        self.left -= work
        return True


def text_diff(a: str, b: str) -> list[Piece]:
    """The pieces in order: their `a` joined is the first text, their `b` the second."""
    budget = _Budget()
    pieces: list[Piece] = []
    for one in _merge(_align(_SENTENCES.findall(a), _SENTENCES.findall(b), budget)):
        pieces += [one] if one.op == "equal" else _align(words(one.a), words(one.b), budget)
    return _merge(pieces)


def words(text: str) -> list[str]:
    """The words, white space and other graphemes of a text; joined they are the text."""
    return _WORDS.findall(text)


def readable(pieces: Sequence[Piece]) -> str:
    """One line such as `主人住在[-北京-]{+上海+}`; long equal stretches are abbreviated."""
    last = len(pieces) - 1
    return "".join(_format(piece, at == 0, at == last) for at, piece in enumerate(pieces))


def _align(a: list[str], b: list[str], budget: _Budget) -> Iterator[Piece]:
    """Pieces of two token lists, split at their anchors."""
    start = other = 0
    for end, other_end in [*_anchors(a, b), (len(a), len(b))]:
        old, new = a[start:end], b[other:other_end]
        yield from _pieces(old, new) if old == new else _compare(old, new, budget)
        if end < len(a):
            yield Piece(a[end], a[end])
        start, other = end + 1, other_end + 1


def _anchors(a: Sequence[str], b: Sequence[str]) -> list[tuple[int, int]]:
    """The longest common subsequence of the tokens that occur once in each."""
    once_in_b = _singles(b)
    positions: list[int] = []
    anchors: list[_Anchor] = []
    for word, at in _singles(a).items():
        other = once_in_b.get(word)
        if other is not None:
            place = bisect_left(positions, other)
            positions[place : place + 1] = [other]
            anchors[place : place + 1] = [(at, other, anchors[place - 1] if place else None)]
    return _unroll(anchors[-1] if anchors else None)


def _unroll(anchor: _Anchor | None) -> list[tuple[int, int]]:
    chain: list[tuple[int, int]] = []
    while anchor is not None:
        at, other, anchor = anchor
        chain.append((at, other))
    return chain[::-1]


def _singles(tokens: Sequence[str]) -> dict[str, int]:
    counts = Counter(tokens)
    return {token: at for at, token in enumerate(tokens) if counts[token] == 1}


def _compare(a: list[str], b: list[str], budget: _Budget) -> Iterator[Piece]:
    """Pieces of two token lists without anchors; their common ends are matched first."""
    start = _prefix_length(a, b)
    end = _prefix_length(a[start:][::-1], b[start:][::-1])
    old, new = a[start : len(a) - end], b[start : len(b) - end]
    yield from _pieces(a[:start], a[:start])
    if budget.spend(old, new):
        for _, i, j, k, n in SequenceMatcher(_is_mark, old, new, autojunk=False).get_opcodes():
            yield from _pieces(old[i:j], new[k:n])
    else:
        yield from _pieces(old, new)
    yield from _pieces(a[len(a) - end :], a[len(a) - end :])


def _prefix_length(a: list[str], b: list[str]) -> int:
    pairs = enumerate(zip(a, b, strict=False))
    return next((at for at, (x, y) in pairs if x != y), min(len(a), len(b)))


def _pieces(a: Sequence[str], b: Sequence[str]) -> list[Piece]:
    return [Piece("".join(a), "".join(b))] if a or b else []


def _is_mark(token: str) -> bool:
    """White space and punctuation are too common to align by."""
    return not any(map(str.isalnum, token))


def _merge(pieces: Iterable[Piece]) -> list[Piece]:
    """Adjacent pieces of one kind as one; white space between two changes belongs to them."""
    merged = _group((piece.op == "equal", piece) for piece in pieces)
    inner = range(1, len(merged) - 1)
    return _group(
        (one.op == "equal" and not (at in inner and one.a.isspace()), one) for at, one in enumerate(merged)
    )


def _group(keyed: Iterable[tuple[bool, Piece]]) -> list[Piece]:
    runs = ([piece for _, piece in run] for _, run in groupby(keyed, key=itemgetter(0)))
    return [Piece("".join(one.a for one in run), "".join(one.b for one in run)) for run in runs]


def _format(piece: Piece, is_first: bool, is_last: bool) -> str:
    if piece.op != "equal":
        return (f"[-{piece.a}-]" if piece.a else "") + (f"{{+{piece.b}+}}" if piece.b else "")
    if len(piece.a) <= _MAX_EQUAL:
        return piece.a
    head = "" if is_first else piece.a[:_CONTEXT]
    return f"{head}…{'' if is_last else piece.a[-_CONTEXT:]}"
