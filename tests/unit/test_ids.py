from __future__ import annotations

import itertools
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_client.errors import InvalidParameterError, WrongIdError
from memoryd.core.ids import IdFactory, check_id, check_name


@given(st.lists(st.floats(min_value=0, max_value=4e9), min_size=2, max_size=20))
def test_ids_never_go_back_whatever_the_clock_does(times: list[float]) -> None:
    factory = IdFactory()
    ids = [factory.new("mem", now) for now in times]
    assert ids == sorted(ids)
    assert len(set(ids)) == len(ids)


@given(st.floats(min_value=0, max_value=4e9), st.floats(min_value=0.001, max_value=4e9))
def test_ids_of_different_processes_sort_by_time(now: float, later: float) -> None:
    assert IdFactory().new("mem", now) < IdFactory().new("mem", now + later + 0.001)


def test_a_hundred_thousand_at_one_moment_are_unique_and_in_order() -> None:
    factory = IdFactory()
    ids = [factory.new("mem", 1.7e9) for _ in range(100_000)]
    assert all(one < other for one, other in itertools.pairwise(ids))
    assert {len(id) for id in ids} == {24}
    assert check_id(ids[-1], "mem") == ids[-1]


def test_threads_get_different_ids() -> None:
    factory, ids = IdFactory(), []

    def make() -> None:
        ids.extend([factory.new("mem", 1.7e9) for _ in range(2000)])

    threads = [threading.Thread(target=make) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(ids)) == 8000


def test_an_id_of_another_kind_is_named() -> None:
    job = IdFactory().new("job", 1.7e9)
    with pytest.raises(WrongIdError, match="id of a job, expected that of a memory") as caught:
        check_id(job, "mem")
    assert caught.value.data == {"id": job, "expected": "mem", "got": "job"}


@pytest.mark.parametrize(
    "value",
    [
        "",
        "mem",
        "mem_",
        "mem_short",
        "mem_" + "0" * 21,
        "mem_" + "U" * 20,
        "x" * 1000,
        "../mem_1",
        "mem_" + "é" * 20,
    ],
)
def test_what_is_no_id_is_refused_with_what_one_looks_like(value: str) -> None:
    with pytest.raises(InvalidParameterError, match="looks like mem_") as caught:
        check_id(value, "mem", "ids[3]")
    assert caught.value.data["parameter"] == "ids[3]"
    assert len(caught.value.message) < 300


@pytest.mark.parametrize(
    "name",
    [
        "a",
        "小明",
        "../../etc/passwd",
        "a/b\\c",
        "con",
        "a b",
        "*",
        "'; DROP TABLE",
        "👩‍👩‍👧",
        "x" * 200,
        "中" * 66,
    ],
)
def test_names_are_the_apps_own(name: str) -> None:
    assert check_name(name, "user_id") == name


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("", "blank"),
        (" \u3000", "blank"),
        ("a\nb", "control"),
        ("a\0", "control"),
        ("a\x85", "control"),
        ("\x7f", "control"),
        ("x" * 201, "201 bytes"),
        ("中" * 67, "201 bytes"),
        ("\ud800", "surrogate"),
    ],
)
def test_names_that_cannot_be_are_refused_by_name_and_reason(name: str, reason: str) -> None:
    with pytest.raises(InvalidParameterError, match=reason) as caught:
        check_name(name, "session_id")
    assert caught.value.message.startswith("session_id: ")
    caught.value.data["value"].encode("utf-8")
