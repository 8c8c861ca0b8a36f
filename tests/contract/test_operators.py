"""Who changed a memory and why: told by history, compare and conflicts, and refused where it is a lie."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import pytest

from memory_client.errors import InvalidParameterError, NotFoundError, RequestIdConflict

KB = Any
WHO = {"operator": "user", "reason": "she said so"}


def _superseded(kb: KB, id: str, **who: Any) -> str:
    kb.supersede(id, "what is true now", **who)
    return id


CHANGES: dict[str, Callable[..., Any]] = {
    "update_text": lambda kb, id, **who: kb.update_text(id, "put better", **who),
    "update_metadata": lambda kb, id, **who: kb.update_metadata(id, {"mood": "good"}, **who),
    "update_importance": lambda kb, id, **who: kb.update_importance(id, 1.0, **who),
    "supersede": _superseded,
    "archive": lambda kb, id, **who: kb.archive(id, **who),
    "restore": lambda kb, id, **who: (kb.archive(id, user_id=who["user_id"]), kb.restore(id, **who)),
    "revert": lambda kb, id, **who: (
        kb.update_text(id, "worse", user_id=who["user_id"]),
        kb.revert(id, 1, **who),
    ),
    "pin": lambda kb, id, **who: kb.pin(id, **who),
    "feedback": lambda kb, id, **who: kb.feedback(id, "useful", **who),
}


@pytest.mark.parametrize("call", sorted(CHANGES))
def test_a_change_names_its_operator_and_reason(kb: KB, user: str, call: str) -> None:
    id = kb.add("as it was", {"confidence": 0.5}, user_id=user)
    CHANGES[call](kb, id, user_id=user, **WHO)
    last = kb.history(id, user_id=user)[-1]
    assert (last["operator"], last["reason"]) == ("user", "she said so")


@pytest.mark.parametrize("call", sorted(CHANGES))
def test_without_an_operator_it_is_the_app(kb: KB, user: str, call: str) -> None:
    id = kb.add("as it was", {"confidence": 0.5}, user_id=user)
    CHANGES[call](kb, id, user_id=user)
    assert {one["operator"] for one in kb.history(id, user_id=user)} == {"app"}


@pytest.mark.parametrize("call", [*sorted(CHANGES), "delete"])
@pytest.mark.parametrize("operator", ["monitor", "reviewer", "decay", "system", "System"])
def test_nobody_acts_in_the_name_of_memoryd(kb: KB, user: str, call: str, operator: str) -> None:
    id = kb.add("as it was", user_id=user)
    change = CHANGES.get(call, lambda kb, id, **who: kb.delete(id, **who))
    with pytest.raises(InvalidParameterError, match=f"operator: '{operator}' is reserved.*such as app"):
        change(kb, id, user_id=user, operator=operator)
    kept = kb.get(id, user_id=user)
    assert kept is not None
    assert kept["text"] in ("as it was", "worse")


@pytest.mark.parametrize("operator", ["", " user", "review:me", "Anna", "a" * 65, "主人"])
def test_an_operator_is_a_short_word(kb: KB, user: str, operator: str) -> None:
    id = kb.add("as it was", user_id=user)
    with pytest.raises(InvalidParameterError, match=r"operator: .*lowercase"):
        kb.archive(id, operator=operator, user_id=user)


def test_who_and_why_belong_to_a_repeated_request(kb: KB, user: str) -> None:
    id = kb.add("as it was", user_id=user)
    done = kb.update_text(id, "better", user_id=user, request_id="r", **WHO)
    assert kb.update_text(id, "better", user_id=user, request_id="r", **WHO) == done
    with pytest.raises(RequestIdConflict):
        kb.update_text(id, "better", user_id=user, request_id="r", operator="import")


def test_a_history_shows_ids_hashes_and_differences(kb: KB, user: str) -> None:
    id = kb.add("主人住在北京", {"mood": "good"}, user_id=user)
    kb.update_text(id, "主人住在上海", user_id=user)
    kb.update_metadata(id, {"mood": "bad", "verified": True}, user_id=user)
    first, second, third = kb.history(id, user_id=user)
    assert [one["id"] for one in (first, second, third)] == [f"ver_{id[4:]}.{n}" for n in (1, 2, 3)]
    assert first["content_hash"] == hashlib.sha256("主人住在北京".encode()).hexdigest()
    assert second["content_hash"] == third["content_hash"] != first["content_hash"]
    assert first["diff"] is None
    assert second["diff"] == {
        "readable": "主人住在[-北京-]{+上海+}",
        "fields": {},
        "metadata": {},
        "change_count": 1,
    }
    assert third["diff"] == {
        "readable": None,
        "fields": {"verified": {"a": False, "b": True}},
        "metadata": {"mood": {"a": "good", "b": "bad"}},
        "change_count": 2,
    }
    assert [one["diff"] for one in kb.history(id, limit=1, user_id=user)] == [third["diff"]]
    assert [one["diff"] for one in kb.history(id, limit=1, before=3, user_id=user)] == [second["diff"]]


def test_a_comparison_names_both_sides_and_counts(kb: KB, user: str) -> None:
    id = kb.add("主人住在北京", {"mood": "good"}, user_id=user)
    kb.update_text(id, "主人住在上海", user_id=user, **WHO)
    kb.update_metadata(id, {"mood": None}, user_id=user, operator="import")
    found, told = kb.compare(id, 1, 3, user_id=user), kb.history(id, user_id=user)
    shared = ("id", "version", "operation", "operator", "reason", "at", "content_hash")
    assert found["first"] == {name: told[0][name] for name in shared}
    assert found["second"] == {name: told[2][name] for name in shared}
    assert (found["first"]["operator"], found["second"]["operator"]) == ("app", "import")
    assert found["change_count"] == 2
    assert kb.compare(id, 2, 2, user_id=user)["change_count"] == 0


def test_a_conflict_names_who_said_what_when(kb: KB, user: str) -> None:
    first = kb.add("主人的职业是律师", user_id=user)
    second = kb.add("主人的工作", user_id=user)
    kb.update_text(second, "主人的职业是护士", user_id=user, **WHO)
    (found,) = kb.conflicts(window="all", user_id=user)
    one, other = found["first"], found["second"]
    assert (one["id"], one["operator"], one["reason"]) == (first, "app", None)
    assert (other["id"], other["operator"], other["reason"]) == (second, "user", "she said so")
    assert other["at"] == kb.history(second, user_id=user)[-1]["at"] > one["at"]


def test_who_resolved_a_conflict_is_told_by_the_loser(kb: KB, user: str) -> None:
    winner = kb.add("主人的职业是律师", user_id=user)
    loser = kb.add("主人的职业是护士", user_id=user)
    kb.resolve(winner, loser, user_id=user, **WHO)
    last = kb.history(loser, user_id=user)[-1]
    assert (last["operation"], last["operator"], last["reason"]) == ("archive", "user", "she said so")


def test_decided_conflicts_name_who_decided_when_and_why(kb: KB, user: str) -> None:
    lawyer, nurse = kb.add("主人的职业是律师", user_id=user), kb.add("主人的职业是护士", user_id=user)
    beijing, shanghai = kb.add("主人住在北京", user_id=user), kb.add("主人住在上海", user_id=user)
    before = kb.conflicts(user_id=user)
    assert {(one["state"], one["decided_at"], one["decided_by"], one["decision"]) for one in before} == {
        ("open", None, None, None)
    }
    assert kb.conflicts(decided=True, user_id=user) == []
    kb.resolve(lawyer, nurse, keep_both=True, user_id=user, **WHO)
    kb.resolve(shanghai, beijing, user_id=user, operator="import", reason="moved")
    assert kb.conflicts(user_id=user) == []
    decided = kb.conflicts(decided=True, user_id=user)
    assert {(one["state"], one["first"]["id"], one["decided_by"], one["decision"]) for one in decided} == {
        ("dismissed", lawyer, "user", "she said so"),
        ("resolved", beijing, "import", "moved"),
    }
    assert all(one["decided_at"] >= one["created_at"] for one in decided)
    assert [one["first"]["id"] for one in kb.conflicts(lawyer, decided=True, user_id=user)] == [lawyer]
    assert kb.conflicts(decided=True, user_id=f"{user}-other") == []
    kb.restore(beijing, user_id=user)  # undecided again
    assert [one["state"] for one in kb.conflicts(decided=True, user_id=user)] == ["dismissed"]


def test_a_correction_within_a_memory_names_both_sides(kb: KB, user: str) -> None:
    id = kb.add("主人对花生过敏", user_id=user)
    kb.update_text(id, "主人对花生不过敏", user_id=user, **WHO)
    (found,) = kb.conflicts(id, window="all", user_id=user)
    assert (found["state"], found["first"]["operator"], found["second"]["operator"]) == (
        "resolved",
        "app",
        "user",
    )
    assert found["second"]["reason"] == "she said so"
    assert (found["decided_by"], found["decision"]) == ("user", "she said so")
    assert found["decided_at"] == found["second"]["at"]


def test_a_verdict_names_who_decided(kb: KB, user: str) -> None:
    id = kb.add("as it was", user_id=user)
    review = kb.feedback(id, "outdated", user_id=user)["review_id"]
    kb.review.decide(review, "delete", user_id=user, **WHO)
    last = kb.history(id, user_id=user)[-1]
    assert (last["operator"], last["reason"]) == ("review:user", "she said so")


@pytest.mark.parametrize("call", ["delete", "delete_many", "forget"])
def test_the_history_of_what_was_deleted_names_who_and_why(kb: KB, user: str, call: str) -> None:
    id = kb.add("a word that goes", user_id=user)
    if call == "delete":
        kb.delete(id, user_id=user, **WHO)
    else:
        getattr(kb, call)(ids=[id], dry_run=False, user_id=user, **WHO)
    with pytest.raises(NotFoundError, match=r"user deleted it .*she said so") as caught:
        kb.history(id, user_id=user)
    assert (caught.value.data["operator"], caught.value.data["reason"]) == ("user", "she said so")
    assert "goes" not in caught.value.message
    with pytest.raises(NotFoundError, match="is another's"):
        kb.history(id, user_id=f"other-{user}")


def test_what_an_agent_deleted_of_its_own_others_do_not_hear_of(kb: KB, user: str) -> None:
    id = kb.add("a recipe", user_id=user, agent_id="cook")
    kb.delete(id, user_id=user, agent_id="cook", **WHO)
    with pytest.raises(NotFoundError, match="is another's"):
        kb.history(id, user_id=user)
    with pytest.raises(NotFoundError, match="user deleted it"):
        kb.history(id, user_id=user, agent_id="*")


def test_a_whole_user_is_deleted_with_the_record_of_deletions(kb: KB, user: str) -> None:
    id = kb.add("a word that goes", user_id=user)
    kb.delete(id, user_id=user, **WHO)
    kb.delete_all(user)
    with pytest.raises(NotFoundError, match="is another's"):
        kb.history(id, user_id=user)
