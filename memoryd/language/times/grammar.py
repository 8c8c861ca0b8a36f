"""What a grammar is made of: rules that read one piece of a time expression."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from memoryd.language.times.pattern import Pattern
from memoryd.language.times.reference import Reference

Build = Callable[[re.Match[str], Reference], Pattern | None]


@dataclass(frozen=True, slots=True)
class Atom:
    """A pattern read from text[start:end].

    needs: what must stand before a word of other meanings too, unless other pieces make it clear.
    """

    pattern: Pattern
    start: int
    end: int
    needs: re.Pattern[str] | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """A form of a piece and what it means."""

    form: re.Pattern[str]
    build: Build
    needs: re.Pattern[str] | None = None

    def read(self, text: str, position: int, reference: Reference) -> Atom | None:
        """The piece that begins at the position; None where the form does not match or means nothing."""
        match = self.form.match(text, position)
        pattern = match and self.build(match, reference)
        return Atom(pattern, position, match.end(), self.needs) if match and pattern else None


def by_first(rules: Iterable[tuple[Iterable[str], Rule]]) -> Mapping[str, tuple[Rule, ...]]:
    """Rules by what they can begin with, in the order they are tried."""
    table: dict[str, list[Rule]] = {}
    for beginnings, rule in rules:
        for beginning in beginnings:
            table.setdefault(beginning, []).append(rule)
    return {beginning: tuple(found) for beginning, found in table.items()}


def read_atom(rules: Iterable[Rule], text: str, position: int, reference: Reference) -> Atom | None:
    """The piece of the first rule that fits."""
    for rule in rules:
        atom = rule.read(text, position, reference)
        if atom is not None:
            return atom
    return None
