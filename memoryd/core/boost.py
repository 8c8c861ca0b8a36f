"""What a use adds to the importance of a memory."""

from __future__ import annotations

from dataclasses import dataclass

from memoryd.core.record import MAX_IMPORTANCE

STEP = 0.3
WINDOW = 2 * 3600.0
"""Seconds within which several uses are one."""
DAY_LIMIT = 1.0
"""The most for a memory on a local date."""
_DIGITS = 9


@dataclass(frozen=True, slots=True)
class Use:
    """counts: whether the clock of the memory starts anew; applied: what is added; why: if not all of it."""

    counts: bool
    applied: float
    why: str | None = None


def use(effective: float, last_at: float | None, used_today: float, now: float) -> Use:
    """The effect of a use. last_at: the last applied; used_today: what was added on this local date.

    A last one far ahead was told by a clock set wrong and is not in the way.
    """
    if last_at is not None and abs(now - last_at) < WINDOW:
        return Use(counts=False, applied=0.0, why="within 2 hours of the last one, which counts once")
    allowance = max(0.0, DAY_LIMIT - used_today)
    applied = round(min(STEP, allowance, MAX_IMPORTANCE - effective), _DIGITS)
    return Use(counts=True, applied=applied, why=_why(applied, allowance))


def _why(applied: float, allowance: float) -> str | None:
    if applied >= STEP:
        return None
    if round(allowance, _DIGITS) > applied:
        return f"the most is {MAX_IMPORTANCE:g}"
    return f"{DAY_LIMIT:g} a day is the most" if applied else f"{DAY_LIMIT:g} was added today already"
