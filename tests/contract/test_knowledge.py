"""Group `knowledge` over both faces: versions, what is found, what is drawn, merging."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import pytest

from memory_client.errors import (
    InvalidParameterError,
    KnowledgeValidationError,
    NotFoundError,
    RequestIdConflict,
)
from support.faces import Face, opened
from support.waiting import eventually

KB = Any
FIRST, SECOND, THIRD = "20260103174500", "20260104080000", "20260105080000"


def point(content: str, score: int = 50, kind: str = "WorldModel", **metadata: Any) -> Any:
    return {"content": content, "type": kind, "score": score, "metadata": metadata}


def contents(points: Any) -> list[str]:
    return [one["content"] for one in points]


def test_versions_are_saved_and_loaded(kb: KB, user: str) -> None:
    knowledge = kb.knowledge
    assert knowledge.get_latest_version_id(user) == ""
    assert knowledge.get_version(user) is None
    assert knowledge.load_knowledge(user) == knowledge.load_knowledge(user, None) == []
    saved = knowledge.save_knowledge(user, FIRST, [point("主人对花生过敏", 90, seen=["c1"]), point("b")])
    assert saved["version_id"] == FIRST
    assert (saved["kind"], saved["parents"], saved["point_count"], saved["damaged"]) == (
        "increment",
        [],
        2,
        [],
    )
    assert abs(saved["created_at"] - time.time()) < 60
    knowledge.save_knowledge(user, SECOND, [point("c", 10)])
    assert knowledge.get_latest_version_id(user) == SECOND
    assert knowledge.get_recent_versions(user, 9) == [SECOND, FIRST]
    assert contents(knowledge.load_knowledge(user)) == ["c"]
    assert knowledge.load_knowledge(user, FIRST)[0] == {
        **point("主人对花生过敏", 90, seen=["c1"]),
        "user_id": user,
    }
    assert contents(knowledge.load_knowledge(user, FIRST, 1)) == ["主人对花生过敏"]
    assert knowledge.get_version(user, FIRST) == saved


def test_a_version_without_an_id_gets_the_time(kb: KB, user: str) -> None:
    ids = [kb.knowledge.save_knowledge(user, None, [point(str(n))])["version_id"] for n in range(3)]
    assert sorted(ids) == ids
    assert re.fullmatch(r"\d{14}(-\d{3})?", ids[0])
    assert kb.knowledge.get_recent_versions(user) == ids[::-1]


def test_a_new_version_is_behind_the_latest_though_that_is_of_the_future(kb: KB, user: str) -> None:
    kb.knowledge.save_knowledge(user, "21000101000000", [point("a")])
    assert kb.knowledge.save_knowledge(user, None, [point("b")])["version_id"] == "21000101000000-001"
    assert contents(kb.knowledge.load_knowledge(user)) == ["b"]


def test_a_repeated_request_saves_once(kb: KB, user: str) -> None:
    saved = [kb.knowledge.save_knowledge(user, None, [point("a")], request_id="r") for _ in range(2)]
    assert saved[0] == saved[1]
    assert kb.knowledge.get_recent_versions(user) == [saved[0]["version_id"]]
    with pytest.raises(RequestIdConflict):
        kb.knowledge.save_knowledge(user, None, [point("b")], request_id="r")


@pytest.mark.parametrize(
    ("bad", "field"),
    [
        (point("x", 101), "score"),
        (point("x", -1), "score"),
        (point("x", kind="Gossip"), "type"),
        (point("x\x07"), "content"),
        (point("  "), "content"),
        ({**point("x"), "user_id": "somebody"}, "user_id"),
        ({**point("x"), "metadata": {"": 1}}, "metadata key"),
        (point("x", "5"), "score"),  # type: ignore[arg-type]
        (point("x", 5.0), "score"),  # type: ignore[arg-type]
        (point("x", True), "score"),
        ({"content": "x", "type": "WorldModel"}, "score"),
        ({"type": "WorldModel", "score": 5}, "content"),
        ({**point("x"), "metadata": ["a", "list"]}, "metadata"),
        ({**point("x"), "scroe": 5}, "scroe"),
        ("a text", ""),
        (None, ""),
    ],
)
def test_a_bad_point_is_refused_whole(kb: KB, user: str, bad: Any, field: str) -> None:
    with pytest.raises(KnowledgeValidationError) as raised:
        kb.knowledge.save_knowledge(user, None, [point("good"), bad])
    assert raised.value.data["parameter"] == (f"points[1].{field}" if field else "points[1]")
    assert kb.knowledge.get_recent_versions(user) == []
    assert kb.knowledge.retrieve_relevant_knowledge(user) == []


@pytest.mark.parametrize("who", ["a\nb", "x" * 201, " "])
def test_a_user_that_cannot_be_is_refused(kb: KB, who: str) -> None:
    knowledge = kb.knowledge
    for call in (
        lambda: knowledge.save_knowledge(who, None, [point("a")]),
        lambda: knowledge.load_knowledge(who),
        lambda: knowledge.get_recent_versions(who),
        lambda: knowledge.retrieve_knowledge_with_sampling(who),
        lambda: knowledge.retrieve_relevant_knowledge(who, "a"),
        lambda: knowledge.merge(who),
        lambda: knowledge.compare(who, "latest", "latest"),
        lambda: knowledge.publish("set", filters={"type": "OtherKnowledge"}, user_id=who),
        lambda: knowledge.subscribe(who, "set"),
        lambda: knowledge.shared(user_id=who),
    ):
        with pytest.raises(InvalidParameterError):
            call()


def test_unknown_versions_and_bad_ids(kb: KB, user: str) -> None:
    kb.knowledge.save_knowledge(user, FIRST, [point("a")])
    for call in (
        lambda: kb.knowledge.load_knowledge(user, SECOND),
        lambda: kb.knowledge.get_version(user, SECOND),
        lambda: kb.knowledge.compare(user, FIRST, SECOND),
        lambda: kb.knowledge.rollback(user, SECOND),
    ):
        with pytest.raises(NotFoundError):
            call()
    for bad in ("", "../x", "20261399000000", "latest "):
        with pytest.raises(InvalidParameterError):
            kb.knowledge.save_knowledge(user, bad, [])
        with pytest.raises(InvalidParameterError):
            kb.knowledge.rollback(user, bad)
    with pytest.raises(InvalidParameterError, match="other points"):
        kb.knowledge.save_knowledge(user, FIRST, [point("b")])
    assert kb.knowledge.get_recent_versions(user) == [FIRST]


def test_credentials_never_get_in(kb: KB, user: str) -> None:
    key = "sk-" + "proj1234567890abcdefghij1234"
    kb.knowledge.save_knowledge(user, None, [point(f"the key is {key}", note=f"again {key}")])
    (found,) = kb.knowledge.load_knowledge(user)
    assert found["content"] == "the key is [secret:api_key]"
    assert found["metadata"] == {"note": "again [secret:api_key]"}


def test_what_is_known_is_found_by_score(kb: KB, user: str) -> None:
    knowledge = kb.knowledge
    knowledge.save_knowledge(user, FIRST, [point("old", 30), point("sunk", 90), point("low", 19)])
    knowledge.save_knowledge(user, SECOND, [point("best", 95), point("sunk", 10)])
    found = knowledge.retrieve_relevant_knowledge(user)
    assert [(one["content"], one["score"], one["version_id"]) for one in found] == [
        ("best", 95, SECOND),
        ("old", 30, FIRST),
    ]
    assert found[0]["relevance"] == 0.95
    assert contents(knowledge.retrieve_relevant_knowledge(user, top_k=1)) == ["best"]


def test_what_is_known_is_found_by_words_at_once(kb: KB, user: str) -> None:
    kb.knowledge.save_knowledge(user, None, [point("主人对花生过敏", 90), point("They went to Lisbon", 80)])
    assert contents(kb.knowledge.retrieve_relevant_knowledge(user, "花生"))[:1] == ["主人对花生过敏"]
    assert contents(kb.knowledge.retrieve_relevant_knowledge(user, "Lisbon"))[:1] == ["They went to Lisbon"]
    assert kb.search("花生", user_id=user, scope="all") == []


def test_what_is_known_is_found_by_meaning(ready: Face, user: str) -> None:
    texts = ("主人对花生过敏", "他在银行上班", "The dog is afraid of thunder")
    ready.kb.knowledge.save_knowledge(user, None, [point(text, 60) for text in texts])
    eventually("the points have vectors", lambda: ready.kb.status()["pending_vector_count"] == 0)
    for query, wanted in (
        ("What food must be avoided?", texts[0]),
        ("what is his job", texts[1]),
        ("Which animal is scared, and of what?", texts[2]),
    ):
        assert contents(ready.kb.knowledge.retrieve_relevant_knowledge(user, query))[0] == wanted


def test_a_seeded_sample_is_the_same_in_every_face(kb: KB, user: str) -> None:
    kb.knowledge.save_knowledge(user, FIRST, [point(str(n), 20 + n) for n in range(40)])
    drawn = kb.knowledge.retrieve_knowledge_with_sampling(user, 6, seed=7)
    assert drawn == kb.knowledge.retrieve_knowledge_with_sampling(user, 6, seed=7)
    assert len(set(contents(drawn))) == 6
    assert len(kb.knowledge.retrieve_knowledge_with_sampling(user)) == 5
    assert len(kb.knowledge.load_knowledge(user, None, 3)) == 3


def test_comparing(kb: KB, user: str) -> None:
    kb.knowledge.save_knowledge(user, FIRST, [point("a"), point("b", 10), point("gone"), point("typed")])
    later = [point("a"), point("b", 20), point("new"), point("typed", kind="OtherKnowledge")]
    kb.knowledge.save_knowledge(user, SECOND, later)
    found = kb.knowledge.compare(user, FIRST, "latest")
    assert contents(found["added"]) == ["new"]
    assert contents(found["removed"]) == ["gone"]
    assert found["changed"] == [
        {"content": "b", "score": [10, 20], "type": ["WorldModel", "WorldModel"]},
        {"content": "typed", "score": [50, 50], "type": ["WorldModel", "OtherKnowledge"]},
    ]
    assert found["unchanged_count"] == 1
    assert [one["version_id"] for one in found["versions"]] == [FIRST, SECOND]


def test_rolling_back(kb: KB, user: str) -> None:
    knowledge = kb.knowledge
    knowledge.save_knowledge(user, FIRST, [point("a", 60)])
    knowledge.save_knowledge(user, SECOND, [point("b", 70)])
    knowledge.save_knowledge(user, THIRD, [point("wrong", 90)])
    back = knowledge.rollback(user, SECOND, request_id="back")
    assert (back["kind"], back["parents"]) == ("rollback", [SECOND])
    assert knowledge.rollback(user, SECOND, request_id="back") == back
    assert knowledge.load_knowledge(user) == knowledge.load_knowledge(user, SECOND)
    assert contents(knowledge.retrieve_relevant_knowledge(user)) == ["b", "a"]
    assert knowledge.rollback(user, back["version_id"]) == back, "nothing to do"
    knowledge.save_knowledge(user, None, [point("c", 80)])
    assert contents(knowledge.retrieve_relevant_knowledge(user)) == ["c", "b", "a"]
    assert contents(knowledge.load_knowledge(user, THIRD)) == ["wrong"]


def test_merging(kb: KB, user: str) -> None:
    knowledge = kb.knowledge
    knowledge.save_knowledge(
        user,
        FIRST,
        [point("主人对花生过敏", 60, first=1), point("She has 2 cats", 50), point("Tom likes tea", 40)],
    )
    knowledge.save_knowledge(
        user,
        SECOND,
        [
            point("主人对花生过敏。", 90, second=2),
            point("主人对花生不过敏", 30),
            point("She has 3 cats", 50),
            point("Tom likes tea", 70, third=3),
        ],
    )
    receipt = knowledge.merge(user, request_id="m")
    assert knowledge.merge(user, request_id="m") == receipt
    assert receipt["parents"] == [FIRST, SECOND]
    assert (receipt["merged_count"], receipt["point_count"], receipt["omitted_count"]) == (1, 5, 0)
    assert receipt["conflict_count"] >= 1
    found = kb.conflicts(user_id=user)
    assert len(found) == receipt["conflict_count"]
    pairs = [{one["first"]["text"], one["second"]["text"]} for one in found]
    assert {"主人对花生过敏。", "主人对花生不过敏"} in pairs
    assert all(one["first"]["id"].startswith("knp_") and one["source"] == "merge" for one in found)
    merged = {one["content"]: one for one in knowledge.load_knowledge(user)}
    assert merged.keys() == {
        "主人对花生过敏。",
        "主人对花生不过敏",
        "She has 2 cats",
        "She has 3 cats",
        "Tom likes tea",
    }
    assert merged["主人对花生过敏。"]["metadata"] == {"first": 1, "second": 2}
    assert (merged["Tom likes tea"]["score"], merged["Tom likes tea"]["metadata"]) == (70, {"third": 3})
    assert knowledge.get_version(user)["kind"] == "merge"
    assert len(knowledge.retrieve_relevant_knowledge(user)) == 5
    assert knowledge.merge(user)["version_id"] is None, "nothing new"
    knowledge.save_knowledge(user, None, [point("new", 99)])
    assert contents(knowledge.retrieve_relevant_knowledge(user))[0] == "new"
    assert len(knowledge.retrieve_relevant_knowledge(user, top_k=9)) == 6


def test_merging_after_a_rollback(kb: KB, user: str) -> None:
    knowledge = kb.knowledge
    for id, content in ((FIRST, "tea is hot"), (SECOND, "the sea is blue"), (THIRD, "wrong")):
        knowledge.save_knowledge(user, id, [point(content)])
    knowledge.rollback(user, SECOND)
    merged = knowledge.merge(user)
    assert merged["parents"] == [FIRST, SECOND]
    assert knowledge.merge(user)["version_id"] is None, "nothing new"
    assert knowledge.get_latest_version_id(user) == merged["version_id"]
    assert set(contents(knowledge.retrieve_relevant_knowledge(user))) == {"tea is hot", "the sea is blue"}
    for _ in range(2):
        back = knowledge.rollback(user, FIRST)
        assert knowledge.merge(user)["version_id"] is None, "it would be the same again"
        assert knowledge.get_latest_version_id(user) == back["version_id"]


def test_a_version_that_would_never_count_is_refused(kb: KB, user: str) -> None:
    knowledge = kb.knowledge
    early, between = "20250101000000", "20260103200000"
    knowledge.save_knowledge(user, FIRST, [point("a")])
    knowledge.save_knowledge(user, SECOND, [point("b")])
    merged = knowledge.merge(user)["version_id"]
    for id in (early, between):
        with pytest.raises(InvalidParameterError, match=f"version_id: {id} .* after {merged}"):
            knowledge.save_knowledge(user, id, [point("lost")])
    assert knowledge.get_recent_versions(user, 9) == [merged, SECOND, FIRST]
    assert knowledge.save_knowledge(user, FIRST, [point("a")])["version_id"] == FIRST, "it is there"
    assert len(knowledge.retrieve_relevant_knowledge(user)) == 2


def test_points_are_found_while_their_vectors_are_pending(kb: KB, user: str) -> None:
    knowledge = kb.knowledge
    points = [point("主人对花生过敏", 60), point("She plays the violin", 50), point("tea is hot", 90)]
    knowledge.save_knowledge(user, FIRST, points)
    for query, content in (("花生", "主人对花生过敏"), ("violin", "She plays the violin")):
        found = knowledge.retrieve_relevant_knowledge(user, query)
        assert found[0]["content"] == content
        assert found[0]["relevance"] > 0
    assert knowledge.retrieve_relevant_knowledge(user, "zzz") != []


def test_where_no_word_matches_the_best_scores_are_returned(tmp_path: Path) -> None:
    with opened("in-process", tmp_path, **NO_MODEL) as kb:
        points = [point("low", 19), point("tea", 60), point("coffee", 90)]
        kb.knowledge.save_knowledge("u", FIRST, points)
        found = kb.knowledge.retrieve_relevant_knowledge("u", "weekend hobby")
        assert [(one["content"], one["relevance"]) for one in found] == [("coffee", 0.9), ("tea", 0.6)]
        assert contents(kb.knowledge.retrieve_relevant_knowledge("u", "tea")) == ["tea"]


def test_what_is_found_can_be_saved_again(kb: KB, user: str) -> None:
    kb.knowledge.save_knowledge(user, FIRST, [point("tea", 60, seen=1), point("coffee", 50)])
    found = kb.knowledge.retrieve_relevant_knowledge(user, "tea")
    kb.knowledge.save_knowledge(user, SECOND, found)
    assert contents(kb.knowledge.load_knowledge(user)) == contents(found)


def test_five_points_are_returned_unless_the_call_says_how_many(kb: KB, user: str) -> None:
    kb.knowledge.save_knowledge(user, FIRST, [point(f"tea {n}") for n in range(8)])
    assert len(kb.knowledge.retrieve_relevant_knowledge(user)) == 5
    assert len(kb.knowledge.retrieve_relevant_knowledge(user, "tea")) == 5


def test_delete_all_takes_everything(kb: KB, user: str) -> None:
    kb.knowledge.save_knowledge(user, None, [point("a", 60)])
    assert kb.delete_all(user)["counts"]["points"] == 1
    assert kb.knowledge.get_recent_versions(user) == []
    assert kb.knowledge.retrieve_relevant_knowledge(user) == []
    assert kb.knowledge.retrieve_knowledge_with_sampling(user) == []


# Kept in files

NO_MODEL = {"embedder.model": "none"}


@pytest.fixture
def _no_leaked_threads() -> None:
    """Checked where a face ends."""


def test_versions_in_files_are_the_truth(tmp_path: Path) -> None:
    with opened("in-process", tmp_path / "home", **NO_MODEL, **{"knowledge.storage": "files"}) as kb:
        kb.knowledge.save_knowledge("a/b", FIRST, [point("主人对花生过敏", 60), point("b", 30)])
        home = tmp_path / "home" / "knowledge" / "user_a%2Fb"
        assert (home / "latest.txt").read_text() == FIRST
        path = home / "versions" / FIRST / "knowledge.jsonl"
        (home / "versions" / SECOND).mkdir()
        lines = '{"content":"by hand","type":"OtherKnowledge","score":77}\n{oops\n'
        (home / "versions" / SECOND / "knowledge.jsonl").write_text(lines)
        assert contents(kb.knowledge.retrieve_relevant_knowledge("a/b")) == ["by hand", "主人对花生过敏", "b"]
        assert contents(kb.knowledge.retrieve_relevant_knowledge("a/b", "hand")) == ["by hand"]
        described: Any = kb.knowledge.get_version("a/b")
        assert described["damaged"] == [{"line": 2, "reason": "it is no JSON"}]
        assert kb.knowledge.merge("a/b")["point_count"] == 3
        assert len(list((home / "versions").iterdir())) == 3
        for place in sorted((home / "versions").iterdir()):
            for file in place.iterdir():
                file.unlink()
        assert kb.knowledge.retrieve_relevant_knowledge("a/b") == []
        assert kb.status()["counts"]["points"] == 0
        assert not path.exists()


def test_a_request_saved_in_files_is_saved_once(tmp_path: Path) -> None:
    with opened("in-process", tmp_path / "home", **NO_MODEL, **{"knowledge.storage": "files"}) as kb:
        saved = [kb.knowledge.save_knowledge("u", None, [point("a")], request_id="r") for _ in range(2)]
        assert saved[0] == saved[1]
        assert len(kb.knowledge.get_recent_versions("u")) == 1
        kb.delete_all("u")
        assert [path.name for path in (tmp_path / "home" / "knowledge").iterdir()] == [".lock"]
