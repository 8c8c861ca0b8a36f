"""Reads as of a time: what was known then, and true then."""

from __future__ import annotations

import time
from typing import Any

import pytest

from memory_client.errors import HistoryLimitError, InvalidParameterError
from support.daemons import end_daemons
from support.faces import Face, opened

KB = Any


class Ticks:
    """Times between writes: no two of them at one moment, as clocks tick in steps."""

    def __call__(self) -> float:
        time.sleep(0.005)
        now = time.time()
        time.sleep(0.005)
        return now


@pytest.fixture
def tick() -> Ticks:
    return Ticks()


def ids(found: Any) -> list[str]:
    return [one["id"] for one in (found["items"] if isinstance(found, dict) else found)]


def test_get_tells_what_was_known_then(kb: KB, user: str, tick: Ticks) -> None:
    before = tick()
    id = kb.add("主人住在北京", {"mood": "good"}, user_id=user)
    first = tick()
    kb.update_text(id, "主人住在上海", user_id=user)
    second = tick()
    kb.archive(id, user_id=user)
    third = tick()

    assert kb.get(id, as_of=before, user_id=user) is None
    then = kb.get(id, as_of=first, user_id=user)
    assert (then["text"], then["version"], then["state"], then["indexed"]) == (
        "主人住在北京",
        1,
        "active",
        False,
    )
    assert then["metadata"]["mood"] == "good"
    assert kb.get(id, as_of=second, user_id=user)["text"] == "主人住在上海"
    assert kb.get(id, as_of=second, user_id=user)["state"] == "active"
    assert kb.get(id, as_of=third, user_id=user) == kb.get(id, user_id=user)
    assert kb.get(id, as_of=first, user_id=f"not-{user}") is None


def test_a_time_may_be_written_as_elsewhere(kb: KB, user: str) -> None:
    id = kb.add("here", user_id=user)
    assert kb.get(id, as_of="2001-02-03", user_id=user) is None
    assert kb.get(id, as_of="9999-01-01T00:00:00+08:00", user_id=user)["text"] == "here"
    for call in (
        lambda: kb.get(id, as_of="soon"),
        lambda: kb.page(as_of="soon"),
        lambda: kb.search("x", as_of="soon"),
    ):
        with pytest.raises(InvalidParameterError, match="as_of"):
            call()


def test_a_page_shows_what_was_known_active_and_true(kb: KB, user: str, tick: Ticks) -> None:
    moved = kb.add("主人住在北京", user_id=user)
    away = kb.add("put away later", user_id=user)
    kb.add("true in the past only", {"valid_from": 100, "valid_to": 200}, user_id=user)
    gone = kb.add("destroyed later", user_id=user)
    first = tick()
    kb.update_text(moved, "主人住在上海", user_id=user)
    kb.archive(away, user_id=user)
    kb.delete(gone, user_id=user)
    later = kb.add("known later", user_id=user)
    second = tick()

    then = kb.page(as_of=first, user_id=user)
    assert ids(then) == [away, moved]
    assert [one["text"] for one in then["items"]] == ["put away later", "主人住在北京"]
    assert (then["total"], then["omitted"], then["cursor"]) == (2, [], None)
    assert ids(kb.page(as_of=second, user_id=user)) == [later, moved]
    every = kb.page(as_of=first, include_archived=True, user_id=user)
    assert every["total"] == 3
    assert kb.page(as_of=100, user_id=user)["total"] == 0, "nothing was known then"


def test_what_began_and_ended_is_true_in_between_alone(kb: KB, user: str) -> None:
    now = time.time()
    id = kb.add("on holiday", {"valid_from": now + 100, "valid_to": now + 200}, user_id=user)
    for at, wanted in ((now + 50, []), (now + 100, [id]), (now + 199, [id]), (now + 200, [])):
        assert ids(kb.page(as_of=at, user_id=user)) == wanted
        assert ids(kb.search("holiday", mode="lexical", as_of=at, user_id=user)) == wanted


def test_filters_order_and_cursors_go_by_what_was_known(kb: KB, user: str, tick: Ticks) -> None:
    made = [kb.add(f"number {n}", {"importance": n / 2, "mood": "ab"[n % 2]}, user_id=user) for n in range(8)]
    first = tick()
    for n in (1, 3, 4, 6):
        kb.update_metadata(made[n], {"mood": "c"}, user_id=user)
    kb.update_importance(made[7], value=0, user_id=user)

    wanted = [made[n] for n in (7, 5, 3, 1)]
    assert ids(kb.page({"metadata.mood": "b"}, as_of=first, order="importance", user_id=user)) == wanted
    found: list[str] = []
    cursor = None
    for _ in range(4):
        page = kb.page(
            as_of=first, order="importance", sort_order="asc", limit=3, cursor=cursor, user_id=user
        )
        found += ids(page)
        assert page["total"] == 8
        cursor = page["cursor"]
        if cursor is None:
            break
    assert found == made
    first_page = kb.page(as_of=first, limit=3, user_id=user)
    with pytest.raises(InvalidParameterError, match="cursor"):
        kb.page(as_of=first + 1, limit=3, cursor=first_page["cursor"], user_id=user)


def test_a_search_finds_the_words_of_then(kb: KB, user: str, tick: Ticks) -> None:
    moved = kb.add("主人住在北京", user_id=user)
    other = kb.add("主人喜欢北京烤鸭", user_id=user)
    first = tick()
    kb.update_text(moved, "主人住在上海", user_id=user)
    later = kb.add("北京下雪了", user_id=user)

    hits = kb.search("住在北京", mode="lexical", as_of=first, user_id=user)
    assert ids(hits) == [moved, other]
    assert hits[0]["text"] == "主人住在北京"
    assert ids(kb.search("上海", mode="lexical", as_of=first, user_id=user)) == []
    assert ids(kb.search("上海", mode="lexical", user_id=user)) == [moved]
    assert later in ids(kb.search("北京", mode="lexical", user_id=user))
    assert ids(kb.search(moved, mode="exact", as_of=first, user_id=user)) == [moved]
    assert ids(kb.search("北京", mode="lexical", as_of=first - 1000, user_id=user)) == []


def test_a_word_that_nobody_says_any_more_is_found(kb: KB, user: str, tick: Ticks) -> None:
    id = kb.add("the xylophone is mine", user_id=user)
    first = tick()
    kb.update_text(id, "the piano is mine", user_id=user)
    (hit,) = kb.search("xylophone", mode="lexical", as_of=first, user_id=user)
    assert (hit["id"], hit["text"]) == (id, "the xylophone is mine")
    assert kb.search("xylophone", mode="lexical", user_id=user) == []


@pytest.mark.parametrize("mode", ["semantic", "hybrid", "auto"])
def test_a_search_by_meaning_embeds_what_was_said(ready: Face, user: str, tick: Ticks, mode: Any) -> None:
    kb = ready.kb
    moved = kb.add("我的家在北京", user_id=user)
    kb.add_many(["今天吃了拉面", "猫在沙发上睡觉", "下周要交报告", "喜欢听古典音乐"], user_id=user)
    first = tick()
    kb.update_text(moved, "电脑的密码已经改了", user_id=user)
    hits = kb.search("我住在哪个城市", mode=mode, as_of=first, user_id=user)
    assert (hits[0]["id"], hits[0]["text"]) == (moved, "我的家在北京")
    assert hits[0]["scores"]["semantic"] > 0.5
    assert ids(hits) != ids(kb.search("我住在哪个城市", mode=mode, user_id=user))


def test_filters_of_a_search_go_by_what_was_known(kb: KB, user: str, tick: Ticks) -> None:
    id = kb.add("red apple", {"mood": "good"}, user_id=user)
    first = tick()
    kb.update_metadata(id, {"mood": "bad"}, user_id=user)
    good = {"metadata.mood": "good"}
    assert ids(kb.search("apple", mode="lexical", filters=good, as_of=first, user_id=user)) == [id]
    assert ids(kb.search("apple", mode="lexical", filters=good, user_id=user)) == []
    bad = {"metadata.mood": "bad"}
    assert ids(kb.search("apple", mode="lexical", filters=bad, as_of=first, user_id=user)) == []


def test_what_was_archived_later_is_found_as_of_then(kb: KB, user: str, tick: Ticks) -> None:
    id = kb.add("green pear", user_id=user)
    first = tick()
    kb.archive(id, user_id=user)
    second = tick()
    (hit,) = kb.search("pear", mode="lexical", as_of=first, user_id=user)
    assert (hit["id"], hit["state"]) == (id, "active")
    assert kb.search("pear", mode="lexical", as_of=second, user_id=user) == []
    (hit,) = kb.search("pear", mode="lexical", as_of=second, include_archived=True, user_id=user)
    assert hit["state"] == "archived"


def test_turns_are_found_once_they_were_received(kb: KB, user: str, tick: Ticks) -> None:
    kb.conversation.append("s", "user", "the violin is old", user_id=user)
    first = tick()
    kb.conversation.append("s", "user", "the violin is sold", at=100, user_id=user)
    hits = kb.search("violin", mode="lexical", scope=["turn"], as_of=first, user_id=user)
    assert [hit["text"] for hit in hits] == ["the violin is old"]
    assert len(kb.search("violin", mode="lexical", scope="all", user_id=user)) == 2


def test_an_answer_as_of_one_time_is_not_that_of_another(kb: KB, user: str, tick: Ticks) -> None:
    id = kb.add("blue plum", user_id=user)
    first = tick()
    kb.update_text(id, "blue plum pie", user_id=user)
    second = tick()
    texts = {
        at: [hit["text"] for hit in kb.search("plum", mode="lexical", as_of=at, user_id=user)]
        for at in (first, second, first)
    }
    assert texts == {first: ["blue plum"], second: ["blue plum pie"]}


def test_an_agents_past_is_its_own(kb: KB, user: str, tick: Ticks) -> None:
    id = kb.add("secret sauce", user_id=user, agent_id="cook")
    first = tick()
    kb.update_text(id, "secret soup", user_id=user, agent_id="cook")
    assert kb.page(as_of=first, user_id=user)["total"] == 0
    assert kb.search("sauce", mode="lexical", as_of=first, user_id=user) == []
    assert ids(kb.search("sauce", mode="lexical", as_of=first, user_id=user, agent_id="cook")) == [id]
    assert kb.page(as_of=first, user_id=f"not-{user}", agent_id="*")["total"] == 0


@pytest.mark.parametrize("name", ["in-process", "daemon"])
def test_a_time_before_the_history_is_said(name: str, tmp_path: Any, tick: Ticks) -> None:
    settings: dict[str, object] = {"embedder.model": "none", "versions.limit": 2}
    try:
        with opened(name, tmp_path / "home", **settings) as kb:
            before = tick()
            id = kb.add("orange 1", user_id="ann")
            other = kb.add("orange other", user_id="ann")
            first = tick()
            for number in range(2, 5):
                kb.update_text(id, f"orange {number}", user_id="ann")
            assert kb.get(id, as_of=before, user_id="ann") is None
            with pytest.raises(HistoryLimitError, match="back to version 3"):
                kb.get(id, as_of=first, user_id="ann")
            page = kb.page(as_of=first, user_id="ann")
            assert (ids(page), page["omitted"], page["total"]) == ([other], [id], 1)
            report = kb.explain("orange", mode="lexical", as_of=first, user_id="ann")
            assert ids(report["hits"]) == [other]
            assert any("no history" in note for note in report["notes"])
            assert kb.page(as_of=before, user_id="ann")["omitted"] == []
    finally:
        end_daemons(tmp_path)


def test_everything_shows_what_is_no_longer_active_when_asked(ready: Face, user: str) -> None:
    kb = ready.kb
    away, kept = kb.add_many(["主人喜欢拉面", "主人喜欢寿司"], user_id=user)
    kb.archive(away, user_id=user)
    for mode in ("auto", "semantic", "lexical"):
        hits = kb.search("主人喜欢什么", mode=mode, include_archived=True, user_id=user)  # type: ignore[arg-type]
        assert {hit["id"]: hit["state"] for hit in hits} == {away: "archived", kept: "active"}, mode
        assert ids(kb.search("主人喜欢什么", mode=mode, user_id=user)) == [kept]  # type: ignore[arg-type]
    assert ids(kb.search(away, mode="exact", include_archived=True, user_id=user)) == [away]
    assert kb.count(user_id=user, include_archived=True) == 2
    page = kb.page(include_archived=True, user_id=user)
    assert (ids(page), page["total"]) == ([kept, away], 2)
    assert ids(kb.get_all(user, include_archived=True)) == [away, kept]
    assert ids(kb.page({"state": "archived"}, include_archived=True, user_id=user)) == [away]
    first = kb.page(include_archived=True, limit=1, user_id=user)
    with pytest.raises(InvalidParameterError, match="cursor"):
        kb.page(limit=1, cursor=first["cursor"], user_id=user)
