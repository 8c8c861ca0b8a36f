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
from typing import Literal

import numpy as np
import numpy.typing as npt

from memoryd.core.life.decay_rules import DEFAULT_RULES, DecayRules
from memoryd.core.times import EARLIEST, LATEST, ZoneSource, utc

DayClock = Literal["active", "wall"]
Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

DAY = 86_400.0
_APART = 28
"""Days without a sign of the user, from which on what lies ahead of the clock is no continuation of today."""
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


def is_behind(today: int, noted: Sequence[tuple[int, int]], passed: Sequence[int]) -> bool:
    """Whether the clock is set back; if not, what lies ahead of it was told by a clock set ahead.

    It is set back when most dates lie ahead, as for a machine that wakes up in 1970, or when dates run on
    from today, unless as many up to today were noted after those: then somebody went back and lives here.
    noted: active dates with their change numbers; passed: dates of passes that stand.
    """
    ahead = sum(day > today + 1 for day, _ in noted)
    if 2 * ahead > len(noted):
        return True
    soon = range(today + 2, today + _APART)
    near = [seq for day, seq in noted if day in soon]
    if not near:
        return any(day in soon for day in passed)
    first = min(near)
    return sum(day <= today + 1 and seq > first for day, seq in noted) < len(near)


def lived(begins: Sequence[int], today: int, dates: Sequence[int], longest: float) -> list[float]:
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
