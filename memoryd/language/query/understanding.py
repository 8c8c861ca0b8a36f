"""What a query asks, read by rules: pure, cached, never an error."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from memoryd.language.fold import fold
from memoryd.language.query.commands import Command, find_command
from memoryd.language.query.focus import HAN, Focus, find_focus
from memoryd.language.query.intents import Intent, find_intent
from memoryd.language.query.wording import find_keywords, find_names, find_phrases
from memoryd.language.text_cache import text_cache

READ = 1_000
"""Characters of a query that the rules read; what follows is searched for all the same."""
_COMMAND_LENGTH = 200
"""Longer messages are no commands."""
_SHORT_WORDS = 2
_SHORT_CHARACTERS = 4
_LATIN_OR_HAN = re.compile(r"[a-z\u3400-\u4dbf\u4e00-\u9fff]")


@dataclass(frozen=True, slots=True)
class Understanding:
    """query: what was read of it; command: named, never executed; keywords, phrases, names: as they stand in
    the query; focus: the kind of answer; hyde: short or vague, worth expanding; reason: why there is little
    to search for, '' when there is enough."""

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
    """What a query asks. times: parts of it that were read as times, which are no keywords or names."""
    return _understand(query[:READ].strip(), times)


@text_cache(1024)
def _understand(query: str, times: tuple[str, ...]) -> Understanding:
    folded = fold(query).strip()
    says = any(c.isalnum() for c in folded)
    command = find_command(folded) if len(folded) <= _COMMAND_LENGTH else None
    timeless = _without(query, times)
    keywords, phrases, names = find_keywords(timeless), find_phrases(query), find_names(timeless)
    points_back = says and not keywords and not times
    intent = find_intent(folded)
    if command or (points_back and intent != "chitchat"):
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
        hyde=vague and says and command is None and not phrases,
        reason=_why_empty(folded, keywords, bool(times)),
    )


def _without(query: str, times: tuple[str, ...]) -> str:
    for one in filter(None, times):
        query = query.replace(one, "\n")
    return query


def _is_short(keywords: tuple[str, ...]) -> bool:
    characters = sum(len(one) for one in keywords if HAN.search(one))
    words = sum(1 for one in keywords if not HAN.search(one))
    return characters <= _SHORT_CHARACTERS and words <= _SHORT_WORDS and not (characters and words)


def _why_empty(folded: str, keywords: tuple[str, ...], timed: bool) -> str:
    """In words, for `explain`."""
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
