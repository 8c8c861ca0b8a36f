from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any

import pytest

from memory_client.errors import (
    InvalidParameterError,
    InvalidStateError,
    NotFoundError,
    RequestIdConflict,
    WrongIdError,
)
from memory_client.types import Conflict
from support.faces import Face

UNKNOWN = "mem_0000000000000000000z"
LAWYER, NURSE = "主人的职业是律师", "主人的职业是护士"


def sides(found: list[Conflict]) -> list[tuple[str, str]]:
    return [(one["first"]["id"], one["second"]["id"]) for one in found]


@pytest.mark.parametrize(
    ("texts", "type", "severity"),
    [
        (("主人对花生过敏", "主人对花生不过敏"), "negation", "high"),
        (("I love horror films.", "I hate horror films."), "antonym", "medium"),
        (("主人家里养了两只猫", "主人家里养了三只猫"), "number", "medium"),
        (("My passport expires in May 2027.", "My passport expires in June 2027."), "date", "medium"),
        (("主人住在北京", "主人住在上海"), "place", "medium"),
        (("My name is Anna.", "My name is Kate."), "exclusive", "high"),
    ],
)
def test_what_excludes_each_other_is_found(
    ready: Face, user: str, texts: tuple[str, str], type: str, severity: str
) -> None:
    ids = [ready.kb.add(text, user_id=user) for text in texts]
    (found,) = ready.kb.conflicts(user_id=user)
    assert (found["type"], found["severity"], found["state"], found["source"]) == (
        type,
        severity,
        "open",
        "found",
    )
    said = [(one["id"], one["version"], one["text"]) for one in (found["first"], found["second"])]
    assert said == [(id, 1, text) for id, text in zip(ids, texts, strict=True)]
    assert found["id"].startswith("cnf_")


def test_what_may_be_so_at_once_is_none(ready: Face, user: str) -> None:
    texts = [
        "主人喜欢拉面",
        "主人喜欢寿司",
        "主人住在北京",
        "主人住在北京海淀",
        "小明住在上海",
        "我去年住在广州",
    ]
    ready.kb.add_many(texts, user_id=user)
    assert ready.kb.conflicts(user_id=user) == []


def test_the_contrary_is_found_among_many_that_are_near(ready: Face, user: str) -> None:
    foods = (
        "拉面 寿司 火锅 烤肉 饺子 面条 米饭 牛排 披萨 汉堡 沙拉 烧烤 春卷 豆腐 炒饭 馄饨 包子 油条".split()
    )
    likes = ready.kb.add_many([f"主人喜欢吃{food}" for food in foods], user_id=user)
    no = ready.kb.add("主人不喜欢吃豆腐", user_id=user)
    assert sides(ready.kb.conflicts(user_id=user)) == [(likes[foods.index("豆腐")], no)]


def test_without_a_model_words_find_it(wordy: Face, user: str) -> None:
    ids = [wordy.kb.add(text, user_id=user) for text in (LAWYER, "主人喜欢拉面", NURSE)]
    assert sides(wordy.kb.conflicts(user_id=user)) == [(ids[0], ids[2])]


def test_triples_find_what_is_said_quite_otherwise(wordy: Face, user: str) -> None:
    kb = wordy.kb
    first = kb.add("I live in Boston.", user_id=user)
    kb.add_many([f"I live and learn, lesson {n}." for n in range(30)], user_id=user)
    second = kb.add("The user moved to Chicago last spring.", user_id=user)
    assert (first, second) in sides(kb.conflicts(second, user_id=user))


def test_it_is_told_again_as_the_same(ready: Face, user: str) -> None:
    ready.kb.add_many([LAWYER, NURSE], user_id=user)
    first = ready.kb.conflicts(user_id=user)
    assert len(first) == 1
    assert ready.kb.conflicts(user_id=user) == first


def test_one_memory_is_compared_with_all_others(ready: Face, user: str) -> None:
    kb = ready.kb
    lawyer, nurse, other = (kb.add(text, user_id=user) for text in (LAWYER, NURSE, "主人喜欢下雨天"))
    assert kb.conflicts(other, user_id=user) == []
    assert sides(kb.conflicts(nurse, user_id=user)) == [(lawyer, nurse)]


def test_the_gravest_comes_first(ready: Face, user: str) -> None:
    texts = ["主人今年28岁", "主人今年30岁", "主人对花生过敏", "主人对花生不过敏", LAWYER, NURSE]
    ready.kb.add_many(texts, user_id=user)
    assert [one["severity"] for one in ready.kb.conflicts(user_id=user)] == ["high", "medium", "low"]


def test_a_correction_is_told_between_versions(ready: Face, user: str) -> None:
    kb = ready.kb
    id = kb.add("主人住在北京", user_id=user)
    kb.update_importance(id, value=2.0, user_id=user)
    kb.update_text(id, "主人住在上海", user_id=user)
    kb.update_text(id, "主人住在上海浦东", user_id=user)
    (found,) = kb.conflicts(id, user_id=user)
    assert (found["id"], found["state"], found["severity"], found["type"]) == (
        None,
        "resolved",
        "low",
        "place",
    )
    assert [found["first"]["version"], found["second"]["version"]] == [2, 3]
    assert found["first"]["text"] == "主人住在北京"
    assert kb.conflicts(user_id=user) == [found]


def test_a_changed_text_settles_it(ready: Face, user: str) -> None:
    kb = ready.kb
    kb.add(LAWYER, user_id=user)
    nurse = kb.add(NURSE, user_id=user)
    assert len(kb.conflicts(user_id=user)) == 1
    kb.update_text(nurse, "主人的姐姐是护士", user_id=user)
    assert [one for one in kb.conflicts(user_id=user) if one["state"] == "open"] == []


def test_resolve_archives_the_loser(ready: Face, user: str) -> None:
    kb = ready.kb
    winner, loser = (kb.add(text, user_id=user) for text in (LAWYER, NURSE))
    kb.conflicts(user_id=user)
    done = kb.resolve(winner, loser, reason="she said so", user_id=user)
    assert done == {"winner": winner, "loser": loser, "archived": True, "closed_count": 1}
    lost = kb.get(loser, user_id=user)
    assert (lost["state"], lost["archived_because"], lost["version"]) == ("archived", "wrong", 2)
    last = kb.history(loser, user_id=user)[-1]
    assert (last["operation"], last["operator"], last["reason"]) == ("archive", "app", "she said so")
    kept = kb.get(winner, user_id=user)
    assert (kept["state"], kept["version"]) == ("active", 1)
    assert kb.conflicts(user_id=user) == []
    assert loser not in {hit["id"] for hit in kb.search("主人的职业", user_id=user)}


def test_a_loser_that_comes_back_stands_against_the_winner_again(ready: Face, user: str) -> None:
    kb = ready.kb
    winner, loser = (kb.add(text, user_id=user) for text in (LAWYER, NURSE))
    before = kb.conflicts(user_id=user)
    kb.resolve(winner, loser, user_id=user)
    kb.restore(loser, user_id=user)
    assert kb.conflicts(user_id=user) == kb.conflicts(winner, user_id=user) == before
    assert kb.resolve(loser, winner, user_id=user)["closed_count"] == 1
    assert kb.conflicts(user_id=user) == []


def test_only_the_pair_is_decided(ready: Face, user: str) -> None:
    kb = ready.kb
    texts = ("主人喜欢香菜", "主人讨厌香菜", "主人特别喜欢香菜")
    winner, loser, third = (kb.add(text, user_id=user) for text in texts)
    pairs = {(winner, loser), (loser, third)}
    assert set(sides(kb.conflicts(user_id=user))) == pairs
    assert kb.resolve(winner, loser, user_id=user)["closed_count"] == 1
    assert kb.conflicts(user_id=user) == kb.conflicts(third, user_id=user) == []
    kb.restore(loser, user_id=user)
    assert set(sides(kb.conflicts(user_id=user))) == pairs
    assert sides(kb.conflicts(third, user_id=user)) == [(loser, third)]


def test_both_may_be_kept(ready: Face, user: str) -> None:
    kb = ready.kb
    first, second = (kb.add(text, user_id=user) for text in (LAWYER, NURSE))
    kb.conflicts(user_id=user)
    done = kb.resolve(first, second, keep_both=True, user_id=user)
    assert done == {"winner": first, "loser": second, "archived": False, "closed_count": 1}
    assert kb.get(second, user_id=user)["state"] == "active"
    assert kb.conflicts(user_id=user) == []
    kb.update_importance(second, value=2.0, user_id=user)
    assert kb.conflicts(user_id=user) == []


def test_both_may_be_kept_before_anybody_looked(ready: Face, user: str) -> None:
    kb = ready.kb
    first, second = (kb.add(text, user_id=user) for text in (LAWYER, NURSE))
    kb.resolve(second, first, keep_both=True, user_id=user)
    assert kb.conflicts(user_id=user) == []
    kb.resolve(first, second, keep_both=True, user_id=user)
    kb.update_metadata(first, {"seen": True}, user_id=user)
    assert kb.conflicts(user_id=user) == []
    kb.update_text(first, "主人的职业是厨师", user_id=user)
    assert (first, second) in sides(kb.conflicts(user_id=user))


def test_both_are_kept_until_one_says_something_else(ready: Face, user: str) -> None:
    kb = ready.kb
    first, second = (kb.add(text, user_id=user) for text in (LAWYER, NURSE))
    kb.conflicts(user_id=user)
    kb.resolve(first, second, keep_both=True, user_id=user)
    kb.update_text(second, "主人的职业是教师", user_id=user)
    (other,) = (one for one in kb.conflicts(user_id=user) if one["state"] == "open")
    kb.update_text(second, NURSE, user_id=user)
    assert all(one["state"] == "resolved" for one in kb.conflicts(user_id=user))
    assert other["second"]["text"] == "主人的职业是教师"


def test_a_kept_pair_may_be_decided_after_all(ready: Face, user: str) -> None:
    kb = ready.kb
    first, second = (kb.add(text, user_id=user) for text in (LAWYER, NURSE))
    kb.resolve(first, second, keep_both=True, user_id=user)
    kb.resolve(first, second, user_id=user)
    kb.restore(second, user_id=user)
    assert kb.conflicts(user_id=user) == []


def test_what_is_put_away_has_no_conflicts(ready: Face, user: str) -> None:
    kb = ready.kb
    lawyer, nurse = (kb.add(text, user_id=user) for text in (LAWYER, NURSE))
    assert len(kb.conflicts(user_id=user)) == 1
    kb.archive(nurse, user_id=user)
    assert kb.conflicts(user_id=user) == kb.conflicts(nurse, user_id=user) == []
    assert kb.conflicts(lawyer, user_id=user) == []
    kb.restore(nurse, user_id=user)
    assert sides(kb.conflicts(nurse, user_id=user)) == [(lawyer, nurse)]
    kb.supersede(nurse, "主人的职业是教师", user_id=user)
    assert kb.conflicts(nurse, user_id=user) == []


def test_of_what_is_put_away_no_correction_is_told(face: Face, user: str) -> None:
    kb = face.kb
    id = kb.add("主人住在北京", user_id=user)
    kb.update_text(id, "主人住在上海", user_id=user)
    assert len(kb.conflicts(id, user_id=user)) == 1
    kb.archive(id, user_id=user)
    assert kb.conflicts(id, user_id=user) == kb.conflicts(user_id=user) == []


def test_asking_again_and_again_notes_nothing_more(wordy: Face, user: str) -> None:
    kb = wordy.kb
    ids = [kb.add(text, user_id=user) for text in (LAWYER, NURSE, "主人的职业是教师")]

    def noted() -> int:
        with closing(sqlite3.connect(f"file:{wordy.paths.database}?mode=ro", uri=True)) as database:
            sql = "SELECT count(*) FROM conflicts WHERE user_id = ?"
            return int(database.execute(sql, (user,)).fetchone()[0])

    for number in range(6):
        assert len(kb.conflicts(user_id=user)) == 3
        kb.update_metadata(ids[number % 3], {"seen": number}, user_id=user)
    assert noted() == 3
    for _ in range(3):
        kb.update_text(ids[0], "主人的职业是厨师", user_id=user)
        kb.conflicts(user_id=user)
        kb.update_text(ids[0], LAWYER, user_id=user)
        kb.conflicts(user_id=user)
    kb.archive(ids[1], user_id=user)
    kb.conflicts(user_id=user)
    assert noted() == 3


def test_a_system_memory_loses_to_nobody(ready: Face, user: str) -> None:
    kb = ready.kb
    system = kb.add(LAWYER, {"category": "system"}, user_id=user)
    other = kb.add(NURSE, user_id=user)
    with pytest.raises(InvalidParameterError, match=r"delete\(force=True\)"):
        kb.resolve(other, system, user_id=user)
    assert kb.get(system, user_id=user)["version"] == 1
    assert sides(kb.conflicts(user_id=user)) == [(system, other)]
    kb.resolve(other, system, keep_both=True, user_id=user)
    assert kb.resolve(system, other, user_id=user)["archived"]


def test_resolve_is_carried_out_once(ready: Face, user: str) -> None:
    kb = ready.kb
    winner, loser, third = (kb.add(text, user_id=user) for text in (LAWYER, NURSE, "主人喜欢拉面"))
    done = kb.resolve(winner, loser, user_id=user, request_id="r1")
    assert kb.resolve(winner, loser, user_id=user, request_id="r1") == done
    assert kb.get(loser, user_id=user)["version"] == 2
    with pytest.raises(RequestIdConflict):
        kb.resolve(winner, third, user_id=user, request_id="r1")


def test_another_user_is_neither_seen_nor_touched(ready: Face, user: str) -> None:
    kb, other = ready.kb, f"{user}-other"
    mine, theirs = kb.add(LAWYER, user_id=user), kb.add(NURSE, user_id=other)
    assert kb.conflicts(user_id=user) == kb.conflicts(user_id=other) == []
    for pair in ((mine, theirs), (theirs, mine)):
        with pytest.raises(NotFoundError):
            kb.resolve(*pair, user_id=user)
    with pytest.raises(NotFoundError):
        kb.conflicts(theirs, user_id=user)
    assert kb.get(theirs, user_id=other)["version"] == kb.get(mine, user_id=user)["version"] == 1


def test_an_agents_memory_is_compared_for_that_agent_only(ready: Face, user: str) -> None:
    kb = ready.kb
    common = kb.add(LAWYER, user_id=user)
    own = kb.add(NURSE, user_id=user, agent_id="a")
    assert sides(kb.conflicts(user_id=user, agent_id="a")) == [(common, own)]
    assert kb.conflicts(user_id=user) == []
    assert kb.conflicts(user_id=user, agent_id="b") == []
    assert sides(kb.conflicts(user_id=user, agent_id="*")) == [(common, own)]
    with pytest.raises(NotFoundError):
        kb.resolve(common, own, user_id=user)


def test_deleting_a_memory_takes_its_conflicts_along(ready: Face, user: str) -> None:
    kb = ready.kb
    kb.add(LAWYER, user_id=user)
    nurse = kb.add(NURSE, user_id=user)
    assert len(kb.conflicts(user_id=user)) == 1
    kb.delete(nurse, user_id=user)
    assert kb.conflicts(user_id=user) == []


def test_what_was_superseded_is_no_conflict(ready: Face, user: str) -> None:
    kb = ready.kb
    old = kb.add("主人住在北京", user_id=user)
    new = kb.supersede(old, "主人住在上海", user_id=user)
    assert kb.conflicts(user_id=user) == []
    later = kb.add("主人住在广州", user_id=user)
    assert sides(kb.conflicts(user_id=user)) == [(new, later)]


def test_times_that_do_not_meet_are_no_conflict(ready: Face, user: str) -> None:
    kb = ready.kb
    kb.add("I live in Paris.", {"valid_from": "2015-01-01", "valid_to": "2019-01-01"}, user_id=user)
    kb.add("I live in Tokyo.", {"valid_from": "2019-01-01"}, user_id=user)
    assert kb.conflicts(user_id=user) == []


@pytest.mark.parametrize("window", ["", "30", "0d", "a month", "-3d", "30d30d"])
def test_a_window_that_is_none_is_refused(face: Face, user: str, window: str) -> None:
    with pytest.raises(InvalidParameterError, match="window"):
        face.kb.conflicts(window=window, user_id=user)


@pytest.mark.parametrize("window", ["1h", "30d", "8w", "all"])
def test_windows(ready: Face, user: str, window: str) -> None:
    ready.kb.add_many([LAWYER, NURSE], user_id=user)
    assert len(ready.kb.conflicts(window=window, user_id=user)) == 1


def test_bad_pairs_change_nothing(face: Face, user: str) -> None:
    kb: Any = face.kb
    winner, loser, gone = (kb.add(text, user_id=user) for text in (LAWYER, NURSE, "主人喜欢拉面"))
    kb.archive(gone, user_id=user)
    for pair, error in (
        ((winner, winner), InvalidParameterError),
        ((winner, UNKNOWN), NotFoundError),
        ((UNKNOWN, loser), NotFoundError),
        ((winner, gone), InvalidStateError),
        ((gone, loser), InvalidStateError),
        ((winner, "trn_0000000000000000000z"), WrongIdError),
        (("nonsense", loser), InvalidParameterError),
    ):
        with pytest.raises(error):
            kb.resolve(*pair, user_id=user)
    with pytest.raises(InvalidParameterError, match="reason"):
        kb.resolve(winner, loser, reason="x" * 1_001, user_id=user)
    assert [kb.get(id, user_id=user)["version"] for id in (winner, loser, gone)] == [1, 1, 2]
    with pytest.raises(WrongIdError):
        kb.conflicts("cnf_0000000000000000000z", user_id=user)


def test_what_a_merge_of_knowledge_found_is_told(ready: Face, user: str) -> None:
    kb = ready.kb
    for version, text in (("20260101000000", "主人对花生过敏"), ("20260102000000", "主人对花生不过敏")):
        point = {"content": text, "type": "WorldModel", "score": 80, "user_id": user, "metadata": {}}
        kb.knowledge.save_knowledge(user, version, [point])
    kb.knowledge.merge(user)
    (found,) = kb.conflicts(user_id=user)
    assert (found["type"], found["severity"], found["source"]) == ("negation", "high", "merge")
    first, second = found["first"]["id"], found["second"]["id"]
    assert first.startswith("knp_")
    with pytest.raises(WrongIdError):
        kb.resolve(first, second, user_id=user)
    with pytest.raises(NotFoundError):
        kb.resolve(first, second, keep_both=True, user_id=f"{user}-other")
    done = kb.resolve(first, second, keep_both=True, user_id=user)
    assert done == {"winner": first, "loser": second, "archived": False, "closed_count": 1}
    assert kb.conflicts(user_id=user) == []
