"""Reviews: what brings them about, and what verdicts do."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_client.errors import InvalidParameterError, InvalidStateError, NotFoundError, WrongIdError
from memory_client.types import Review, ReviewKind
from support.clocked_store import Clocked, clocked
from support.faces import Face

AI = {"source": "background_ai"}
UNKNOWN = "rev_0000000000000000000z"


@pytest.fixture
def life(tmp_path: Path) -> Iterator[Clocked]:
    with clocked(tmp_path / "home") as life:
        yield life


def the_review(life: Clocked, kind: ReviewKind) -> Review:
    [review] = life.kb.review.page(kind=kind)["items"]
    return review


def fallen(life: Clocked, text: str = "a fact") -> str:
    id = life.kb.add(text, AI)
    life.live(10)
    life.kb.decay.run()
    return id


def test_a_promotion_is_asked_for_when_importance_rises_to_two_and_a_half(life: Clocked) -> None:
    id = life.kb.add("a fact", {"importance": 2.1})
    life.kb.boost(id)
    assert life.kb.review.page()["total"] == 0
    life.sleep(hours=3)
    life.kb.boost(id)
    assert the_review(life, "promotion")["importance"] == 2.7
    life.kb.update_importance(id, value=1.0)
    life.kb.update_importance(id, value=2.5)
    life.sleep(hours=1)
    life.kb.update_importance(id, value=1.0)
    life.sleep(hours=1)
    life.kb.update_importance(id, value=2.5)
    assert life.kb.review.page()["total"] == 1, "it is asked already"


def test_what_is_born_important_or_core_is_not_asked_about(life: Clocked) -> None:
    life.kb.add("a fact", {"importance": 2.6})
    core = life.kb.add("core", {"category": "core", "importance": 2.4})
    pinned = life.kb.add("pinned", {"importance": 2.4})
    life.kb.pin(pinned)
    for id in (core, pinned):
        life.kb.boost(id)
    assert life.kb.review.page()["total"] == 0


def test_promote_makes_it_core(life: Clocked) -> None:
    id = fallen(life)
    review = the_review(life, "decay")
    done = life.kb.review.decide(review["id"], "promote", "it matters")
    assert done == {"id": review["id"], "memory_id": id, "verdict": "promote", "version": 2}
    memory = life.get(id)
    assert (memory["category"], round(memory["importance"], 6)) == ("core", 0.443705)
    life.live(100)
    assert life.effective(id) == 0.443705
    last = life.kb.history(id)[-1] if life.kb.history(id)[0]["version"] == 1 else life.kb.history(id)[0]
    assert (last["operation"], last["operator"], last["reason"]) == ("promote", "review:app", "it matters")


def test_keep_sets_it_to_a_half_with_a_grace_that_doubles(life: Clocked) -> None:
    id = fallen(life)
    for grace in (10, 20, 40, 80, 160, 160):
        assert life.kb.review.decide(the_review(life, "decay")["id"], "keep")["version"] == 1
        assert life.effective(id) == 0.5
        life.live(grace)
        assert life.effective(id) == 0.5
        life.live(1)
        assert life.effective(id) == 0.425
        assert life.kb.decay.run()["reviewed"] == [id]


def test_delete_archives_it(life: Clocked) -> None:
    id = fallen(life)
    review = the_review(life, "decay")
    life.kb.review.decide(review["id"], "delete", "out of date")
    assert life.state(id) == ("archived", "review")
    [decided] = life.kb.review.page("decided")["items"]
    assert (decided["verdict"], decided["operator"], decided["reason"]) == ("delete", "app", "out of date")
    assert decided["decided_at"] == life.now
    life.kb.restore(id)
    assert life.effective(id) == 0.5


def test_keep_of_a_promotion_asks_again_at_the_next_rise(life: Clocked) -> None:
    id = life.kb.add("a fact", {"importance": 2.4})
    life.kb.boost(id)
    life.kb.review.decide(the_review(life, "promotion")["id"], "keep")
    assert life.effective(id) == 2.7
    life.live(10)
    assert life.effective(id) < 2.0
    life.kb.update_importance(id, value=2.8)
    assert the_review(life, "promotion")["importance"] == 2.8


def test_wrong_and_outdated_ask_first(life: Clocked) -> None:
    wrong, outdated = life.kb.add("wrong"), life.kb.add("outdated")
    taken = life.kb.feedback(wrong, "wrong", "he said so")
    assert life.kb.feedback(wrong, "wrong", "again")["review_id"] == taken["review_id"]
    life.kb.feedback(outdated, "outdated")
    [first, second] = life.kb.review.page(kind="feedback")["items"]
    assert (first["finding"], first["note"], first["id"]) == ("wrong", "again", taken["review_id"])
    assert (second["finding"], second["note"]) == ("outdated", None)
    assert life.state(wrong) == ("active", None)
    for review in (first, second):
        life.kb.review.decide(review["id"], "delete")
    assert (life.state(wrong), life.state(outdated)) == (("archived", "wrong"), ("archived", "review"))


@pytest.mark.parametrize("back", ["boost", "restore", "undo_pass"])
def test_what_was_called_wrong_is_still_asked_about_after_decay(life: Clocked, back: str) -> None:
    kb = life.kb
    life.live(20)
    id = kb.add("a trip", {"category": "episode"})
    review = kb.feedback(id, "wrong", "it was another")["review_id"]
    assert review is not None
    life.live(8)
    pass_id = kb.decay.run()["id"]
    assert pass_id is not None
    assert life.state(id) == ("archived", "decay")
    assert kb.review.page() == {"items": [], "cursor": None, "total": 0}
    with pytest.raises(InvalidStateError, match="restore it first"):
        kb.review.decide(review, "keep")
    if back == "undo_pass":
        kb.decay.undo_pass(pass_id)
    else:
        getattr(kb, back)(id)
    assert the_review(life, "feedback")["note"] == "it was another"
    kb.review.decide(review, "delete")
    assert life.state(id) == ("archived", "wrong")


def test_what_the_user_puts_away_is_no_longer_called_wrong(life: Clocked) -> None:
    id = life.kb.add("wrong")
    life.kb.feedback(id, "wrong")
    life.kb.archive(id)
    life.kb.restore(id)
    assert life.kb.review.page()["total"] == 0


def test_a_later_finding_takes_the_place_of_the_one_before(life: Clocked) -> None:
    id = life.kb.add("wrong")
    first = life.kb.feedback(id, "outdated", "she moved")
    assert life.kb.feedback(id, "wrong", "she never lived there") == first
    review = the_review(life, "feedback")
    assert (review["finding"], review["note"]) == ("wrong", "she never lived there")
    life.kb.feedback(id, "wrong")
    assert the_review(life, "feedback") == review, "nothing new was said"
    life.kb.review.decide(review["id"], "delete")
    assert life.state(id) == ("archived", "wrong")


@pytest.mark.parametrize("category", ["core", "system"])
def test_there_is_nothing_to_promote_core_or_system_to(life: Clocked, category: str) -> None:
    id = life.kb.add("stays", {"category": category})
    review = life.kb.feedback(id, "wrong")["review_id"]
    before = life.get(id)
    assert review is not None
    with pytest.raises(InvalidStateError, match=f"verdict: .* is {category}; expected keep"):
        life.kb.review.decide(review, "promote")
    assert life.get(id) == before
    assert life.kb.review.page()["total"] == 1


def test_a_review_does_not_end_a_system_memory(life: Clocked) -> None:
    id = life.kb.add("the rules", {"category": "system"})
    review = life.kb.feedback(id, "wrong")["review_id"]
    assert review is not None
    with pytest.raises(InvalidStateError, match=r"verdict: .*delete\(id, force=True\)"):
        life.kb.review.decide(review, "delete")
    assert life.state(id) == ("active", None)
    assert life.kb.review.decide(review, "keep")["version"] == 1


def test_keep_after_feedback_changes_nothing(life: Clocked) -> None:
    id = life.kb.add("right after all")
    life.kb.feedback(id, "wrong")
    before = life.get(id)
    life.kb.review.decide(the_review(life, "feedback")["id"], "keep")
    assert life.get(id) == before


@pytest.mark.parametrize("way", ["archive", "supersede", "delete", "pin"])
def test_what_is_gone_is_no_longer_asked_about(life: Clocked, way: str) -> None:
    id = fallen(life)
    if way == "supersede":
        life.kb.supersede(id, "now it is otherwise")
    else:
        getattr(life.kb, way)(id)
    assert life.kb.review.page()["total"] == 0


def test_a_decided_review_goes_with_its_memory(life: Clocked) -> None:
    id = fallen(life)
    life.kb.review.decide(the_review(life, "decay")["id"], "keep")
    life.kb.delete(id)
    assert life.kb.review.page("decided")["total"] == 0


def test_nothing_is_left_of_what_was_said_about_a_deleted_memory(life: Clocked) -> None:
    id = life.kb.add("a secret")
    life.kb.boost(id, "it was asked for")
    life.kb.feedback(id, "wrong", "it is no secret")
    life.kb.delete(id)
    with life.kb._app._parts.database.read() as connection:
        for table in ("boosts", "reviews"):
            assert connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] == 0


def test_a_rise_in_the_same_instant_is_a_rise(life: Clocked) -> None:
    id = life.kb.add("a fact")
    life.kb.update_importance(id, value=2.6)
    assert the_review(life, "promotion")["importance"] == 2.6


def test_pages(face: Face, user: str) -> None:
    kb = face.kb
    ids = kb.add_many([str(n) for n in range(5)], user_id=user)
    for id in ids:
        kb.feedback(id, "wrong", user_id=user)
    first = kb.review.page(limit=3, user_id=user)
    assert first["total"] == 5
    rest = kb.review.page(limit=3, cursor=first["cursor"], user_id=user)
    assert [one["memory_id"] for one in first["items"] + rest["items"]] == ids
    assert rest["cursor"] is None
    with pytest.raises(InvalidParameterError, match="cursor"):
        kb.review.page("decided", cursor=first["cursor"], user_id=user)


def test_a_verdict_is_carried_out_once(face: Face, user: str) -> None:
    kb = face.kb
    taken = kb.feedback(kb.add("one", user_id=user), "wrong", user_id=user)
    review = taken["review_id"]
    assert review is not None
    first = kb.review.decide(review, "delete", user_id=user, request_id="r")
    assert kb.review.decide(review, "delete", user_id=user, request_id="r") == first
    with pytest.raises(InvalidStateError, match="decided already"):
        kb.review.decide(review, "keep", user_id=user)


def test_bad_input_of_reviews(face: Face, user: str) -> None:
    kb = face.kb
    taken = kb.feedback(kb.add("one", user_id=user), "wrong", user_id=user)
    review = taken["review_id"]
    assert review is not None
    with pytest.raises(NotFoundError):
        kb.review.decide(UNKNOWN, "keep", user_id=user)
    with pytest.raises(NotFoundError):
        kb.review.decide(review, "delete", user_id=f"not-{user}")
    with pytest.raises(WrongIdError):
        kb.review.decide(taken["id"], "keep", user_id=user)
    with pytest.raises(InvalidParameterError, match="verdict"):
        kb.review.decide(review, "burn", user_id=user)  # type: ignore[arg-type]
    assert kb.review.page(user_id=user)["total"] == 1
    assert kb.review.page(user_id=f"not-{user}")["total"] == 0


def test_reviews_of_an_agents_memories_are_its_own(face: Face, user: str) -> None:
    kb = face.kb
    id = kb.add("the cook's", user_id=user, agent_id="cook")
    taken = kb.feedback(id, "wrong", user_id=user, agent_id="cook")
    assert kb.review.page(user_id=user)["total"] == 0
    assert kb.review.page(user_id=user, agent_id="cook")["total"] == 1
    assert taken["review_id"] is not None
    with pytest.raises(NotFoundError):
        kb.review.decide(taken["review_id"], "keep", user_id=user)
