"""No user sees another's memories, nor do they change what a user gets: over every declared method.

The methods are taken from the declaration, so that a new one is covered or, when it has a parameter this
file does not know, fails here.
"""

from __future__ import annotations

import copy
import itertools
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support import eventually
from support_openai import FakeOpenAI, fake_openai

from memory_client.api import METHODS
from memory_client.api.spec import MethodSpec
from memory_client.errors import MemorydError
from memoryd.knowledge_base import KnowledgeBase

KB = Any
ABOUT_ALL = {"memory.ping", "memory.status"}
"""Methods that belong to no user; the group `admin` looks after the whole store."""
UNKNOWN = "mem_0000000000000000000z"
UNKNOWN_TURN = "trn_0000000000000000000z"
WORDS = ("花生", "过敏", "主人", "biscuit", "running", "C盘", "我")
START = time.time()
QUERIES = ("花生 过敏", "running biscuit C盘", "what did me say yesterday about “花生”?")
FILTERS: list[dict[str, Any]] = [
    {},
    {"category": "core"},
    {"not": {"category": "core"}},
    {"metadata.mood": {"ne": "bad"}},
    {"or": [{"importance": {"gte": 2}}, {"text": {"contains": "花生"}}]},
    {"id": {"ne": UNKNOWN}},
]
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


def method(kb: KB, spec: MethodSpec) -> Any:
    return getattr(kb if spec.group == "memory" else getattr(kb, spec.group), spec.name)


def said(stored: Any) -> list[dict[str, Any]]:
    """Turns with the words of items."""
    return [{"role": "user", "content": one["text"], "speaker": "me"} for one in stored]


def personal(*, writes: bool) -> list[MethodSpec]:
    """The declared methods that work for one user; those about knowledge have a test of their own."""
    return [
        spec
        for spec in METHODS.values()
        if "user_id" in spec.parameters and spec.is_write == writes and spec.group != "knowledge"
    ]


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
    }
    with KnowledgeBase(home, settings=chosen, clock=lambda: START) as kb:
        eventually("the model is ready", lambda: kb.status()["embedder"]["searchable"])
        yield kb


@pytest.fixture(autouse=True)
def _no_leaked_threads() -> None:
    """The store of the module starts threads as it needs them."""


def arguments(spec: MethodSpec, memories: list[str], turns: list[str]) -> list[dict[str, Any]]:
    """Calls of a reading method that between them use each of its parameters."""
    ids = [*turns[:3], UNKNOWN_TURN] if spec.group == "conversation" else [*memories[:3], UNKNOWN]
    values: dict[str, list[Any]] = {
        "query": list(QUERIES),
        "n_results": [1, 50],
        "mode": ["auto", "hybrid", "semantic", "lexical", "exact"],
        "scope": ["all", ["turn"], ["memory", "turn"]],
        "intent": ["skill"],
        "weights": [{"lexical": 2.0}, {"semantic": 0.0}],
        "time_range": [[None, 4e9], ["2020-01-01", None]],
        "reference_time": [1_700_000_000.0],
        "tz": ["Asia/Shanghai"],
        "filters": list(FILTERS),
        "agent_id": [None, "cook", "*"],
        "session_id": ["s"],
        "offset": [2],
        "min_score": [0.2],
        "sort_by": ["relevance", "created_at", "last_access", "importance", "confidence"],
        "order": ["created_at", "last_access", "importance", "confidence"],
        "sort_order": ["asc", "desc"],
        "explain": [True],
        "id": ids,
        "ids": [ids],
        "limit": [1, 3],
        "cursor": [None],
    }
    mine = [name for name in spec.parameters if name not in ("user_id", "request_id")]
    unknown = [name for name in mine if name not in values]
    assert not unknown, f"{spec.wire}: say here what to pass for {unknown}"
    basis = {name: values[name][0] for name in spec.required if name != "user_id"}
    calls = [{**basis, name: value} for name in mine for value in values[name]]
    if {"query", "mode"} <= set(mine):
        every = itertools.product(QUERIES, ("auto", "semantic", "lexical", "exact"), FILTERS)
        calls += [
            {"query": query, "mode": mode, "filters": chosen, "n_results": 50, "scope": (None, "all")[at % 2]}
            for at, (query, mode, chosen) in enumerate(every)
        ]
    return calls


def replies(kb: KB, user: str, ids: list[str], turns: list[str]) -> list[tuple[str, dict[str, Any], Any]]:
    """Everything the reading methods say to a user."""
    found = []
    for spec in personal(writes=False):
        for call in arguments(spec, ids, turns):
            reply = method(kb, spec)(**call, user_id=user)
            found.append((spec.wire, call, _timeless(reply)))
    return found


def _timeless(reply: Any) -> Any:
    reply = copy.deepcopy(list(reply) if isinstance(reply, Iterator) else reply)
    if isinstance(reply, dict) and "milliseconds" in reply:
        del reply["milliseconds"]
        _timeless_hits(reply["hits"])
    elif isinstance(reply, list):
        _timeless_hits(reply)
    return reply


def _timeless_hits(hits: list[Any]) -> None:
    for hit in hits:
        if isinstance(hit, dict) and "explain" in hit:
            del hit["explain"]["milliseconds"]


@settings(
    max_examples=4,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(own=items, agents=items, others=items, more=items)
def test_other_users_change_neither_hits_nor_scores_nor_counts(
    kb: KB, own: Any, agents: Any, others: Any, more: Any
) -> None:
    ann, bob, eve = (f"{name}-{next(_numbers)}" for name in ("ann", "bob", "eve"))
    ids = kb.add_many(own, user_id=ann, session_id="s")
    ids += kb.add_many(agents, user_id=ann, agent_id="cook")
    turns = kb.conversation.extend("s", said(own), user_id=ann)["ids"]
    turns += kb.conversation.extend("s", said(agents), user_id=ann, agent_id="cook")["ids"]
    before = replies(kb, ann, ids, turns)

    theirs = kb.add_many(others * 3, user_id=bob, session_id="s")
    kb.add_many(own, user_id=bob, agent_id="cook")
    kb.update_text(theirs[0], own[0]["text"], user_id=bob)
    kb.update_metadata(theirs[-1], {"mood": "bad", "category": "core"}, user_id=bob)
    kb.delete(theirs[1], user_id=bob)
    kb.add_many(more, user_id=eve)
    his = kb.conversation.extend("s", said(others + own), user_id=bob)["ids"]
    kb.conversation.append("s", "user", own[0]["text"], user_id=bob, agent_id="cook", remember=False)
    kb.conversation.delete(his[:1], user_id=bob)
    kb.conversation.extend("s", said(more), user_id=eve)
    assert replies(kb, ann, ids, turns) == before

    kb.delete_many(filters={"category": "core"}, user_id=bob)
    kb.conversation.end("s", user_id=bob, agent_id="*")
    kb.conversation.delete(session_id="s", user_id=bob)
    kb.delete_all(eve)
    assert replies(kb, ann, ids, turns) == before
    for user in (ann, bob):
        kb.delete_many(filters={"not": {"id": UNKNOWN}}, user_id=user, agent_id="*")
        kb.conversation.delete(session_id="s", user_id=user, agent_id="*")


CHANGES: dict[str, Any] = {
    "text": "changed",
    "metadata": {"mood": "changed"},
    "items": ["new"],
    "value": 4.0,
    "force": True,
    "role": "user",
    "finding": "wrong",
    "reason": "changed",
    "pinned": True,
    "turns": [{"role": "user", "text": "changed"}],
}
WITH_SESSION = {f"conversation.{name}" for name in ("append", "extend", "delete", "end")}


def _outcome(kb: KB, spec: MethodSpec, user: str, id: str) -> Any:
    """What a method does with an id: its reply, or its error without the id."""
    call = {name: CHANGES[name] for name in spec.parameters if name in CHANGES}
    call["id" if "id" in spec.parameters else "ids"] = id if "id" in spec.parameters else [id]
    try:
        return method(kb, spec)(**call, user_id=user, agent_id="*")
    except MemorydError as error:
        return type(error), str(error).replace(id, "-"), {**error.data, "id": "-"}


TAKE_IDS = [
    spec
    for writes in (False, True)
    for spec in personal(writes=writes)
    if {"id", "ids"} & set(spec.parameters)
]


@pytest.mark.parametrize("spec", TAKE_IDS, ids=lambda spec: spec.wire)
def test_an_id_of_another_user_is_unknown(kb: KB, spec: MethodSpec) -> None:
    owner, stranger = f"owner-{next(_numbers)}", f"stranger-{next(_numbers)}"
    (id,) = kb.add_many([{"text": "mine", "metadata": {"mood": "good"}}], user_id=owner)
    (turn,) = kb.conversation.extend("s", said([{"text": "mine"}]), user_id=owner)["ids"]
    id, unknown = (turn, UNKNOWN_TURN) if spec.group == "conversation" else (id, UNKNOWN)
    kb.add("theirs", user_id=stranger)
    kb.conversation.append("s", "user", "theirs", user_id=stranger)
    before = [*kb.get_all(owner, agent_id="*"), *kb.conversation.window("s", user_id=owner)]
    assert _outcome(kb, spec, stranger, id) == _outcome(kb, spec, stranger, unknown)
    assert [*kb.get_all(owner, agent_id="*"), *kb.conversation.window("s", user_id=owner)] == before
    assert _outcome(kb, spec, owner, id) != _outcome(kb, spec, owner, unknown)


def test_no_write_of_one_user_reaches_another(kb: KB) -> None:
    """Each write by one user, under the request ids and the words of the other."""
    owner, stranger = f"owner-{next(_numbers)}", f"stranger-{next(_numbers)}"
    kb.add_many([{"text": "花生", "metadata": {"mood": "good"}}, "running"], user_id=owner, request_id="r")
    kb.add("花生", user_id=owner, agent_id="cook", request_id="r")
    turns = kb.conversation.extend("s", said([{"text": "花生"}] * 2), user_id=owner, request_id="r")["ids"]
    before = replies(kb, owner, [], turns)
    for spec in personal(writes=True):
        (id,) = kb.add_many(["花生"], user_id=stranger)
        kb.conversation.extend("s", said([{"text": "花生"}]), user_id=stranger)
        call = {name: CHANGES[name] for name in spec.parameters if name in CHANGES}
        if "id" in spec.parameters:
            call["id"] = id
        if "ids" in spec.required:
            call["ids"] = [id]
        if spec.wire == "memory.restore":
            kb.archive(id, user_id=stranger)
        if "filters" in spec.parameters:
            call["filters"] = {"text": {"contains": "花生"}}
        if spec.wire in WITH_SESSION:
            call["session_id"] = "s"
        method(kb, spec)(**call, user_id=stranger, request_id="r2")
        assert replies(kb, owner, [], turns) == before, spec.wire
