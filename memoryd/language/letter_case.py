"""Comparison of names and quotations regardless of letter case and character width, in every script."""

from __future__ import annotations

import unicodedata


def fold_case(text: str) -> str:
    """NFKC and case folded: `Ä-17` and `ä-17` are equal, `A-17` is another name."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
