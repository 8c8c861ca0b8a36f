"""One deadline for all steps of a call; a timeout names the step that exceeded it."""

from __future__ import annotations

import time
from dataclasses import dataclass

from memory_client.errors import DeadlineExceededError


@dataclass(frozen=True, slots=True)
class Deadline:
    """A point on the monotonic clock, or never. `seconds` is the original limit."""

    at: float | None
    seconds: float | None

    @classmethod
    def after(cls, seconds: float | None) -> Deadline:
        """The deadline `seconds` from now; None for never."""
        return cls(None if seconds is None else time.monotonic() + seconds, seconds)

    def left(self) -> float | None:
        """Seconds left, 0 when it has passed, None without limit."""
        return None if self.at is None else max(0.0, self.at - time.monotonic())

    def within(self, seconds: float) -> float:
        """Seconds for a step that may take at most `seconds`."""
        left = self.left()
        return seconds if left is None else min(seconds, left)

    @property
    def over(self) -> bool:
        return self.at is not None and time.monotonic() >= self.at

    def check(self, step: str) -> None:
        """Raise `DeadlineExceededError` naming `step` if the deadline has passed."""
        if self.over:
            raise self.error(step)

    def error(self, step: str) -> DeadlineExceededError:
        """The error of a step that exceeded the deadline."""
        return DeadlineExceededError(f"no time left while {step} ({self.seconds:g} s were given)", step=step)
