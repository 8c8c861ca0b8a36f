"""No user sees another's memories, nor do they change what a user gets: over every declared method.

The methods are taken from the declaration, so that a new one is covered or, when it has a parameter that
`lives` does not know, fails here.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_client.api import METHODS
from memory_client.api.spec import MethodSpec
from memoryd.knowledge_base import KnowledgeBase
from support.openai_server import FakeOpenAI, fake_openai
from support.sample_user import (
    KB,
    POINTS,
    SESSION,
    SET,
    UNKNOWN,
    Life,
    lived,
    method,
    outcome,
    reads,
    said,
    write,
)
from support.waiting import eventually

ABOUT_ALL = {"memory.ping", "memory.status"}
"""Methods that belong to no user; the group `admin` looks after the whole store."""
WORDS = ("花生", "过敏", "主人", "biscuit", "running", "C盘", "我")
START = time.time()
_numbers = itertools.count()

texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)
items = st.lists(
    st.fixed_dictionaries(
        {"text": texts},
        optional={
            "metadata": st.fixed_dictionaries(
                {},
                optional={
                    "category": st.sampled_from(["core", "fact", "episode"]),
                    "mood": st.sampled_from(["good", "bad"]),
                    "importance": st.integers(0, 5),
                },
            )
        },
    ),
    min_size=1,
    max_size=12,
)
SOME = [{"text": "花生", "metadata": {"mood": "good"}}, {"text": "running biscuit"}]


def personal(*, writes: bool) -> list[MethodSpec]:
    """The declared methods that work for one user."""
    return [spec for spec in METHODS.values() if "user_id" in spec.parameters and spec.is_write == writes]


def somebody(name: str) -> str:
    """A user nobody else has."""
    return f"{name}-{next(_numbers)}"


def test_every_other_method_is_about_the_whole_store() -> None:
    others = {wire for wire, spec in METHODS.items() if "user_id" not in spec.parameters}
    assert {wire for wire in others if not wire.startswith("admin.")} == ABOUT_ALL


@pytest.fixture(scope="module")
def endpoint() -> Iterator[FakeOpenAI]:
    with fake_openai(16) as fake:
        yield fake


@pytest.fixture(scope="module", params=[100_000, 12], ids=["hot", "on disk"])
def kb(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, endpoint: FakeOpenAI
) -> Iterator[KB]:
    """Vectors of an endpoint that gives the same for the same text; searched in memory, or in LanceDB."""
    home: Path = tmp_path_factory.mktemp("isolation") / "home"
    chosen: dict[str, object] = {
        "embedder.model": "openai:stars",
        "embedder.base_url": endpoint.url,
        "hot.max_rows": request.param,
        "lance.batch_seconds": 0.1,
    }
    with KnowledgeBase(home, settings=chosen, clock=lambda: START) as kb:
        eventually("the model is ready", lambda: kb.status()["embedder"]["is_searchable"])
        yield kb


@pytest.fixture(autouse=True)
def _no_leaked_threads() -> None:
    """The store of the module starts threads as it needs them."""


def replies(kb: KB, life: Life, most: int | None = None) -> list[tuple[str, dict[str, Any], Any]]:
    """What the reading methods say to a user, all of it or to so many calls of each."""
    eventually("all is embedded", lambda: kb.status()["pending_vector_count"] == 0)
    return [
        (spec.wire, call, outcome(kb, spec, call, life.user))
        for spec in personal(writes=False)
        for call in reads(spec, life)[:most]
    ]


@pytest.fixture(scope="module")
def owner(kb: KB) -> Life:
    """Somebody whose life the others must not touch."""
    return lived(kb, somebody("owner"), SOME, SOME)


@settings(
    max_examples=2,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(own=items, agents=items, others=items, more=items)
def test_other_users_change_neither_hits_nor_scores_nor_counts(
    kb: KB, own: Any, agents: Any, others: Any, more: Any
) -> None:
    ann, bob, eve = map(somebody, ("ann", "bob", "eve"))
    life = lived(kb, ann, own, agents)
    before = replies(kb, life)

    theirs = lived(kb, bob, others * 3, own)
    kb.add_many(own, user_id=bob, agent_id="cook")
    kb.update_text(theirs.ids["mem"][3], own[0]["text"], user_id=bob)
    kb.update_metadata(theirs.ids["mem"][-1], {"mood": "bad", "category": "core"}, user_id=bob)
    kb.delete(theirs.ids["mem"][1], user_id=bob)
    kb.add_many(more, user_id=eve)
    kb.conversation.append(SESSION, "user", own[0]["text"], user_id=bob, agent_id="cook", remember=False)
    kb.conversation.delete(theirs.ids["trn"][:1], user_id=bob)
    kb.conversation.extend(SESSION, said(more), user_id=eve)
    kb.knowledge.subscribe(bob, SET, user_id=eve)
    assert replies(kb, life) == before

    kb.delete_many(filters={"category": "core"}, user_id=bob)
    kb.conversation.end(SESSION, user_id=bob, agent_id="*")
    kb.conversation.delete(session_id=SESSION, user_id=bob)
    kb.delete_all(eve)
    assert replies(kb, life) == before
    kb.delete_all(bob)
    assert replies(kb, life) == before
    kb.delete_all(ann)


TAKE_IDS = [
    (spec, name)
    for writes in (False, True)
    for spec in personal(writes=writes)
    for name in ("id", "ids", "winner", "loser", "memory_id", "evidence")
    if name in spec.parameters
]


@pytest.mark.parametrize(("spec", "name"), TAKE_IDS, ids=lambda value: getattr(value, "wire", value))
def test_an_id_of_another_user_is_unknown(kb: KB, owner: Life, spec: MethodSpec, name: str) -> None:
    stranger = lived(kb, somebody("stranger"), SOME, SOME)
    prefix = "mem" if name == "evidence" else "knp" if spec.group == "knowledge" else owner.of(spec)
    theirs = _points(kb, owner) if prefix == "knp" else owner.ids[prefix]
    basis = write(spec, stranger) if spec.is_write else {}
    basis.pop("filters", None)
    before = replies(kb, owner, 1)

    def tried(life: Life, id: str) -> Any:
        several = (name in ("ids", "evidence") and spec.is_write) or name == "ids"
        call = {**basis, name: [id] if several else id}
        if "agent_id" in spec.parameters and spec.group != "triples":
            call["agent_id"] = "*"
        return _without(outcome(kb, spec, call, life.user), id)

    if spec.wire == "memory.restore":
        theirs = [owner.archived]
    assert tried(stranger, theirs[0]) == tried(stranger, UNKNOWN[prefix])
    assert replies(kb, owner, 1) == before


def _points(kb: KB, life: Life) -> list[str]:
    return [one["id"] for one in kb.knowledge.retrieve_relevant_knowledge(life.user)]


def _without(value: Any, id: str) -> Any:
    """A reply or an error with a dash in place of an id."""
    if isinstance(value, str):
        return value.replace(id, "-")
    if isinstance(value, dict):
        return {key: _without(one, id) for key, one in value.items()}
    return [_without(one, id) for one in value] if isinstance(value, list | tuple) else value


@pytest.mark.parametrize("spec", personal(writes=True), ids=lambda spec: spec.wire)
def test_no_write_of_one_user_reaches_another(kb: KB, owner: Life, spec: MethodSpec) -> None:
    """Each write by one user, under the request ids, the names and the words of the other."""
    stranger = lived(kb, somebody("stranger"), SOME, SOME)
    kb.add("花生", user_id=owner.user, agent_id="cook", request_id=f"r {spec.wire}")
    call = write(spec, stranger)
    if "owner" in call:
        call["owner"] = _publisher(kb)
    if spec.wire == "knowledge.unsubscribe":
        kb.knowledge.subscribe(**call, user_id=stranger.user)
    before = replies(kb, owner, 1)
    reply = method(kb, spec)(**call, user_id=stranger.user, request_id=f"r {spec.wire}")
    assert replies(kb, owner, 1) == before
    assert method(kb, spec)(**call, user_id=stranger.user, request_id=f"r {spec.wire}") == reply, (
        "carried out once"
    )


def _publisher(kb: KB) -> str:
    """A user with a set to subscribe to."""
    third = somebody("third")
    kb.knowledge.save_knowledge(third, None, POINTS)
    kb.knowledge.publish(SET, filters={"content": {"contains": "r"}}, user_id=third)
    return third
