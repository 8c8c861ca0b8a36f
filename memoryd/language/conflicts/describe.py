"""What stands against what, for people: in the words of the two texts."""

from __future__ import annotations

import re

_LONGEST = 60
"""Characters of one side."""
_USER = re.compile(r"^(?:主人|用户|我)(?![们的])")
_BEFORE_TIME = re.compile(r"^(?:(?:in|of|since|until|on|at|by) |[在于])")


def against(one: str, other: str) -> str:
    """Two clauses or texts, without the user, who is meant anyway, and without what closes them."""
    return f"{_side(one)} / {_side(other)}"


def _side(text: str) -> str:
    plain = _USER.sub("", " ".join(text.split()).strip(" .。!！;；,，"))
    return plain if len(plain) <= _LONGEST else f"{plain[: _LONGEST - 1]}…"


def time_as_written(piece: str) -> str:
    """A time without its preposition."""
    return _BEFORE_TIME.sub("", piece)


def as_written(value: str, raw: str) -> str:
    """A folded value with the capitals it has in the text."""
    found = re.search(re.escape(value), raw, re.IGNORECASE)
    return found.group() if found else value
