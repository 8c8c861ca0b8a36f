"""Triples over both faces: what memories tell, what callers say, and what cannot be."""

from __future__ import annotations

import json

import pytest

from memory_client.errors import InvalidParameterError, NotFoundError, RequestIdConflict, WrongIdError
from memory_client.types import Triple
from support.faces import Face

NONE = "tri_0000000000000000000z"


def told(triples: list[Triple]) -> set[str]:
    return {
        " ".join([one["subject"], *(["NOT"] if one["negation"] else []), one["predicate"], one["object"]])
        for one in triples
    }


def live(face: Face, user: str, **options: object) -> set[str]:
    return told(face.kb.triples.page(user_id=user, limit=1000, **options)["items"])  # type: ignore[arg-type]


def test_a_memory_is_read_as_it_is_written(face: Face, user: str) -> None:
    kb = face.kb
    one = kb.add("主人喜欢拉面。小明是主人的同事，住在苏州。", user_id=user)
    kb.add_many(["I live in Beijing", "Do I like tea?"], user_id=user)
    page = kb.triples.page(user_id=user)
    assert told(page["items"]) == {
        "主人 喜欢 拉面",
        "小明 是…的同事 主人",
        "小明 住在 苏州",
        "user lives_in Beijing",
    }
    assert (page["total"], page["cursor"]) == (4, None)
    likes = kb.triples.page(predicate="喜欢", user_id=user)["items"][0]
    assert likes["evidence"] == [
        {"kind": "memory", "id": one, "version": 1, "is_active": True, "words": "主人喜欢拉面"}
    ]
    assert likes["is_live"]


def test_triples_follow_the_life_of_their_memory(face: Face, user: str) -> None:
    kb = face.kb
    id = kb.add("主人喜欢拉面和饺子", user_id=user)
    assert live(face, user) == {"主人 喜欢 拉面", "主人 喜欢 饺子"}
    kb.archive(id, user_id=user)
    assert live(face, user) == set()
    away = kb.triples.page(include_archived=True, user_id=user)["items"]
    assert told(away) == {"主人 喜欢 拉面", "主人 喜欢 饺子"}
    assert not any(one["is_live"] for one in away)
    kb.restore(id, user_id=user)
    kb.update_text(id, "主人喜欢饺子和包子", user_id=user)
    assert live(face, user, include_archived=True) == {"主人 喜欢 饺子", "主人 喜欢 包子"}
    kb.update_metadata(id, {"mood": "good"}, user_id=user)
    assert live(face, user) == {"主人 喜欢 饺子", "主人 喜欢 包子"}
    newer = kb.supersede(id, "主人喜欢米饭", user_id=user)
    assert live(face, user) == {"主人 喜欢 米饭"}
    kb.revert(newer, 1, user_id=user)
    kb.delete(newer, user_id=user)
    assert live(face, user) == set()
    kb.delete(id, user_id=user)
    assert live(face, user, include_archived=True) == set()
    assert kb.triples.stats(user_id=user)["entity_count"] == 0


def test_what_several_memories_say_lives_as_long_as_one_does(face: Face, user: str) -> None:
    kb = face.kb
    first, second = kb.add_many(["主人喜欢拉面", "用户喜欢拉面。"], user_id=user)
    (triple,) = kb.triples.page(user_id=user)["items"]
    assert [one["id"] for one in triple["evidence"]] == [second, first]
    kb.delete(second, user_id=user)
    assert live(face, user) == {"主人 喜欢 拉面"}
    by_hand = kb.triples.add("我", "爱", "拉面", user_id=user)
    assert by_hand == triple["id"]
    kb.delete(first, user_id=user)
    assert live(face, user) == {"主人 喜欢 拉面"}


def test_a_callers_word_is_live_whatever_archived_memories_say(face: Face, user: str) -> None:
    kb = face.kb
    kb.triples.add("user", "likes", "拉面", user_id=user)
    for id in kb.add_many([f"主人喜欢拉面。{n}" for n in range(21)], user_id=user):
        kb.archive(id, user_id=user)
    (triple,) = kb.triples.page(user_id=user)["items"]
    assert triple["is_live"]
    assert triple["evidence"][0] == {
        "kind": "manual",
        "id": None,
        "version": None,
        "is_active": True,
        "words": "user likes 拉面",
    }
    assert len(triple["evidence"]) == 20
    assert kb.triples.query("user", user_id=user)["triples"][0]["is_live"]


def test_what_one_agent_deletes_others_may_still_be_told(face: Face, user: str) -> None:
    kb = face.kb
    for agent in ("cook", "maid"):
        kb.add("主人喜欢拉面", user_id=user, agent_id=agent)
    (triple,) = kb.triples.page(user_id=user, agent_id="cook")["items"]
    kb.triples.delete(triple["id"], user_id=user, agent_id="cook")
    for agent in ("cook", "maid"):
        kb.add("用户喜欢拉面", user_id=user, agent_id=agent)
    kb.add("用户喜欢拉面", user_id=user, agent_id="gardener")
    assert live(face, user, agent_id="cook") == set()
    assert live(face, user, agent_id="maid") == live(face, user, agent_id="gardener") == {"主人 喜欢 拉面"}


def test_a_caller_says_so(face: Face, user: str) -> None:
    kb = face.kb
    memory = kb.add("周五见了老王", user_id=user)
    turn = kb.conversation.append("s", "user", "老王是会计", user_id=user)["id"]
    id = kb.triples.add(
        "老王",
        "职业",
        "会计",
        frequency="每天",
        condition="工作日",
        evidence=[memory, turn],
        user_id=user,
        request_id="r1",
    )
    assert id == kb.triples.add(
        "老王",
        "职业",
        "会计",
        frequency="每天",
        condition="工作日",
        evidence=[memory, turn],
        user_id=user,
        request_id="r1",
    )
    with pytest.raises(RequestIdConflict):
        kb.triples.add("老王", "职业", "医生", user_id=user, request_id="r1")
    (one,) = kb.triples.page(user_id=user)["items"]
    assert (one["predicate_key"], one["frequency"], one["condition"]) == ("works_as", "每天", "工作日")
    assert {(piece["kind"], piece["id"]) for piece in one["evidence"]} == {("memory", memory), ("turn", turn)}
    assert told(kb.triples.page(evidence=turn, user_id=user)["items"]) == {"老王 职业 会计"}
    kb.conversation.delete([turn], user_id=user)
    assert live(face, user) == {"老王 职业 会计"}
    kb.delete(memory, user_id=user)
    assert live(face, user, include_archived=True) == set()


def test_only_what_the_user_says_is_said_of_the_user(face: Face, user: str) -> None:
    text = "我喜欢拉面。用户住在北京。"
    face.kb.add(text, {"source": "background_ai"}, user_id=user)
    assert live(face, user) == {"主人 住在 北京"}
    face.kb.add(text, user_id=user)
    assert live(face, user) == {"主人 住在 北京", "主人 喜欢 拉面"}


def test_a_turn_that_is_not_remembered_is_no_evidence(face: Face, user: str) -> None:
    turn = face.kb.conversation.append("s", "user", "psst", remember=False, user_id=user)["id"]
    with pytest.raises(InvalidParameterError, match="remembered"):
        face.kb.triples.add("a", "b", "c", evidence=[turn], user_id=user)
    line = json.dumps(
        {"subject": "a", "predicate": "b", "object": "c", "evidence": [{"kind": "turn", "id": turn}]}
    )
    face.kb.triples.import_jsonl([line], user_id=user)
    (one,) = face.kb.triples.page(user_id=user)["items"]
    assert [piece["kind"] for piece in one["evidence"]] == ["manual"]


def test_a_deleted_triple_stays_deleted_until_it_is_said_by_hand(face: Face, user: str) -> None:
    kb = face.kb
    memory = kb.add("主人喜欢拉面", user_id=user)
    (triple,) = kb.triples.page(user_id=user)["items"]
    receipt = kb.triples.delete(triple["id"], user_id=user, request_id="d")
    assert (receipt["ids"], receipt["count"]) == ([triple["id"]], 1)
    assert kb.triples.delete(triple["id"], user_id=user, request_id="d")["ids"] == receipt["ids"]
    kb.update_text(memory, "主人喜欢拉面，住在北京", user_id=user)
    kb.add("用户喜欢拉面", user_id=user)
    assert live(face, user) == {"主人 住在 北京"}
    kb.triples.add("user", "likes", "拉面", user_id=user)
    assert live(face, user) == {"主人 住在 北京", "user likes 拉面"}  # in the words of the caller


def test_pages_are_newest_first_and_narrow(face: Face, user: str) -> None:
    kb = face.kb
    for i in range(7):
        kb.triples.add("小明", "likes" if i % 2 else "dislikes", f"t{i}", negation=i == 3, user_id=user)
    seen: list[str] = []
    cursor = None
    while True:
        page = kb.triples.page(limit=3, cursor=cursor, user_id=user)
        assert page["total"] == 7
        seen += [one["object"] for one in page["items"]]
        cursor = page["cursor"]
        if cursor is None:
            break
    assert seen == [f"t{i}" for i in reversed(range(7))]
    assert live(face, user, predicate="喜欢", negation=False) == {"小明 likes t1", "小明 likes t5"}
    assert live(face, user, predicate="不喜欢") == {"小明 NOT likes t3"}
    assert live(face, user, object="t6") == live(face, user, entity="T6") == {"小明 dislikes t6"}
    assert live(face, user, subject="nobody") == set()
    with pytest.raises(InvalidParameterError, match="cursor"):
        kb.triples.page(
            cursor=kb.triples.page(limit=3, user_id=user)["cursor"], predicate="likes", user_id=user
        )


def test_what_is_around_an_entity(face: Face, user: str) -> None:
    kb = face.kb
    kb.add_many(["小明是我的同事", "小明住在苏州", "我喜欢拉面", "苏州出产丝绸"], user_id=user)
    one = kb.triples.query("小明", user_id=user)
    assert told(one["triples"]) == {"小明 是…的同事 主人", "小明 住在 苏州"}  # type: ignore[arg-type]
    assert (one["entity"], one["truncated"]) == ("小明", False)
    two = kb.triples.query("《小明》", 2, user_id=user)
    by_object = {triple["object"]: triple for triple in two["triples"]}
    assert by_object["拉面"]["hop"] == 2
    assert 0 < by_object["拉面"]["weight"] < by_object["苏州"]["weight"] <= 1
    only = kb.triples.query("主人", predicate="喜欢", user_id=user)
    assert told(only["triples"]) == {"主人 喜欢 拉面"}  # type: ignore[arg-type]
    assert kb.triples.query("小明", 2, limit=1, user_id=user)["truncated"]
    assert kb.triples.query("nobody", 3, user_id=user) == {
        "entity": "nobody",
        "triples": [],
        "truncated": False,
    }
    path = kb.triples.path("拉面", "苏州", user_id=user)
    assert path["found"]
    assert [triple["object"] for triple in path["triples"]] == ["拉面", "主人", "苏州"]
    assert not kb.triples.path("拉面", "苏州", 2, user_id=user)["found"]
    assert not kb.triples.path("拉面", "nobody", user_id=user)["found"]


def test_two_names_become_one_and_two_again(face: Face, user: str) -> None:
    triples = face.kb.triples
    triples.add("小明", "住在", "苏州", user_id=user)
    triples.add("明明", "喜欢", "茶", user_id=user)
    assert triples.alias("明明", "小明", user_id=user, request_id="a") == {"alias": "明明", "entity": "小明"}
    assert triples.alias("明明", "小明", user_id=user) == {"alias": "明明", "entity": "小明"}
    assert triples.query("明明", user_id=user)["entity"] == "小明"
    assert live(face, user, subject="小明") == {"小明 住在 苏州", "明明 喜欢 茶"}
    assert triples.aliases("小明", user_id=user) == [{"alias": "明明", "entity": "小明"}]
    assert triples.path("茶", "苏州", user_id=user)["found"]
    triples.unalias("明明", user_id=user)
    assert triples.aliases(user_id=user) == []
    assert live(face, user, subject="小明") == {"小明 住在 苏州"}
    with pytest.raises(NotFoundError, match="明明"):
        triples.unalias("明明", user_id=user)


def test_aliases_that_cannot_be(face: Face, user: str) -> None:
    triples = face.kb.triples
    triples.alias("b", "a", user_id=user)
    triples.alias("c", "b", user_id=user)
    for alias, entity, reason in (
        ("a", "c", "circle"),
        ("a", "b", "circle"),
        ("x", " X ", "one name"),
        ("我", "小王", "user's own"),
        ("主人", "小王", "alias: '主人' is the user's own"),
        ("用户", "主人", "alias: '用户' and '主人' are one name"),
        ("c", "x", "alias of 'b'"),
        ("", "x", "empty"),
        ("x", "a\nb", "control"),
    ):
        with pytest.raises(InvalidParameterError, match=reason):
            triples.alias(alias, entity, user_id=user)
    assert len(triples.aliases(user_id=user)) == 2
    triples.alias("小王", "我", user_id=user)
    assert triples.query("小王", user_id=user)["entity"] == "主人"
    assert triples.aliases(user_id=user)[-1] == {"alias": "小王", "entity": "主人"}


@pytest.mark.parametrize("fault", ["", " \t", "a\nb", "x" * 201, "\u0007"])
@pytest.mark.parametrize("place", ["subject", "predicate", "object", "frequency", "condition"])
def test_what_cannot_be_a_triple(face: Face, user: str, place: str, fault: str) -> None:
    parts = {"subject": "a", "predicate": "b", "object": "c", place: fault}
    with pytest.raises(InvalidParameterError, match=place):
        face.kb.triples.add(**parts, user_id=user)
    assert live(face, user) == set()


def test_ids_that_are_not_there(face: Face, user: str) -> None:
    kb = face.kb
    memory = kb.add("nothing much", user_id=user)
    mine = kb.triples.add("a", "b", "c", user_id=user)
    for id in (NONE, mine):
        with pytest.raises(NotFoundError):
            kb.triples.delete(id, user_id=f"not-{user}")
    with pytest.raises(WrongIdError):
        kb.triples.delete(memory, user_id=user)
    with pytest.raises(WrongIdError):
        kb.triples.add("a", "b", "d", evidence=[mine], user_id=user)
    for id in ("mem_0000000000000000000z", "trn_0000000000000000000z"):
        with pytest.raises(NotFoundError):
            kb.triples.add("a", "b", "d", evidence=[id], user_id=user)
    with pytest.raises(NotFoundError):
        kb.triples.add("a", "b", "d", evidence=[memory], user_id=f"not-{user}")
    for call in (
        lambda: kb.triples.query("a", 4, user_id=user),
        lambda: kb.triples.query("a", 0, user_id=user),
        lambda: kb.triples.path("a", "b", 7, user_id=user),
        lambda: kb.triples.page(limit=0, user_id=user),
    ):
        with pytest.raises(InvalidParameterError):
            call()
    assert live(face, user) == {"a b c"}


def test_an_agents_word_is_seen_by_the_agent(face: Face, user: str) -> None:
    kb = face.kb
    kb.add("主人喜欢拉面", user_id=user, agent_id="cook")
    own = kb.triples.add("厨师", "知道", "秘方", user_id=user, agent_id="cook")
    assert live(face, user) == set()
    assert kb.triples.query("厨师", user_id=user)["triples"] == []
    assert (
        live(face, user, agent_id="cook")
        == live(face, user, agent_id="*")
        == {
            "主人 喜欢 拉面",
            "厨师 知道 秘方",
        }
    )
    with pytest.raises(NotFoundError):
        kb.triples.delete(own, user_id=user, agent_id="maid")
    with pytest.raises(InvalidParameterError, match="agent_id"):
        kb.triples.add("a", "b", "c", user_id=user, agent_id="*")


def test_lines_go_out_and_come_in(face: Face, user: str) -> None:
    kb = face.kb
    kb.add("主人不喜欢香菜", user_id=user)
    kb.triples.add("小明", "喜欢", "茶", frequency="每天", user_id=user, agent_id="cook")
    kb.triples.alias("明明", "小明", user_id=user)
    lines = kb.triples.export_jsonl(user)
    assert [set(json.loads(line)) & {"subject", "alias"} for line in lines] == [
        {"subject"},
        {"subject"},
        {"alias"},
    ]
    damaged = [
        "{not json",
        '["a"]',
        '{"subject": "", "predicate": "b", "object": "c"}',
        '{"subject": "a", "predicate": "b", "object": "c", "negation": "yes"}',
        '{"subject": "a", "predicate": "b", "object": "c", "evidence": [{"id": "nonsense"}]}',
    ]
    other = f"{user}-2"
    given = [lines[0], *damaged, "", *lines[1:]]
    report = kb.triples.import_jsonl(given, user_id=other, request_id="i")
    assert (report["stored_count"], report["known_count"], report["alias_count"]) == (2, 0, 1)
    assert [one["line"] for one in report["damaged"]] == [2, 3, 4, 5, 6]
    assert kb.triples.import_jsonl(given, user_id=other, request_id="i") == report
    assert live(face, other, agent_id="*") == {"主人 NOT 喜欢 香菜", "小明 喜欢 茶"}
    assert live(face, other) == {"主人 NOT 喜欢 香菜"}  # the memory is not there: it is a caller's word now
    assert kb.triples.query("明明", user_id=other, agent_id="cook")["entity"] == "小明"
    one_more = '{"subject": "Anna", "predicate": "likes", "object": "tea"}'
    report = kb.triples.import_jsonl([*lines, one_more, one_more], user_id=user)
    assert (report["stored_count"], report["known_count"]) == (1, 3)
    assert kb.triples.page(user_id=user, agent_id="*")["total"] == 3


def test_an_agent_of_a_line_is_the_agent(face: Face, user: str) -> None:
    kb = face.kb
    agents = ("me", "《Bot》", "the cook.")
    for agent in agents:
        kb.triples.add("tea", "likes", agent, user_id=user, agent_id=agent)
    other = f"{user}-2"
    kb.triples.import_jsonl(kb.triples.export_jsonl(user), user_id=other)
    for agent in agents:
        assert len(live(face, other, agent_id=agent)) == 1
    line = '{"subject": "a", "predicate": "b", "object": "c", "evidence": [{"agent_id": "*"}]}'
    (damaged,) = kb.triples.import_jsonl([line], user_id=other)["damaged"]
    assert "'*' means all agents" in damaged["reason"]


def test_credentials_leave_names(face: Face, user: str) -> None:
    secret = "sk-" + "a1b2c3d4" * 4
    face.kb.triples.add("openai", "key", secret, user_id=user)
    (one,) = face.kb.triples.page(user_id=user)["items"]
    assert secret not in json.dumps(one)
    assert "[secret:" in one["object"]


def test_counts(face: Face, user: str) -> None:
    kb = face.kb
    id = kb.add("主人喜欢拉面。小明住在苏州。", user_id=user)
    kb.triples.add("小明", "喜欢", "茶", user_id=user)
    assert kb.triples.stats(user_id=user) == {
        "triple_count": 3,
        "live_count": 3,
        "entity_count": 5,
        "alias_count": 0,
        "by_predicate": {"likes": 2, "lives_in": 1},
        "by_evidence": {"memory": 2, "manual": 1, "turn": 0},
    }
    kb.archive(id, user_id=user)
    stats = kb.triples.stats(user_id=user)
    assert (stats["triple_count"], stats["live_count"], stats["by_predicate"]) == (3, 1, {"likes": 1})


def test_forgetting_a_user_forgets_its_triples(face: Face, user: str) -> None:
    kb = face.kb
    kb.add("主人喜欢拉面", user_id=user)
    id = kb.triples.add("小明", "喜欢", "茶", user_id=user)
    kb.triples.alias("明明", "小明", user_id=user)
    kb.triples.delete(id, user_id=user)
    kb.delete_all(user)
    assert kb.triples.stats(user_id=user)["triple_count"] == 0
    assert kb.triples.aliases(user_id=user) == []
    kb.add("小明喜欢茶", user_id=user)
    assert live(face, user) == {"小明 喜欢 茶"}  # the tombstone went, too


def test_the_graph_finds_what_a_relation_leads_to(ready: Face, user: str) -> None:
    kb = ready.kb
    ids = kb.add_many(
        ["小明是我的同事", "小明住在苏州", "小红住在杭州", "我住在上海", "小红是我的邻居", "阿强住在南京"],
        user_id=user,
    )
    kb.add("老李住在天津", user_id=user, agent_id="other")
    with_graph = kb.search("我同事住在哪里？", 3, mode="hybrid", user_id=user, explain=True)
    assert with_graph[0]["id"] == ids[1]
    explained = with_graph[0]["explain"]
    assert explained is not None
    assert explained["ranks"]["graph"] == 1
    assert explained["fusion"]["graph"]["contribution"] > 0
    without = kb.search("我同事住在哪里？", 6, mode="hybrid", user_id=user, weights={"graph": 0})
    score = {hit["id"]: hit["score"] for hit in without}
    assert with_graph[0]["score"] > score[ids[1]]
    kb.archive(ids[0], user_id=user)
    assert "graph" not in kb.search("我同事住在哪里？", 3, mode="hybrid", user_id=user)[0]["scores"]


def test_the_graph_names_few_things_a_user_likes_and_nothing_of_many(ready: Face, user: str) -> None:
    kb = ready.kb
    kb.add_many([f"我喜欢{thing}" for thing in ("拉面", "爬山", "下棋")], user_id=user)
    assert all("graph" in hit["scores"] for hit in kb.search("我喜欢什么？", 3, user_id=user))
    kb.add_many([f"我喜欢{thing}" for thing in "茶 酒 书 画 花 猫 狗 雨 雪 海".split()], user_id=user)
    assert not any("graph" in hit["scores"] for hit in kb.search("我喜欢什么？", 13, user_id=user))
