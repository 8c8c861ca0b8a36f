"""Sets of knowledge points over both faces: who sees what, and for how long."""

from __future__ import annotations

from typing import Any

import pytest

from memory_client.errors import InvalidFilterError, InvalidParameterError, NotFoundError, WrongIdError
from support.faces import Face
from support.waiting import eventually

KB = Any
FIRST, SECOND = "20260103174500", "20260104080000"


def point(content: str, score: int = 50, kind: str = "WorldModel", **metadata: Any) -> Any:
    return {"content": content, "type": kind, "score": score, "metadata": metadata}


def texts(hits: Any) -> list[str]:
    return [hit["text"] for hit in hits]


@pytest.fixture
def friend(user: str) -> str:
    return f"friend-of-{user}"


@pytest.fixture
def ids(kb: KB, user: str) -> dict[str, str]:
    """The ids of some points by content."""
    kb.knowledge.save_knowledge(
        user,
        FIRST,
        [
            point("花生 are dangerous", 90, private="secret metadata"),
            point("花生 grow in the ground", 60, "OtherKnowledge"),
            point("花生 in a private note", 70, "ExperientialKnowledge"),
            point("tea is served at four", 10),
        ],
    )
    found = kb.knowledge.retrieve_relevant_knowledge(user, top_k=50)
    return {one["content"]: one["id"] for one in found}


def shared(kb: KB, user: str, query: str = "花生", **how: Any) -> Any:
    return kb.search(query, 50, scope=["shared"], user_id=user, **how)


def test_a_subscriber_finds_what_is_published_and_no_more(
    kb: KB, user: str, friend: str, ids: dict[str, str]
) -> None:
    made = kb.knowledge.publish("nuts", [ids["花生 are dangerous"]], user_id=user)
    assert (made["owner"], made["name"], made["point_count"], made["subscribers"]) == (user, "nuts", 1, [])
    assert shared(kb, friend) == []
    granted = kb.knowledge.subscribe(user, "nuts", user_id=friend)
    assert (granted["owner"], granted["point_count"], granted["subscribers"]) == (user, 1, [])
    (hit,) = shared(kb, friend)
    assert (hit["id"], hit["type"], hit["text"]) == (
        ids["花生 are dangerous"],
        "shared",
        "花生 are dangerous",
    )
    assert hit["metadata"].pop("timestamp") == hit["created_at"]
    assert hit["metadata"] == {
        "citation": "[Source: shared nuts]",
        "owner": user,
        "set": "nuts",
        "knowledge_type": "WorldModel",
        "knowledge_score": 90,
    }
    assert texts(kb.search("花生", user_id=friend, scope="all")) == ["花生 are dangerous"]
    assert kb.search("花生", user_id=friend) == []
    assert shared(kb, user) == [], "one's own points are not shared with oneself"
    assert shared(kb, f"stranger-to-{user}") == []
    assert [one["subscribers"] for one in kb.knowledge.shared(user_id=user)] == [[friend]]
    assert [one["owner"] for one in kb.knowledge.shared(user_id=friend)] == [user]


@pytest.mark.usefixtures("ids")
def test_a_filter_picks_what_there_is_when_it_is_published(kb: KB, user: str, friend: str) -> None:
    knowledge = kb.knowledge
    knowledge.publish("w", filters={"type": "WorldModel"}, user_id=user)
    knowledge.subscribe(user, "w", user_id=friend)
    assert texts(shared(kb, friend, mode="lexical")) == ["花生 are dangerous"]
    assert texts(shared(kb, friend, "tea", mode="lexical")) == ["tea is served at four"], (
        "published whatever its score"
    )
    knowledge.save_knowledge(user, SECOND, [point("花生 later", 99)])
    assert texts(shared(kb, friend, mode="lexical")) == ["花生 are dangerous"]
    assert knowledge.publish("w", filters={"score": {"gte": 60}}, user_id=user)["point_count"] == 4
    assert len(shared(kb, friend, mode="lexical")) == 4


@pytest.mark.usefixtures("ids")
def test_filters_know_the_fields_of_points(kb: KB, user: str) -> None:
    for filters, points in (
        ({"type": {"in": ["WorldModel", "OtherKnowledge"]}}, 3),
        ({"type": {"ne": "WorldModel"}}, 2),
        ({"type": "WorldModel", "score": {"gte": 85}}, 1),
        ({"content": {"contains": "花生"}}, 3),
        ({"metadata.private": "secret metadata"}, 1),
        ({"not": {"metadata.private": "secret metadata"}}, 3),
    ):
        assert kb.knowledge.publish("w", filters=filters, user_id=user)["point_count"] == points, filters
    for filters, fault in (
        ({"type": "world_model"}, "WorldModel, ExperientialKnowledge, OtherKnowledge"),
        ({"not": {"type": {"in": ["WorldModel", "Gossip"]}}}, "'Gossip' is not a type"),
        ({"kind": "WorldModel"}, "'kind' cannot be filtered; expected type"),
        ({"colour": "red"}, "unknown field 'colour'.*id, content, type, score, created_at"),
        ({"score": "high"}, "filters.score"),
    ):
        with pytest.raises(InvalidFilterError, match=fault):
            kb.knowledge.publish("w", filters=filters, user_id=user)
    with pytest.raises(NotFoundError, match="filters"):
        kb.knowledge.publish("w", filters={"score": {"gt": 99}}, user_id=user)
    assert [one["point_count"] for one in kb.knowledge.shared(user_id=user)] == [3], "nothing was changed"


def test_filters_of_a_search_apply_and_metadata_stays_private(
    kb: KB, user: str, friend: str, ids: dict[str, str]
) -> None:
    kb.knowledge.publish("all", list(ids.values()), user_id=user)
    kb.knowledge.subscribe(user, "all", user_id=friend)
    found = shared(kb, friend, filters={"kind": {"in": ["other", "experience"]}})
    assert set(texts(found)) == {"花生 grow in the ground", "花生 in a private note"}
    assert shared(kb, friend, filters={"metadata.private": {"contains": "secret"}}) == []
    assert shared(kb, friend, filters={"metadata.private": "secret metadata"}) == []
    assert len(shared(kb, friend, filters={"metadata.private": {"ne": "secret metadata"}})) == 3
    assert len(shared(kb, friend, filters={"not": {"metadata.private": "secret metadata"}})) == 3
    for mode in ("lexical", "exact", "temporal"):
        found = shared(kb, friend, ids["花生 are dangerous"] if mode == "exact" else "花生 today", mode=mode)
        assert "secret" not in str(found)


def test_nothing_is_found_from_the_moment_of_revoking(
    kb: KB, user: str, friend: str, ids: dict[str, str]
) -> None:
    knowledge = kb.knowledge
    other = f"other-{friend}"
    knowledge.publish("nuts", list(ids.values()), user_id=user)
    for who in (friend, other):
        knowledge.subscribe(user, "nuts", user_id=who)
        assert len(shared(kb, who)) == 3
    assert knowledge.revoke("nuts", friend, user_id=user) == 1
    assert shared(kb, friend) == []
    assert len(shared(kb, other)) == 3
    with pytest.raises(NotFoundError):
        knowledge.subscribe(user, "nuts", user_id=friend)
    knowledge.publish("nuts", list(ids.values())[:1], user_id=user)
    with pytest.raises(NotFoundError):
        knowledge.subscribe(user, "nuts", user_id=friend)
    assert knowledge.revoke("nuts", user_id=user) == 1
    assert shared(kb, other) == []
    assert knowledge.shared(user_id=user) == knowledge.shared(user_id=other) == []
    with pytest.raises(NotFoundError):
        knowledge.subscribe(user, "nuts", user_id=other)


def test_who_was_barred_stays_so_after_deleting_all(
    kb: KB, user: str, friend: str, ids: dict[str, str]
) -> None:
    knowledge = kb.knowledge
    knowledge.publish("nuts", list(ids.values()), user_id=user)
    knowledge.subscribe(user, "nuts", user_id=friend)
    knowledge.revoke("nuts", friend, user_id=user)
    kb.delete_all(friend)
    with pytest.raises(NotFoundError):
        knowledge.subscribe(user, "nuts", user_id=friend)
    assert shared(kb, friend) == []
    assert knowledge.revoke("nuts", friend, user_id=user) == 0, "nothing is granted any more"
    assert [one["subscribers"] for one in knowledge.shared(user_id=user)] == [[]]


def test_a_subscription_is_given_back(kb: KB, user: str, friend: str, ids: dict[str, str]) -> None:
    kb.knowledge.publish("nuts", list(ids.values()), user_id=user)
    kb.knowledge.subscribe(user, "nuts", user_id=friend, request_id="r")
    kb.knowledge.subscribe(user, "nuts", user_id=friend, request_id="r")
    kb.knowledge.unsubscribe(user, "nuts", user_id=friend)
    assert shared(kb, friend) == []
    for name in ("nuts", "bolts"):
        with pytest.raises(NotFoundError, match=f"no subscription of this user to '{name}'"):
            kb.knowledge.unsubscribe(user, name, user_id=friend)
    kb.knowledge.subscribe(user, "nuts", user_id=friend)
    assert len(shared(kb, friend)) == 3


def test_a_repeated_request_replies_though_the_set_is_gone(
    kb: KB, user: str, friend: str, ids: dict[str, str]
) -> None:
    made = kb.knowledge.publish("nuts", list(ids.values()), user_id=user, request_id="p")
    granted = kb.knowledge.subscribe(user, "nuts", user_id=friend, request_id="s")
    kb.knowledge.revoke("nuts", user_id=user)
    assert kb.knowledge.publish("nuts", list(ids.values()), user_id=user, request_id="p") == made
    assert kb.knowledge.subscribe(user, "nuts", user_id=friend, request_id="s") == granted
    assert shared(kb, friend) == kb.knowledge.shared(user_id=user) == []


@pytest.mark.usefixtures("ids")
def test_what_the_owner_no_longer_knows_is_not_shared(kb: KB, user: str, friend: str) -> None:
    knowledge = kb.knowledge
    knowledge.save_knowledge(user, SECOND, [point("花生 wrong", 80)])
    knowledge.publish("all", filters={"content": {"contains": "花生"}}, user_id=user)
    knowledge.subscribe(user, "all", user_id=friend)
    assert "花生 wrong" in texts(shared(kb, friend))
    knowledge.rollback(user, FIRST)
    assert "花生 wrong" not in texts(shared(kb, friend))
    assert len(shared(kb, friend)) == 3


def test_a_merge_carries_what_is_published_over(kb: KB, user: str, friend: str) -> None:
    knowledge = kb.knowledge
    knowledge.save_knowledge(user, FIRST, [point("花生很危险", 50)])
    knowledge.publish("nuts", filters={"type": "WorldModel"}, user_id=user)
    knowledge.subscribe(user, "nuts", user_id=friend)
    knowledge.save_knowledge(user, SECOND, [point("花生很危险。", 90)])
    assert texts(shared(kb, friend)) == ["花生很危险"]
    assert knowledge.merge(user)["merged_count"] == 1
    assert texts(shared(kb, friend)) == ["花生很危险。"]


def test_shared_points_are_read_only(kb: KB, user: str, friend: str, ids: dict[str, str]) -> None:
    kb.knowledge.publish("nuts", list(ids.values()), user_id=user)
    kb.knowledge.subscribe(user, "nuts", user_id=friend)
    id = shared(kb, friend)[0]["id"]
    for call in (
        lambda: kb.update_text(id, "mine", user_id=friend),
        lambda: kb.delete(id, user_id=friend),
        lambda: kb.boost(id, user_id=friend),
        lambda: kb.archive(id, user_id=friend),
    ):
        with pytest.raises(WrongIdError):
            call()
    with pytest.raises(NotFoundError):
        kb.knowledge.publish("stolen", [id], user_id=friend)
    assert kb.knowledge.retrieve_relevant_knowledge(friend) == []
    assert kb.knowledge.load_knowledge(friend) == []
    assert kb.get_all(friend) == []


def test_deleting_either_user_ends_it(kb: KB, user: str, friend: str, ids: dict[str, str]) -> None:
    knowledge = kb.knowledge
    knowledge.publish("nuts", list(ids.values()), user_id=user)
    knowledge.subscribe(user, "nuts", user_id=friend)
    kb.delete_all(friend)
    assert [one["subscribers"] for one in knowledge.shared(user_id=user)] == [[]]
    knowledge.subscribe(user, "nuts", user_id=friend)
    kb.delete_all(user)
    assert shared(kb, friend) == []
    assert knowledge.shared(user_id=friend) == knowledge.shared(user_id=user) == []


def test_faults(kb: KB, user: str, friend: str, ids: dict[str, str]) -> None:
    knowledge, first = kb.knowledge, next(iter(ids.values()))
    for call in (
        lambda: knowledge.publish("x", user_id=user),
        lambda: knowledge.publish("x", [first], {"type": "OtherKnowledge"}, user_id=user),
        lambda: knowledge.publish("x", [], {}, user_id=user),
        lambda: knowledge.publish("a\nb", [first], user_id=user),
        lambda: knowledge.publish("x" * 201, [first], user_id=user),
        lambda: knowledge.publish("x", filters={"shared_set": 1}, user_id=user),
        lambda: knowledge.subscribe(user, "x", user_id=user),
        lambda: knowledge.revoke("x", "a\nb", user_id=user),
    ):
        with pytest.raises(InvalidParameterError):
            call()
    with pytest.raises(WrongIdError):
        knowledge.publish("x", ["mem_0000000000000000000z"], user_id=user)
    for call in (
        lambda: knowledge.publish("x", [first], user_id=friend),
        lambda: knowledge.publish("x", [first, "knp_0000000000000000000z"], user_id=user),
        lambda: knowledge.subscribe(user, "x", user_id=friend),
        lambda: knowledge.revoke("x", user_id=user),
        lambda: knowledge.unsubscribe(user, "x", user_id=friend),
    ):
        with pytest.raises(NotFoundError):
            call()
    assert knowledge.shared(user_id=user) == []


def test_scores_tell_nothing_of_what_is_not_shared(ready: Face, user: str, friend: str) -> None:
    """Whatever else the owner stores: a subscriber sees the same hits with the same scores."""
    kb: KB = ready.kb
    kb.knowledge.save_knowledge(
        user,
        FIRST,
        [point("Biscuit the dog likes trains"), point("the train to Lisbon is late"), point("茶")],
    )
    kb.knowledge.publish("trains", filters={"content": {"contains": "train"}}, user_id=user)
    kb.knowledge.subscribe(user, "trains", user_id=friend)

    def seen() -> Any:
        eventually("the points have vectors", lambda: kb.status()["pending_vector_count"] == 0)
        queries = ("Biscuit trains", "the train", "Lisbon", "哪列火车晚点了")
        modes = ("auto", "lexical", "semantic", "hybrid")
        return [shared(kb, friend, query, mode=mode) for query in queries for mode in modes]

    before = seen()
    assert any(before)
    more = [point(f"Biscuit the train number {n} in Lisbon") for n in range(60)]
    kb.knowledge.save_knowledge(user, SECOND, more)
    kb.add_many([f"Lisbon train {n}" for n in range(30)], user_id=user)
    assert seen() == before
