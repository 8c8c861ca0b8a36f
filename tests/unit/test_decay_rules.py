"""The table of a memory's life in figures, and what no clock may do."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd.core.life import boost, decay
from memoryd.core.life.active_days import DAY, Calendar, Days
from memoryd.core.life.decay import OUTCOMES, Cohort, decay_input
from support.small_store import START, record

AT = datetime(2026, 5, 28, 12, tzinfo=UTC).timestamp()
KINDS = [{"category": name} for name in ("system", "core", "fact", "episode")]


def outcome(days: int, reviewed: bool = False, now: float = START, **metadata: Any) -> str:
    metadata = {"source": "background_ai", **metadata}
    cohort = Cohort.of([decay_input(record("x", metadata), 1, 1)])
    return OUTCOMES[cohort.outcomes(np.array([float(days)]), now, np.array([reviewed]))[0]]


def left(days: float, **metadata: Any) -> float:
    cohort = Cohort.of([decay_input(record("x", metadata), 1, 1)])
    return round(float(cohort.effective(np.array([days]))[0]), 6)


@pytest.mark.parametrize(
    ("metadata", "days", "expected"),
    [
        ({}, 5, 1.0),
        ({}, 6, 0.85),
        ({}, 9, 0.522006),
        ({}, 10, 0.443705),
        ({}, 15, 0.196874),
        ({"importance": 2.99}, 6, 2.5415),
        ({"importance": 3.0}, 1000, 3.0),
        ({"category": "episode"}, 3, 1.0),
        ({"category": "episode"}, 4, 0.6),
        ({"category": "episode"}, 7, 0.1296),
        ({"category": "core", "importance": 0.3}, 1000, 0.3),
        ({"category": "system", "importance": 0.3}, 1000, 0.3),
    ],
)
def test_what_is_left(metadata: dict[str, Any], days: int, expected: float) -> None:
    assert left(days, **metadata) == expected


@pytest.mark.parametrize(
    ("days", "given", "expected"),
    [
        (9, {}, "keep"),
        (10, {}, "review"),
        (10, {"reviewed": True}, "keep"),
        (14, {"reviewed": True}, "keep"),
        (15, {"reviewed": True}, "decay"),
        (15, {}, "decay"),
        (15, {"source": "user"}, "review"),
        (15, {"verified": True}, "review"),
        (999, {"source": "user", "reviewed": True}, "keep"),
        (10, {"importance": 0.49}, "keep"),
        (5, {"importance": 0.1}, "keep"),
        (6, {"importance": 0.1}, "decay"),
        (6, {"category": "episode"}, "keep"),
        (7, {"category": "episode"}, "decay"),
        (7, {"category": "episode", "source": "user", "verified": True}, "decay"),
        (7, {"category": "episode", "importance": 3.0}, "keep"),
        (999, {"category": "core", "importance": 0.1}, "keep"),
        (999, {"category": "system", "importance": 0.1}, "keep"),
        (0, {"expires_at": START}, "expired"),
        (0, {"expires_at": START, "category": "core"}, "expired"),
        (0, {"expires_at": START, "category": "system"}, "keep"),
        (0, {"expires_at": START + 1}, "keep"),
    ],
)
def test_outcomes(days: int, given: dict[str, Any], expected: str) -> None:
    assert outcome(days, **given) == expected


def test_the_pinned_are_kept() -> None:
    pinned = replace(record("x", {"source": "import", "expires_at": 1}), pinned=True)
    cohort = Cohort.of([decay_input(pinned, 1, 1)])
    assert cohort.outcomes(np.array([99.0]), START, np.array([False]))[0] == 0
    assert cohort.effective(np.array([99.0]))[0] == 1.0


def test_the_grace_of_keeping() -> None:
    for category, expected in (("fact", [10, 20, 40, 80, 160, 160]), ("episode", [6, 12, 24, 48, 96, 160])):
        one, graces = record("x", {"category": category}), []
        for _ in expected:
            one = decay.extend_grace(one, START)
            graces.append(one.grace)
        assert graces == expected


def test_a_local_date_begins_where_the_user_is() -> None:
    shanghai = Calendar(lambda: ZoneInfo("Asia/Shanghai"))
    evening = datetime(2026, 1, 1, 15, 59, tzinfo=UTC).timestamp()
    assert shanghai.day(evening) + 1 == shanghai.day(evening + 60)
    noted = [(shanghai.day(evening + 60), 7)]
    days = shanghai.days(evening + 60, noted)
    assert days.since(np.array([evening, evening + 60]), np.array([1, 9])).tolist() == [1, 0]
    assert shanghai.days(evening, noted).since(np.array([evening]), np.array([1])).tolist() == [0]


def test_dates_count_that_lie_between() -> None:
    calendar = Calendar()
    today = calendar.day(AT)
    noted = [(today - 9, 1), (today - 5, 2), (today - 1, 3), (today, 4), (today + 3, 5)]
    days = calendar.days(AT, noted)
    begins = np.array([AT - day * DAY for day in (20, 9, 8, 5, 4, 1, 0)])
    assert days.since(begins, np.zeros(7, np.int64)).tolist() == [4, 3, 3, 2, 2, 1, 0]


def test_whole_days_count_on_the_wall() -> None:
    days = Calendar(clock="wall").days(AT, [])
    begins = np.array([AT, AT - DAY + 1, AT - DAY, AT - 9.5 * DAY, AT + 9])
    assert days.since(begins, np.zeros(5, np.int64)).tolist() == [0, 0, 1, 9, 0]


def test_a_beginning_that_a_wrong_clock_told_is_that_of_the_date_before() -> None:
    calendar = Calendar()
    today = calendar.day(AT)
    noted = [(today - 8, 10), (today - 6, 20), (today - 2, 30)]
    begins, seqs = np.array([0.0, AT + 3650 * DAY, 0.0, AT + 3650 * DAY]), np.array([21, 21, 5, 5])
    assert calendar.days(AT, noted).since(begins, seqs).tolist() == [1, 1, 3, 0]
    wall = Calendar(clock="wall").days(AT, noted)
    assert wall.since(begins[:2], seqs[:2]).tolist() == [6, 6]


clocks = (st.floats(-6e10, 2.5e11) | st.floats(AT - 400 * DAY, AT + 400 * DAY)).map(round).map(float)


@given(
    st.lists(clocks, max_size=30),
    clocks,
    st.lists(st.tuples(clocks, st.integers(0, 40)), min_size=1, max_size=8),
    st.sampled_from(["active", "wall"]),
)
def test_no_clock_makes_importance_grow_or_be_lost(
    told: list[float], now: float, epochs: list[tuple[float, int]], clock: Any
) -> None:
    days = _days(told, now, clock)
    passed = days.since(np.array([begin for begin, _ in epochs]), np.array([seq for _, seq in epochs]))
    assert passed.shape == (len(epochs),)
    assert np.isfinite(passed).all()
    assert (passed >= 0).all()
    assert (passed == np.floor(passed)).all()
    if clock == "active":
        assert (passed <= len(days.starts)).all()
    for metadata in KINDS:
        memory = record("x", metadata)
        cohort = Cohort.of([decay_input(memory, 1, 1)] * len(epochs))
        effective = cohort.effective(passed)
        assert ((effective >= 0) & (effective <= memory.importance)).all()


@given(st.lists(clocks, min_size=1, max_size=20), st.integers(0, 19), st.sampled_from(["active", "wall"]))
def test_what_is_new_is_new_whatever_the_clock_says(told: list[float], at: int, clock: Any) -> None:
    """A memory stored at any moment has not aged at that moment."""
    at = min(at, len(told) - 1)
    days = _days(told[: at + 1], told[at], clock)
    assert days.since(np.array([told[at]]), np.array([at + 1])).tolist() == [0]


@given(st.lists(clocks, max_size=6), st.integers(1, 20), st.sampled_from(["active", "wall"]))
def test_after_wrong_clocks_the_days_go_on(wrong: list[float], lived: int, clock: Any) -> None:
    """Told right, then wrong for a while, then right again: a memory of the wrong while ages as lived."""
    right = [AT + day * DAY for day in range(1, lived + 1)]
    days = _days([AT, *wrong, *right], right[-1], clock)
    stored = wrong[-1] if wrong else AT
    passed = days.since(np.array([stored]), np.array([len(wrong) + 1]))
    assert passed[0] <= lived


def _days(told: list[float], now: float, clock: Any) -> Days:
    """The days of somebody who was there at these times, each noted when it first was."""
    calendar = Calendar(clock=clock)
    noted: dict[int, int] = {}
    for seq, at in enumerate(told, 1):
        noted.setdefault(calendar.day(at), seq)
    return calendar.days(now, sorted(noted.items()))


@pytest.mark.parametrize(
    ("effective", "last", "today", "counts", "applied", "limit"),
    [
        (1.0, None, 0.0, True, 0.3, None),
        (1.0, START - 7199, 0.3, False, 0.0, "within 2 hours"),
        (1.0, START - 7200, 0.3, True, 0.3, None),
        (1.0, START + 7199, 0.3, False, 0.0, "within 2 hours"),
        (1.0, START + 7200, 0.3, True, 0.3, None),
        (1.0, START - 7200, 0.9, True, 0.1, "1 a day is the maximum"),
        (1.0, START - 7200, 1.0, True, 0.0, "added today already"),
        (4.8, None, 0.0, True, 0.2, "the maximum is 5"),
        (5.0, None, 0.0, True, 0.0, "the maximum is 5"),
    ],
)
def test_what_a_use_adds(
    effective: float, last: float | None, today: float, counts: bool, applied: float, limit: str | None
) -> None:
    use = boost.effect_of_use(effective, last, today, START)
    assert (use.counts, use.applied) == (counts, applied)
    assert use.limited_by is None if limit is None else limit in str(use.limited_by)


@given(st.lists(st.tuples(st.floats(0, 3 * DAY), st.booleans()), max_size=60))
def test_no_day_of_boosts_adds_more_than_one(steps: list[tuple[float, bool]]) -> None:
    now, importance, done = START, 0.5, list[tuple[float, float]]()
    for step, _ in steps:
        now += step
        last = max((at for at, amount in done if amount), default=None)
        today = sum(amount for at, amount in done if at // DAY == now // DAY)
        use = boost.effect_of_use(importance, last, today, now)
        if use.counts:
            importance += use.applied
            done.append((now, use.applied))
            assert today + use.applied <= 1.0 + 1e-9
        assert importance <= 5.0 + 1e-9
