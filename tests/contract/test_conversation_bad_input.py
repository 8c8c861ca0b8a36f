"""Bad input to conversations: the parameter, the value and the fix are named, and nothing is stored."""

from __future__ import annotations

from typing import Any

import pytest

from memory_client.errors import InvalidParameterError
from support.faces import Face

KB = Any


@pytest.fixture
def kb(wordy: Face) -> KB:
    return wordy.kb


BAD = [
    ({"role": "narrator"}, "role", ["narrator", "assistant"]),
    ({"text": ""}, "text", ["blank"]),
    ({"text": " \n\u200b"}, "text", ["blank"]),
    ({"text": "a\ud800"}, "text", ["UTF-8"]),
    ({"text": "x" * 1_000_001}, "text", ["limits.text_chars"]),
    ({"at": "soon"}, "at", ["'soon'", "ISO 8601"]),
    ({"at": float("nan")}, "at", ["nan", "epoch seconds"]),
    ({"at": 1e300}, "at", ["epoch seconds"]),
    ({"at": "2026-02-30"}, "at", ["2026-02-30"]),
    ({"tz": "Mars/Olympus"}, "tz", ["Mars/Olympus", "Asia/Shanghai"]),
    ({"tz": "America"}, "tz", ["IANA"]),
    ({"tz": "../etc/passwd"}, "tz", ["IANA"]),
    ({"tz": ""}, "tz", ["IANA"]),
    ({"tz": "x" * 5000}, "tz", ["IANA"]),
    ({"speaker": ""}, "speaker", ["blank"]),
    ({"speaker": "a\nb"}, "speaker", ["control"]),
    ({"speaker": "x" * 201}, "speaker", ["201 bytes"]),
    ({"metadata": {"x": float("inf")}}, "metadata.x", ["inf", "finite"]),
    ({"metadata": {"": 1}}, "metadata key", ["blank"]),
    ({"metadata": {"x": "y" * 70_000}}, "metadata", ["limits.metadata_bytes"]),
    ({"metadata": {"ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8": 1}}, "metadata", ["credential"]),
]
IDS = [f"{name}-{number}" for number, (_, name, _) in enumerate(BAD)]


@pytest.mark.parametrize(("given", "parameter", "words"), BAD, ids=IDS)
def test_append_names_what_is_wrong(
    kb: KB, user: str, given: dict[str, Any], parameter: str, words: list[str]
) -> None:
    with pytest.raises(InvalidParameterError) as caught:
        kb.conversation.append(**{"session_id": "s", "role": "user", "text": "x", **given}, user_id=user)
    assert caught.value.data["parameter"] == parameter
    assert all(word in str(caught.value) for word in [parameter, *words])
    assert kb.conversation.page(user_id=user)["total"] == 0


@pytest.mark.parametrize(("given", "parameter", "words"), BAD, ids=IDS)
def test_extend_names_the_item_too(
    kb: KB, user: str, given: dict[str, Any], parameter: str, words: list[str]
) -> None:
    items = [{"role": "user", "text": "fine"}, {"role": "user", "text": "x", **given}]
    with pytest.raises(InvalidParameterError) as caught:
        kb.conversation.extend("s", items, user_id=user)
    assert caught.value.data["parameter"] == f"turns[1].{parameter}"
    assert all(word in str(caught.value) for word in ["turns[1]", *words])
    assert kb.conversation.page(user_id=user)["total"] == 0


@pytest.mark.parametrize(
    ("item", "place", "words"),
    [
        ({"role": "user"}, "turns[0].text", ["missing", "content"]),
        ({"role": "user", "content": None}, "turns[0].text", ["missing"]),
        ({"role": "user", "content": ""}, "turns[0].content", ["blank"]),
        ({"role": "user", "text": "a", "content": "b"}, "turns[0].content", ["'b'", "'a'"]),
        ({"role": "user", "text": "a", "at": 1, "timestamp": 2}, "turns[0].timestamp", ["1", "2"]),
        ({"role": "user", "text": "a", "timestamp": "x"}, "turns[0].timestamp", ["'x'"]),
        ({"role": "user", "text": "a", "user_id": "another"}, "turns[0].user_id", ["'another'", "one user"]),
        ({"content": "x"}, "turns[0]", ["role"]),
        ({"role": "user", "text": 5}, "turns[0].text", ["5", "str"]),
        ({"role": "user", "text": "x", "remember": "no"}, "turns[0].remember", ["bool"]),
        ({"role": "user", "text": "x", "at": True}, "turns[0].at", ["True"]),
        ({"role": "user", "text": "x", "speakr": "y"}, "turns[0]", ["'speakr'", "did you mean 'speaker'"]),
        ("a text", "turns[0]", ["'a text'"]),
    ],
)
def test_items_are_checked(kb: KB, user: str, item: Any, place: str, words: list[str]) -> None:
    with pytest.raises(InvalidParameterError) as caught:
        kb.conversation.extend("s", [item], user_id=user)
    assert caught.value.data["parameter"] == place
    assert all(word in str(caught.value) for word in words)
    assert kb.conversation.page(user_id=user)["total"] == 0


def test_the_time_zone_of_the_call_is_checked(kb: KB, user: str) -> None:
    with pytest.raises(InvalidParameterError, match="Nowhere"):
        kb.conversation.extend("s", [{"role": "user", "text": "x"}], tz="Nowhere", user_id=user)


@pytest.mark.parametrize("name", ["", "  ", "x" * 201, "a\nb", "a\0b", "\ud800"])
@pytest.mark.parametrize("parameter", ["user_id", "agent_id", "session_id"])
def test_names_are_names(kb: KB, name: str, parameter: str) -> None:
    owner = {"session_id": "s", parameter: name}
    for call in (
        lambda: kb.conversation.append(role="user", text="x", **owner),
        lambda: kb.conversation.extend(turns=[{"role": "user", "text": "x"}], **owner),
        lambda: kb.conversation.window(**owner),
        lambda: kb.conversation.page(**owner),
        lambda: kb.conversation.delete(**owner),
        lambda: kb.conversation.end(**owner),
    ):
        with pytest.raises(InvalidParameterError) as caught:
            call()
        assert caught.value.data["parameter"] == parameter


@pytest.mark.parametrize("name", ["主人", "a b", "A/B\\C:*?", "..", "CON", "'; DROP TABLE turns; --"])
def test_odd_names_are_fine(kb: KB, user: str, name: str) -> None:
    owner = {"user_id": f"{user}{name}", "agent_id": name}
    id = kb.conversation.append(name, "user", "odd", **owner, speaker=name)["id"]
    assert [turn["id"] for turn in kb.conversation.window(name, **owner)] == [id]
    assert kb.conversation.end(name, **owner)["closed"]


def test_a_nul_becomes_a_space_and_is_said(kb: KB, user: str) -> None:
    id = kb.conversation.append("s", "user", "a\0b", user_id=user)["id"]
    turn = kb.conversation.get(id, user_id=user)
    assert turn["text"] == "a b"
    assert turn["warnings"]
