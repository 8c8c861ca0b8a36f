"""Folding of text and tokenization into search terms, the same for stored texts and queries.

Text is folded: NFKC, lower case, traditional to simplified, no diacritics. Scripts without spaces, such as
Chinese, become single characters and overlapping bigrams; words are stemmed; where the two meet (`C盘`) the
pair is a term too. Terms contain no white space.
"""

from __future__ import annotations

import functools
import re
import threading
import unicodedata
from collections.abc import Iterator

import opencc
import Stemmer

from memoryd.language.text_cache import text_cache

_RULES = 1
FOLD_VERSION = (
    f"{_RULES}, Unicode {unicodedata.unidata_version}, OpenCC {opencc.__version__}, "
    f"PyStemmer {Stemmer.version()}"
)
"""The version of these rules and of the data they use. An index of another version is rebuilt: a text must be
removed with the terms it was added with."""

# Scripts without spaces: Han, kana, Hangul (whose words have endings), Thai, Lao, Burmese, Khmer.
UNSPACED = (
    "\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff"
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303c\u3040-\u30fa\u30fc-\u30ff\u3100-\u312f"
    "\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff"
    "\U00020000-\U000323af"
)
"""Ranges for a character class of a regular expression."""
# Vowel signs and the like are part of a word, but not of \w.
_MARKS = "".join(
    chr(c)
    for c in (*range(0x0483, 0x1D00), *range(0xA66F, 0xABEE))
    if unicodedata.category(chr(c)).startswith("M")
)
_LETTERS = rf"(?:(?![{UNSPACED}_])\w[{_MARKS}]*)+"
_FLAG = "[\U0001f1e6-\U0001f1ff]{2}"
_PIECES = re.compile(
    rf"(?P<run>[{UNSPACED}]+)|(?P<word>{_LETTERS}(?:'{_LETTERS})*[+#]*)|(?P<symbol>{_FLAG}|[^\w\s])"
)
_PICTURES = "\U0001f000", "\U0001faff"  # includes symbols that this Python does not know yet
_SKIN_TONES = "\U0001f3fb", "\U0001f3ff"
_TYPOGRAPHIC = {ord("’"): "'"}
_CACHED_QUERY = 1_000  # characters
_MAX_TERM = 64  # characters; longer words are cut

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

_END_MARKS = " .。．!！~～…;；,，、"
_stemmers = threading.local()


@functools.cache
def simplified_table() -> dict[int, str]:
    """Traditional -> simplified characters and straight quotes, for `str.translate`; positions stay."""
    characters = [chr(c) for block in ((0x3400, 0x4DC0), (0x4E00, 0xA000)) for c in range(*block)]
    converted = str(opencc.OpenCC("t2s").convert("\n".join(characters))).split("\n")
    pairs = zip(characters, converted, strict=True)
    return _TYPOGRAPHIC | {ord(old): new for old, new in pairs if old != new and len(new) == 1}


def fold(text: str) -> str:
    """The folded text: NFKC, lower case, simplified, without diacritics."""
    folded = unicodedata.normalize("NFKC", text).casefold().translate(simplified_table())
    if folded.isascii():
        return folded
    decomposed = unicodedata.normalize("NFD", folded)
    kept = "".join(c for c in decomposed if not "\u0300" <= c <= "\u036f")
    return unicodedata.normalize("NFC", kept)


def fold_case(text: str) -> str:
    """NFKC and case folded, for names and quotations: `Ä-17` equals `ä-17`, not `A-17`."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def hash_form(text: str) -> str:
    """The form that is hashed: NFKC, case folded, single spaces, no marks at the end except a question mark.

    It uses no dictionary that may change, so that stored hashes stay valid.
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(folded.split()).rstrip(_END_MARKS) or folded


def _stem(word: str) -> str:
    stemmer = getattr(_stemmers, "english", None)
    if stemmer is None:  # a Stemmer is not thread-safe
        stemmer = _stemmers.english = Stemmer.Stemmer("english")
    return str(stemmer.stemWord(word))


def _word_term(word: str) -> str:
    term = word[:_MAX_TERM]
    return _stem(term) if term.isascii() else term


def _pieces(text: str) -> Iterator[tuple[str, str, bool]]:
    """(kind, piece, whether it touches the previous piece) of a folded text."""
    end = -1
    for match in _PIECES.finditer(text):
        yield str(match.lastgroup), match.group(), match.start() == end
        end = match.end()


def _is_symbol(symbol: str) -> bool:
    """Whether it is a term: emoji, flags, ♥, €; not punctuation, ASCII or skin tones."""
    first = symbol[0]
    if first.isascii() or _SKIN_TONES[0] <= first <= _SKIN_TONES[1]:
        return False
    return unicodedata.category(first).startswith("S") or _PICTURES[0] <= first <= _PICTURES[1]


def _border(kind: str, piece: str, before: tuple[str, str], touches: bool) -> list[str]:
    """The term where a word touches unspaced text: the word and one character."""
    if not touches or {kind, before[0]} != {"run", "word"}:
        return []
    return [before[1][-_MAX_TERM:] + piece[0] if kind == "run" else before[1][-1] + piece[:_MAX_TERM]]


def index_terms(text: str) -> list[str]:
    """The terms of a stored text, with repetitions."""
    terms: list[str] = []
    before = ("", "")
    for kind, piece, touches in _pieces(fold(text)):
        terms += _border(kind, piece, before, touches)
        if kind == "run":
            terms += piece
            terms += [piece[i : i + 2] for i in range(len(piece) - 1)]
        elif kind == "word":
            terms.append(_word_term(piece))
        elif _is_symbol(piece):
            terms.append(piece)
        before = (kind, piece)
    return terms


def query_terms(text: str) -> list[str]:
    """The distinct terms to search for, without stop words unless there is nothing else."""
    return list(_cached_query_terms(text) if len(text) <= _CACHED_QUERY else _distinct_query_terms(text))


def _distinct_query_terms(text: str) -> tuple[str, ...]:
    found = list(_query_terms(fold(text)))
    content = [term for term, is_stop in found if not is_stop]
    return tuple(dict.fromkeys(content or [term for term, _ in found]))


_cached_query_terms = text_cache(256)(_distinct_query_terms)
"""A search needs them several times, and for every hit."""


def _query_terms(folded: str) -> Iterator[tuple[str, bool]]:
    before = ("", "")
    for kind, piece, touches in _pieces(folded):
        for term in _border(kind, piece, before, touches):
            yield term, False
        if kind == "run":
            yield from _run_query_terms(piece)
        elif kind == "word":
            yield _word_term(piece), piece in STOP_WORDS_EN
        elif _is_symbol(piece):
            yield piece, False
        before = (kind, piece)


def _run_query_terms(run: str) -> Iterator[tuple[str, bool]]:
    if len(run) == 1:
        yield run, run in STOP_CHARACTERS_ZH
    for i in range(len(run) - 1):
        pair = run[i : i + 2]
        yield pair, all(c in STOP_CHARACTERS_ZH for c in pair)
