"""The error for a value that does not fit its parameter."""

from __future__ import annotations

from typing import Any

from memory_client.errors import InvalidParameterError
from memoryd.core.abbreviate import shown


def parameter_fault(parameter: str, value: Any, expected: str) -> InvalidParameterError:
    """Names the parameter, what is expected of it, and the value."""
    return InvalidParameterError(
        f"{parameter}: expected {expected}, got {shown(value)}",
        parameter=parameter,
        value=shown(value),
        expected=expected,
    )
