"""Decay of importance by `DecayRules`, and its outcomes.

`effective(now) = importance * factor ** max(0, D(decay_from, now) - grace)`. Pinned memories do not decay.
`expires_at` applies to all memories except system and pinned ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from memory_client.types import DecayOutcome
from memoryd.core.life.active_days import Days, Floats, Integers
from memoryd.core.life.decay_rules import DEFAULT_RULES, DecayRules
from memoryd.core.record import CATEGORIES, Record

OUTCOMES: tuple[DecayOutcome, ...] = ("keep", "review", "decay", "expired")
_REVIEW, _DECAY, _EXPIRED = 1, 2, 3


_SYSTEM, _FACT, _EPISODE = (CATEGORIES.index(name) for name in ("system", "fact", "episode"))


def grace_days(category: str, rules: DecayRules = DEFAULT_RULES) -> float:
    """Days before decay starts; 0 if it never does."""
    return rules.pace(category).trigger


def can_fade(category: str, importance: float, *, pinned: bool, rules: DecayRules = DEFAULT_RULES) -> bool:
    """Whether a memory decays."""
    return rules.has_pace(category) and importance < rules.lasting and not pinned


class DecayInput(NamedTuple):
    """The fields of a memory that decay uses. seq: change number of decay_from.

    kept: verified, or stated by the user.
    """

    row: int
    importance: float
    decay_from: float
    seq: int
    grace: float
    category: str
    pinned: bool
    kept: bool
    expires_at: float | None


@dataclass(frozen=True, slots=True)
class Cohort:
    """The same fields of many memories as columns of shape (n,). categories: indices of `CATEGORIES`."""

    rows: Integers
    importance: Floats
    decay_from: Floats
    seqs: Integers
    grace: Floats
    categories: npt.NDArray[np.int8]
    pinned: npt.NDArray[np.bool_]
    kept: npt.NDArray[np.bool_]
    expires_at: Floats
    rules: DecayRules

    @classmethod
    def of(cls, memories: Sequence[tuple[Any, ...]], rules: DecayRules = DEFAULT_RULES) -> Cohort:
        """A cohort of tuples in the order of `DecayInput`."""
        columns = list(zip(*memories, strict=True)) or [()] * len(DecayInput._fields)
        number = {category: place for place, category in enumerate(CATEGORIES)}
        never = float("inf")
        return cls(
            rows=np.array(columns[0], np.int64),
            importance=np.array(columns[1], np.float64),
            decay_from=np.array(columns[2], np.float64),
            seqs=np.array(columns[3], np.int64),
            grace=np.array(columns[4], np.float64),
            categories=np.array([number[name] for name in columns[5]], np.int8),
            pinned=np.array(columns[6], np.bool_),
            kept=np.array(columns[7], np.bool_),
            expires_at=np.array([never if at is None else at for at in columns[8]], np.float64),
            rules=rules,
        )

    def days(self, days: Days) -> Floats:
        """D(decay_from, now) of each memory."""
        return days.since(self.decay_from, self.seqs)

    def effective(self, days: Floats) -> Floats:
        """The importance after some days."""
        exempt = (self.importance >= self.rules.lasting) | self.pinned
        factors = np.where(exempt, 1.0, np.array(self.rules.factors)[self.categories])
        return np.asarray(self.importance * factors ** np.maximum(0.0, days - self.grace))

    def outcomes(self, days: Floats, now: float, reviewed: npt.NDArray[np.bool_]) -> npt.NDArray[np.int8]:
        """The outcome of a pass for each memory, as indices of `OUTCOMES`. reviewed: already reviewed."""
        rules, left = self.rules, self.effective(days)
        can_fade = (self.importance < rules.lasting) & ~self.pinned
        fact = (self.categories == _FACT) & can_fade & (days > self.grace)
        gone = fact & (left < rules.archive_below) & ~self.kept
        gone |= (self.categories == _EPISODE) & can_fade & (days >= rules.episode_days)
        fallen = fact & (self.importance >= rules.review_below) & (left < rules.review_below) & ~reviewed
        over = (self.expires_at <= now) & ~self.pinned & (self.categories != _SYSTEM)
        found = np.select([over, gone, fallen], [_EXPIRED, _DECAY, _REVIEW], 0)
        return np.asarray(found, np.int8)


def decay_input(record: Record, row: int, seq: int) -> DecayInput:
    """The decay fields of a record."""
    return DecayInput(
        row,
        record.importance,
        record.decay_from,
        seq,
        record.grace,
        record.category,
        record.pinned,
        record.verified or record.source == "user",
        record.expires_at,
    )


def remaining_grace(record: Record, days: float, rules: DecayRules = DEFAULT_RULES) -> float:
    """Days until decay starts, after some days."""
    if not can_fade(record.category, record.importance, pinned=record.pinned, rules=rules):
        return record.grace
    return max(0.0, record.grace - days)


def restart_decay(record: Record, importance: float, now: float, rules: DecayRules = DEFAULT_RULES) -> Record:
    """The record after a use: decay starts again."""
    return replace(record, importance=importance, decay_from=now, grace=grace_days(record.category, rules))


def with_importance(
    record: Record, importance: float, days: float, now: float, rules: DecayRules = DEFAULT_RULES
) -> Record:
    """The record with another importance; the remaining grace stays."""
    return replace(record, importance=importance, decay_from=now, grace=remaining_grace(record, days, rules))


def carry_decay(
    old: Record,
    new: Record,
    effective: float,
    days: float,
    now: float,
    rules: DecayRules = DEFAULT_RULES,
) -> Record:
    """`new` with the effective importance of `old` if category or pin differ, so that decay continues.

    effective, days: of `old` at `now`.
    """
    if (old.category, old.pinned) == (new.category, new.pinned):
        return new
    left, trigger = remaining_grace(old, days, rules), grace_days(new.category, rules)
    grace = min(left, trigger) if rules.has_pace(old.category) else trigger
    return replace(new, importance=effective, decay_from=now, grace=grace)


def extend_grace(record: Record, now: float, rules: DecayRules = DEFAULT_RULES) -> Record:
    """The record after a KEEP verdict: at the review threshold, with a grace that doubles each time."""
    keep_count = record.keep_count + 1
    grace = min(grace_days(record.category, rules) * 2.0**keep_count, rules.longest_grace)
    return replace(record, importance=rules.review_below, decay_from=now, grace=grace, keep_count=keep_count)


def restore(
    record: Record, effective: float, now: float, rules: DecayRules = DEFAULT_RULES
) -> tuple[Record, bool]:
    """The restored record, and whether a past expiry was removed."""
    expired = record.expires_at is not None and record.expires_at <= now
    back = replace(
        restart_decay(record, max(effective, rules.restored), now, rules),
        state="active",
        archived_because=None,
        archived_at=None,
        archived_by=None,
        expires_at=None if expired else record.expires_at,
    )
    return back, expired
