from __future__ import annotations

from typing import Any

import pytest

from memory_client.errors import (
    InvalidParameterError,
    InvalidStateError,
    NotFoundError,
    RequestIdConflict,
    WrongIdError,
)
from memory_client.types import Memory
from support.faces import Face

UNKNOWN = "mem_0000000000000000000z"


def found(kb: Any, id: str, user: str) -> Memory:
    memory: Memory | None = kb.get(id, user_id=user)
    assert memory is not None
    return memory


def test_a_boost_adds_and_says_so(face: Face, user: str) -> None:
    kb = face.kb
    id = kb.add("主人喜欢拉面", user_id=user)
    done = kb.boost(id, "asked for it again", user_id=user)
    assert done == {"id": id, "applied": 0.3, "importance": 1.3, "limited_by": None, "restored": False}
    memory = found(kb, id, user)
    assert (memory["importance"], memory["effective_importance"]) == (1.3, 1.3)
    assert (memory["access_count"], memory["version"]) == (1, 1)
    assert memory["last_access"] > memory["created_at"]


def test_a_second_boost_at_once_changes_nothing(face: Face, user: str) -> None:
    kb = face.kb
    id = kb.add("once", user_id=user)
    kb.boost(id, user_id=user)
    before = found(kb, id, user)
    again = kb.boost(id, user_id=user)
    assert (again["applied"], again["importance"]) == (0.0, 1.3)
    assert again["limited_by"] == "within 2 hours of the last one, which counts once"
    assert found(kb, id, user) == before


def test_importance_is_never_over_five(face: Face, user: str) -> None:
    kb = face.kb
    id = kb.add("much", {"importance": 4.9}, user_id=user)
    done = kb.boost(id, user_id=user)
    assert (done["applied"], done["importance"], done["limited_by"]) == (0.1, 5.0, "the maximum is 5")


def test_what_was_used_is_boosted_each_once(face: Face, user: str) -> None:
    kb = face.kb
    ids = kb.add_many(["one", "two"], user_id=user)
    done = kb.mark_used([*ids, ids[0]], user_id=user)
    assert [(one["id"], one["applied"]) for one in done] == [(id, 0.3) for id in ids]


def test_no_reply_uses_thousands(face: Face, user: str) -> None:
    with pytest.raises(InvalidParameterError, match="ids"):
        face.kb.mark_used([UNKNOWN] * 1001, user_id=user)


def test_an_unknown_id_among_the_used_changes_nothing(face: Face, user: str) -> None:
    kb = face.kb
    id = kb.add("one", user_id=user)
    with pytest.raises(NotFoundError):
        kb.mark_used([id, UNKNOWN], user_id=user)
    assert found(kb, id, user)["importance"] == 1.0


def test_a_repeated_request_boosts_once(face: Face, user: str) -> None:
    kb = face.kb
    id = kb.add("one", user_id=user)
    first = kb.boost(id, user_id=user, request_id="r")
    assert kb.boost(id, user_id=user, request_id="r") == first
    assert found(kb, id, user)["importance"] == 1.3
    with pytest.raises(RequestIdConflict):
        kb.boost(id, "other", user_id=user, request_id="r")


@pytest.mark.parametrize("name", ["boost", "pin", "restore"])
def test_ids_are_checked(face: Face, user: str, name: str) -> None:
    call = getattr(face.kb, name)
    id = face.kb.add("mine", user_id=user)
    with pytest.raises(NotFoundError):
        call(UNKNOWN, user_id=user)
    with pytest.raises(NotFoundError):
        call(id, user_id=f"not-{user}")
    with pytest.raises(WrongIdError):
        call("trn_0000000000000000000z", user_id=user)


def test_what_is_archived_for_another_reason_than_decay_is_not_boosted(face: Face, user: str) -> None:
    kb = face.kb
    id = kb.add("put away", user_id=user)
    kb.archive(id, user_id=user)
    before = found(kb, id, user)
    for call in (kb.boost, lambda id, **who: kb.mark_used([id], **who)):
        with pytest.raises(InvalidStateError, match="archived"):
            call(id, user_id=user)
    with pytest.raises(InvalidStateError):
        kb.feedback(id, "wrong", user_id=user)
    assert found(kb, id, user) == before


def test_what_was_superseded_is_not_boosted(face: Face, user: str) -> None:
    kb = face.kb
    id = kb.add("I live in Paris", user_id=user)
    kb.supersede(id, "I live in Rome", user_id=user)
    before = found(kb, id, user)
    for call in (kb.boost, kb.restore):
        with pytest.raises(InvalidStateError, match="superseded"):
            call(id, user_id=user)
    assert found(kb, id, user) == before


def test_useful_raises_confidence_only(face: Face, user: str) -> None:
    kb = face.kb
    id = kb.add("maybe", {"confidence": 0.85}, user_id=user)
    done = kb.feedback(id, "useful", "it was so", user_id=user)
    assert done == {"id": id, "confidence": 0.95, "review_id": None}
    memory = found(kb, id, user)
    assert (memory["confidence"], memory["importance"], memory["access_count"]) == (0.95, 1.0, 0)
    assert kb.feedback(id, "useful", user_id=user)["confidence"] == 1.0
    assert kb.feedback(id, "useful", user_id=user)["confidence"] == 1.0
    assert found(kb, id, user)["version"] == 3


def test_a_finding_nobody_knows_is_refused(face: Face, user: str) -> None:
    id = face.kb.add("one", user_id=user)
    with pytest.raises(InvalidParameterError, match="finding"):
        face.kb.feedback(id, "dull", user_id=user)  # type: ignore[arg-type]


def test_a_pin_is_set_and_taken_out(face: Face, user: str) -> None:
    kb = face.kb
    id = kb.add("stays", user_id=user)
    assert kb.pin(id, user_id=user) == {"id": id, "version": 2, "changed": True}
    assert found(kb, id, user)["pinned"]
    assert not kb.pin(id, user_id=user)["changed"]
    assert kb.pin(id, False, user_id=user)["changed"]
    assert not found(kb, id, user)["pinned"]


def test_restore_brings_an_archived_memory_back(ready: Face, user: str) -> None:
    kb = ready.kb
    id = kb.add("主人喜欢拉面", {"importance": 0.1}, user_id=user)
    kb.archive(id, user_id=user)
    assert kb.search("拉面", user_id=user) == []
    assert kb.restore(id, "back again", user_id=user) == {"id": id, "version": 3, "changed": True}
    for mode in ("semantic", "lexical"):
        assert [hit["id"] for hit in kb.search("拉面", mode=mode, user_id=user)] == [id]  # type: ignore[arg-type]
    memory = found(kb, id, user)
    assert (memory["state"], memory["archived_because"], memory["importance"]) == ("active", None, 0.5)
    with pytest.raises(InvalidStateError, match="expected an archived or superseded memory"):
        kb.restore(id, user_id=user)


def test_reasons_are_screened(face: Face, user: str) -> None:
    kb = face.kb
    secret = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD"
    id = kb.add("one", user_id=user)
    kb.boost(id, f"the key is {secret}", user_id=user)
    kb.feedback(id, "wrong", f"the key is {secret}", user_id=user)
    kb.archive(id, f"the key is {secret}", user_id=user)
    kb.restore(id, f"the key is {secret}", user_id=user)
    for path in face.home.glob("memory.sqlite3*"):
        assert secret.encode() not in path.read_bytes()
