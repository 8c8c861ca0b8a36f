"""Reading what was said: windows, pages, agents, and what a delete leaves."""

from __future__ import annotations

from typing import Any

import pytest

from memory_client.errors import InvalidFilterError, InvalidParameterError, NotFoundError, WrongIdError
from memory_client.types import DeleteResult, Turn, TurnPage
from support.faces import Face

KB = Any
UNKNOWN = "trn_0000000000000000000z"
MEMORY = "mem_0000000000000000000z"


@pytest.fixture
def kb(wordy: Face) -> KB:
    return wordy.kb


def say(kb: KB, session_id: str, *texts: str, **owner: Any) -> list[str]:
    """Turns of a session; their ids."""
    items = [{"role": "user", "text": text} for text in texts]
    return list(kb.conversation.extend(session_id, items, **owner)["ids"])


def texts(turns: list[Turn]) -> list[str]:
    return [turn["text"] for turn in turns]


def test_the_window_is_the_newest_turns_in_order(kb: KB, user: str) -> None:
    say(kb, "s", *(f"turn {i}" for i in range(30)), user_id=user)
    say(kb, "another", "elsewhere", user_id=user)
    assert texts(kb.conversation.window("s", user_id=user)) == [f"turn {i}" for i in range(10, 30)]
    assert texts(kb.conversation.window("s", 2, user_id=user)) == ["turn 28", "turn 29"]
    assert len(kb.conversation.window("s", 1000, user_id=user)) == 30
    assert kb.conversation.window("unknown", user_id=user) == []


@pytest.mark.parametrize("limit", [0, -1, 1001])
def test_limits_have_bounds(kb: KB, user: str, limit: int) -> None:
    for call in (kb.conversation.window, kb.conversation.page):
        with pytest.raises(InvalidParameterError) as caught:
            call("s", limit=limit, user_id=user)
        assert caught.value.data["parameter"] == "limit"


def pages(kb: KB, **query: Any) -> list[TurnPage]:
    found = [kb.conversation.page(**query)]
    while found[-1]["cursor"]:
        found.append(kb.conversation.page(**query, cursor=found[-1]["cursor"]))
    return found


@pytest.mark.parametrize("direction", ["asc", "desc"])
def test_pages_go_by_when_it_was_said_and_then_by_what_came_first(kb: KB, user: str, direction: str) -> None:
    at = [5, 1, 3, 3, 3, 9, 2]
    items = [{"role": "user", "text": f"turn {i}", "at": time} for i, time in enumerate(at)]
    kb.conversation.extend("s", items, user_id=user)
    say(kb, "another", "elsewhere", user_id=user)
    found = pages(kb, session_id="s", limit=3, sort_order=direction, user_id=user)
    assert [len(page["items"]) for page in found] == [3, 3, 1]
    assert {page["total"] for page in found} == {7}
    assert set(found[0]) == set(TurnPage.__annotations__)
    expected = [f"turn {i}" for i in sorted(range(7), key=lambda i: (at[i], i), reverse=direction == "desc")]
    assert texts([turn for page in found for turn in page["items"]]) == expected
    everything = pages(kb, limit=5, user_id=user)
    assert [turn["text"] for page in everything for turn in page["items"]][-1] == "elsewhere"


def test_pages_are_filtered(kb: KB, user: str) -> None:
    kb.conversation.append("s", "user", "花生 one", user_id=user, speaker="小明", metadata={"mood": "bad"})
    kb.conversation.append("s", "assistant", "花生 two", user_id=user, at="2020-05-01")
    kb.conversation.append("t", "assistant", "three", user_id=user)

    def found(**filters: Any) -> list[str]:
        page = kb.conversation.page(filters=filters, user_id=user)
        assert page["total"] == len(page["items"])
        return sorted(texts(page["items"]))

    assert found(role="assistant") == ["three", "花生 two"]
    assert found(speaker="小明") == ["花生 one"]
    assert found(text={"contains": "花生"}) == ["花生 one", "花生 two"]
    assert found(session_id="t") == ["three"]
    assert found(created_at={"lt": "2021-01-01"}) == ["花生 two"]
    assert found(position={"gte": 1}) == ["花生 two"]
    assert found(**{"metadata.mood": {"ne": "bad"}}) == ["three", "花生 two"]
    assert found(**{"not": {"role": "user"}, "or": [{"session_id": "s"}, {"text": "x"}]}) == ["花生 two"]
    with pytest.raises(InvalidFilterError):
        found(user_id="other")


def test_a_cursor_goes_with_its_query(kb: KB, user: str) -> None:
    say(kb, "s", "a", "b", "c", user_id=user)
    cursor = kb.conversation.page("s", limit=1, user_id=user)["cursor"]
    for query in ({"session_id": "t"}, {"sort_order": "desc"}, {"filters": {"role": "user"}}):
        with pytest.raises(InvalidParameterError) as caught:
            kb.conversation.page(**{"session_id": "s", **query}, cursor=cursor, user_id=user)
        assert caught.value.data["parameter"] == "cursor"
    with pytest.raises(InvalidParameterError):
        kb.conversation.page("s", cursor="nonsense", user_id=user)


def test_agents_see_their_own_and_the_common(kb: KB, user: str) -> None:
    common = say(kb, "s", "common", user_id=user)[0]
    cooks = say(kb, "s", "cook's", user_id=user, agent_id="cook")[0]
    say(kb, "s", "maid's", user_id=user, agent_id="maid")
    sees = {None: {"common"}, "cook": {"common", "cook's"}, "*": {"common", "cook's", "maid's"}}
    for agent, expected in sees.items():
        assert set(texts(kb.conversation.window("s", user_id=user, agent_id=agent))) == expected
        page = kb.conversation.page("s", user_id=user, agent_id=agent)
        assert (set(texts(page["items"])), page["total"]) == (expected, len(expected))
        assert kb.stats(user_id=user, agent_id=agent)["turn_count"] == len(expected)
        assert kb.conversation.get(common, user_id=user, agent_id=agent)["text"] == "common"
    assert kb.conversation.get(cooks, user_id=user) is None
    assert kb.conversation.get(cooks, user_id=user, agent_id="maid") is None
    with pytest.raises(NotFoundError):
        kb.conversation.delete([cooks], user_id=user, agent_id="maid")
    with pytest.raises(InvalidParameterError) as caught:
        kb.conversation.append("s", "user", "x", user_id=user, agent_id="*")
    assert caught.value.data["parameter"] == "agent_id"


def test_deleting_turns_is_all_or_none(kb: KB, user: str) -> None:
    ids = say(kb, "s", "a", "b", "c", user_id=user)
    with pytest.raises(NotFoundError, match=UNKNOWN) as caught:
        kb.conversation.delete([ids[0], UNKNOWN], user_id=user)
    assert "turn" in str(caught.value)
    assert kb.conversation.page(user_id=user)["total"] == 3
    deleted = kb.conversation.delete([ids[0], ids[0], ids[2]], user_id=user)
    assert set(deleted) == set(DeleteResult.__annotations__)
    assert (deleted["ids"], deleted["count"]) == ([ids[0], ids[2]], 2)
    assert texts(kb.conversation.window("s", user_id=user)) == ["b"]
    assert kb.conversation.get(ids[0], user_id=user) is None
    with pytest.raises(NotFoundError):
        kb.conversation.delete([ids[0]], user_id=user)
    assert all(finding["ok"] for finding in kb.admin.doctor() if finding["check"] != "disk")


def test_deleting_a_session_takes_all_its_turns(kb: KB, user: str) -> None:
    ids = say(kb, "s", "a", "b", user_id=user)
    passing = kb.conversation.append("s", "user", "c", user_id=user, remember=False)["id"]
    say(kb, "t", "other session", user_id=user)
    say(kb, "s", "agent's", user_id=user, agent_id="cook")
    deleted = kb.conversation.delete(session_id="s", user_id=user)
    assert (deleted["ids"], deleted["count"]) == ([*ids, passing], 3)
    assert kb.conversation.window("s", user_id=user) == []
    left = kb.conversation.page(user_id=user, agent_id="*")["items"]
    assert sorted(texts(left)) == ["agent's", "other session"]
    with pytest.raises(NotFoundError, match="'s'"):
        kb.conversation.delete(session_id="s", user_id=user)
    assert kb.conversation.append("s", "user", "anew", user_id=user)["position"] == 0


@pytest.mark.parametrize("arguments", [{}, {"ids": []}, {"ids": [UNKNOWN], "session_id": "s"}])
def test_delete_wants_exactly_one_of_its_ways(kb: KB, user: str, arguments: dict[str, Any]) -> None:
    with pytest.raises(InvalidParameterError, match="exactly one"):
        kb.conversation.delete(**arguments, user_id=user)


def test_ids_of_memories_and_turns_are_told_apart(kb: KB, user: str) -> None:
    for call in (lambda: kb.conversation.get(MEMORY), lambda: kb.conversation.delete([MEMORY])):
        with pytest.raises(WrongIdError, match="id of a memory, expected that of a turn") as caught:
            call()
        assert (caught.value.data["got"], caught.value.data["expected"]) == ("mem", "trn")
    for call in (
        lambda: kb.get(UNKNOWN),
        lambda: kb.get_many([UNKNOWN]),
        lambda: kb.update_text(UNKNOWN, "x"),
        lambda: kb.delete(UNKNOWN),
        lambda: kb.delete_many([UNKNOWN]),
    ):
        with pytest.raises(WrongIdError, match="id of a turn, expected that of a memory"):
            call()
    with pytest.raises(InvalidParameterError):
        kb.conversation.get("nonsense")
    assert kb.conversation.get(UNKNOWN, user_id=user) is None


def test_turns_are_no_memories(kb: KB, user: str) -> None:
    """`search` and `get_all` return what `update_text` and `delete` accept."""
    say(kb, "s", "花生酱", user_id=user)
    id = kb.add("花生", user_id=user)
    assert [hit["id"] for hit in kb.search("花生", user_id=user, mode="lexical")] == [id]
    assert [memory["id"] for memory in kb.get_all(user)] == [id]
    assert kb.count(user_id=user) == 1


def test_words_find_a_turn_at_once_until_it_is_deleted(kb: KB, user: str) -> None:
    say(kb, "s", "we talked of something else", user_id=user)
    id = kb.conversation.append("s", "user", "主人爱吃枇杷", user_id=user)["id"]
    kb.conversation.append("s", "user", "枇杷 for now", user_id=user, remember=False)

    def found() -> list[str]:
        hits = kb.search("枇杷", user_id=user, mode="lexical", scope=["turn"])
        return [hit["id"] for hit in hits]

    assert found() == [id]
    kb.conversation.delete([id], user_id=user)
    assert found() == []


def test_delete_all_takes_turns_and_sessions(kb: KB, user: str) -> None:
    say(kb, "s", "a", "b", user_id=user)
    say(kb, "s", "c", user_id=user, agent_id="cook")
    kb.conversation.append("s", "user", "d", user_id=user, remember=False)
    theirs = say(kb, "s", "theirs", user_id=f"{user}-other")
    before = kb.status()["counts"]
    assert kb.delete_all(user)["counts"] == {"memories": 0, "turns": 4, "points": 0}
    after = kb.status()["counts"]
    assert (before["turns"] - after["turns"], before["sessions"] - after["sessions"]) == (4, 2)
    assert kb.conversation.page(user_id=user, agent_id="*")["total"] == 0
    assert kb.conversation.append("s", "user", "anew", user_id=user)["position"] == 0
    assert kb.conversation.get(theirs[0], user_id=f"{user}-other")["text"] == "theirs"
