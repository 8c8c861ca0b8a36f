"""Rules: each reads one piece of a time expression."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from memoryd.language.times.pattern import Pattern
from memoryd.language.times.reference import Reference

Build = Callable[[re.Match[str], Reference], Pattern | None]
Form = tuple[Iterable[str], str, Build] | tuple[Iterable[str], str, Build, str]
"""First words, regular expression, meaning, and what must precede it if that is required."""


@dataclass(frozen=True, slots=True)
class Atom:
    """A pattern read from text[start:end].

    needs: what must precede a word with other meanings, unless other pieces make it a time.
    """

    pattern: Pattern
    start: int
    end: int
    needs: re.Pattern[str] | None = None


@dataclass(frozen=True)
class Rule:
    """A form of a piece, its meaning, and what must precede it; compiled when first tried."""

    form: str
    flags: int
    build: Build
    needs: str | None = None

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile(self.form, self.flags)

    @cached_property
    def _context(self) -> re.Pattern[str] | None:
        return re.compile(self.needs, self.flags) if self.needs else None

    def read(self, text: str, position: int, reference: Reference) -> Atom | None:
        """The piece that starts at the position, if any."""
        match = self._pattern.match(text, position)
        pattern = match and self.build(match, reference)
        return Atom(pattern, position, match.end(), self._context) if match and pattern else None


def group_rules(forms: Iterable[Form], before: str = "", flags: int = 0) -> Mapping[str, tuple[Rule, ...]]:
    """Rules by first word, in the order they are tried. before: prefix of every form."""
    table: dict[str, list[Rule]] = {}
    for keys, form, *meaning in forms:
        rule = Rule(before + form, flags, *meaning)
        for key in keys:
            table.setdefault(key, []).append(rule)
    return {key: tuple(rules) for key, rules in table.items()}


def read_atom(rules: Iterable[Rule], text: str, position: int, reference: Reference) -> Atom | None:
    """The piece of the first rule that fits."""
    return next(filter(None, (rule.read(text, position, reference) for rule in rules)), None)
