from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_client.errors import InvalidParameterError
from memoryd.core.text import clean_text
from memoryd.core.times import EARLIEST, LATEST, parse_time


@pytest.mark.parametrize("text", ["a", "猫", " x ", "👩‍👩‍👧", "x" * 100, "a\u200b", "\U0001fae9", "。"])
def test_visible_texts_stay_as_they_are(text: str) -> None:
    assert clean_text(text, 100) == (text, [])


@pytest.mark.parametrize("text", ["", " ", "\n\t", "\u3000", "\0", "\u200b\u200d\ufeff", "\x01", "\u2028"])
def test_texts_without_a_visible_character_are_blank(text: str) -> None:
    with pytest.raises(InvalidParameterError, match="text: is empty or blank"):
        clean_text(text, 100)


def test_nul_characters_become_spaces_and_that_is_said() -> None:
    assert clean_text("a\0b\0", 100) == ("a b ", ["2 NUL characters became spaces"])


@pytest.mark.parametrize(
    ("text", "fault"), [("x" * 101, "has 101 characters"), ("a\ud800", "lone surrogate at 1")]
)
def test_other_texts_are_refused_by_parameter_fault_and_expectation(text: str, fault: str) -> None:
    with pytest.raises(InvalidParameterError, match=fault) as caught:
        clean_text(text, 100, "items[2].text")
    assert caught.value.message.startswith("items[2].text: ")
    assert set(caught.value.data) == {"parameter", "value", "expected"}


@pytest.mark.parametrize(
    ("setting", "expected"), [(None, "at most 100"), ("a.b", "at most 100 (setting a.b)")]
)
def test_a_limit_names_the_setting_that_governs_it_and_no_other(setting: str | None, expected: str) -> None:
    with pytest.raises(InvalidParameterError) as caught:
        clean_text("x" * 101, 100, setting=setting)
    assert caught.value.data["expected"] == expected


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        (0, 0.0),
        (1767403800, 1767403800.0),
        (-1.5, -1.5),
        ("1970-01-01", 0.0),
        ("2026-01-03T01:30:00", 1767403800.0),
        ("2026-01-03T01:30:00Z", 1767403800.0),
        ("2026-01-03T09:30:00+08:00", 1767403800.0),
        (" 2026-01-03 09:30+08:00 ", 1767403800.0),
        ("1969-12-31T23:59:59.500", -0.5),
    ],
)
def test_times_are_epoch_seconds_or_iso_texts(written: Any, seconds: float) -> None:
    assert parse_time(written, "t") == seconds


@pytest.mark.parametrize(
    "written",
    [
        "yesterday",
        "",
        "2026-13-01",
        "2026-02-30",
        "1767403800",
        True,
        None,
        [],
        b"2026-01-01",
        float("nan"),
        float("inf"),
        10**400,
        1767403800000,
        "0001-01-01",
        "x" * 10_000,
    ],
)
def test_other_values_are_no_times(written: Any) -> None:
    with pytest.raises(
        InvalidParameterError, match=r"^metadata\.t: .* is not a time; expected epoch"
    ) as caught:
        parse_time(written, "metadata.t")
    assert len(caught.value.message) < 300


@given(
    st.datetimes(min_value=datetime(2, 1, 1), max_value=datetime(9998, 1, 1)),
    st.integers(min_value=-14 * 60, max_value=14 * 60),
)
def test_a_moment_is_the_same_in_every_zone(moment: datetime, minutes: int) -> None:
    aware = moment.replace(tzinfo=UTC)
    there = aware.astimezone(timezone(timedelta(minutes=minutes)))
    assert parse_time(there.isoformat(), "t") == pytest.approx(aware.timestamp(), abs=1e-3)
    assert EARLIEST <= parse_time(there.isoformat(), "t") <= LATEST
