"""Degrees: how strongly a statement holds (很, 非常, really, very much)."""

from __future__ import annotations

import re

ZH = r"(?:是?真的|非常|特别|超级|超|很(?!早就)|挺|比较|十分|极其|相当|尤其|格外|特|蛮|有点儿?|有些)"
"""A word of degree before a Chinese verb or adjective."""
ZH_MOST = rf"(?:{ZH}|最(?!近))"
"""The same directly before a verb of liking or fearing; elsewhere 最 often means something else (最好)."""
EN = (
    r"(?:really|very|truly|absolutely|totally|quite|so|extremely|terribly|especially|particularly|genuinely"
    r"|deeply|highly|severely|mildly|slightly|deathly|a big|a huge)"
)
"""A word of degree before an English verb or adjective."""
EN_LAST = (
    r"(?:very much|so much|a whole lot|a lot|the most|the best|most of all|more than anything"
    r"|with all my heart|a little bit|a little|a bit)"
)
"""Words of degree at the end of an English clause."""

_FIRST = re.compile(rf"^(?P<degree>{ZH_MOST}+|(?:{EN.replace(' ', '_')}_)+)(?P<rest>.+)$")
_LAST = re.compile(rf"^(?P<rest>.+)_(?P<degree>{EN_LAST.replace(' ', '_')})$")


def split_degree(word: str) -> tuple[str | None, str]:
    """The degree in a predicate word, if any, and the rest of it. word: folded, with `_` for blanks."""
    match = _FIRST.match(word) or _LAST.match(word)
    if match is None:
        return None, word
    return match["degree"].strip("_").replace("_", " "), match["rest"]


def join_degrees(*degrees: str | None) -> str | None:
    """Several degrees as one: 真的很, really very; None if there is none."""
    given = [one.strip() for one in degrees if one]
    separator = " " if all(one.isascii() for one in given) else ""
    return separator.join(dict.fromkeys(given)) or None
