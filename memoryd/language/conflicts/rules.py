"""The rules as a judge, their patterns compiled when they are first asked: that takes a tenth of a second."""

from __future__ import annotations

from memoryd.language.conflicts.types import FoundConflict, Said


def by_rules(first: Said, second: Said) -> FoundConflict | None:
    """The gravest conflict of two statements about the same person, by rules."""
    from memoryd.language.conflicts.detector import between

    return between(first, second)
