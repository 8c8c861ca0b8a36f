"""What a text tells by rules alone: statements about the user and about those it names.

Deterministic, no model. Read are the first `READ_CHARS` characters of a text, sentences of at most
`SENTENCE_CHARS`, and at most `MOST` statements are taken: the time is linear in what is read.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from memory_client.types import Language
from memoryd.language.triples.language import language_of
from memoryd.language.triples.mentioned_entities import Reading
from memoryd.language.triples.names import OWN, key_of
from memoryd.language.triples.statement import MAX_BYTES, Statement

READ_CHARS = 4_000
SENTENCE_CHARS = 300
MOST = 32
_SENTENCE = re.compile(
    r"(?:[^。！？!?；;\n.]|\.(?!\s|$)|(?<=\b[DMS]r)\.|(?<=\bMrs)\.|(?<=\bMs)\."
    r"|\.(?=\.))*(?:[。！？!?；;\n.]+|$)"
)
_FIRST_PERSON = re.compile(r"我|俺|\b(?:I|my|me|mine|myself)\b", re.IGNORECASE)
_SECRET = "[secret:"


def extracted(text: str, *, by_user: bool = True) -> list[Statement]:
    """The statements of a text. by_user: whether the user said it, so that 我 and I are the user;
    elsewhere sentences in the first person are passed over."""
    found: dict[bytes, Statement] = {}
    reading = Reading()
    for sentence in _sentences(text[:READ_CHARS]):
        if not by_user and _FIRST_PERSON.search(sentence):
            continue
        language = language_of(sentence)
        for one in _rules(language)(sentence, reading):
            if _is_sound(one):
                said = replace(one, language=language, words=one.words or sentence)
                found.setdefault(one.identity, said)
        if len(found) >= MOST:
            break
    return list(found.values())[:MOST]


@functools.cache
def _rules(language: Language) -> Callable[[str, Reading], Iterator[Statement]]:
    """The rules of a language: their patterns take a tenth of a second to compile, so not before they are
    needed."""
    if language == "zh":
        from memoryd.language.triples.chinese.clauses import read_sentence as read_chinese

        return read_chinese
    from memoryd.language.triples.english.clauses import read_sentence as read_english

    return read_english


def warm_up() -> None:
    """Load the rules, so that the first text does not wait for them."""
    _rules("zh")
    _rules("en")


def _sentences(text: str) -> Iterator[str]:
    for match in _SENTENCE.finditer(text):
        sentence = match.group().strip()
        if 1 < len(sentence) <= SENTENCE_CHARS and _SECRET not in sentence:
            yield sentence


def _is_sound(one: Statement) -> bool:
    """Its parts are names, and it is not about one thing alone."""
    parts = (one.subject, one.object, one.frequency or "-", one.condition or "-")
    if any(not part.strip() or len(part.encode()) > MAX_BYTES for part in parts):
        return False
    subject, object = key_of(one.subject), key_of(one.object)
    return subject != object and (object != OWN or one.predicate.endswith("_of"))
