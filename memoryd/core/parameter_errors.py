"""Errors for bad parameters, and values abbreviated for messages."""

from __future__ import annotations

import reprlib
from typing import Any

from memory_client.errors import InvalidParameterError

_MAX_CHARACTERS = 80

_brief = reprlib.Repr()
_brief.maxlevel, _brief.maxlist, _brief.maxdict = 3, 4, 4
_brief.maxstring = _brief.maxother = _brief.maxlong = _MAX_CHARACTERS


def abbreviate(value: Any) -> str:
    """The repr of any value, at most 80 characters."""
    try:
        text = _brief.repr(value)
    except Exception:  # an integer of over 4,300 digits, or a broken __repr__
        text = f"a {type(value).__name__}"
    return text if len(text) <= _MAX_CHARACTERS else f"{text[: _MAX_CHARACTERS - 1]}…"


def parameter_error(
    parameter: str,
    problem: str,
    expected: str,
    *,
    value: str | None = None,
    error: type[InvalidParameterError] = InvalidParameterError,
) -> InvalidParameterError:
    """The error `parameter: problem; expected ...`. value: for programs, by default the problem."""
    data = {"parameter": parameter, "value": problem if value is None else value, "expected": expected}
    return error(f"{parameter}: {problem}; expected {expected}", **data)


def invalid_value(
    parameter: str,
    value: Any,
    expected: str,
    problem: str = "",
    error: type[InvalidParameterError] = InvalidParameterError,
) -> InvalidParameterError:
    """The same error about a value. problem: what is wrong with it, if `expected` is not enough."""
    found = abbreviate(value)
    return parameter_error(parameter, f"{found} {problem}".rstrip(), expected, value=found, error=error)
