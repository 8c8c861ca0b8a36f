"""The grammars of the two languages: where pieces start, what joins them, what opens or closes a range."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from memoryd.language.numerals import english_number, numeral_value
from memoryd.language.times.chinese import pieces as chinese
from memoryd.language.times.chinese import words as chinese_words
from memoryd.language.times.english import pieces as english
from memoryd.language.times.english import words as english_words
from memoryd.language.times.grammar import Rule
from memoryd.language.times.periods import Unit


@dataclass(frozen=True, slots=True)
class Language:
    """One grammar.

    word: may start a piece or a range; rules: by first word; glue: between pieces; opening: before a range or
    an open range, by group name; openers: first words of `opening` and `counted`; joint: between range ends;
    couple: the same after `between`; closing: after a range, by group name; now: the present as an end;
    counted, counted_after: units before or after a moment, written before or after it; count: their number
    and unit; repeated, liked: precede expressions that are no time.
    """

    word: re.Pattern[str]
    rules: Mapping[str, tuple[Rule, ...]]
    glue: re.Pattern[str]
    opening: re.Pattern[str]
    openers: frozenset[str]
    joint: re.Pattern[str]
    couple: re.Pattern[str]
    closing: re.Pattern[str]
    now: re.Pattern[str]
    counted: re.Pattern[str] | None
    counted_after: re.Pattern[str] | None
    count: Callable[[re.Match[str]], tuple[int, Unit]]
    repeated: re.Pattern[str]
    liked: re.Pattern[str]

    def positions(self, text: str) -> Iterator[int]:
        """Where an expression may start."""
        for match in self.word.finditer(text):
            key = self._key(match[0])
            if key in self.rules or key in self.openers:
                yield match.start()

    def rules_at(self, text: str, position: int) -> tuple[Rule, ...]:
        """The rules to try at the position."""
        match = self.word.match(text, position)
        return self.rules.get(self._key(match[0]), ()) if match else ()

    def _key(self, word: str) -> str:
        return english.NUMBER_KEY if word[0].isdigit() and english.NUMBER_KEY in self.rules else word.lower()


def _chinese_count(match: re.Match[str]) -> tuple[int, Unit]:
    count, unit = numeral_value(match["count"]), chinese_words.UNITS[match["unit"]]
    if match["way"] == "第":  # the second day is the first after
        return count - 1, unit
    return (-count if match["way"] == "前" else count), unit


def _english_count(match: re.Match[str]) -> tuple[int, Unit]:
    count = english_number(match["count"] or "one")
    return (-count if match["way"].lower() == "before" else count), english_words.UNITS[match["unit"].lower()]


_CHINESE_JOINT = re.compile(
    r"\s*(?:(?:开始)?(?:一直|直)?(?:到|至|[-~～—–]{1,2})|[和与跟](?=[^，。,.？?！!]{1,16}之?间))\s*"
)
_CHARACTERS = "".join(sorted(chinese.RULES))

CHINESE = Language(
    word=re.compile(f"[{_CHARACTERS}从自由在截到直]"),
    rules=chinese.RULES,
    glue=re.compile(r"\s*(?:的|[,，]\s*)?[（(]?\s*"),
    opening=re.compile(
        r"(?P<since>自从)|(?P<from>从|自(?!己)|由)|(?P<until>(?:一直|直)到|截[至止]到?)|(?P<till>到)(?=.{1,16}为止)"
    ),
    openers=frozenset("从自由截到直"),
    joint=_CHINESE_JOINT,
    couple=_CHINESE_JOINT,
    closing=re.compile(
        r"(?P<since>以来|至今|到现在|到今天为止)|(?P<begin>(?:开始|起)(?!来|床|初|火|飞))"
        r"|(?P<after>之后|以后|过后|后(?![面天来悔背半期勤续门方台果者再又])"
        r")|(?P<before>之前|以前|前(?![面天几两些后夕往一半期台女男妻提所辈端任进方]))"
        r"|(?P<within>之间|期间|这段时间|为止)"
    ),
    now=re.compile(r"现在|如今|目前|此刻|今(?![天日早晚晨夜年春夏秋冬儿])"),
    counted=None,
    counted_after=re.compile(
        rf"(?:的|之?后的?(?=第))?(?P<way>前|后|第(?=二天))(?P<count>{chinese_words.NUMBER})个?(?P<unit>天|周|星期|礼拜|月|年)(?![以之]?[前后])"
    ),
    count=_chinese_count,
    repeated=re.compile(chinese_words.REPEATED),
    liked=re.compile(chinese_words.LIKED),
)

ENGLISH = Language(
    word=re.compile(r"[A-Za-z]+|\d+"),
    rules=english.RULES,
    glue=re.compile(
        r"(?:\s*,)?\s*(?:'s\s+)?\(?(?:\b(?:of|in|on|at|during|around)\s+)?(?:the\s+)?-?", re.IGNORECASE
    ),
    opening=re.compile(
        r"(?P<between>between)\b\s*(?:the\s+)?"
        r"|(?:(?P<since>(?:ever\s+)?since|starting\s+from)|(?P<from>from)|(?P<after>after|following)"
        r"|(?P<before>before|prior\s+to)|(?P<until>(?:up\s+)?(?:until|till)))\b\s*(?:(?:in|on|at)\s+)?(?:the\s+)?(?:year\s+(?=\d))?",
        re.IGNORECASE,
    ),
    openers=frozenset(
        """between ever since starting from after following before prior until till day days week weeks
        month months year years""".split()
    ),
    joint=re.compile(
        r"(?:\s+(?:to|until|till|through|thru)\s+|\s*[-–—]\s*)(?:(?:in|on)\s+)?(?:the\s+)?", re.IGNORECASE
    ),
    couple=re.compile(r"\s+and\s+(?:the\s+)?", re.IGNORECASE),
    closing=re.compile(r"\s+(?P<begin>onwards?\b|on\b(?=\s*(?:$|[,.?!])))", re.IGNORECASE),
    now=re.compile(r"(?:now|the\s+present|present|this\s+moment)\b", re.IGNORECASE),
    counted=re.compile(
        rf"(?:(?P<count>{english.NUMBER})\s+)?(?P<unit>day|week|month|year)s?\s+(?P<way>before|after|following)\s+(?:the\s+)?",
        re.IGNORECASE,
    ),
    counted_after=None,
    count=_english_count,
    repeated=re.compile(english_words.REPEATED, re.IGNORECASE),
    liked=re.compile(english_words.LIKED, re.IGNORECASE),
)
