"""What changed between two texts, word by word; Chinese is cut into its words, too.

Words are found by jieba's dictionary (`rjieba`, loaded with the first Chinese text that is compared). Long
texts are compared sentence by sentence first, so that the time stays near linear.
"""

from __future__ import annotations

import functools
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby
from operator import itemgetter
from typing import Literal

from memoryd.language.fold import UNSPACED
from memoryd.language.text_cache import text_cache

Op = Literal["equal", "insert", "delete", "replace"]
Cut = Callable[[str], list[str]]
_Row = tuple[int, int, "_Row | None"]
"""A place in each text, and those before it."""

_PIECES = re.compile(rf"(?P<run>[{UNSPACED}]+)|(?:(?![{UNSPACED}])\w)+(?:['’](?:(?![{UNSPACED}])\w)+)*|\s+|.")
_SENTENCES = re.compile(r".*?(?:[。！？!?\n]+|\.\s+|$)", re.DOTALL)
_LONG = 4_000_000
"""Characters of the one times those of the other, above which sentences are compared first."""
_MOST_WORK = 20_000_000
"""Pairs of equal words times the words of the shorter stretch, over all stretches that are compared; about 15
ns each. What is beyond it is taken as replaced as a whole: `a b a a` has all its words in common with
anything, and `SequenceMatcher` looks at every pair again for every stretch it finds."""
_SHOWN, _BESIDE = 80, 30
"""An equal stretch longer than `_SHOWN` characters is cut to `_BESIDE` on either side of a change."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of both texts; a is empty for `insert`, b for `delete`, both are the same for `equal`."""

    op: Op
    a: str
    b: str


@dataclass(slots=True)
class _Work:
    """What may still be done."""

    left: int = _MOST_WORK

    def takes(self, a: Sequence[str], b: Sequence[str]) -> bool:
        """Whether two stretches have a word in common, and there is time to find which stand where."""
        counts = Counter(b)
        pairs = sum(counts[word] for word in a if word in counts and not _is_mark(word))
        work = pairs * min(len(a), len(b))
        if not 0 < work <= self.left:
            return False
        self.left -= work
        return True


def text_diff(a: str, b: str) -> list[Piece]:
    """The pieces in order: their `a` joined is the first text, their `b` the second."""
    if a == b:
        return [Piece("equal", a, a)] if a else []
    pieces: list[Piece] = []
    work = _Work()
    for old, new in _unequal(a, b, work):
        pieces += [Piece("equal", old, new)] if old == new else _joined(_compared(old, new, words, work))
    return _joined(pieces)


def readable(pieces: Sequence[Piece]) -> str:
    """One line such as `主人住在[-北京-]{+上海+}`; long stretches without a change are cut short."""
    last = len(pieces) - 1
    return "".join(_written(piece, at == 0, at == last) for at, piece in enumerate(pieces))


def _unequal(a: str, b: str, work: _Work) -> list[tuple[str, str]]:
    """Stretches of the two, in order; those of long texts that share whole sentences come apart."""
    if len(a) * len(b) <= _LONG:
        return [(a, b)]
    return [(one.a, one.b) for one in _compared(a, b, _SENTENCES.findall, work)]


def _compared(a: str, b: str, cut: Cut, work: _Work) -> list[Piece]:
    """The words that each text has once, in the same order in both, hold the two together (patience diff);
    what lies between them is compared word with word."""
    ours, theirs = cut(a), cut(b)
    pieces: list[Piece] = []
    told = i = k = 0
    for at, other in [*_anchors(ours, theirs), (len(ours), len(theirs))]:
        if ours[i:at] != theirs[k:other]:
            pieces += [*_same(ours[told:i]), *_between(ours[i:at], theirs[k:other], work)]
            told = at
        i, k = at, other
    return [*pieces, *_same(ours[told:])]


def _same(words: Sequence[str]) -> list[Piece]:
    text = "".join(words)
    return [Piece("equal", text, text)] if text else []


def _anchors(a: Sequence[str], b: Sequence[str]) -> list[tuple[int, int]]:
    """The longest rising row of places at which a word stands that both have once."""
    once = _singles(a), _singles(b)
    ends: list[int] = []
    rows: list[_Row] = []
    for word, at in once[0].items():
        other = once[1].get(word)
        if other is not None:
            place = bisect_left(ends, other)
            row: _Row = (at, other, rows[place - 1] if place else None)
            ends[place : place + 1], rows[place : place + 1] = [other], [row]
    return _unrolled(rows[-1] if rows else None)


def _unrolled(row: _Row | None) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    while row is not None:
        at, other, row = row
        found.append((at, other))
    return found[::-1]


def _singles(words: Sequence[str]) -> dict[str, int]:
    counts = Counter(words)
    return {word: at for at, word in enumerate(words) if counts[word] == 1}


def _between(a: Sequence[str], b: Sequence[str], work: _Work) -> list[Piece]:
    start = _same_start(a, b)
    end = _same_start(a[start:][::-1], b[start:][::-1])
    middle = _matched(a[start : len(a) - end], b[start : len(b) - end], work)
    return [*_same(a[:start]), *middle, *_same(a[len(a) - end :])]


def _matched(a: Sequence[str], b: Sequence[str], work: _Work) -> list[Piece]:
    if not work.takes(a, b):
        return [_piece("".join(a), "".join(b))] if a or b else []
    codes = SequenceMatcher(_is_mark, a, b, autojunk=False).get_opcodes()
    return [Piece(op, "".join(a[i:j]), "".join(b[k:n])) for op, i, j, k, n in codes]


def _is_mark(word: str) -> bool:
    """Spaces and punctuation stand everywhere: they go with the words beside them."""
    return not any(map(str.isalnum, word))


def _same_start(a: Sequence[str], b: Sequence[str]) -> int:
    same = 0
    for mine, yours in zip(a, b, strict=False):
        if mine != yours:
            break
        same += 1
    return same


def _joined(pieces: Sequence[Piece]) -> list[Piece]:
    """Neighbouring changes as one, with the white space between them."""
    merged = _grouped(pieces, [piece.op == "equal" for piece in pieces])
    inner = range(1, len(merged) - 1)
    keeps = [one.op == "equal" and not (at in inner and one.a.isspace()) for at, one in enumerate(merged)]
    return _grouped(merged, keeps)


def _grouped(pieces: Sequence[Piece], keys: Sequence[bool]) -> list[Piece]:
    runs = groupby(zip(keys, pieces, strict=True), key=itemgetter(0))
    return [_merged([piece for _, piece in run]) for _, run in runs]


def _merged(run: Sequence[Piece]) -> Piece:
    if len(run) == 1:
        return run[0]
    return _piece("".join(one.a for one in run), "".join(one.b for one in run))


def _piece(a: str, b: str) -> Piece:
    return Piece("equal" if a == b else "insert" if not a else "delete" if not b else "replace", a, b)


def _written(piece: Piece, is_first: bool, is_last: bool) -> str:
    if piece.op != "equal":
        return (f"[-{piece.a}-]" if piece.a else "") + (f"{{+{piece.b}+}}" if piece.b else "")
    if len(piece.a) <= _SHOWN:
        return piece.a
    head = "" if is_first else piece.a[:_BESIDE]
    return f"{head}…{'' if is_last else piece.a[-_BESIDE:]}"


def words(text: str) -> list[str]:
    """The words, spaces and marks of a text in order; joined they are the text."""
    found: list[str] = []
    for match in _PIECES.finditer(text):
        found += _cut(match.group()) if match["run"] else (match.group(),)
    return found


@text_cache(4096)
def _cut(run: str) -> tuple[str, ...]:
    """Versions of one text have most of it in common."""
    return tuple(_segmenter()(run))


@functools.cache
def _segmenter() -> Cut:
    """jieba with its dictionary: a quarter of a second and 60 MB, for those who compare Chinese texts."""
    import rjieba

    return rjieba.Jieba().cut
