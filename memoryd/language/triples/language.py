"""The language that the words of a statement are in."""

from __future__ import annotations

import re

from memory_client.types import Language

_HAN = re.compile(r"[\u4e00-\u9fff]")


def language_of(words: str) -> Language:
    """Chinese as soon as there is a Chinese character, else English."""
    return "zh" if _HAN.search(words) else "en"
