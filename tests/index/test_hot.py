"""The hot index against brute force, and its promises to searches that run beside writes."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryd.core.row_ranges import TEXT_KINDS, TextKind, kind_of, rows_of_kind
from memoryd.core.scope import ALL_AGENTS, Scope
from memoryd.index.vectors.hot import HotIndex

DIM = 4
USERS = ("ann", "bob")
AGENTS = (None, "x", "y")
# few values, so that equal cosines are common and the order by row is put to the test
VECTORS = np.random.default_rng(7).standard_normal((6, DIM)).astype(np.float16)


@dataclass
class Model:
    """What a hot index should hold: (user, row) -> (text_seq, agent, vector)."""

    held: dict[tuple[str, int], tuple[int, str | None, int]] = field(default_factory=dict)

    def put(self, user: str, row: int, text_seq: int, agent: str | None, vector: int) -> None:
        if self.held.get((user, row), (0,))[0] <= text_seq:
            self.held[user, row] = (text_seq, agent, vector)

    def search(
        self, scope: Scope, query: np.ndarray, k: int, allowed: set[int] | None, kind: TextKind
    ) -> list[tuple[int, float]]:
        hits = [
            (row, cosine(VECTORS[vector], query))
            for (user, row), (_, agent, vector) in self.held.items()
            if user == scope.user_id
            and kind_of(row) == kind
            and (scope.agent_id == ALL_AGENTS or agent is None or agent == scope.agent_id)
            and (allowed is None or row in allowed)
        ]
        return sorted(hits, key=lambda hit: (-hit[1], hit[0]))[:k]


def cosine(half: np.ndarray, query: np.ndarray) -> float:
    exact = float(half.astype(np.float64) @ query.astype(np.float64))
    return min(1.0, max(-1.0, round(exact, 6)))


def put(hot: HotIndex, user: str, row: int, text_seq: int, agent: str | None, vector: int) -> None:
    hot.put_many(user, np.array([row]), np.array([text_seq]), [agent], VECTORS[vector][None])


TURNS = 1 << 40
EVERY = [rows_of_kind(kind)[0] + place for kind in TEXT_KINDS for place in range(1, 16)]
rows = st.sampled_from(EVERY)
puts = st.tuples(
    st.just("put"),
    st.sampled_from(USERS),
    rows,
    st.integers(1, 5),
    st.sampled_from(AGENTS),
    st.integers(0, 5),
)
removes = st.tuples(st.just("remove"), st.sampled_from(USERS), st.lists(rows, max_size=4))
drops = st.tuples(st.just("drop"), st.sampled_from(USERS))


def applied(operations: list[tuple]) -> tuple[HotIndex, Model]:
    hot, model = HotIndex(DIM), Model()
    for name, user, *rest in operations:
        if name == "put":
            put(hot, user, *rest)
            model.put(user, *rest)
        elif name == "remove":
            hot.remove(user, np.array(rest[0], np.int64))
            for row in rest[0]:
                model.held.pop((user, row), None)
        else:
            hot.drop_user(user)
            model.held = {key: value for key, value in model.held.items() if key[0] != user}
    return hot, model


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.one_of(puts, puts, puts, removes, drops), max_size=120),
    st.sampled_from(USERS),
    st.sampled_from((*AGENTS, ALL_AGENTS, "nobody")),
    st.integers(1, 12),
    st.one_of(st.none(), st.sets(rows)),
    st.one_of(st.none(), st.sets(rows, min_size=1)),
    st.sampled_from(TEXT_KINDS),
)
def test_search_is_exact(
    operations: list[tuple],
    user: str,
    agent: str | None,
    k: int,
    allowed: set[int] | None,
    hidden: set[int] | None,
    kind: TextKind,
) -> None:
    hot, model = applied(operations)
    query = np.array([0.5, -0.1, 0.7, 0.2], np.float32)
    wanted = None if allowed is None else np.array(sorted(allowed), np.int64)
    scope = Scope(user, agent)
    left_out = None if hidden is None else np.array(sorted(hidden), np.int64)
    counted = allowed if hidden is None else (set(EVERY) if allowed is None else allowed) - hidden
    assert hot.search(scope, query, k, wanted, kind, left_out) == model.search(scope, query, k, counted, kind)
    assert hot.cosines(user, query, np.array(EVERY), kind) == dict(
        model.search(Scope(user, ALL_AGENTS), query, 99, None, kind)
    )
    assert len(hot) == len(model.held)
    held = sorted((row, seq) for (_, row), (seq, _, _) in model.held.items())
    assert sorted(zip(*map(np.ndarray.tolist, hot.keys()), strict=True)) == held


@settings(max_examples=100, deadline=None)
@given(st.lists(puts, max_size=40), st.lists(st.one_of(puts, removes, drops), max_size=40))
def test_what_another_user_does_changes_nothing(mine: list[tuple], theirs: list[tuple]) -> None:
    mine = [(name, "ann", *rest) for name, _, *rest in mine]
    theirs = [(name, "bob", *rest) for name, _, *rest in theirs]
    alone, _ = applied(mine)
    beside, _ = applied([*theirs, *mine, *theirs])
    query = VECTORS[2].astype(np.float32)
    for agent in (*AGENTS, ALL_AGENTS):
        scope = Scope("ann", agent)
        assert alone.search(scope, query, 9) == beside.search(scope, query, 9)


def test_equal_texts_come_in_the_order_of_their_rows_wherever_they_lie() -> None:
    hot = HotIndex(384)
    generator = np.random.default_rng(1)
    vectors = generator.standard_normal((500, 384)).astype(np.float32)
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float16)
    vectors[[3, 77, 250, 499]] = vectors[9]
    order = generator.permutation(500)
    hot.put_many("u", order + 1, order + 1, [None] * 500, vectors[order])
    hits = hot.search(Scope("u"), vectors[9].astype(np.float32), 6)
    assert [row for row, _ in hits[:5]] == [4, 10, 78, 251, 500]
    assert len({score for _, score in hits[:5]}) == 1


@pytest.mark.parametrize("share", [2, 40])
def test_few_and_many_allowed_rows_give_the_same_scores(share: int) -> None:
    hot = HotIndex(64)
    vectors = np.random.default_rng(2).standard_normal((2000, 64)).astype(np.float16)
    rows = np.arange(1, 2001)
    hot.put_many("u", rows, rows, [None] * 2000, vectors)
    query = np.random.default_rng(3).standard_normal(64).astype(np.float32)
    query /= np.linalg.norm(query) * 20
    everything = dict(hot.search(Scope("u"), query, 2000))
    allowed = rows[::share]
    hits = hot.search(Scope("u"), query, 10, allowed)
    best = sorted(((row, everything[row]) for row in allowed.tolist()), key=lambda hit: (-hit[1], hit[0]))
    assert hits == best[:10]


def test_an_older_text_does_not_replace_a_newer_one() -> None:
    hot = HotIndex(DIM)
    put(hot, "u", 1, 5, None, 0)
    put(hot, "u", 1, 4, None, 1)
    assert hot.vectors_of("u", np.array([1])).keys() == {(1, 5)}
    put(hot, "u", 1, 5, None, 2)  # embedded again
    assert np.array_equal(hot.vectors_of("u", np.array([1]))[1, 5], VECTORS[2].astype(np.float32))


def test_room_is_given_back() -> None:
    hot = HotIndex(64)
    rows = np.arange(1, 5001)
    hot.put_many("u", rows, rows, [None] * 5000, np.ones((5000, 64), np.float16))
    full = hot.nbytes
    hot.remove("u", rows[:4900])
    assert len(hot) == 100
    assert hot.nbytes < full / 10
    hot.remove("u", rows)
    assert hot.nbytes == 0


def test_searches_beside_writes_see_whole_states() -> None:
    """Row 1 always is there with one of two vectors; pairs come and go together."""
    hot, stop, faults = HotIndex(8), threading.Event(), []
    first, second = np.eye(8, dtype=np.float16)[:2]
    hot.put_many("u", np.array([1]), np.array([1]), [None], first[None])
    query = np.full(8, 8**-0.5, np.float32)

    def look() -> None:
        while not stop.is_set():
            found = [row for row, _ in hot.search(Scope("u"), query, 1_000_000)]
            if found.count(1) != 1 or len(found) % 2 != 1 or len(set(found)) != len(found):
                faults.append(found)

    threads = [threading.Thread(target=look) for _ in range(3)]
    for thread in threads:
        thread.start()
    for turn in range(2, 1500):
        hot.put_many("u", np.array([1]), np.array([turn]), [None], (first, second)[turn % 2][None])
        pair = np.array([2 * turn, 2 * turn + 1])
        hot.put_many("u", pair, pair, [None, None], np.stack([first, second]))
        if turn % 3 == 0:
            hot.remove("u", pair)
        elif turn % 7 == 0:
            hot.remove("u", pair - 2)
    stop.set()
    for thread in threads:
        thread.join()
    assert faults == []
