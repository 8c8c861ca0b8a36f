"""Which clauses describe a state, so that another date or number contradicts them.

Events may happen again: pills at 3 and at 8, trips in two years, two films and five.
"""

from __future__ import annotations

import re

from memoryd.language.numerals import ENGLISH_NUMBERS
from memoryd.language.triples.kinship import KIN_EN, KIN_ZH

_KIN = "|".join(sorted(KIN_EN, key=len, reverse=True)) + "|parents|family|partner"
_KIN_ZH = "|".join(sorted(KIN_ZH, key=len, reverse=True)) + "|孩子"
_NUMBER = rf"(?:[$€£]?\d|(?:{'|'.join(ENGLISH_NUMBERS)})\b)"
_ABOUT_A_THING = re.compile(
    rf"[^是有在了过]*的(?!{_KIN_ZH}|[^的]*[了过])"
    rf"|(?:my|our|his|her|their|the(?: user's|(?! user\b))) (?!(?:\w+ )?(?:{_KIN})\b)"
)
_ONCE = re.compile(
    r"[了过完到][这那]|的[^的了]{1,8}花了|(?<![a-z])是.+的[^的]*$"
    "|结婚|毕业|出生|去世|过世|入职|大学|退休|认识|离婚|移民|出国|成立|订婚|搬|预约|到期"
    r"|\b(?:married|divorced|engaged|born|graduated|died|passed away|retired|moved|started|joined|founded"
    r"|(?:bought|sold|built|wrote|made|found|lost|opened|closed) (?:my|our|his|her|their|the|this)"
    r"|met (?:my|his|her) (?:\w+ )?(?:wife|husband|partner))\b"
)
_DATED = re.compile(r"[是为于在定][上下]?[\d一二三四五六七八九十早中晚周星]")
_COUNTED = re.compile(
    r"[有养是欠存]|每|[一两][天日周月年]|[年月]了?$|了(?:\d+|[一二两三四五六七八九十]+)年"
    rf"|(?:\b(?:am|is|are|have|has|owns?|takes?|owes?|earns?|weighs?)(?: \w+)?|'(?:m|s|re|ve)) {_NUMBER}"
    r"|\bfor (?:\w+ ){1,2}years?\b|\b(?:an?|per|every|each) (?:day|week|month|year|night|hour)\b"
)


def has_one_date(text: str) -> bool:
    """Whether a clause, folded, has one date or time."""
    return bool(_ONCE.search(text) or _ABOUT_A_THING.match(text) or _DATED.search(text))


def has_one_number(text: str) -> bool:
    """Whether a clause, folded, has one number."""
    return bool(_ONCE.search(text) or _ABOUT_A_THING.match(text) or _COUNTED.search(text))


def is_about_a_thing(text: str) -> bool:
    """Whether a clause, folded, is about somebody's thing or event."""
    return _ABOUT_A_THING.match(text) is not None
