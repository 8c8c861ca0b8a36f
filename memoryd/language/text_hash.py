"""The form in which texts are compared when only their hashes are kept."""

from __future__ import annotations

import unicodedata

_ENDS = " .。．!！~～…;；,，、"


def normal_form(text: str) -> str:
    """NFKC, case folded, white space as one space, no marks at the end but a question's.

    Independent of the dictionaries of `language.fold`, which may change: hashes of it stay good for years.
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(folded.split()).rstrip(_ENDS) or folded
