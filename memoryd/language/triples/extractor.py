"""Statements extracted from a text by rules: about the user and about those the text names.

Deterministic, no model. The first `READ_CHARS` characters of a text are read, in sentences of at most
`SENTENCE_CHARS`, and at most `MAX_STATEMENTS` statements are taken: the time is linear in what is read.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import replace

from memory_client.types import Language
from memoryd.language.triples.clause_reader import ClauseReader
from memoryd.language.triples.grammar import Grammar
from memoryd.language.triples.mentioned_entities import MentionedEntities
from memoryd.language.triples.names import OWN, key_of, language_of
from memoryd.language.triples.statement import MAX_BYTES, Statement

READ_CHARS = 4_000
SENTENCE_CHARS = 300
MAX_STATEMENTS = 32
_SENTENCE = re.compile(
    r"(?:[^。！？!?；;\n.]|\.(?!\s|$)|(?<=\b[DMS]r)\.|(?<=\bMrs)\.|(?<=\bMs)\.|\.(?=\.))*(?:[。！？!?；;\n.]+|$)"
)
_FIRST_PERSON = re.compile(r"我|俺|\b(?:I|my|me|mine|myself)\b", re.IGNORECASE)
_SECRET = "[secret:"


def extract_statements(text: str, *, by_user: bool = True) -> list[Statement]:
    """The statements of a text. by_user: whether the user wrote it, so that 我 and I are the user; elsewhere
    sentences in the first person are skipped."""
    found: dict[bytes, Statement] = {}
    mentioned = MentionedEntities()
    for sentence in _sentences(text[:READ_CHARS]):
        if not by_user and _FIRST_PERSON.search(sentence):
            continue
        language = language_of(sentence)
        for one in ClauseReader(_grammar(language), mentioned).statements(sentence):
            if _is_sound(one):
                found.setdefault(one.identity, replace(one, language=language))
        if len(found) >= MAX_STATEMENTS:
            break
    return list(found.values())[:MAX_STATEMENTS]


@functools.cache
def _grammar(language: Language) -> Grammar:
    """The grammar of a language, loaded when it is first needed: its patterns take a tenth of a second to
    compile."""
    if language == "zh":
        from memoryd.language.triples.chinese import CHINESE

        return CHINESE
    from memoryd.language.triples.english import ENGLISH

    return ENGLISH


def warm_up() -> None:
    """Load the grammars, so that the first text does not wait for them."""
    _grammar("zh")
    _grammar("en")


def _sentences(text: str) -> Iterator[str]:
    for match in _SENTENCE.finditer(text):
        sentence = match.group().strip()
        if 1 < len(sentence) <= SENTENCE_CHARS and _SECRET not in sentence:
            yield sentence


def _is_sound(one: Statement) -> bool:
    """Whether its parts are short enough and it is not about one thing alone."""
    parts = (one.subject, one.object, one.frequency or "-", one.condition or "-")
    if any(not part.strip() or len(part.encode()) > MAX_BYTES for part in parts):
        return False
    subject, object = key_of(one.subject), key_of(one.object)
    return subject != object and (object != OWN or one.predicate.endswith("_of"))
