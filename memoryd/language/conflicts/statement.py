"""What a text claims, read token by token, so that two texts can be compared.

Everything that decides whether two texts say the same (negation, numbers, times, persons, names, tense) is a
*firm* token in one spelling: 三只 and 3只, `May 3rd` and `3 May`, 5月3日 and 五月三号, 下午3点 and 15:00.
What carries nothing (articles, polite and emphatic words, particles, punctuation) is left out. The rest are
plain words, or single characters where a script has no spaces. Times stand apart from the others, for they
move about freely within a sentence.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from memoryd.language.conflicts.statement_times import TIME_PATTERNS, spelled_time, whole_number
from memoryd.language.fold import UNSPACED, fold
from memoryd.language.numerals import CHINESE_NUMERALS, ENGLISH_NUMBERS

_CANONICAL = {
    "am": "be", "is": "be", "are": "be", "'m": "be", "'re": "be", "has": "have", "'ve": "have", "'ll": "will",
    "'d": "would", "ca": "can", "wo": "will", "n't": "not", "me": "i", "my": "i", "mine": "i", "myself": "i",
    "your": "you", "yours": "you", "us": "we", "our": "we", "ours": "we", "him": "he", "his": "he",
    "her": "she", "hers": "she", "its": "it", "them": "they", "their": "they", "theirs": "they",
    "mom": "mother", "mum": "mother", "mommy": "mother", "mummy": "mother", "dad": "father",
    "daddy": "father", "咱们": "我们", "咱": "我们", "俺": "我", "您": "你", "母亲": "妈妈", "妈": "妈妈",
    "父亲": "爸爸", "爸": "爸爸", "没有": "没", "并非": "非",
}  # fmt: skip
_BE_AFTER = frozenset("it that he she what there who where here this".split())
"""After these, 's is `is`; after others it may be a possessive."""
_DROPPED = frozenset(
    """a an the do does please kindly thanks thank really very quite truly just actually so oh well um uh
    haha lol hey hi hello okay ok yeah 非常 特别 十分 一下 其实 真的 谢谢 麻烦 哈哈""".split()
)
_FIRM = frozenset(
    """no never none nobody nothing nowhere neither nor without hardly rarely seldom unless except former
    formerly ex was were been had did will would could should might may must can used if or but than before
    after until since only i you he she it we they mother father brother sister son daughter wife husband
    friend boss teacher uncle aunt cousin grandma grandpa grandmother grandfather girlfriend boyfriend
    roommate neighbor neighbour colleague more less last next another other january february march april
    june july august september october november december spring summer autumn fall winter""".split()
) | frozenset(ENGLISH_NUMBERS)
_QUESTION_WORDS = frozenset("who whom whose what which when where why how".split())
_PLAIN = frozenset({"word", "character", "harmless"})

_TOKENS = re.compile(
    rf"""
    {TIME_PATTERNS}
    |(?P<harmless>不错|不好意思|差不多|没关系|对不起|不仅|不但|无论|未来|非洲|非常|特别|分别|区别|性别|级别|告别|个别
        |别人|别的|别墅|一下|一起|一样|一些|一点|一直|一定|一般|万一|十分|其实|真的|谢谢|麻烦|哈哈)
    |(?P<negation>没有|并非|[不没别无非未勿莫甭否]|n't\b|\bnot\b)
    |(?P<number>第?[{CHINESE_NUMERALS}]+|(?:第|(?<![\w.])-)?(?:\d+(?:,\d{{3}})+|\d+)(?:\.\d+)*(?:(?:st|nd|rd|th)\b)?)
    |(?P<person>我们|咱们|你们|您们|他们|她们|它们|[我你您他她它咱俺]|妈妈|爸爸|母亲|父亲|老板|同事|同学|邻居|前任
        |[妈爸哥姐弟妹爷奶叔姨舅姑婆妻夫儿女友师])
    |(?P<naming>(?<=[叫姓和跟与])[{UNSPACED}]{{2}}|[小老阿][{UNSPACED}])
    |(?P<modal>[会要想能过将曾该应可才只再先后前更最从到向被把让])
    |(?P<particle>[的地得了呢啊吧呀哦嗯嘛哈啦哎唉请很真挺])
    |(?P<asking>吗|么|\?)
    |(?P<word>'(?:s|m|re|ve|ll|d)\b|[^\W\d_{UNSPACED}]+?(?=n't\b)|[^\W\d_{UNSPACED}]+[+\#]*)
    |(?P<character>[{UNSPACED}])
    |(?P<sign>[%€$£¥\u2600-\u27bf]|[\U0001f1e6-\U0001faff])
    """,
    re.VERBOSE,
)
_CAPITALISED = re.compile(r"(?<=[\w,;:'’\"”] )(?!I\b)[A-Z]\w*")
"""Capitalised words that begin no sentence."""


@dataclass(frozen=True, slots=True)
class Statement:
    """firm: what must be equal, in order; times: the same, apart; words: every token but times, in order;
    names: words capitalised within a sentence; asks: whether it is a question."""

    firm: tuple[str, ...]
    times: tuple[str, ...]
    words: tuple[str, ...]
    names: frozenset[str]
    asks: bool


def read(text: str) -> Statement:
    """The tokens of a text."""
    firm: list[str] = []
    times: list[str] = []
    words: list[str] = []
    asks = False
    for match in _TOKENS.finditer(fold(text).replace("cannot", "can not")):
        kind, piece = str(match.lastgroup), match.group()
        if (time := spelled_time(kind, piece)) is not None:
            times.append(time)
        elif kind == "asking":
            asks = True
        elif kind != "particle" and piece not in _DROPPED:
            token = _spelled(kind, piece, words[-1] if words else "")
            words.append(token)
            asks = asks or token in _QUESTION_WORDS
            if kind not in _PLAIN or token in _FIRM or piece in _FIRM:
                firm.append(token)
    names = frozenset(name.casefold() for name in _CAPITALISED.findall(text))
    return Statement(tuple(firm), tuple(times), tuple(words), names, asks)


def _spelled(kind: str, piece: str, before: str) -> str:
    """The one spelling of a piece."""
    if kind == "number":
        return _number(piece)
    if piece == "'s" and before in _BE_AFTER:
        return "be"
    return ENGLISH_NUMBERS.get(piece) or _CANONICAL.get(piece, piece)


def _number(piece: str) -> str:
    """`1,000` and `1000` are one number, so are 三 and 3, 第三 and `3rd` (`#3`)."""
    place = piece[0] == "第" or piece[-1] in "tdh"
    plain = piece.removeprefix("第").rstrip("stndrh").replace(",", "")
    value = whole_number(plain)
    return f"{'#' if place else ''}{plain if value is None else value}"
