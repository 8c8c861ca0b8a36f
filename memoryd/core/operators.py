"""Who makes a change: an operator, as callers name themselves, or a part of memoryd."""

from __future__ import annotations

import re

from memory_client.errors import InvalidParameterError
from memoryd.core.abbreviate import shown

CALLER = "app"
"""The operator of a call that names none."""
DECAY = "decay"
SYSTEM = "system"
RESERVED = ("monitor", "reviewer", DECAY, SYSTEM)
"""Parts of memoryd; a caller cannot act in their name."""
_FORM = re.compile(r"[a-z][a-z0-9_.-]{0,63}")
_EXPECTED = "1 to 64 lowercase letters, digits, '_', '-' or '.', with a letter first"


def check_operator(operator: str) -> str:
    """The operator of a call. Raises `InvalidParameterError` for a reserved one and for other forms."""
    if operator.casefold() in RESERVED:
        raise _fault(operator, f"is reserved for memoryd itself ({', '.join(RESERVED)})")
    if not _FORM.fullmatch(operator):
        raise _fault(operator, "is no name of an operator")
    return operator


def is_caller(operator: str) -> bool:
    """Whether a change was made by a call, and not by a part of memoryd or by a review."""
    return operator not in RESERVED and ":" not in operator


def _fault(operator: str, what: str) -> InvalidParameterError:
    return InvalidParameterError(
        f"operator: {shown(operator)} {what}; expected {_EXPECTED}, such as app, user or import",
        parameter="operator",
        value=shown(operator),
        expected=_EXPECTED,
    )
