"""Who makes a change: an operator, as callers name themselves, or a part of memoryd."""

from __future__ import annotations

import re

from memoryd.core.parameter_errors import invalid_value

CALLER = "app"
"""The operator of a call that names none."""
DECAY = "decay"
SYSTEM = "system"
RESERVED = ("monitor", "reviewer", DECAY, SYSTEM)
"""Parts of memoryd; a caller cannot act in their name."""
_FORM = re.compile(r"[a-z][a-z0-9_.-]{0,63}")
_EXPECTED = (
    "1 to 64 lowercase letters, digits, '_', '-' or '.', with a letter first, such as app, user or import"
)


def check_operator(operator: str) -> str:
    """The operator of a call. Raises `InvalidParameterError` for a reserved one and for other forms."""
    if operator.casefold() in RESERVED:
        problem = f"is reserved for memoryd itself ({', '.join(RESERVED)})"
        raise invalid_value("operator", operator, _EXPECTED, problem)
    if not _FORM.fullmatch(operator):
        raise invalid_value("operator", operator, _EXPECTED, "is not an operator name")
    return operator


def is_caller(operator: str) -> bool:
    """Whether a change was made by a call, and not by a part of memoryd or by a review."""
    return operator not in RESERVED and ":" not in operator
