"""The language of a short text, as far as ranking tells languages apart."""

from __future__ import annotations

import re
from typing import Literal

Language = Literal["zh", "en"]

_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
_LATIN_WORD = re.compile(r"[A-Za-z]+")


def text_language(text: str) -> Language:
    """`zh` where Han characters are at least as many as Latin words, else `en`."""
    han = len(_HAN.findall(text))
    return "zh" if han and han >= len(_LATIN_WORD.findall(text)) else "en"
