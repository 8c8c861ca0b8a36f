"""Analysis of a query by rules: pure, cached, never an error."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from memoryd.language.fold import fold
from memoryd.language.query.commands import Command, find_command
from memoryd.language.query.focus import Focus, find_focus
from memoryd.language.query.intents import Intent, find_intent
from memoryd.language.query.wording import find_keywords, find_names, find_phrases
from memoryd.language.text_cache import text_cache
from memoryd.language.text_features import HAN

MAX_CHARACTERS = 1_000
"""Characters of a query that the rules analyse; the search uses all."""
_COMMAND_LENGTH = 200
"""Longer messages are never commands."""
_SHORT_WORDS = 2
_SHORT_CHARACTERS = 4
_LATIN_OR_HAN = re.compile(r"[a-z\u3400-\u4dbf\u4e00-\u9fff]")


@dataclass(frozen=True, slots=True)
class Understanding:
    """The analysis of a query.

    query: the part that was analysed; command: reported, never executed; keywords, phrases, names: as spelled
    in the query; focus: the kind of answer; hyde: whether it is short or vague and worth expanding; reason:
    why there is little to search for, else empty.
    """

    query: str
    intent: Intent
    command: Command | None
    keywords: tuple[str, ...]
    phrases: tuple[str, ...]
    names: tuple[str, ...]
    focus: Focus
    hyde: bool
    reason: str = ""


def understand(query: str, times: tuple[str, ...] = ()) -> Understanding:
    """Analyse a query. times: its time expressions, which are neither keywords nor names."""
    return _understand(query[:MAX_CHARACTERS].strip(), times)


@text_cache(1024)
def _understand(query: str, times: tuple[str, ...]) -> Understanding:
    folded = fold(query).strip()
    has_words = any(c.isalnum() for c in folded)
    command = find_command(folded) if len(folded) <= _COMMAND_LENGTH else None
    timeless = _remove(query, times)
    keywords, phrases, names = find_keywords(timeless), find_phrases(query), find_names(timeless)
    refers_back = has_words and not keywords and not times
    intent = find_intent(folded)
    if command or (refers_back and intent != "chitchat"):
        intent = "contextual"
    vague = intent == "contextual" or (not names and _is_short(keywords))
    return Understanding(
        query=query,
        intent=intent,
        command=command,
        keywords=keywords,
        phrases=phrases,
        names=names,
        focus="other" if command else find_focus(folded),
        hyde=vague and has_words and command is None and not phrases,
        reason=_empty_reason(folded, keywords, bool(times)),
    )


def _remove(query: str, times: tuple[str, ...]) -> str:
    for one in filter(None, times):
        query = query.replace(one, "\n")
    return query


def _is_short(keywords: tuple[str, ...]) -> bool:
    characters = sum(len(one) for one in keywords if HAN.search(one))
    words = sum(1 for one in keywords if not HAN.search(one))
    return characters <= _SHORT_CHARACTERS and words <= _SHORT_WORDS and not (characters and words)


def _empty_reason(folded: str, keywords: tuple[str, ...], timed: bool) -> str:
    """Why there is little to search for, for `explain`."""
    nothing = "the query holds nothing to search for"
    if not folded:
        return f"{nothing}: it is empty"
    if not any(c.isalnum() for c in folded):
        if any(unicodedata.category(c).startswith("S") and not c.isascii() for c in folded):
            return "the query holds only signs: they alone are searched for"
        return f"{nothing}: only punctuation"
    if len(folded) == 1:
        return "the query is a single character, which many texts hold"
    if keywords:
        return "" if _LATIN_OR_HAN.search(folded) or folded.isascii() else _OTHER_SCRIPT
    return "" if timed else "the query holds only stop words: they alone are searched for"


_OTHER_SCRIPT = "the rules of the plan read Chinese and English: the query is searched for word by word"
