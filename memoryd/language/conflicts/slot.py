"""An attribute with its value, as a claim gives it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memory_client.types import ConflictType, Severity
from memoryd.language.conflicts.clause_reader import words_of
from memoryd.language.conflicts.functional_predicates import ValueKind

_AROUND = re.compile(r"^[\s《“\"'「]+|[\s》”\"'」。.!了的呢吧]+$")
_COUNTER = re.compile(r"^(?:一[名个位家所只条]|an? |the )")
_LATELY = re.compile(r"(?: now| currently| these days| at the moment|了)$")


@dataclass(frozen=True, slots=True)
class Slot:
    """about: whose it is, nobody for the user; single: whether there can be one only; severity: of two that
    differ."""

    attribute: str
    about: frozenset[str]
    value: str
    kind: ValueKind
    type: ConflictType
    severity: Severity
    single: bool = True


def owner(who: str) -> frozenset[str]:
    """Whose attribute it is, in words that tell."""
    return frozenset(words_of(re.sub(r"(?:名字|的|'s)$", "", who.strip())))


def bare(value: str) -> str:
    """Without articles, counters, quotes and particles around."""
    return _LATELY.sub("", _COUNTER.sub("", _AROUND.sub("", value)))


def plain(text: str) -> str:
    """A clause without what closes it."""
    return text.strip(" .。")
