"""The kinds of stored text, and the range of row numbers each has to itself.

What is derived (vectors, keyword partitions, the outbox) names every text by its row alone; the row says of
which kind it is.
"""

from __future__ import annotations

from typing import Literal, get_args

TextKind = Literal["memory", "turn", "point"]
TEXT_KINDS: tuple[TextKind, ...] = get_args(TextKind)

_BITS = 40
"""A kind holds 2^40 texts; JSON and SQLite carry the numbers exactly."""


def kind_of(row: int) -> TextKind:
    """The kind of the text at a row."""
    return TEXT_KINDS[row >> _BITS]


def rows_of_kind(kind: TextKind) -> tuple[int, int]:
    """The first row a kind may have, and the first that is beyond it."""
    first = TEXT_KINDS.index(kind) << _BITS
    return first, first + (1 << _BITS)
