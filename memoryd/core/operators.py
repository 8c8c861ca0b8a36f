"""Operators: who makes a change, a caller by a name of its choice or a part of memoryd."""

from __future__ import annotations

import re

from memoryd.core.parameter_errors import invalid_value

CALLER = "app"
"""The default operator of a call."""
DECAY = "decay"
SYSTEM = "system"
RESERVED = ("monitor", "reviewer", DECAY, SYSTEM)
"""Parts of memoryd; callers cannot use these names."""
_FORM = re.compile(r"[a-z][a-z0-9_.-]{0,63}")
_EXPECTED = (
    "1 to 64 lowercase letters, digits, '_', '-' or '.', with a letter first, such as app, user or import"
)


def check_operator(operator: str) -> str:
    """The operator of a call. Raises `InvalidParameterError` for a reserved or malformed name."""
    if operator.casefold() in RESERVED:
        problem = f"is reserved for memoryd itself ({', '.join(RESERVED)})"
        raise invalid_value("operator", operator, _EXPECTED, problem)
    if not _FORM.fullmatch(operator):
        raise invalid_value("operator", operator, _EXPECTED, "is not an operator name")
    return operator


def is_caller(operator: str) -> bool:
    """Whether a call made the change, not a part of memoryd or a review."""
    return operator not in RESERVED and ":" not in operator
