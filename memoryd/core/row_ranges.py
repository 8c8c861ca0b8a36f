"""The kinds of stored text, each with its own range of row numbers.

Derived data (vectors, keyword partitions, the outbox) refers to a text by its row alone; the row implies the
kind.
"""

from __future__ import annotations

from typing import Literal, get_args

TextKind = Literal["memory", "turn", "point"]
TEXT_KINDS: tuple[TextKind, ...] = get_args(TextKind)

_BITS = 40
"""2^40 texts per kind; JSON and SQLite represent such numbers exactly."""


def kind_of(row: int) -> TextKind:
    """The kind of the text at a row."""
    return TEXT_KINDS[row >> _BITS]


def rows_of_kind(kind: TextKind) -> tuple[int, int]:
    """The first row of a kind, and the first after it."""
    first = TEXT_KINDS.index(kind) << _BITS
    return first, first + (1 << _BITS)
