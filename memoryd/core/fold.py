"""Folding and cutting of text into search terms, the same for what is stored and what is asked.

CJK text is folded (NFKC, lower case, traditional to simplified) and cut into single characters and
overlapping bigrams; Latin text is folded and stemmed; where the two meet (`C盘`) the pair is a term too.
Terms hold no white space, so that a tokenizer that splits at white space gives them back.
"""

from __future__ import annotations

import functools
import re
import threading
import unicodedata
from collections.abc import Iterator

import opencc
import Stemmer

FOLD_VERSION = 1
"""Counts changes of the rules below; an index made by another version is rebuilt."""

_CJK = (
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303c\u3040-\u30ff\u3100-\u312f"
    "\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff"
    "\U00020000-\U000323af"
)
_PIECES = re.compile(
    rf"(?P<cjk>[{_CJK}]+)|(?P<word>(?:(?![{_CJK}_])\w)+(?:['’](?:(?![{_CJK}_])\w)+)*[+#]*)|(?P<symbol>[^\w\s])"
)
_QUIET = frozenset("PZC")  # punctuation, separators, control: no terms of their own

STOP_WORDS_EN = frozenset(
    """a about after all also am an and any are as at be been before being both but by can could did do does
    doing for from further had has have having he her here hers him his how i if in into is it its itself just
    me more most my myself no nor not now of off on once only or other our ours out over own same she should
    so some such than that the their theirs them then there these they this those through to too under until
    up very was we were what when where which while who whom why will with would you your yours""".split()
)
STOP_CHARACTERS_ZH = frozenset(
    "的了是在我你他她它们吗呢吧啊呀哦嗯么也都就还又很太这那有和与或及以于而被把给让从到对为之其个着过得地会能要想说去来上下里中"
)

_stemmers = threading.local()


@functools.cache
def _simplified() -> dict[int, str]:
    """Traditional -> simplified, character by character, so that positions stay and context is no matter."""
    characters = [chr(c) for block in ((0x3400, 0x4DC0), (0x4E00, 0xA000)) for c in range(*block)]
    converted = str(opencc.OpenCC("t2s").convert("\n".join(characters))).split("\n")
    pairs = zip(characters, converted, strict=True)
    return {ord(old): new for old, new in pairs if old != new and len(new) == 1}


def fold(text: str) -> str:
    """The text in one form: NFKC, lower case, simplified, without diacritics on Latin letters."""
    folded = unicodedata.normalize("NFKC", text).casefold().translate(_simplified())
    if folded.isascii():
        return folded
    decomposed = unicodedata.normalize("NFD", folded)
    kept = "".join(c for c in decomposed if not "\u0300" <= c <= "\u036f")
    return unicodedata.normalize("NFC", kept)


def _stem(word: str) -> str:
    stemmer = getattr(_stemmers, "english", None)
    if stemmer is None:  # a Stemmer is not thread-safe
        stemmer = _stemmers.english = Stemmer.Stemmer("english")
    return str(stemmer.stemWord(word))


def _word_term(word: str) -> str:
    return _stem(word.replace("’", "'")) if word.isascii() or not word.isalpha() else word


def _pieces(text: str) -> Iterator[tuple[str, str, bool]]:
    """(kind, piece, whether it touches the piece before) of a folded text."""
    end = -1
    for match in _PIECES.finditer(text):
        yield str(match.lastgroup), match.group(), match.start() == end
        end = match.end()


def _is_sign(symbol: str) -> bool:
    quiet = unicodedata.category(symbol)[0] in _QUIET or symbol in "\ufe0f\u200d"
    return not (quiet or symbol.isascii())


def _border(kind: str, piece: str, before: tuple[str, str], touches: bool) -> list[str]:
    """The term of a border between a word and CJK text: the word with the one character beside it."""
    if not touches or {kind, before[0]} != {"cjk", "word"}:
        return []
    return [before[1] + piece[0] if kind == "cjk" else before[1][-1] + piece]


def index_terms(text: str) -> list[str]:
    """The terms of a stored text, repetitions included."""
    terms: list[str] = []
    before = ("", "")
    for kind, piece, touches in _pieces(fold(text)):
        terms += _border(kind, piece, before, touches)
        if kind == "cjk":
            terms += piece
            terms += [piece[i : i + 2] for i in range(len(piece) - 1)]
        elif kind == "word":
            terms.append(_word_term(piece))
        elif _is_sign(piece):
            terms.append(piece)
        before = (kind, piece)
    return terms


def query_terms(text: str) -> list[str]:
    """The distinct terms to look for, stop words left out unless there is nothing else."""
    found = list(_query_terms(fold(text)))
    telling = [term for term, is_stop in found if not is_stop]
    return list(dict.fromkeys(telling or [term for term, _ in found]))


def _query_terms(folded: str) -> Iterator[tuple[str, bool]]:
    before = ("", "")
    for kind, piece, touches in _pieces(folded):
        for term in _border(kind, piece, before, touches):
            yield term, False
        if kind == "cjk":
            yield from _cjk_query_terms(piece)
        elif kind == "word":
            yield _word_term(piece), piece in STOP_WORDS_EN
        elif _is_sign(piece):
            yield piece, False
        before = (kind, piece)


def _cjk_query_terms(run: str) -> Iterator[tuple[str, bool]]:
    if len(run) == 1:
        yield run, run in STOP_CHARACTERS_ZH
    for i in range(len(run) - 1):
        pair = run[i : i + 2]
        yield pair, all(c in STOP_CHARACTERS_ZH for c in pair)
