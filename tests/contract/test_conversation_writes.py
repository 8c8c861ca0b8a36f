"""What is said is kept word for word, in order, once."""

from __future__ import annotations

import time
from typing import Any

import pytest

from memory_client.errors import InvalidParameterError, NotFoundError
from memory_client.progress import on_progress
from memory_client.types import AppendResult, EndResult, ExtendResult, Turn
from support.daemons import end_daemons
from support.faces import FACES, Face, opened

KB = Any
WORDLESS = {"embedder.model": "none"}


@pytest.fixture
def kb(wordy: Face) -> KB:
    return wordy.kb


def texts(turns: list[Turn]) -> list[str]:
    return [turn["text"] for turn in turns]


def session(count: int) -> list[dict[str, Any]]:
    """The turns of a long talk."""
    roles = ("user", "assistant")
    return [{"role": roles[i % 2], "content": f"turn {i} 第{i}句"} for i in range(count)]


def test_append_stores_a_turn_with_every_field(kb: KB, user: str) -> None:
    before = time.time()
    receipt = kb.conversation.append("s 1", "user", "主人对花生过敏", user_id=user)
    assert set(receipt) == set(AppendResult.__annotations__)
    assert receipt["id"].startswith("trn_")
    assert (receipt["session_id"], receipt["position"]) == ("s 1", 0)
    assert (receipt["topic"], receipt["anchors"]) == ("unknown", [])
    turn = kb.conversation.get(receipt["id"], user_id=user)
    assert set(turn) == set(Turn.__annotations__)
    assert before - 1 <= turn["received_at"] == turn["created_at"] <= time.time() + 1
    expected = {
        "id": receipt["id"],
        "user_id": user,
        "agent_id": None,
        "session_id": "s 1",
        "position": 0,
        "role": "user",
        "speaker": None,
        "text": "主人对花生过敏",
        "tz": "UTC",
        "event_start": None,
        "event_end": None,
        "remembered": True,
        "metadata": {},
        "indexed": False,
        "warnings": [],
        "redactions": {},
    }
    assert {name: turn[name] for name in expected} == expected


def test_what_is_given_comes_back(kb: KB, user: str) -> None:
    metadata = {"mood": {"now": ["bad", 1.5, None, True]}, "kind": "own", "深": "值", "big": 2**62}
    receipt = kb.conversation.append(
        "s",
        "tool",
        "  a text\n\twith  its spaces \U0001f44d\U0001f3fd ",
        user_id=user,
        agent_id="cook",
        at=1.5,
        tz="America/New_York",
        speaker="天气",
        metadata=metadata,
    )
    turn = kb.conversation.get(receipt["id"], user_id=user, agent_id="cook")
    assert turn["text"] == "  a text\n\twith  its spaces \U0001f44d\U0001f3fd "
    assert (turn["role"], turn["agent_id"], turn["speaker"]) == ("tool", "cook", "天气")
    assert (turn["created_at"], turn["tz"]) == (1.5, "America/New_York")
    assert turn["metadata"] == metadata


@pytest.mark.parametrize(
    ("at", "tz"),
    [
        (1767403800, None),
        ("2026-01-03T01:30:00", None),
        ("2026-01-03T09:30:00+08:00", None),
        ("2026-01-03T09:30:00", "Asia/Shanghai"),
        ("2026-01-03T01:30:00Z", "Asia/Shanghai"),
        ("2026-01-02T20:30:00", "America/New_York"),
    ],
)
def test_times_are_epoch_seconds_however_they_were_written(kb: KB, user: str, at: Any, tz: str) -> None:
    id = kb.conversation.append("s", "user", "x", user_id=user, at=at, tz=tz)["id"]
    assert kb.conversation.get(id, user_id=user)["created_at"] == 1767403800.0


DAY = 86_400.0
SAID = 1767403800.0  # Saturday 2026-01-03, 09:30 in Shanghai
MIDNIGHT = SAID - 9.5 * 3600


@pytest.mark.parametrize(
    ("text", "tz", "start", "end"),
    [
        ("我昨天去爬山了", "Asia/Shanghai", MIDNIGHT - DAY, MIDNIGHT),
        ("Yesterday I went hiking", "Asia/Shanghai", MIDNIGHT - DAY, MIDNIGHT),
        ("Yesterday I went hiking", None, MIDNIGHT + 8 * 3600 - DAY, MIDNIGHT + 8 * 3600),
        # New York is thirteen hours behind: there it is still the day before
        ("Yesterday I went hiking", "America/New_York", MIDNIGHT - 35 * 3600, MIDNIGHT - 11 * 3600),
        ("I have a dog", "Asia/Shanghai", None, None),
        ("2月30日", "Asia/Shanghai", None, None),
    ],
)
def test_the_time_a_turn_speaks_of_is_found(
    kb: KB, user: str, text: str, tz: str | None, start: float | None, end: float | None
) -> None:
    first = kb.conversation.append("s", "user", text, user_id=user, at=SAID, tz=tz)["id"]
    item = {"role": "user", "content": text, "timestamp": SAID}
    second = kb.conversation.extend("s", [item], user_id=user, tz=tz)["ids"][0]
    for id in (first, second):
        turn = kb.conversation.get(id, user_id=user)
        assert (turn["event_start"], turn["event_end"]) == (start, end)
    page = kb.conversation.page(filters={"event_start": {"lte": 2e9}}, user_id=user)
    assert page["total"] == (2 if start else 0)


@pytest.mark.parametrize("at", ["0001-01-02T00:00:00Z", "9999-12-29T00:00:00Z", -1, 0])
def test_the_ends_of_the_calendar_are_no_fault(kb: KB, user: str, at: Any) -> None:
    text = "yesterday, last year, in 100 years, 明年, 上个世纪"
    for zone in (None, "Pacific/Kiritimati", "Pacific/Niue"):
        kb.conversation.append("s", "user", text, user_id=user, at=at, tz=zone)


def test_positions_count_up_in_a_session_of_a_user_and_an_agent(kb: KB, user: str) -> None:
    def position(session_id: str, **owner: str) -> int:
        receipt = kb.conversation.append(session_id, "user", "x", **{"user_id": user, **owner})
        return int(receipt["position"])

    assert [position("s") for _ in range(3)] == [0, 1, 2]
    assert position("other") == 0
    assert position("s", agent_id="cook") == 0
    assert position("s", user_id=f"{user}-other") == 0
    assert position("s") == 3
    assert kb.conversation.extend("s", session(2), user_id=user)["count"] == 2
    assert position("s") == 6


def test_a_position_is_not_given_again(kb: KB, user: str) -> None:
    kb.conversation.append("s", "user", "first", user_id=user)
    last = kb.conversation.append("s", "user", "last", user_id=user)
    kb.conversation.delete([last["id"]], user_id=user)
    assert kb.conversation.append("s", "user", "new", user_id=user)["position"] == 2


def test_extend_stores_a_whole_session_with_progress(kb: KB, user: str) -> None:
    given = session(600)
    reports: list[tuple[int, int, str]] = []
    with on_progress(lambda *report: reports.append(report)):
        receipt = kb.conversation.extend("talk", given, user_id=user)
    assert set(receipt) == set(ExtendResult.__annotations__)
    assert (receipt["session_id"], receipt["count"]) == ("talk", 600)
    assert sorted(set(receipt["ids"])) == receipt["ids"]
    assert reports[-1][:2] == (600, 600)
    assert [done for done, _, _ in reports] == sorted(done for done, _, _ in reports)
    stored = kb.conversation.window("talk", 1000, user_id=user)
    assert [(turn["id"], turn["role"], turn["text"]) for turn in stored] == [
        (id, turn["role"], turn["content"]) for id, turn in zip(receipt["ids"], given, strict=True)
    ]
    assert [turn["position"] for turn in stored] == list(range(600))


def test_extend_takes_each_items_own_values(kb: KB, user: str) -> None:
    items = [
        {"role": "user", "text": "a", "at": "2026-01-03T09:30:00", "speaker": "小明", "metadata": {"n": 1}},
        {"role": "assistant", "content": "b", "timestamp": 5, "tz": "UTC", "user_id": user},
        {"role": "system", "text": "c", "content": "c", "remember": False, "metadata": None, "tz": None},
    ]
    ids = kb.conversation.extend("s", items, user_id=user, tz="Asia/Shanghai")["ids"]
    first, second, third = (kb.conversation.get(id, user_id=user) for id in ids)
    assert (first["created_at"], first["tz"]) == (1767403800.0, "Asia/Shanghai")
    assert (first["speaker"], first["metadata"], first["remembered"]) == ("小明", {"n": 1}, True)
    assert (second["text"], second["created_at"], second["tz"]) == ("b", 5.0, "UTC")
    assert (third["role"], third["remembered"], third["tz"]) == ("system", False, "Asia/Shanghai")


def test_extend_of_nothing_makes_no_session(kb: KB, user: str) -> None:
    receipt = kb.conversation.extend("s", [], user_id=user)
    assert receipt == {"ids": [], "session_id": "s", "count": 0}
    with pytest.raises(NotFoundError):
        kb.conversation.end("s", user_id=user)


def test_extend_checks_every_item_before_the_first_is_stored(kb: KB, user: str) -> None:
    items = [*session(600), {"role": "user", "content": "x", "timestamp": "soon"}]
    with pytest.raises(InvalidParameterError, match=r"turns\[600\]\.timestamp.*soon") as caught:
        kb.conversation.extend("s", items, user_id=user)
    assert caught.value.data["parameter"] == "turns[600].timestamp"
    assert kb.conversation.page(user_id=user)["total"] == 0


def test_credentials_leave_text_speaker_and_metadata(kb: KB, user: str) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    given = {"speaker": secret, "metadata": {"deep": [{"x": f"token {secret}"}]}}
    first = kb.conversation.append("s", "user", f"my token is {secret}, keep it", user_id=user, **given)
    item = {"role": "user", "content": f"again {secret}", **given}
    second = kb.conversation.extend("s", [item], user_id=user)["ids"][0]
    for id, text in ((first["id"], "my token is [secret:"), (second, "again [secret:")):
        turn = kb.conversation.get(id, user_id=user)
        assert secret not in str(turn)
        assert turn["text"].startswith(text)
        assert sum(turn["redactions"]["secrets"].values()) == 3


def test_remember_false_is_in_the_window_only_and_goes_with_the_closing(kb: KB, user: str) -> None:
    kb.conversation.append("s", "user", "to be kept", user_id=user)
    passing = kb.conversation.append("s", "system", "instructions for now", user_id=user, remember=False)
    kb.conversation.extend("s", [{"role": "tool", "content": "also", "remember": False}], user_id=user)
    window = kb.conversation.window("s", user_id=user)
    assert texts(window) == ["to be kept", "instructions for now", "also"]
    assert [turn["remembered"] for turn in window] == [True, False, False]
    assert texts(kb.conversation.page("s", user_id=user)["items"]) == ["to be kept"]
    assert kb.stats(user_id=user)["turn_count"] == 1
    ended = kb.conversation.end("s", user_id=user)
    assert set(ended) == set(EndResult.__annotations__)
    assert ended == {"session_id": "s", "closed": True, "dropped_count": 2}
    assert texts(kb.conversation.window("s", user_id=user)) == ["to be kept"]
    assert kb.conversation.get(passing["id"], user_id=user) is None
    assert all(finding["ok"] for finding in kb.admin.doctor() if finding["check"] != "disk")


def test_a_closed_session_is_opened_again_by_the_next_turn(kb: KB, user: str) -> None:
    kb.conversation.append("s", "user", "before", user_id=user)
    assert kb.conversation.end("s", user_id=user)["closed"] is True
    assert kb.conversation.end("s", user_id=user) == {"session_id": "s", "closed": False, "dropped_count": 0}
    receipt = kb.conversation.append("s", "user", "after", user_id=user)
    assert receipt["position"] == 1
    assert texts(kb.conversation.window("s", user_id=user)) == ["before", "after"]
    assert kb.conversation.end("s", user_id=user)["closed"] is True


def test_a_session_that_never_was_cannot_end(kb: KB, user: str) -> None:
    kb.conversation.append("theirs", "user", "x", user_id=f"{user}-other")
    kb.conversation.append("cooks", "user", "x", user_id=user, agent_id="cook")
    for name in ("never", "theirs", "cooks"):
        with pytest.raises(NotFoundError, match=name) as caught:
            kb.conversation.end(name, user_id=user)
        assert caught.value.data["session_id"] == name


@pytest.mark.parametrize("name", FACES)
def test_an_idle_session_closes_by_when_turns_were_received(tmp_path: Any, name: str) -> None:
    """What `at` says does not count; a store that opens late catches up."""
    home = tmp_path / "home"
    try:
        with opened(name, home, **WORDLESS) as kb:
            kb.conversation.append("old", "user", "for now", at="2020-01-01", remember=False)
        end_daemons(home)
        with opened(name, home, **WORDLESS) as kb:
            assert texts(kb.conversation.window("old")) == ["for now"]
        end_daemons(home)
        with opened(name, home, **WORDLESS, **{"conversation.idle_minutes": 0.0001}) as kb:
            until = time.monotonic() + 20
            while kb.conversation.window("old"):
                assert time.monotonic() < until, "the session was not closed"
                time.sleep(0.02)
            assert kb.conversation.end("old")["closed"] is False
            assert kb.conversation.append("old", "user", "back again")["position"] == 1
    finally:
        end_daemons(home)


@pytest.mark.parametrize("name", FACES)
def test_extend_goes_on_where_it_was_interrupted(tmp_path: Any, name: str) -> None:
    home = tmp_path / "home"
    items = session(900)

    class Interrupted(Exception):
        pass

    def interrupt(done: int, _total: int, _what: str) -> None:
        if done < 900:
            raise Interrupted

    try:
        with (
            opened(name, home, **WORDLESS) as kb,
            pytest.raises(Interrupted),
            on_progress(interrupt),
        ):
            kb.conversation.extend("s", items, request_id="r")
        with opened(name, home, **WORDLESS) as kb:
            stored = {turn["id"] for turn in kb.conversation.window("s", 1000)}
            ids = kb.conversation.extend("s", items, request_id="r")["ids"]
            assert stored
            assert stored <= set(ids)
            assert kb.conversation.page("s")["total"] == len(set(ids)) == 900
            window = kb.conversation.window("s", 1000)
            assert [turn["text"] for turn in window] == [item["content"] for item in items]
            assert [turn["position"] for turn in window] == list(range(900))
    finally:
        end_daemons(home)
