from __future__ import annotations

import pytest

from memory_client.errors import InvalidStateError, NotFoundError, WrongIdError
from memory_client.types import Hit
from support.faces import Face


def ids(hits: list[Hit]) -> list[str]:
    return [hit["id"] for hit in hits]


def test_an_archived_memory_leaves_ordinary_reads(ready: Face, user: str) -> None:
    kb = ready.kb
    away, kept = kb.add_many(["主人喜欢拉面", "主人喜欢寿司"], user_id=user)
    before = kb.search("主人喜欢吃什么", mode="semantic", user_id=user)
    assert {away, kept} == set(ids(before))

    receipt = kb.archive(away, "not any more", user_id=user)

    assert receipt == {"id": away, "version": 2, "changed": True}
    for mode in ("auto", "semantic", "lexical", "exact"):
        assert away not in ids(kb.search("“喜欢” 主人 拉面", mode=mode, user_id=user)), mode  # type: ignore[arg-type]
    assert ids(kb.search("主人喜欢吃什么", mode="semantic", user_id=user)) == [kept]
    assert [one["id"] for one in kb.get_all(user)] == [kept]
    assert kb.count(user_id=user) == 1
    assert kb.page(user_id=user)["total"] == 1
    found = kb.get(away, user_id=user)
    assert found is not None
    assert (found["state"], found["archived_because"]) == ("archived", "user")


def test_only_an_active_memory_is_archived(face: Face, user: str) -> None:
    kb = face.kb
    id = kb.add("once", user_id=user)
    kb.archive(id, user_id=user)
    with pytest.raises(InvalidStateError, match="archived"):
        kb.archive(id, user_id=user)
    with pytest.raises(NotFoundError):
        kb.archive(id, user_id=f"not-{user}")
    with pytest.raises(WrongIdError):
        kb.archive("trn_0000000000000000000z", user_id=user)
    found = kb.get(id, user_id=user)
    assert found is not None
    assert found["version"] == 2


def test_an_archiving_is_carried_out_once(face: Face, user: str) -> None:
    kb = face.kb
    id = kb.add("once", user_id=user)
    first = kb.archive(id, user_id=user, request_id="r")
    assert kb.archive(id, user_id=user, request_id="r") == first
