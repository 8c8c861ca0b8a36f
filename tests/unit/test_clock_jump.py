"""Whether a clock jumped, as the dates of a user and the order of recording them tell."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd.core.life.active_days import clock_jump, trusted_days

FAR = 3650


def daily(first: int, last: int, seq: int = 0) -> list[tuple[int, int]]:
    """A date for each day, noted in order."""
    return [(day, seq + day - first) for day in range(first, last + 1)]


@given(st.integers(30, 2000), st.data())
def test_who_was_there_every_day_is_not_misled_by_a_clock_set_back(days: int, data: st.DataObject) -> None:
    back = data.draw(st.integers(2, days - 1))
    assert clock_jump(days - back, daily(0, days), []) == "behind"


@given(st.integers(30, 2000), st.integers(1, 10), st.integers(28, FAR))
def test_days_of_a_clock_that_was_ahead_lie_apart(days: int, wrong: int, ahead: int) -> None:
    told = [*daily(0, days), *daily(days + ahead, days + ahead + wrong - 1, 10_000)]
    assert clock_jump(days, told, [days + ahead]) != "behind"


def test_a_machine_that_wakes_up_in_1970_is_behind() -> None:
    assert clock_jump(0, daily(20_000, 20_100), []) == "behind"
    assert clock_jump(0, [(0, 500), *daily(20_000, 20_100)], []) == "behind"


def test_a_holiday_does_not_hide_that_the_days_run_on() -> None:
    assert clock_jump(100, [*daily(0, 99), *daily(120, 140, 100)], []) == "behind"


def test_a_few_dates_noted_since_the_clock_was_set_back_change_nothing() -> None:
    weekdays = [(day, day) for day in range(200) if day % 7 < 5]
    assert clock_jump(154, [*weekdays, (153, 500), (154, 501)], []) == "behind"


@pytest.mark.parametrize("lived", [3, 10])
def test_who_went_back_and_lives_there_is_right(lived: int) -> None:
    """The clock was 20 days ahead for 3 days."""
    told = [*daily(0, 50), *daily(71, 73, 100), *daily(51, 50 + lived, 200)]
    assert clock_jump(50 + lived, sorted(told), [71]) != "behind"
    assert clock_jump(52, sorted([*daily(0, 50), *daily(71, 73, 100), *daily(51, 52, 200)]), [71]) == "behind"


def test_an_old_error_that_today_comes_near_is_still_one() -> None:
    told = [*daily(0, 50), (400, 100), *daily(51, 390, 200)]
    assert clock_jump(390, sorted(told), []) != "behind"
    back = [*daily(0, 50), (FAR, 100), *daily(51, 390, 200)]
    assert clock_jump(350, sorted(back), []) == "behind", "another error, longer ago, is no sign of life"


def test_without_dates_the_passes_tell() -> None:
    assert clock_jump(100, [], list(range(102, 140))) == "behind"
    assert clock_jump(100, [], [100 + FAR]) != "behind"
    assert clock_jump(100, [], []) != "behind"
    assert clock_jump(100, daily(0, 101), [101]) != "behind", "another time zone"


def test_days_lived_are_those_with_a_sign_near_them() -> None:
    assert trusted_days([0, 3, 10], 10, list(range(11)), 2) == [10, 7, 0]
    assert trusted_days([0, 3], 10, [4, 5], 2) == [2 + 1 + 2, 1 + 1 + 2]
    assert trusted_days([0], FAR, [], 90) == [90]
    assert trusted_days([5], 3, [], 90) == [0], "it lies ahead of the clock"
    assert trusted_days([0], 10, [0, 2, FAR], 4) == [2 + 4], "dates ahead of the clock are no sign"
    assert trusted_days([], 10, [1], 4) == []


def test_a_year_without_a_date_is_a_jump_ahead_until_some_days_are_lived() -> None:
    lived_before = daily(0, 50)
    assert clock_jump(50 + 365, lived_before, []) is None
    assert clock_jump(FAR, lived_before, []) == "ahead"
    assert clock_jump(FAR + 3, [*lived_before, *daily(FAR, FAR + 3, 100)], []) == "ahead"
    assert clock_jump(FAR + 3, lived_before, list(range(FAR, FAR + 4))) == "ahead", "skipped passes count"
    assert clock_jump(FAR + 7, [*lived_before, *daily(FAR, FAR + 7, 100)], []) is None
    assert clock_jump(FAR, [], []) is None
    assert clock_jump(51, [*lived_before, (FAR, 100), (51, 101)], []) is None, "it is right again"
