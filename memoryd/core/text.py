"""Validation of texts."""

from __future__ import annotations

import unicodedata

from memoryd.core.parameter_errors import parameter_error

_INVISIBLE = ("Cc", "Cf", "Zs", "Zl", "Zp")


def clean_text(
    text: str, limit: int, parameter: str = "text", setting: str | None = None
) -> tuple[str, list[str]]:
    """The text to store, and warnings about changes.

    NUL characters (which end a string in C) become spaces. limit: characters; setting: the one it is of.
    Raises `InvalidParameterError` for a blank text, one over the limit, or a lone surrogate.
    """
    if all(unicodedata.category(c) in _INVISIBLE for c in text):
        raise parameter_error(parameter, "is empty or blank", "a text with a visible character")
    if len(text) > limit:
        governed = f" (setting {setting})" if setting else ""
        raise parameter_error(parameter, f"has {len(text):,} characters", f"at most {limit:,}{governed}")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise parameter_error(
            parameter, f"has a lone surrogate at {error.start}", "text that UTF-8 can carry"
        ) from error
    if "\0" not in text:
        return text, []
    return text.replace("\0", " "), [f"{text.count(chr(0))} NUL characters became spaces"]
