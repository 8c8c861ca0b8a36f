"""Features of a text for ranking: its language, and bits for the kinds of answer it may contain."""

from __future__ import annotations

import re
from typing import Literal

Language = Literal["zh", "en"]

QUESTION, NUMBER, TIME, NAME, FIRST_PERSON = (1 << place for place in range(5))
"""It ends with a question; it contains a number, a time word, a name; it is in the first person."""

_MAX_CHARACTERS = 2_000
_NUMBER = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|once|twice|hundred|dozen|couple)\b"
    "|[一二三四五六七八九十两百千]",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"\b(?:yesterday|today|tomorrow|tonight|last|next|ago|week|weekend|month|year|morning|night|since|recently"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|august|september"
    r"|october|november|december)\b|昨天|今天|明天|前天|上周|下周|周末|早上|晚上|去年|[月号]",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?<![.!?] )(?<!^)\b[A-Z][a-z]+|《")
_FIRST_PERSON = re.compile(r"\b(?:i|i'm|i've|i'd|i'll|my|me|we|our)\b|我|咱", re.IGNORECASE)
HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_LATIN_WORD = re.compile(r"[A-Za-z]+")
_FINAL = ("?", "？")


def text_language(text: str) -> Language:
    """`zh` if a text has at least as many Han characters as Latin words, else `en`."""
    han = len(HAN.findall(text))
    return "zh" if han and han >= len(_LATIN_WORD.findall(text)) else "en"


def feature_bits(text: str) -> int:
    """The feature bits of a text."""
    read = text[:_MAX_CHARACTERS]
    return (
        (QUESTION if text.rstrip().endswith(_FINAL) else 0)
        | (NUMBER if _NUMBER.search(read) else 0)
        | (TIME if _TIME.search(read) else 0)
        | (NAME if _NAME.search(read) else 0)
        | (FIRST_PERSON if _FIRST_PERSON.search(read) else 0)
    )
