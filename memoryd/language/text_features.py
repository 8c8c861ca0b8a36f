"""What kind of answer a text may hold, as bits that are kept beside it."""

from __future__ import annotations

import re

QUESTION, NUMBER, TIME, NAME, FIRST_PERSON = (1 << place for place in range(5))
"""It ends in a question; it holds a number, a word of time, a name; somebody speaks of themself."""

_READ = 2_000
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
_FINAL = ("?", "？")


def cues_of(text: str) -> int:
    """The bits of a text."""
    read = text[:_READ]
    return (
        (QUESTION if text.rstrip().endswith(_FINAL) else 0)
        | (NUMBER if _NUMBER.search(read) else 0)
        | (TIME if _TIME.search(read) else 0)
        | (NAME if _NAME.search(read) else 0)
        | (FIRST_PERSON if _FIRST_PERSON.search(read) else 0)
    )
