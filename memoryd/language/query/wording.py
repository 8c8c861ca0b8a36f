"""Keywords, phrases and names of a query, as spelled there."""

from __future__ import annotations

import re
from collections.abc import Iterable

from memoryd.language.fold import STOP_WORDS_EN, UNSPACED, fold

_MAX_WORDS = 32
"""Keywords, phrases or names of one query."""
_MAX_PHRASE = 200

_QUOTED = re.compile(
    rf"\"([^\"\n]{{1,{_MAX_PHRASE}}})\"|“([^“”\n]{{1,{_MAX_PHRASE}}})”"
    rf"|「([^「」\n]{{1,{_MAX_PHRASE}}})」|『([^『』\n]{{1,{_MAX_PHRASE}}})』"
)
_TITLE = re.compile(rf"《([^《》\n]{{1,{_MAX_PHRASE}}})》")
_CAPITALISED = r"(?!I\b|I')[A-ZÀ-ÖØ-Þ][\w\-]*"
_TITLED = r"(?:(?:Dr|Mr|Mrs|Ms|Prof|St)\. |(?:de|van|von|der|da|di|la) )?"
_NAME = re.compile(rf"(?<![\w']){_TITLED}{_CAPITALISED}(?: {_TITLED}{_CAPITALISED})*(?P<owns>['’]s\b)?")
_SENTENCE_START = re.compile(r"(?:^|[.!?:。！？\n])\W*$")
_NO_NAMES = frozenset(
    """monday tuesday wednesday thursday friday saturday sunday january february march april may june july
    august september october november december today yesterday tomorrow ok okay english chinese""".split()
) | STOP_WORDS_EN  # fmt: skip

_WORD = re.compile(
    rf"(?P<run>[{UNSPACED}]+)|(?:(?![{UNSPACED}_])\w)+(?:['’\-](?:(?![{UNSPACED}_])\w)+)*[+#]*"
)
_FILLERS_EN = frozenset(
    "tell know remember recall remind say said please thing things something anything".split()
)
_FILLERS_ZH = re.compile(
    "为什么|什么时候|什么时间|什么|怎么样|怎么|怎样|如何|哪里|哪儿|哪[个家些天年一]|哪|谁|多少|多久|多大|几[个次点号岁]?"
    "|我们|你们|他们|她们|它们|咱们|这个|那个|这些|那些|这次|那次|这件|那件|是不是|有没有|会不会|能不能|还是|或者|因为|所以|现在|正在|当时"
    "|但是|如果|可以|应该|一下|一个|一些|告诉|记得|知道|请问|觉得|没有|时候|自己|之前|以前|后来|曾经"
)


_PARTICLES_ZH = "的了吗呢吧啊呀哦嗯么我你您他她它们是在和与跟把被给这那很就也请帮\0"
"""Unspaced text is cut here; other stop characters are often parts of words (上海, 会议, 地址)."""
_CONTENT_ZH = re.compile(f"[^{_PARTICLES_ZH}]+")


def find_phrases(query: str) -> tuple[str, ...]:
    """Texts in quotation marks."""
    found = (next(filter(None, groups)).strip() for groups in _QUOTED.findall(query))
    return _distinct(found)


def find_names(query: str) -> tuple[str, ...]:
    """Titles in 《》 and capitalised words; at the start of a sentence only two or more in a row."""
    names = [title.strip() for title in _TITLE.findall(query)]
    if not query.isupper():
        names += filter(None, (_name(query, match) for match in _NAME.finditer(query)))
    return _distinct(names)


def _name(query: str, match: re.Match[str]) -> str:
    words = match.group().removesuffix(match.group("owns") or "").split()
    while words and words[0].casefold() in _NO_NAMES:
        words.pop(0)
    untouched = len(words) == len(match.group().split())
    starts = untouched and _SENTENCE_START.search(query, 0, match.start()) is not None
    return "" if starts and len(words) == 1 and not match.group("owns") else " ".join(words)


def find_keywords(query: str) -> tuple[str, ...]:
    """The distinct content words as spelled in the query; single characters only if there is nothing else."""
    words: list[str] = []
    for match in _WORD.finditer(query):
        if match.group("run"):
            words += _content_words(match.group())
        elif not _is_filler(match.group()):
            words.append(match.group())
        if len(words) > 4 * _MAX_WORDS:
            break
    return _distinct(one for one in words if len(one) > 1) or _distinct(words)


def _is_filler(word: str) -> bool:
    plain = fold(word).removesuffix("'s")
    return plain in STOP_WORDS_EN or plain in _FILLERS_EN or plain.split("'")[0] in STOP_WORDS_EN


def _content_words(run: str) -> list[str]:
    """The parts of unspaced text between function words."""
    folded = fold(run)
    if len(folded) != len(run):
        return [run]
    marked = _FILLERS_ZH.sub(lambda match: "\0" * len(match.group()), folded)
    return [run[match.start() : match.end()] for match in _CONTENT_ZH.finditer(marked)]


def _distinct(found: Iterable[str]) -> tuple[str, ...]:
    kept: dict[str, str] = {}
    for one in found:
        if one and len(kept) < _MAX_WORDS:
            kept.setdefault(fold(one), one)
    return tuple(kept.values())
