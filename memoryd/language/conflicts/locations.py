"""Where somebody works or learns, where something is or takes place."""

from __future__ import annotations

import re

from memoryd.language.conflicts.attribute_words import HAN, MONTHS_EN, PLACE_END, WHO
from memoryd.language.conflicts.claims import Claim
from memoryd.language.conflicts.clause_reader import words_of
from memoryd.language.conflicts.places import PLACES
from memoryd.language.conflicts.slot import Slot, bare, owner, plain

_WORKS_ZH = re.compile(
    rf"{WHO}在(?P<value>.+?)(?P<verb>上班|工作|任职|就职|举行|举办|召开|开会|办公|出差|实习"
    rf"|做事|开店|上学|读书|读大学|开|度假|过年|集合|见面)的?$"
)
_IS_IN_ZH = re.compile(
    rf"{WHO}(?:是)?(?:放|停|藏|存|位于|坐落|摆|挂|搁|收|留)?(?:在"
    rf"|于)(?P<value>.{{1,14}}(?:{PLACE_END}))(?:面|边|头)?$"
)
_DONE_IN = re.compile(r"有(?!限)|[买卖开租订看吃喝逛住做建](?:了|过|的|着|一|房)|[了过]")
"""What is done or had in a place, behind it: one may have a house in two towns."""
_IS_IN_KNOWN = re.compile(rf"{WHO}(?:位于|坐落于|坐落在|在)(?P<value>{HAN}{{2,8}})$")
_IS_IN_EN = re.compile(
    r"^(?P<who>.+?)(?: is| are| was| were| will be|'s)?(?P<verb> held| kept| stored| parked"
    r"| located| buried| hidden| taking place| hosted| based| hanging)? "
    r"(?P<prep>in|at|on|under|behind|inside|near|next to|beside|above|below|beneath|by) (?P<value>.+)$"
)
_BE_EN = re.compile(
    r" (?:is|are|was|were|will be)(?: \w+ed| kept| hidden| held| taking place| hanging)? (?:in"
    r"|at|on|under|behind|inside|near|next to|beside|above|below|beneath|by) |'s (?:in|at|on|under) "
)
_WORKS_EN = re.compile(
    r"^(?P<who>.*?) ?(?P<verb>works?|working|employed|interns?|volunteers?|studies|study"
    r"|is studying|takes? place|will take place|happens?|parks?|teaches|teach) (?P<prep>in|at"
    r"|for) (?P<value>.+?)(?: as an? .+| with .+| since .+)?$"
)
_PUT_EN = re.compile(
    r"^(?P<who>.+? (?:parked|left|put|hid|stored|keeps?|stores?) .+?)"
    r" (?:in|on|at|under|behind|inside) (?P<value>.+)$"
)
_NO_PLACE = re.compile(
    rf"\b(?:{MONTHS_EN}|love|trouble|mood|hurry|charge|pain|debt|shape|danger|progress|general|fact"
    r"|meeting|diet|vacation|holiday|leave|time|fire|sale|purpose|risk|war|peace|fear|tears|"
    r"college|recovery|remission|good|bad|phone|way|call|duty|schedule|budget|team|project"
    r"|medication|antibiotics|\d+(?:st|nd|rd|th))\b"
)
_ORGANISATION = re.compile(
    r"公司|集团|银行|医院|学校|大学|科技|工厂|事务所|腾讯|阿里|百度|华为|字节|京东|美团|网易"
    r"|小米|谷歌|微软|苹果"
)
_GENERIC = re.compile(
    r"^(?:一[家所个]|某)|^(?:互联网|外贸|广告|科技|国有|外资|私人|游戏|金融|保险|贸易|建筑"
    r"|it)?(?:公司|企业|国企|外企|医院|学校|银行|工厂|餐厅|家|大厂)$|^an? |^home$|^the office$"
)


_AT_WORK = frozenset("works work working employed 上班 工作 任职 就职".split())
_SEVERAL = re.compile(r"每|\bevery\b|sometimes|有时")
_TIMES = frozenset({"date", "clock", "weekday", "part"})
_PLACE_NAMES = frozenset(PLACES.values())


def is_place(value: str) -> bool:
    """Whether it may be a place: no time, no state of mind."""
    words = words_of(value)
    times = any(" " in word and word.split()[0] in _TIMES for word in words)
    return bool(words) and not times and not _NO_PLACE.search(value)


def placed(claim: Claim) -> Slot | None:
    """The place a claim gives. What one likes or does often may be done in several places."""
    text = plain(claim.text)
    if dict(claim.sides).keys() & {"liking", "fright", "frequency"} or _SEVERAL.search(text):
        return None
    for pattern in (_WORKS_ZH, _IS_IN_ZH, _IS_IN_KNOWN, _WORKS_EN, _PUT_EN, _IS_IN_EN):
        match = pattern.match(text)
        if match and (pattern is not _IS_IN_EN or _BE_EN.search(text)):
            value = bare(match["value"])
            known = pattern is not _IS_IN_KNOWN or value in PLACES
            if pattern is _IS_IN_ZH and _DONE_IN.search(value):
                continue
            if known and match["who"].strip() and is_place(value) and not _GENERIC.search(value):
                return _slot(match, value)
    return None


def _slot(match: re.Match[str], value: str) -> Slot:
    groups = match.groupdict()
    verb = (groups.get("verb") or "be").strip()
    attribute = "workplace" if verb in _AT_WORK else f"place {verb}"
    employer = verb in _AT_WORK and _is_employer(value, groups.get("prep"))
    return Slot(
        attribute, owner(match["who"]), value, "place", "exclusive" if employer else "place", "medium"
    )


def _is_employer(value: str, preposition: str | None) -> bool:
    if any(word in _PLACE_NAMES for word in words_of(value)):
        return False
    return preposition in ("at", "for") or bool(_ORGANISATION.search(value))
