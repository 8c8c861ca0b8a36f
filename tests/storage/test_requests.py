from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from memory_client.errors import InvalidParameterError, RequestIdConflict
from memoryd.storage import requests
from memoryd.storage.requests import KEEP_SECONDS, RequestKey
from support.small_store import START, USER, SmallStore


def key(
    params: dict[str, Any] | None = None, *, user: str = USER, method: str = "m", id: str = "r"
) -> RequestKey:
    return RequestKey.of(user, method, id, {"text": "t"} if params is None else params)


class Counter:
    """A change that must be carried out once."""

    def __init__(self, store: SmallStore) -> None:
        self.store, self.done = store, 0

    def __call__(self, which: RequestKey | None, reply: Any = None, now: float = START) -> Any:
        def change() -> Any:
            self.done += 1
            return reply if reply is not None else f"id {self.done}"

        return self.store.database.write(lambda tx: requests.run_once(tx, which, now, change))


@pytest.fixture
def once(store: SmallStore) -> Counter:
    return Counter(store)


def test_a_repeated_request_gets_the_same_reply_and_changes_nothing(once: Counter) -> None:
    replies = [once(key()) for _ in range(3)]
    assert (replies, once.done) == (["id 1"] * 3, 1)


def test_without_an_id_every_call_counts(once: Counter) -> None:
    assert [once(None), once(None)] == ["id 1", "id 2"]


@pytest.mark.parametrize("reply", ["id", ["a", "b"], {"ids": ["a"], "count": 1, "backups": []}, 3, []])
def test_replies_come_back_as_they_were(once: Counter, reply: Any) -> None:
    assert [once(key(), reply), once(key(), "other")] == [reply, reply]


def test_other_parameters_are_a_conflict_that_says_what_to_do(once: Counter) -> None:
    once(key({"text": "t", "metadata": {"a": 1}}))
    for other in (
        {"text": "t"},
        {"text": "t", "metadata": {"a": 1.5}},
        {"text": "t", "metadata": {"a": "1"}},
        {},
    ):
        with pytest.raises(RequestIdConflict, match="take a new one") as caught:
            once(key(other))
        assert caught.value.data == {"request_id": "r"}
    assert once.done == 1


def test_the_order_of_keys_and_the_kind_of_list_do_not_matter(once: Counter) -> None:
    once(key({"a": {"x": 1, "y": [1, 2]}, "b": None}))
    once(key({"b": None, "a": {"y": (1, 2), "x": 1}}))
    assert once.done == 1


def test_users_and_methods_have_ids_of_their_own(once: Counter) -> None:
    for which in (key(), key(user="other"), key(method="n"), key(id="s")):
        once(which)
    assert once.done == 4


def test_parts_are_requests_of_their_own_with_the_parameters_of_the_whole(once: Counter) -> None:
    whole = key({"items": ["a", "b"]})
    assert [once(replace(whole, part=n)) for n in (0, 1, 0, 1)] == ["id 1", "id 2", "id 1", "id 2"]
    with pytest.raises(RequestIdConflict):
        once(replace(key({"items": ["a", "c"]}), part=0))


def test_a_write_that_fails_takes_its_reply_with_it(store: SmallStore, once: Counter) -> None:
    def fails(tx: Any) -> None:
        requests.run_once(tx, key(), START, lambda: store.put(tx, "half"))
        raise OSError("after the reply was noted")

    with pytest.raises(OSError, match="after the reply"):
        store.database.write(fails)
    assert once(key()) == "id 1"
    assert store.scalar("SELECT count(*) FROM memories") == 0


def test_a_change_that_fails_may_be_tried_again(store: SmallStore, once: Counter) -> None:
    with pytest.raises(ZeroDivisionError):
        store.database.write(lambda tx: requests.run_once(tx, key(), START, lambda: 1 // 0))
    assert once(key()) == "id 1"


def test_earlier_replies_can_be_looked_up_before_the_work(store: SmallStore, once: Counter) -> None:
    def earlier(which: RequestKey) -> tuple[bool, Any]:
        with store.database.read() as connection:
            return requests.find_reply(connection, which)

    assert earlier(key()) == (False, None)
    once(key(), [])
    assert earlier(key()) == (True, [])
    with pytest.raises(RequestIdConflict):
        earlier(key({}))


def test_replies_are_kept_for_a_day(store: SmallStore, once: Counter) -> None:
    once(key(id="old"), now=START)
    once(key(id="new"), now=START + 1)
    store.database.write(lambda tx: requests.delete_expired(tx, START + KEEP_SECONDS + 0.5))
    assert store.scalar("SELECT group_concat(request_id) FROM requests") == "new"
    assert KEEP_SECONDS == 24 * 3600


def test_a_users_replies_can_be_forgotten(store: SmallStore, once: Counter) -> None:
    once(key())
    once(key(user="other"))
    store.database.write(lambda tx: requests.forget_user(tx, USER))
    assert store.scalar("SELECT group_concat(user_id) FROM requests") == "other"


def test_no_text_is_kept_and_no_hash_that_could_be_guessed(store: SmallStore, once: Counter) -> None:
    once(key({"text": "主人的秘密"}))
    stored = store.scalar("SELECT params_hash FROM requests")
    assert len(stored) == 16
    assert stored not in key({"text": "主人的秘密"}).params_hash
    store.close()
    content = b"".join(path.read_bytes() for path in store.path.parent.glob("memory.sqlite3*"))
    assert "秘密".encode() not in content
    assert key({"text": "主人的秘密"}).params_hash not in content


ODD: list[Callable[[], Any]] = [
    lambda: datetime(2026, 1, 1),
    lambda: 10**100,
    lambda: "\ud800",
    lambda: {1: "a", "b": 2},
    lambda: {1, 2},
    lambda: b"x",
    lambda: float("nan"),
]


@pytest.mark.parametrize("odd", ODD)
def test_parameters_that_are_refused_later_are_no_error_here(odd: Callable[[], Any]) -> None:
    assert key({"metadata": {"x": odd()}}) == key({"metadata": {"x": odd()}})


def test_parameters_nested_without_end_are_refused() -> None:
    deep: Any = 1
    for _ in range(5000):
        deep = [deep]
    with pytest.raises(InvalidParameterError, match="metadata: nested too deep"):
        key({"metadata": deep})
