"""Conversations of many turns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

SESSION = 20
"""Turns in one."""
SPEAKERS = ("Anna", "Ben")


def conversations(texts: Sequence[str], count: int) -> Iterator[list[dict[str, Any]]]:
    """Sessions of turns made of these texts, each text told apart by a number once they begin again."""
    rounds = ((texts[at % len(texts)], at // len(texts)) for at in range(count))
    said = (f"{text} #{again}" if again else text for text, again in rounds)
    for start in range(0, count, SESSION):
        yield [
            {
                "role": ("user", "assistant")[at % 2],
                "speaker": SPEAKERS[at % 2],
                "text": next(said),
                "at": 1_500_000_000 + start * 3600 + at * 30,
            }
            for at in range(min(SESSION, count - start))
        ]
