"""Values in messages."""

from __future__ import annotations

import reprlib
from typing import Any

_LONGEST = 80

_brief = reprlib.Repr()
_brief.maxlevel, _brief.maxlist, _brief.maxdict = 3, 4, 4
_brief.maxstring = _brief.maxother = _brief.maxlong = _LONGEST


def shown(value: Any) -> str:
    """A value as a message shows it: short, whatever it is, however large or deep."""
    try:
        text = _brief.repr(value)
    except Exception:  # a whole number of over 4,300 digits, or whatever a foreign class does
        text = f"a {type(value).__name__}"
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
