"""The days that count: local dates on which the user was there, or plain days.

Clocks lie: a machine wakes up in 1970, or ten years ahead. So beside its time, the beginning of an epoch and
every active date have the store's change number, which only grows. A beginning in the future, or before a
date that had been noted earlier, was told by a clock set wrong, and is taken to be that date.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import lru_cache
from itertools import pairwise
from typing import Literal

import numpy as np
import numpy.typing as npt

from memoryd.core.life.decay_rules import DEFAULT_RULES, DecayRules
from memoryd.core.times import EARLIEST, LATEST, ZoneSource, utc

DayClock = Literal["active", "wall"]
ClockJump = Literal["behind", "ahead"]
Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

DAY = 86_400.0
_APART = 28
"""Days without a sign of the user, from which on what lies ahead of the clock is no continuation of today."""
_ABSENT = 365
"""Days without a date, from which on a later date is taken for a jump of the clock."""
_SETTLED = 7
"""Dates after such a jump, from which on it is taken for a long absence."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Calendar:
    """Which days count, and how importance fades by them. zone: of the user at present; present: seconds from
    now that are still now."""

    zone: ZoneSource = utc
    clock: DayClock = "active"
    present: float = DAY
    rules: DecayRules = DEFAULT_RULES

    def day(self, at: float) -> int:
        """The local date of a time, as a proleptic ordinal."""
        moment = _EPOCH + timedelta(seconds=min(LATEST, max(EARLIEST, at)))
        return moment.astimezone(self.zone()).date().toordinal()

    def days(self, now: float, noted: Sequence[tuple[int, int]]) -> Days:
        """The days of a user up to now. noted: active dates with their change numbers, by date."""
        today, zone = self.day(now), self.zone()
        past = [one for one in noted if one[0] <= today]
        starts = np.array([_begin(zone, day) for day, _ in past], np.float64)
        return Days(
            now, starts, np.array([seq for _, seq in past], np.int64), self.clock == "wall", self.rules
        )


@dataclass(frozen=True, slots=True)
class Days:
    """The days of a user up to now. starts: of the active dates, ascending, (n,); seqs: of the same, (n,)."""

    now: float
    starts: Floats
    seqs: Integers
    is_wall: bool = False
    rules: DecayRules = DEFAULT_RULES

    def since(self, begins: Floats, seqs: Integers) -> Floats:
        """D(begin, now) of each epoch: whole days, 0 or more, of the same shape.

        begins: epoch seconds; seqs: the change numbers they were set with.
        """
        known = self._known_before(seqs)
        future = np.where(np.isfinite(known), known, self.now)
        start = np.where(begins > self.now + DAY, future, np.maximum(begins, known))
        if self.is_wall:
            return np.maximum(0.0, np.floor((self.now - start) / DAY))
        passed = len(self.starts) - np.searchsorted(self.starts, start, side="right")
        return np.asarray(passed, np.float64)

    def _known_before(self, seqs: Integers) -> Floats:
        """The latest active date that was noted before each change number, -inf for none."""
        order = np.argsort(self.seqs, kind="stable")
        latest = np.maximum.accumulate(np.concatenate(([-np.inf], self.starts[order])))
        return np.asarray(latest[np.searchsorted(self.seqs[order], seqs, side="left")], np.float64)


def clock_jump(today: int, recorded: Sequence[tuple[int, int]], passes: Sequence[int]) -> ClockJump | None:
    """Whether the clock seems to have jumped: `behind` or `ahead` of the days on which the user was there.

    recorded: active dates with their change numbers; passes: dates of decay passes that were not undone.
    """
    if _is_behind(today, recorded, passes):
        return "behind"
    return "ahead" if _is_ahead(today, [*(day for day, _ in recorded), *passes]) else None


def _is_behind(today: int, recorded: Sequence[tuple[int, int]], passes: Sequence[int]) -> bool:
    """Most dates lie in the future, as for a machine that wakes up in 1970, or dates continue from today.

    Unless as many dates up to today were recorded after those: then the user went back and lives here.
    """
    future = sum(day > today + 1 for day, _ in recorded)
    if 2 * future > len(recorded):
        return True
    soon = range(today + 2, today + _APART)
    near = [seq for day, seq in recorded if day in soon]
    if not near:
        return any(day in soon for day in passes)
    first = min(near)
    return sum(day <= today + 1 and seq > first for day, seq in recorded) < len(near)


def _is_ahead(today: int, dates: Sequence[int]) -> bool:
    """No date for over a year, and only a few since."""
    past = sorted({day for day in dates if day <= today})
    recent = [*past, today][-_SETTLED - 1 :]
    return bool(past) and any(later - earlier > _ABSENT for earlier, later in pairwise(recent))


def trusted_days(begins: Sequence[int], today: int, dates: Sequence[int], longest: float) -> list[float]:
    """Days from each date to today that a jump of the clock cannot have made up.

    dates: with a sign of life, in any order; no stretch without one counts for more than `longest` days.
    """
    signs = np.unique(np.array([day for day in dates if day < today] + [today], np.int64))
    passed = np.concatenate(([0.0], np.cumsum(np.minimum(np.diff(signs), longest))))
    starts = np.minimum(np.array(begins, np.int64), today)
    following = np.searchsorted(signs, starts)
    until = np.minimum(signs[following] - starts, longest)
    return [float(days) for days in until + passed[-1] - passed[following]]


@lru_cache(maxsize=4096)
def _begin(zone: tzinfo, day: int) -> float:
    """When a local date begins, epoch seconds."""
    first = datetime.combine(date.fromordinal(day), datetime.min.time(), zone)
    return (first - _EPOCH).total_seconds()
