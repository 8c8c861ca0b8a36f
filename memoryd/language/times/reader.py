"""Reads one expression of a text: pieces into moments, moments into ranges and open ranges."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memoryd.language.times.grammar import Atom, read_atom
from memoryd.language.times.pattern import combined
from memoryd.language.times.ranges import Span, beside, between, comparable, opened, placed, to_now
from memoryd.language.times.reference import Reference
from memoryd.language.times.syntax import Language

_BEHIND = 40  # characters before an expression that say what it is
_PIECES = 8  # of one moment


@dataclass(frozen=True, slots=True)
class Reading:
    """What text[first:last] means."""

    first: int
    last: int
    span: Span


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads a folded text in one language, at one reference."""

    language: Language
    text: str
    reference: Reference

    def read(self, position: int) -> Reading | None:
        """The expression that begins at the position; None where there is none."""
        if self._behind(self.language.repeated, position):
            return None
        return self._counted(position) or self._opened(position) or self._plain(position)

    def _behind(self, form: re.Pattern[str], position: int) -> bool:
        return form.search(self.text[max(0, position - _BEHIND) : position]) is not None

    def _moment(self, position: int) -> Atom | None:
        """The pieces from the position on that make one pattern."""
        atom = self._piece(position)
        for _ in range(_PIECES):
            joined = atom and self._joined(atom)
            if joined is None:
                break
            atom = joined
        return atom

    def _piece(self, position: int) -> Atom | None:
        rules = self.language.rules_at(self.text, position)
        return read_atom(rules, self.text, position, self.reference) if rules else None

    def _joined(self, atom: Atom) -> Atom | None:
        """The atom with the next piece, or with the next two where those belong together."""
        piece = self._next(atom)
        if piece is None:
            return None
        pattern = combined(atom.pattern, piece.pattern)
        if pattern is not None and piece.pattern.unit not in ("hour", "minute"):
            return Atom(pattern, atom.start, piece.end)
        after = self._next(piece)
        inner = after and combined(piece.pattern, after.pattern)
        whole = inner and combined(atom.pattern, inner)
        if whole and after:
            return Atom(whole, atom.start, after.end)
        return Atom(pattern, atom.start, piece.end) if pattern else None

    def _next(self, atom: Atom) -> Atom | None:
        glue = self.language.glue.match(self.text, atom.end)
        return self._piece(glue.end()) if glue else None

    def _certain(self, atom: Atom) -> bool:
        """Whether the atom can stand alone and is meant as a time."""
        if atom.pattern.fixed is None and atom.pattern.cycle is None:
            return False
        if atom.needs is not None and not self._behind(atom.needs, atom.start):
            return False
        return atom.pattern.fixed is not None or not self._behind(self.language.liked, atom.start)

    def _plain(self, position: int) -> Reading | None:
        """A moment or a range; the range or open range may show only by the words after."""
        atom = self._moment(position)
        if atom is None:
            return None
        found = self._range(position, atom) or self._closed(position, atom)
        if found is None and self._certain(atom):
            found = Reading(position, atom.end, placed(atom.pattern, self.reference.now))
        return found

    def _range(self, first: int, begin: Atom) -> Reading | None:
        joint = self.language.joint.match(self.text, begin.end)
        if joint is None:
            return None
        now = self.language.now.match(self.text, joint.end())
        if now is not None and comparable(begin.pattern, begin.pattern):
            return Reading(first, now.end(), to_now(begin.pattern, self.reference.now))
        return self._between(first, begin, joint.end())

    def _coupled(self, first: int, begin: Atom) -> Reading | None:
        """The two ends of "between A and B"."""
        couple = self.language.couple.match(self.text, begin.end)
        return couple and self._between(first, begin, couple.end())

    def _between(self, first: int, begin: Atom, position: int) -> Reading | None:
        end = self._moment(position)
        if end is None or not comparable(begin.pattern, end.pattern):
            return None
        span = between(begin.pattern, end.pattern, self.reference.now)
        return Reading(first, self._past("within", end.end), span)

    def _past(self, closing: str, position: int) -> int:
        """Where the expression ends when such closing words follow."""
        found = self.language.closing.match(self.text, position)
        return found.end() if found and found.lastgroup == closing else position

    def _opened(self, position: int) -> Reading | None:
        """An expression that begins with since, from, between, after, before or until."""
        opening = self.language.opening.match(self.text, position)
        atom = opening and self._moment(opening.end())
        if opening is None or atom is None:
            return None
        kind = str(opening.lastgroup)
        found = None
        if kind == "between":
            return self._coupled(position, atom)
        if kind in ("from", "since", "until"):
            found = self._range(position, atom)
        if found is None and kind == "from":
            return self._closed(position, atom)
        return found or self._open(kind, atom, position, self._past(_CLOSINGS.get(kind, ""), atom.end))

    def _closed(self, first: int, atom: Atom) -> Reading | None:
        """An expression that ends with words such as 以来, 之后 or 前一天."""
        followed = self._followed(first, atom)
        if followed is not None:
            return followed
        closing = self.language.closing.match(self.text, atom.end)
        kind = str(closing.lastgroup) if closing else ""
        if kind == "begin" and first < atom.start:
            kind = "since"
        if closing is None or kind not in ("since", "after", "before"):
            return None
        return self._open(kind, atom, first if kind == "since" else atom.start, closing.end())

    def _open(self, kind: str, atom: Atom, first: int, last: int) -> Reading | None:
        if not self._certain(atom):
            return None
        return Reading(first, last, opened(kind, atom.pattern, self.reference.now))

    def _followed(self, first: int, atom: Atom) -> Reading | None:
        """X前一天: the count stands after."""
        match = self.language.counted_after and self.language.counted_after.match(self.text, atom.end)
        return self._beside(match, atom, first, match.end()) if match else None

    def _counted(self, position: int) -> Reading | None:
        """ "two days before X": the count stands before."""
        match = self.language.counted and self.language.counted.match(self.text, position)
        atom = match and self._moment(match.end())
        return self._beside(match, atom, position, atom.end) if match and atom else None

    def _beside(self, match: re.Match[str], atom: Atom, first: int, last: int) -> Reading | None:
        if not self._certain(atom):
            return None
        count, unit = self.language.count(match)
        return Reading(first, last, beside(atom.pattern, count, unit, self.reference.now))


_CLOSINGS = {"since": "since", "until": "within", "till": "within"}
