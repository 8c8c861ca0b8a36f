"""Reads as of every moment of a store's life against copies that were made at that moment."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_client.errors import MemorydError
from memoryd.knowledge_base import KnowledgeBase

KB = Any
START = 1_780_000_000.0
USERS = ("ann", "bob")
WORDS = ("apple", "pear", "花生", "plum")
_examples = itertools.count()
VOLATILE = ("effective_importance", "indexed", "last_access", "access_count")
FILTERS: list[dict[str, Any]] = [
    {"metadata.mood": "a"},
    {"not": {"metadata.mood": "a"}},
    {"category": "core"},
    {"version": {"gte": 2}},
    {"or": [{"text": {"contains": "pear"}}, {"tags": {"contains": "t"}}]},
]

texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join)
users = st.sampled_from(USERS)
places = st.integers(0, 5)
steps = st.lists(
    st.one_of(
        st.tuples(
            st.just("add"), users, texts, st.sampled_from([None, 1, 5]), st.sampled_from([None, 8, 30])
        ),
        st.tuples(st.just("text"), users, places, texts),
        st.tuples(st.just("mood"), users, places, st.sampled_from(["a", "b", None])),
        st.tuples(st.just("field"), users, places, st.sampled_from([{"tags": ["t"]}, {"category": "core"}])),
        st.tuples(st.sampled_from(["archive", "restore", "delete", "pin"]), users, places),
        st.tuples(st.just("supersede"), users, places, texts),
        st.tuples(st.just("revert"), users, places, st.integers(1, 3)),
    ),
    min_size=1,
    max_size=18,
)


class Clock:
    now = START

    def __call__(self) -> float:
        return self.now


@pytest.fixture(scope="module")
def store() -> Iterator[tuple[KB, Clock]]:
    clock = Clock()
    chosen: dict[str, object] = {"embedder.model": "none", "decay.pass_hours": 0, "search.timezone": "UTC"}
    with (
        tempfile.TemporaryDirectory() as place,
        KnowledgeBase(Path(place) / "home", settings=chosen, clock=clock) as kb,
    ):
        yield kb, clock


def carry_out(kb: KB, step: tuple[Any, ...], ids: dict[str, list[str]]) -> None:
    """One step; what cannot be done is passed over."""
    name, user, *rest = step
    u = {"user_id": user}
    if name == "add":
        text, begin, end = rest
        valid = {"valid_from": begin and START + begin, "valid_to": end and START + end}
        ids[user].append(kb.add(text, valid, **u))
        return
    place, *more = rest
    if not ids[user]:
        return
    id = ids[user][place % len(ids[user])]
    try:
        if name == "text":
            kb.update_text(id, *more, **u)
        elif name == "mood":
            kb.update_metadata(id, {"mood": more[0]}, **u)
        elif name == "field":
            kb.update_metadata(id, more[0], **u)
        elif name == "supersede":
            ids[user].append(kb.supersede(id, *more, **u))
        else:
            getattr(kb, name)(id, *more, **u)
    except MemorydError:
        assert name not in ("text", "mood", "field") or kb.get(id, **u) is None


def told(memory: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in memory.items() if name not in VOLATILE}


def held(memory: dict[str, Any], at: float) -> bool:
    """Active, and true at a time."""
    begin, end = memory["valid_from"], memory["valid_to"]
    return memory["state"] == "active" and (begin is None or begin <= at) and (end is None or at < end)


def by_id(items: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {one["id"]: told(one) for one in items}


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps)
def test_what_is_read_of_a_moment_is_what_was_there(store: tuple[KB, Clock], taken: list[Any]) -> None:
    kb, clock = store
    example = next(_examples)
    own = {user: f"{user} {example}" for user in USERS}
    clock.now = START
    ids: dict[str, list[str]] = {user: [] for user in own.values()}
    copies: list[tuple[float, str, dict[str, Any]]] = []
    for number, step in enumerate(taken):
        clock.now = START + 2 * number
        carry_out(kb, (step[0], own[step[1]], *step[2:]), ids)
        copies += [(clock.now + 1, user, by_id(kb.get_all(user, include_archived=True))) for user in ids]
    clock.now += 2
    alive = {user: by_id(kb.get_all(user, include_archived=True)) for user in ids}
    for at, user, copy in copies:
        there = {id: memory for id, memory in copy.items() if id in alive[user]}  # destroyed: untold
        _compare(kb, user, at, there)
        for id in alive[user].keys() - there.keys():
            assert kb.get(id, as_of=at, user_id=user) is None


def _compare(kb: KB, user: str, at: float, there: dict[str, Any]) -> None:
    every = kb.page(as_of=at, include_archived=True, limit=1000, user_id=user)
    assert by_id(every["items"]) == there
    true = {id: memory for id, memory in there.items() if held(memory, at)}
    page = kb.page(as_of=at, limit=1000, user_id=user)
    assert by_id(page["items"]) == true
    assert page["total"] == len(true)
    assert [one["id"] for one in page["items"]] == sorted(
        true, key=lambda id: (true[id]["created_at"], id), reverse=True
    )
    for id, memory in there.items():
        assert told(kb.get(id, as_of=at, user_id=user)) == memory
    for filters in FILTERS:
        found = kb.page(filters, as_of=at, limit=1000, user_id=user)["items"]
        assert {one["id"] for one in found} == {id for id, one in true.items() if fits(filters, one)}, filters
    for word in WORDS:
        hits = kb.search(word, 50, mode="lexical", as_of=at, user_id=user)
        said = {memory["text"]: id for id, memory in true.items() if word in memory["text"].split()}
        assert {hit["text"] for hit in hits} == said.keys()
        assert all(there[hit["id"]]["text"] == hit["text"] for hit in hits)


def fits(filters: dict[str, Any], memory: dict[str, Any]) -> bool:
    """What these filters mean."""
    mood = memory["metadata"].get("mood")
    return {
        "metadata.mood": mood == "a",
        "not": mood != "a",
        "category": memory["category"] == "core",
        "version": memory["version"] >= 2,
        "or": "pear" in memory["text"] or "t" in memory["tags"],
    }[next(iter(filters))]
