"""Passages: the input of the embedder for a stored text."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Passage:
    """A text and its context, the turns before it; both are embedded together."""

    text: str
    before: str = ""

    @property
    def joined(self) -> str:
        """Both as one text."""
        return f"{self.before}\n{self.text}" if self.before else self.text


def turn_line(speaker: str | None, text: str) -> str:
    """A turn as a line of text, with its speaker if known."""
    return f"{speaker}: {text}" if speaker else text
