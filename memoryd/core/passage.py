"""What the embedder gets of a stored text."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Passage:
    """A text and what was said just before it, '' for nothing: the vector is of both together."""

    text: str
    before: str = ""

    @property
    def joined(self) -> str:
        """Both as one text."""
        return f"{self.before}\n{self.text}" if self.before else self.text


def turn_line(speaker: str | None, text: str) -> str:
    """A turn as it is read: who speaks, where that is known, and the words."""
    return f"{speaker}: {text}" if speaker else text
