"""A clause read token by token: what it says in one spelling, its times, and what its small words do."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from memoryd.language.conflicts.antonyms import SIDES, STEMMED_SIDES, Side
from memoryd.language.conflicts.places import PLACES
from memoryd.language.conflicts.statement_times import TIME_PATTERNS, spelled_time, whole_number
from memoryd.language.conflicts.words import ROLES, SAME, WHOLE, Role, stem
from memoryd.language.fold import UNSPACED
from memoryd.language.numerals import CHINESE_NUMERALS, ENGLISH_NUMBERS

MONTHS = "january february march april may june july august september october november december".split()
_NAMED_MONTH = "|".join(MONTHS)
_PART_OF_DAY = frozenset("凌晨 早上 早晨 上午 中午 下午 傍晚 晚上 夜里 tonight".split())
_NOW = frozenset(
    ["今天", "今年", "这周", "本周", "这个月", "本月", "today", "this year", "this week", "this month"]
)
_PAST = re.compile(r"昨|前|去年|上|last |yesterday")
_NUMERAL = r"(?:\d+|[零〇一二两三四五六七八九十]+)"
_SCALES = {"万": 10**4, "千": 1000, "百": 100, "亿": 10**8}
_BELIEF = re.compile(r"\bi believe (?!in\b)(?:that )?")
_NOT = re.compile(r"\b(\w+)n't\b")
_BEFORE_NOT = {"ca": "can", "wo": "will"}
_ENCLITIC = re.compile(r"(?<=\w)'(?=(?:s|m|re|ve|ll|d)\b)")


def _alternatives() -> str:
    """Whatever must be found as it stands, Chinese and English of several words, the longest first."""
    phrases = {w for w in {*ROLES, *SIDES, *PLACES, *SAME, *WHOLE} if not (w.isascii() and w.isalpha())}
    return "|".join(_alternative(phrase) for phrase in sorted(phrases, key=lambda w: (-len(w), w)))


def _alternative(phrase: str) -> str:
    whole = phrase.isascii() and phrase[0].isalpha()
    return rf"(?<![a-z]){re.escape(phrase)}(?![a-z])" if whole else re.escape(phrase)


_TOKENS = re.compile(
    rf"""
    {TIME_PATTERNS}
    |(?P<month>{_NUMERAL}月(?:份|初|底|中旬)?|\b(?:in|of|since|until)\ (?:{_NAMED_MONTH})\b(?:\ \d{{4}})?
        |\b(?:{_NAMED_MONTH})\ \d{{4}})
    |(?P<year>(?<!\d)(?:(?:19|20)\d\d(?:年|(?![\d.,]))|[一二][零〇一二三四五六七八九]{{3}}年))
    |(?P<phrase>{_alternatives()})
    |(?P<number>第?(?:\d+(?:,\d{{3}})+|\d+)(?:\.\d+)*(?:st|nd|rd|th)?[万千百亿]?|第?[{CHINESE_NUMERALS}]+)
    |(?P<word>[^\W\d_{UNSPACED}]+(?:'[^\W\d_{UNSPACED}]+)*[+\#]*)
    |(?P<character>[{UNSPACED}])
    |(?P<sign>[%€$£¥?])
    """,
    re.VERBOSE,
)


@dataclass(slots=True)
class Reading:
    """words: with `#` before numbers, `@` before oppositions, whose side stands in `sides`; roles: of the
    small words, one by one; written: how each time is put."""

    words: list[str] = field(default_factory=list)
    times: list[str] = field(default_factory=list)
    sides: dict[str, int] = field(default_factory=dict)
    roles: list[Role] = field(default_factory=list)
    written: dict[str, str] = field(default_factory=dict)

    def take(self, kind: str, piece: str) -> None:
        """Enter one token."""
        time = _time(kind, piece)
        if time is not None:
            self.times += [time] if time else []
            self.written[time] = piece
            self.roles += ["past"] if _PAST.match(piece) else []
            return
        side = SIDES.get(piece) or (STEMMED_SIDES.get(stem(piece)) if kind == "word" else None)
        role = None if side else _role(kind, piece)
        if role and role != "harmless":
            self.roles.append(role)
        else:
            self.words.append(self._word(kind, piece, side))

    def _word(self, kind: str, piece: str, side: Side | None) -> str:
        if side is not None:
            self.sides[side.about] = side.side
            return f"@{side.about}"
        return _spelled(kind, piece)


def read(folded: str) -> Reading:
    """What a piece of folded text says."""
    reading = Reading()
    for match in _TOKENS.finditer(_spelled_out(folded)):
        reading.take(str(match.lastgroup), match.group().strip())
    return reading


def words_of(folded: str) -> tuple[str, ...]:
    """The words of a piece of folded text, with the sides of its oppositions, and its times."""
    reading = read(folded)
    told = (f"{word}:{reading.sides[word[1:]]}" if word[0] == "@" else word for word in reading.words)
    return (*told, *reading.times)


def _spelled_out(folded: str) -> str:
    """Contractions taken apart, and 不过敏, which is not 不过."""
    whole = folded.replace("不过敏", "不 过敏").replace("cannot", "can not")
    whole = _BELIEF.sub("maybe ", whole)
    whole = _NOT.sub(lambda m: _BEFORE_NOT.get(m[1], m[1]) + " not", whole)
    return _ENCLITIC.sub(" '", whole)


def _time(kind: str, piece: str) -> str | None:
    """The spelling of a time, "" for one that says nothing; None for what is none."""
    if kind == "month":
        return _month(piece)
    if kind == "year":
        return f"date {whole_number(piece.removesuffix('年'))}--"
    if piece in _NOW:
        return ""
    return f"part {piece}" if piece in _PART_OF_DAY else spelled_time(kind, piece)


def _month(piece: str) -> str:
    """`date [year-]month-`."""
    number = re.findall(_NUMERAL, piece)
    name = next((place for place, month in enumerate(MONTHS, 1) if month in piece), None)
    if name is None:
        return f"date {whole_number(number[0])}-"
    return f"date {number[0]}-{name}-" if number else f"date {name}-"


def _role(kind: str, piece: str) -> Role | None:
    return ROLES.get(piece) or (ROLES.get(stem(piece)) if kind == "word" else None)


def _spelled(kind: str, piece: str) -> str:
    """The one spelling of a word or a number."""
    if kind == "number" or piece in ENGLISH_NUMBERS:
        return f"#{_number(piece)}"
    piece = SAME.get(piece, piece)
    if piece in PLACES:
        return PLACES[piece]
    return stem(piece) if piece.isascii() else piece


def _number(piece: str) -> str:
    """3万, 30,000 and 三万 are one; so are third, 3rd and three."""
    if piece in ENGLISH_NUMBERS:
        return ENGLISH_NUMBERS[piece].lstrip("#")
    plain = re.sub(r"(?<=\d)(?:st|nd|rd|th)$", "", piece.removeprefix("第").replace(",", ""))
    if plain[0].isdigit() and plain[-1] in _SCALES and plain.count(".") < 2:
        return f"{float(plain[:-1]) * _SCALES[plain[-1]]:g}"
    value = whole_number(plain)
    return plain if value is None else str(value)
