"""Repeated requests: nothing is done twice, the reply is the same, another request is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from memory_client.api import METHODS
from memory_client.errors import InvalidParameterError, MemorydError, NotFoundError, RequestIdConflict
from support.daemons import end_daemons
from support.faces import FACES, Face, opened

KB = Any


@pytest.fixture
def kb(wordy: Face) -> KB:
    return wordy.kb


def _calls(kb: KB, user: str) -> dict[str, tuple[Callable[..., Any], Callable[..., Any]]]:
    """Of every write: a call, and the same with another parameter."""
    id = kb.add("to be changed", {"mood": "bad"}, user_id=user)
    other = kb.add("to be deleted", user_id=user)
    third = kb.add("to be deleted too", user_id=user)
    fourth = kb.add("to be superseded", user_id=user)
    u = {"user_id": user}
    c = kb.conversation
    turn, second = c.extend("old", [{"role": "user", "text": "one"}, {"role": "user", "text": "two"}], **u)[
        "ids"
    ]
    two = [{"role": "user", "text": "one"}, {"role": "assistant", "content": "two", "metadata": {"n": 2}}]
    return {
        "memory.add": (
            lambda **k: kb.add("new", {"x": 1}, **u, **k),
            lambda **k: kb.add("other", {"x": 1}, **u, **k),
        ),
        "memory.add_many": (
            lambda **k: kb.add_many(["one", {"text": "two", "metadata": {"n": 2}}], **u, **k),
            lambda **k: kb.add_many(["one", {"text": "two", "metadata": {"n": 3}}], **u, **k),
        ),
        "memory.update_text": (
            lambda **k: kb.update_text(id, "better", **u, **k),
            lambda **k: kb.update_text(id, "worse", **u, **k),
        ),
        "memory.update_metadata": (
            lambda **k: kb.update_metadata(id, {"mood": "good"}, **u, **k),
            lambda **k: kb.update_metadata(id, {"mood": "bad"}, **u, **k),
        ),
        "memory.update_importance": (
            lambda **k: kb.update_importance(id, 0.5, **u, **k),
            lambda **k: kb.update_importance(id, value=0.5, **u, **k),
        ),
        "memory.revert": (lambda **k: kb.revert(id, 1, **u, **k), lambda **k: kb.revert(id, 2, **u, **k)),
        "memory.supersede": (
            lambda **k: kb.supersede(fourth, "no longer so", **u, **k),
            lambda **k: kb.supersede(fourth, "no longer as it was", **u, **k),
        ),
        "memory.forget": (
            lambda **k: kb.forget(ids=[second, fourth], dry_run=False, **u, **k),
            lambda **k: kb.forget(ids=[second], dry_run=False, **u, **k),
        ),
        "memory.delete": (lambda **k: kb.delete(other, **u, **k), lambda **k: kb.delete(id, **u, **k)),
        "memory.delete_many": (
            lambda **k: kb.delete_many([third], **u, **k),
            lambda **k: kb.delete_many(filters={"text": "new"}, **u, **k),
        ),
        "conversation.append": (
            lambda **k: c.append("new", "user", "hello", at=5, metadata={"x": 1}, **u, **k),
            lambda **k: c.append("new", "user", "hello", at=6, metadata={"x": 1}, **u, **k),
        ),
        "conversation.extend": (
            lambda **k: c.extend("new", two, **u, **k),
            lambda **k: c.extend("new", two, tz="Asia/Tokyo", **u, **k),
        ),
        "conversation.delete": (
            lambda **k: c.delete([turn], **u, **k),
            lambda **k: c.delete(session_id="old", **u, **k),
        ),
        "conversation.end": (lambda **k: c.end("new", **u, **k), lambda **k: c.end("old", **u, **k)),
        **_life_calls(kb, user),
        **_triple_calls(kb, user),
        **_knowledge_calls(kb, user),
        "memory.delete_all": (
            lambda **k: kb.delete_all(user, **k),
            lambda **k: kb.delete_all(user + "x", **k),
        ),
    }


def _life_calls(kb: KB, user: str) -> dict[str, tuple[Callable[..., Any], Callable[..., Any]]]:
    u = {"user_id": user}
    used, doubted, pinned, away, back, loser = (
        kb.add(f"the life of number {n}", user_id=user) for n in range(6)
    )
    expired = kb.add("expired", {"expires_at": "2020-01-01"}, **u)
    kb.archive(back, **u)
    made = kb.decay.run(**u)["id"]
    weighty = kb.add("weighty", {"importance": 2.4}, **u)
    kb.boost(weighty, **u)
    review = kb.review.page(**u)["items"][0]["id"]
    assert made
    assert kb.get(expired, **u)["state"] == "archived"
    return {
        "memory.boost": (lambda **k: kb.boost(used, **u, **k), lambda **k: kb.boost(used, "x", **u, **k)),
        "memory.mark_used": (
            lambda **k: kb.mark_used([used, pinned], **u, **k),
            lambda **k: kb.mark_used([used], **u, **k),
        ),
        "memory.feedback": (
            lambda **k: kb.feedback(doubted, "wrong", **u, **k),
            lambda **k: kb.feedback(doubted, "useful", **u, **k),
        ),
        "memory.pin": (lambda **k: kb.pin(pinned, **u, **k), lambda **k: kb.pin(pinned, False, **u, **k)),
        "memory.archive": (
            lambda **k: kb.archive(away, **u, **k),
            lambda **k: kb.archive(away, "x", **u, **k),
        ),
        "memory.restore": (
            lambda **k: kb.restore(back, **u, **k),
            lambda **k: kb.restore(back, "x", **u, **k),
        ),
        "memory.resolve": (
            lambda **k: kb.resolve(pinned, loser, **u, **k),
            lambda **k: kb.resolve(loser, pinned, **u, **k),
        ),
        "review.decide": (
            lambda **k: kb.review.decide(review, "promote", **u, **k),
            lambda **k: kb.review.decide(review, "keep", **u, **k),
        ),
        "decay.undo_pass": (
            lambda **k: kb.decay.undo_pass(made, **u, **k),
            lambda **k: kb.decay.undo_pass("pas_0000000000000000000z", **u, **k),
        ),
        "decay.run": (
            lambda **k: kb.decay.run(**u, **k),
            lambda **k: kb.decay.run(agent_id="cook", **u, **k),
        ),
        "decay.purge": (
            lambda **k: kb.decay.purge(0.0, **u, **k),
            lambda **k: kb.decay.purge(1.0, **u, **k),
        ),
    }


def _triple_calls(kb: KB, user: str) -> dict[str, tuple[Callable[..., Any], Callable[..., Any]]]:
    t, u = kb.triples, {"user_id": user}
    gone = t.add("Tom", "likes", "coffee", **u)
    t.add("Bea", "knows", "Ann", **u)
    t.alias("Beatrice", "Bea", **u)
    lines = t.export_jsonl(**u)
    return {
        "triples.add": (
            lambda **k: t.add("Tom", "likes", "tea", **u, **k),
            lambda **k: t.add("Tom", "likes", "milk", **u, **k),
        ),
        "triples.alias": (
            lambda **k: t.alias("Thomas", "Tom", **u, **k),
            lambda **k: t.alias("Tommy", "Tom", **u, **k),
        ),
        "triples.unalias": (
            lambda **k: t.unalias("Beatrice", **u, **k),
            lambda **k: t.unalias("Thomas", **u, **k),
        ),
        "triples.delete": (
            lambda **k: t.delete(gone, **u, **k),
            lambda **k: t.delete("tri_0000000000000000000z", **u, **k),
        ),
        "triples.import_jsonl": (
            lambda **k: t.import_jsonl(lines, **u, **k),
            lambda **k: t.import_jsonl(lines[:1], **u, **k),
        ),
    }


def _knowledge_calls(kb: KB, user: str) -> dict[str, tuple[Callable[..., Any], Callable[..., Any]]]:
    n, other, u = kb.knowledge, f"{user}-friend", {"user_id": user}
    points = [{"content": "tea is hot", "type": "WorldModel", "score": 50}]
    n.save_knowledge(user, "20260103174500", [])
    n.save_knowledge(other, None, points)
    theirs = n.retrieve_relevant_knowledge(other)[0]["id"]
    for name in ("a", "b", "c"):
        n.publish(name, [theirs], user_id=other)
    n.subscribe(other, "a", **u)
    n.subscribe(other, "b", **u)
    return {
        "knowledge.save_knowledge": (
            lambda **k: n.save_knowledge(user, None, points, **k),
            lambda **k: n.save_knowledge(user, "20260103174501", points, **k),
        ),
        "knowledge.publish": (
            lambda **k: n.publish("p", filters={"type": "WorldModel"}, **u, **k),
            lambda **k: n.publish("p", filters={"type": "OtherKnowledge"}, **u, **k),
        ),
        "knowledge.merge": (lambda **k: n.merge(user, **k), lambda **k: n.merge(other, **k)),
        "knowledge.rollback": (
            lambda **k: n.rollback(user, "20260103174500", **k),
            lambda **k: n.rollback(user, "20260103174501", **k),
        ),
        "knowledge.subscribe": (
            lambda **k: n.subscribe(other, "c", **u, **k),
            lambda **k: n.subscribe(other, "a", **u, **k),
        ),
        "knowledge.unsubscribe": (
            lambda **k: n.unsubscribe(other, "a", **u, **k),
            lambda **k: n.unsubscribe(other, "b", **u, **k),
        ),
        "knowledge.revoke": (
            lambda **k: n.revoke("p", **u, **k),
            lambda **k: n.revoke("p", other, **u, **k),
        ),
    }


OF_ONE_USER = {"memory.delete_all", "knowledge.merge"}
"""Writes with no other parameter: the same of another user is another request."""


def _stored(kb: KB, user: str) -> list[Any]:
    knowledge = kb.knowledge
    return [
        *kb.get_all(user),
        *kb.conversation.page(user_id=user)["items"],
        *kb.triples.page(user_id=user)["items"],
        *kb.review.page(user_id=user)["items"],
        knowledge.get_recent_versions(user),
        knowledge.retrieve_relevant_knowledge(user),
        knowledge.shared(user_id=user),
        kb.status()["counts"],
    ]


def test_every_write_is_covered(kb: KB, user: str) -> None:
    assert set(_calls(kb, user)) == {wire for wire, spec in METHODS.items() if spec.is_write}


def test_a_repeated_write_changes_nothing_and_replies_the_same(kb: KB, user: str) -> None:
    for wire, (call, different) in _calls(kb, user).items():
        reply = call(request_id="r")
        before = _stored(kb, user)
        assert call(request_id="r") == reply, wire
        assert _stored(kb, user) == before, wire
        if wire not in OF_ONE_USER:
            with pytest.raises(RequestIdConflict) as caught:
                different(request_id="r")
            assert caught.value.data["request_id"] == "r"
            assert _stored(kb, user) == before, wire


def test_without_an_id_every_call_counts(kb: KB, user: str) -> None:
    assert kb.add("x", user_id=user) != kb.add("x", user_id=user)
    assert kb.count(user_id=user) == 2


def test_ids_belong_to_a_user_and_a_method(kb: KB, user: str) -> None:
    first = kb.add("x", user_id=user, request_id="r")
    second = kb.add("x", user_id=f"{user}-other", request_id="r")
    (third,) = kb.add_many(["x"], user_id=user, request_id="r")
    assert len({first, second, third}) == 3


def test_a_failed_request_may_be_repeated(kb: KB, user: str) -> None:
    id = kb.add("x", {"category": "system"}, user_id=user)
    with pytest.raises(InvalidParameterError):
        kb.delete(id, user_id=user, request_id="r")
    kb.update_metadata(id, {"category": "fact"}, user_id=user)
    assert kb.delete(id, user_id=user, request_id="r")["count"] == 1
    with pytest.raises(NotFoundError):
        kb.delete(id, user_id=user, request_id="r2")


def test_a_repeated_request_to_a_destroyed_memory_still_replies(kb: KB, user: str) -> None:
    id = kb.add("x", user_id=user, request_id="r")
    updated = kb.update_text(id, "y", user_id=user, request_id="u")
    kb.delete(id, user_id=user)
    assert kb.add("x", user_id=user, request_id="r") == id
    assert kb.update_text(id, "y", user_id=user, request_id="u") == updated
    assert kb.get(id, user_id=user) is None


def test_dry_runs_keep_no_request(kb: KB, user: str) -> None:
    id = kb.add("x", user_id=user)
    kb.delete_many([id], dry_run=True, user_id=user, request_id="r")
    assert kb.delete_many([id], user_id=user, request_id="r")["count"] == 1
    assert kb.count(user_id=user) == 0


@pytest.mark.parametrize("request_id", ["", " ", "x" * 201, "a\nb", "\ud800"])
def test_request_ids_are_names(kb: KB, user: str, request_id: str) -> None:
    with pytest.raises(InvalidParameterError) as caught:
        kb.add("x", user_id=user, request_id=request_id)
    assert caught.value.data["parameter"] == "request_id"


@pytest.mark.parametrize("name", FACES)
def test_add_many_goes_on_where_it_was_interrupted(tmp_path: Any, name: str) -> None:
    """The progress callback breaks the call after the first chunk; the same request then completes it."""
    from memory_client.progress import on_progress

    home = tmp_path / "home"
    items = [f"text {i}" for i in range(900)]

    class Interrupted(Exception):
        pass

    def interrupt(done: int, _total: int, _what: str) -> None:
        if done < 900:
            raise Interrupted

    try:
        with (
            opened(name, home, **{"embedder.model": "none"}) as kb,
            pytest.raises(Interrupted),
            on_progress(interrupt),
        ):
            kb.add_many(items, request_id="r")
        with opened(name, home, **{"embedder.model": "none"}) as kb:
            stored = {memory["id"] for memory in kb.get_all()}
            ids = kb.add_many(items, request_id="r")
            assert stored
            assert stored <= set(ids)
            assert kb.count() == len(set(ids)) == 900
            assert [memory["text"] for memory in kb.get_many(ids)] == items
            assert kb.add_many(items, request_id="r") == ids
            assert kb.count() == 900
    finally:
        end_daemons(home)


def test_conflicts_say_what_to_do(kb: KB, user: str) -> None:
    kb.add("x", user_id=user, request_id="r")
    with pytest.raises(MemorydError, match="take a new one"):
        kb.add("y", user_id=user, request_id="r")
