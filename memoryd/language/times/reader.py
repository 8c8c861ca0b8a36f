"""Parser of one time expression: pieces form moments, moments form ranges and open ranges."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memoryd.language.times.grammar import Atom, read_atom
from memoryd.language.times.pattern import combine
from memoryd.language.times.ranges import (
    Span,
    can_form_range,
    offset_from,
    open_range,
    place,
    range_between,
    range_to_now,
)
from memoryd.language.times.reference import Reference
from memoryd.language.times.syntax import Language

_CONTEXT = 40  # characters before an expression that decide its meaning
_MAX_PIECES = 8  # in a moment


@dataclass(frozen=True, slots=True)
class Reading:
    """The span that text[first:last] means."""

    first: int
    last: int
    span: Span


@dataclass(frozen=True, slots=True)
class Reader:
    """Parses a folded text in one language, relative to one reference."""

    language: Language
    text: str
    reference: Reference

    def read(self, position: int) -> Reading | None:
        """The expression that starts at the position, if any."""
        if self._follows(self.language.repeated, position):
            return None
        return self._read_count_before(position) or self._read_opened(position) or self._read_plain(position)

    def _follows(self, form: re.Pattern[str], position: int) -> bool:
        return form.search(self.text[max(0, position - _CONTEXT) : position]) is not None

    def _read_moment(self, position: int) -> Atom | None:
        """The longest sequence of pieces from the position that forms one pattern."""
        atom = self._read_piece(position)
        for _ in range(_MAX_PIECES):
            joined = atom and self._extend(atom)
            if joined is None:
                break
            atom = joined
        return atom

    def _read_piece(self, position: int) -> Atom | None:
        rules = self.language.rules_at(self.text, position)
        return read_atom(rules, self.text, position, self.reference) if rules else None

    def _extend(self, atom: Atom) -> Atom | None:
        """The atom with the next piece, or with the next two if those belong together."""
        piece = self._next_piece(atom)
        if piece is None:
            return None
        pattern = combine(atom.pattern, piece.pattern)
        if pattern is not None and piece.pattern.unit not in ("hour", "minute"):
            return Atom(pattern, atom.start, piece.end)
        after = self._next_piece(piece)
        inner = after and combine(piece.pattern, after.pattern)
        whole = inner and combine(atom.pattern, inner)
        if whole and after:
            return Atom(whole, atom.start, after.end)
        return Atom(pattern, atom.start, piece.end) if pattern else None

    def _next_piece(self, atom: Atom) -> Atom | None:
        glue = self.language.glue.match(self.text, atom.end)
        return self._read_piece(glue.end()) if glue else None

    def _is_certain(self, atom: Atom) -> bool:
        """Whether the atom is a time on its own."""
        if atom.pattern.fixed is None and atom.pattern.cycle is None:
            return False
        if atom.needs is not None and not self._follows(atom.needs, atom.start):
            return False
        return atom.pattern.fixed is not None or not self._follows(self.language.liked, atom.start)

    def _read_plain(self, position: int) -> Reading | None:
        """A moment, a range, or an open range marked by the words after it."""
        atom = self._read_moment(position)
        if atom is None:
            return None
        found = self._read_range(position, atom) or self._read_closed(position, atom)
        if found is None and self._is_certain(atom):
            found = Reading(position, atom.end, place(atom.pattern, self.reference.now))
        return found

    def _read_range(self, first: int, begin: Atom) -> Reading | None:
        joint = self.language.joint.match(self.text, begin.end)
        if joint is None:
            return None
        now = self.language.now.match(self.text, joint.end())
        if now is not None and can_form_range(begin.pattern, begin.pattern):
            return Reading(first, now.end(), range_to_now(begin.pattern, self.reference.now))
        return self._range_to(first, begin, joint.end())

    def _read_between(self, first: int, begin: Atom) -> Reading | None:
        """The two ends of "between A and B"."""
        couple = self.language.couple.match(self.text, begin.end)
        return couple and self._range_to(first, begin, couple.end())

    def _range_to(self, first: int, begin: Atom, position: int) -> Reading | None:
        end = self._read_moment(position)
        if end is None or not can_form_range(begin.pattern, end.pattern):
            return None
        span = range_between(begin.pattern, end.pattern, self.reference.now)
        return Reading(first, self._skip_closing("within", end.end), span)

    def _skip_closing(self, closing: str, position: int) -> int:
        """The position after closing words of a kind, if they follow."""
        found = self.language.closing.match(self.text, position)
        return found.end() if found and found.lastgroup == closing else position

    def _read_opened(self, position: int) -> Reading | None:
        """An expression that starts with since, from, between, after, before or until."""
        opening = self.language.opening.match(self.text, position)
        atom = opening and self._read_moment(opening.end())
        if opening is None or atom is None:
            return None
        kind = str(opening.lastgroup)
        found = None
        if kind == "between":
            return self._read_between(position, atom)
        if kind in ("from", "since", "until"):
            found = self._read_range(position, atom)
        if found is None and kind == "from":
            return self._read_closed(position, atom)
        return found or self._open_at(
            kind, atom, position, self._skip_closing(_CLOSINGS.get(kind, ""), atom.end)
        )

    def _read_closed(self, first: int, atom: Atom) -> Reading | None:
        """An expression that ends with words such as 以来, 之后 or 前一天."""
        followed = self._read_count_after(first, atom)
        if followed is not None:
            return followed
        closing = self.language.closing.match(self.text, atom.end)
        kind = str(closing.lastgroup) if closing else ""
        if kind == "begin" and first < atom.start:
            kind = "since"
        if closing is None or kind not in ("since", "after", "before"):
            return None
        return self._open_at(kind, atom, first if kind == "since" else atom.start, closing.end())

    def _open_at(self, kind: str, atom: Atom, first: int, last: int) -> Reading | None:
        if not self._is_certain(atom):
            return None
        return Reading(first, last, open_range(kind, atom.pattern, self.reference.now))

    def _read_count_after(self, first: int, atom: Atom) -> Reading | None:
        """X前一天: the count follows the moment."""
        match = self.language.counted_after and self.language.counted_after.match(self.text, atom.end)
        return self._offset(match, atom, first, match.end()) if match else None

    def _read_count_before(self, position: int) -> Reading | None:
        """Two days before X: the count precedes the moment."""
        match = self.language.counted and self.language.counted.match(self.text, position)
        atom = match and self._read_moment(match.end())
        return self._offset(match, atom, position, atom.end) if match and atom else None

    def _offset(self, match: re.Match[str], atom: Atom, first: int, last: int) -> Reading | None:
        if not self._is_certain(atom):
            return None
        count, unit = self.language.count(match)
        return Reading(first, last, offset_from(atom.pattern, count, unit, self.reference.now))


_CLOSINGS = {"since": "since", "until": "within", "till": "within"}
