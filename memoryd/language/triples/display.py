"""Statements in the language of their evidence: the words for the user, relatives and known predicates.

Keys are stored, matched and hashed (`user`, `user's mother`, `likes`). In English the keys are shown; in
Chinese 主人, 主人的妈妈, 喜欢, from the tables of `predicates` and `kinship`. Other names are unchanged.
"""

from __future__ import annotations

import re
from dataclasses import replace

from memory_client.types import Language
from memoryd.language.triples.kinship import PEOPLE_ZH, SHOWN_ZH
from memoryd.language.triples.names import OWN
from memoryd.language.triples.predicates import RELATIONS, chinese_predicate, chinese_words
from memoryd.language.triples.statement import Statement

_OWN_ZH = "主人"
_RELATIVE = re.compile(rf"{OWN}'s (?P<relation>.+)")
_PEOPLE = re.compile("|".join(sorted(map(re.escape, PEOPLE_ZH), key=len, reverse=True)))
_OF_SEVERAL_VERBS = frozenset({"plays"})
"""Keys whose Chinese words are not interchangeable: 弹 for the piano, 踢 for football."""


def display_statement(statement: Statement) -> Statement:
    """The statement in the words of its language; without a language, its keys."""
    if statement.language != "zh":
        return statement
    words = statement.words or ""
    return replace(
        statement,
        subject=display_name(statement.subject, "zh", words),
        predicate=chinese_predicate(statement.predicate, _own_word(statement, words)),
        object=display_name(statement.object, "zh", words),
    )


def display_name(name: str, language: Language | None, words: str = "") -> str:
    """A name in a language. words: of the evidence, for its exact word for a relative."""
    if language != "zh":
        return name
    if name == OWN:
        return _OWN_ZH
    match = _RELATIVE.fullmatch(name)
    word = match and (_relative(match["relation"], words) or SHOWN_ZH.get(match["relation"]))
    return f"{_OWN_ZH}的{word}" if word else name


def _own_word(statement: Statement, words: str) -> str | None:
    """The word of the evidence, if the key has several that differ in meaning."""
    if statement.predicate in RELATIONS:
        return _relative(statement.predicate.removesuffix("_of"), words)
    if statement.predicate in _OF_SEVERAL_VERBS:
        verbs = chinese_words(statement.predicate)
        return next((verb for verb in verbs if verb + statement.object in words.replace(" ", "")), None)
    return None


def _relative(relation: str, words: str) -> str | None:
    """The word for a relation in the evidence: 妹妹 rather than sister."""
    found = (match.group() for match in _PEOPLE.finditer(words))
    return next((word for word in found if PEOPLE_ZH[word] == relation), None)
