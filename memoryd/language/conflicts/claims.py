"""A text read as claims: one for each clause, its words in one spelling, and how it is meant."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from memoryd.language.conflicts.clause_reader import read
from memoryd.language.conflicts.words import Role
from memoryd.language.fold import UNSPACED, fold
from memoryd.language.text_cache import text_cache

Mood = Literal["said", "wished", "asked", "supposed"]

_LONGEST = 2_000
"""Characters that are read of a text."""
_MOST_CLAUSES = 12
_CLAUSES = re.compile(
    r"[。！；;\n]+|!+\s|[.](?=\s|$)|(?<=[？?])|，(?!\s*\d)"
    r"|,(?=\s*(?:but|and|so|while|though|because|he|she|they|it|i|my|the user)\b)"
    rf"|,(?=[{UNSPACED}])|\s+but\s+|但是|可是"
)
_VERB_FIRST = re.compile(
    r"(?:and |but |so |also |now )*(?:likes?|loves?|hates?|lives?|works?|is|has|have|am|was|can|does|do"
    r"|speaks?|owns?|eats?|drinks?|plays?|studies|study|prefers?|enjoys?|dislikes?|never|always|usually"
    r"|moved|grew|went)\b"
    r"|(?:也|还|又|并且|而且|现在|目前|最近|已经|一直|从不|从来)*"
    r"(?:喜欢|讨厌|爱|住|在|是|有|不|没|会|能|养|对|叫|今年|每|最|经常|常|生日|血型|身高|体重|属|来自|毕业|学|想|怕"
    r"|吃|喝|老家|职业|工作)"
)
_SUBJECT = re.compile(
    r"(?:主人|用户|我|他|她)的?(?:爸爸|妈妈|父亲|母亲|哥哥|弟弟|姐姐|妹妹|老婆|老公|妻子|丈夫|儿子|女儿|男朋友|女朋友"
    r"|朋友|同事|奶奶|爷爷)?"
    r"|(?:the user's|my|his|her) \w+(?= )|the user|(?:i|he|she|they)\b"
    r"|\w+(?= (?:likes?|loves?|hates?|lives?|works?|is|has|was|can)\b)"
    rf"|[{UNSPACED}]{{2,4}}?(?=喜欢|讨厌|住|在|是|有|不|会|对|叫|今年|\d)"
)
_USER_SAYS = re.compile(
    r"^(?:(?:主人|用户|我)(?:说过?|提到过?|表示过?)(?:自己|他|她|我)?"
    r"|(?:the user|i) (?:said|says|mentioned|told me)(?: that)?(?: (?:he|she|they|i)\b)?)[:： ]*"
)
_QUOTED = re.compile(r"[“\"][^”\"]{2,}[”\"]|「[^」]+」")
_NAMES = re.compile(r"(?<!^)\b[A-Z][\w'-]*")


@dataclass(frozen=True, slots=True)
class Claim:
    """One clause. words: what it says, `#` before numbers, `@` before oppositions, whose side is in `sides`;
    times: apart, for they move about; negations: how many; past: whether it tells what was; of_user:
    whether it names the user; names: its capitalised words; bag: its words in no order; text: folded;
    raw: as it stands, without a subject taken over; written: how its times are put."""

    text: str
    words: tuple[str, ...]
    times: tuple[str, ...]
    sides: frozenset[tuple[str, int]] = frozenset()
    negations: int = 0
    hedged: bool = False
    mood: Mood = "said"
    past: bool = False
    of_user: bool = False
    names: frozenset[str] = frozenset()
    bag: frozenset[str] = frozenset()
    raw: str = ""
    written: frozenset[tuple[str, str]] = frozenset()

    @property
    def negated(self) -> bool:
        """Two negations are none."""
        return self.negations % 2 == 1

    @property
    def says_something(self) -> bool:
        """Whether it says something of somebody: a word that stands alone may be an answer to anything."""
        return self.of_user or len(self.times) + sum(not word.startswith("#") for word in self.words) > 1


@text_cache(1024)
def claims(text: str) -> tuple[Claim, ...]:
    """The clauses of a text, each with the subject it takes over from the one before."""
    found: list[Claim] = []
    subject: str | None = ""
    for clause in _clauses(text[:_LONGEST]):
        folded = _USER_SAYS.sub("主人" if fold(clause)[0] > "\u3000" else "i ", fold(clause))
        if not _VERB_FIRST.match(folded):
            subject = _subject(folded)
        elif subject is None:
            continue
        else:
            folded = f"{subject}{folded}"
        found += _claim(folded, clause)
    return tuple(found[:_MOST_CLAUSES])


def _clauses(text: str) -> list[str]:
    return [part.strip() for part in _CLAUSES.split(text) if part and fold(part).strip()]


def _subject(folded: str) -> str | None:
    """Whom a clause is about, as the next one takes it over; None when that cannot be told."""
    found = _SUBJECT.match(folded)
    return None if found is None else found.group() + (" " if found.group().isascii() else "")


def _claim(folded: str, raw: str) -> list[Claim]:
    """The claim of a clause; none when it says nothing."""
    reading = read(folded)
    if not reading.words and not reading.times:
        return []
    claim = Claim(
        text=folded,
        words=tuple(reading.words),
        times=tuple(reading.times),
        sides=frozenset(reading.sides.items()),
        negations=reading.roles.count("negation"),
        hedged="hedge" in reading.roles,
        mood=_mood(reading.roles, raw),
        past="past" in reading.roles,
        of_user="user" in reading.roles,
        names=frozenset(name.casefold() for name in _NAMES.findall(raw)),
        bag=frozenset(reading.words),
        raw=raw,
        written=frozenset(reading.written.items()),
    )
    return [claim]


def _mood(roles: Collection[Role], raw: str) -> Mood:
    if "asking" in roles:
        return "asked"
    if "supposition" in roles or _QUOTED.search(raw):
        return "supposed"
    return "wished" if "wish" in roles else "said"
