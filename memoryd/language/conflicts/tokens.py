"""The tokens of a text in one spelling: 三只 and 3只, `May 3rd` and `3 May`, 下午3点 and 15:00.

Words where a script has spaces, characters where it has none; numbers, times, persons and negations whole.
A normalized text is what near-duplicates must share: their *exact* tokens (negation, numbers, times, persons,
names, tense) are equal; articles, politeness, emphasis, particles and punctuation are left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from memoryd.language.conflicts.time_spelling import TIME_PATTERNS, spell_time
from memoryd.language.fold import UNSPACED, fold
from memoryd.language.numerals import CHINESE_NUMERALS, ENGLISH_NUMBERS, chinese_number
from memoryd.language.times.english.words import MONTHS
from memoryd.language.triples.kinship import KIN_EN


def spellings(table: str) -> dict[str, str]:
    """Word -> the first word of its group; groups are separated by `/`."""
    return {word: group.split()[0] for group in table.split("/") for word in group.split()}


_SPELLINGS = spellings(
    """be am is are 'm 're/have has 've/will 'll wo/would 'd/can ca/not n't/i me my mine myself/you your yours
    /we us our ours/he him his/she her hers/it its/they them their theirs/mother mom mum mommy mummy
    /father dad daddy/我们 咱们 咱/我 俺/你 您/妈妈 母亲 妈/爸爸 父亲 爸/没 没有/非 并非"""
)
_BE_AFTER = frozenset("it that he she what there who where here this".split())
"""After these, 's is `is`; after others it may be a possessive."""
_SCALES = {"百": 100, "千": 1000, "万": 10**4, "亿": 10**8}
_PATTERNS = rf"""
    (?P<harmless>不错|不好意思|不小心|不得不|不过(?!敏)|不[仅但只光管少久同断]|差不多|没关系|没问题|没事|对不起|了不起
        |无论|未来|未婚[夫妻]|非洲|非常|特别|分别|区别|性别|级别|告别|个别|别人|别的|别墅|一下|一起|一样|一些|一点|一直
        |一定|一般|万一|十分|其实|真的|谢谢|麻烦|哈哈)
    |(?P<negation>没有|并非|[不没别无非未勿莫甭否]|n't\b|\bnot\b)
    |(?P<number>第?[{CHINESE_NUMERALS}]+
        |(?:第|(?<![\w.])-)?(?:\d+(?:,\d{{3}})+|\d+)(?:\.\d+)*(?:(?:st|nd|rd|th)\b|[百千万亿])?)
    |(?P<person>我们|咱们|你们|您们|他们|她们|它们|[我你您他她它咱俺]|妈妈|爸爸|母亲|父亲|老板|同事|同学|邻居|前任
        |[妈爸哥姐弟妹爷奶叔姨舅姑婆妻夫儿女友师])
    |(?P<naming>(?<=[叫姓和跟与])[{UNSPACED}]{{2}}|[小老阿][{UNSPACED}])
    |(?P<modal>[会要想能过将曾该应可才只再先后前更最从到向被把让])
    |(?P<particle>[的地得了呢啊吧呀哦嗯嘛哈啦哎唉请很真挺])
    |(?P<asking>吗|么|\?)
    |(?P<word>'(?:s|m|re|ve|ll|d)\b|[^\W\d_{UNSPACED}]+?(?=n't\b)|[^\W\d_{UNSPACED}]+[+\#]*)
    |(?P<character>[{UNSPACED}])
    |(?P<sign>[%€$£¥\u2600-\u27bf]|[\U0001f1e6-\U0001faff])
"""


_DROPPED = frozenset(
    """a an the do does please kindly thanks thank really very quite truly just actually so oh well um uh
    haha lol hey hi hello okay ok yeah 非常 特别 十分 一下 其实 真的 谢谢 麻烦 哈哈""".split()
)
_EXACT = frozenset(
    """no never none nobody nothing nowhere neither nor without hardly rarely seldom unless except former
    formerly ex was were been had did will would could should might may must can used if or but than before
    after until since only i you he she it we they more less last next another other spring summer autumn fall
    winter""".split()
).union(ENGLISH_NUMBERS, KIN_EN, MONTHS)
_QUESTION_WORDS = frozenset("who whom whose what which when where why how".split())
_PLAIN = frozenset({"word", "character", "harmless"})
_CAPITALIZED = re.compile(r"(?<=[\w,;:'’\"”] )(?!I\b)[A-Z]\w*")
"""Capitalized words inside a sentence."""


class Token(NamedTuple):
    """kind: a group of the patterns, `time` for every kind of time; text: as in the folded text."""

    kind: str
    text: str
    spelling: str


def tokenizer(phrases: Iterable[str] = ()) -> Callable[[str], Iterator[Token]]:
    """A function from folded text to its tokens. phrases: what is one token, of the kind `phrase`."""
    longest_first = sorted(phrases, key=lambda phrase: (-len(phrase), phrase))
    alternatives = "".join(f"|{_whole(phrase)}" for phrase in longest_first)
    pattern = re.compile(rf"{TIME_PATTERNS}|(?P<phrase>(?!){alternatives})|{_PATTERNS}", re.VERBOSE)

    def tokens(folded: str) -> Iterator[Token]:
        before = ""
        for match in pattern.finditer(folded.replace("cannot", "can not")):
            kind, text = str(match.lastgroup), match.group().strip()
            time = spell_time(kind, text)
            spelling = _spell(kind, text, before) if time is None else time
            yield Token(kind if time is None else "time", text, spelling)
            before = spelling

    return tokens


def _whole(phrase: str) -> str:
    is_english = phrase.isascii() and phrase[0].isalpha()
    return rf"(?<![a-z]){re.escape(phrase)}(?![a-z])" if is_english else re.escape(phrase)


def _spell(kind: str, text: str, before: str) -> str:
    if kind == "number":
        return _spell_number(text)
    if text == "'s" and before in _BE_AFTER:
        return "be"
    return ENGLISH_NUMBERS.get(text) or _SPELLINGS.get(text, text)


def _spell_number(text: str) -> str:
    """`1,000` and `1000` are one number, so are 3万 and 三万, 三 and 3, 第三 and `3rd` (`#3`)."""
    is_ordinal = text[0] == "第" or text[-1] in "tdh"
    plain = text.removeprefix("第").rstrip("stndrh").replace(",", "")
    if plain[-1] in _SCALES and plain[0].isdigit() and plain.count(".") < 2:
        plain = f"{float(plain[:-1]) * _SCALES[plain[-1]]:.0f}"
    value = chinese_number(plain)
    return f"{'#' if is_ordinal else ''}{plain if value is None else value}"


_plain_tokens = tokenizer()


@dataclass(frozen=True, slots=True)
class NormalizedText:
    """words: every token but times, in order; names: words capitalized inside a sentence."""

    exact: tuple[str, ...]
    times: tuple[str, ...]
    words: tuple[str, ...]
    names: frozenset[str]
    is_question: bool


def normalize_text(text: str) -> NormalizedText:
    """The tokens of a text."""
    exact, times, words = [], [], []
    is_question = False
    for kind, piece, spelling in _plain_tokens(fold(text)):
        if kind == "time":
            times.append(spelling)
        elif kind == "asking":
            is_question = True
        elif kind != "particle" and piece not in _DROPPED:
            words.append(spelling)
            is_question = is_question or spelling in _QUESTION_WORDS
            if kind not in _PLAIN or spelling in _EXACT or piece in _EXACT:
                exact.append(spelling)
    names = frozenset(name.casefold() for name in _CAPITALIZED.findall(text))
    return NormalizedText(tuple(exact), tuple(times), tuple(words), names, is_question)
