"""Days for decay: local dates on which the user was active, or calendar days.

The clock can be wrong, for example in 1970 or ten years ahead. So the start of every period and every active
date also have the change number of the store, which only grows. A start in the future, or before an active
date recorded earlier, comes from a wrong clock and is replaced by that date.
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
"""Dates this many days after today do not continue it."""
_ABSENT = 365
"""A gap of more days between dates is a jump of the clock."""
_SETTLED = 7
"""After this many dates such a gap is an absence of the user."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Calendar:
    """How days are counted, and the decay rules. zone: current zone of the user; present: seconds ahead that
    count as now."""

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
    """The days of a user up to now. starts, seqs: start and change number of each active date, (n,)."""

    now: float
    starts: Floats
    seqs: Integers
    is_wall: bool = False
    rules: DecayRules = DEFAULT_RULES

    def since(self, begins: Floats, seqs: Integers) -> Floats:
        """D(begin, now) for each start: whole days, 0 or more, of the same shape.

        begins: epoch seconds; seqs: their change numbers.
        """
        known = self._known_before(seqs)
        future = np.where(np.isfinite(known), known, self.now)
        start = np.where(begins > self.now + DAY, future, np.maximum(begins, known))
        if self.is_wall:
            return np.maximum(0.0, np.floor((self.now - start) / DAY))
        passed = len(self.starts) - np.searchsorted(self.starts, start, side="right")
        return np.asarray(passed, np.float64)

    def _known_before(self, seqs: Integers) -> Floats:
        """The latest active date recorded before each change number, -inf for none."""
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
    """Days from each date to today, excluding jumps of the clock.

    dates: those on which the user was active, in any order; a gap counts for at most `longest` days.
    """
    signs = np.unique(np.array([day for day in dates if day < today] + [today], np.int64))
    passed = np.concatenate(([0.0], np.cumsum(np.minimum(np.diff(signs), longest))))
    starts = np.minimum(np.array(begins, np.int64), today)
    following = np.searchsorted(signs, starts)
    until = np.minimum(signs[following] - starts, longest)
    return [float(days) for days in until + passed[-1] - passed[following]]


@lru_cache(maxsize=4096)
def _begin(zone: tzinfo, day: int) -> float:
    """The start of a local date, epoch seconds."""
    first = datetime.combine(date.fromordinal(day), datetime.min.time(), zone)
    return (first - _EPOCH).total_seconds()
