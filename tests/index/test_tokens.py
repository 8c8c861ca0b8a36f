"""Token vectors: small, near enough, and never of a text that is no longer there."""

from __future__ import annotations

import numpy as np
import pytest
from test_building import OTHER, OTHER_DIM, begin, build

from memory_client.errors import SpaceMismatchError
from memoryd.index.vectors import tokens
from memoryd.index.vectors.rounding import FloatMatrix
from memoryd.index.vectors.tokens import MOST_KEPT, REDUCED, TokenBlock
from memoryd.models.e5 import reduction
from support.index_world import SPACE, World, made_of, packed

MEAN_ERROR, MOST_ERROR = 0.007, 0.05
"""Of a cosine with a kept token. Measured with 100,000 pairs: .0061 and .041."""


def random_tokens(count: int, seed: int = 0) -> FloatMatrix:
    found = np.random.default_rng(seed).standard_normal((count, REDUCED)).astype(np.float32)
    return found / np.linalg.norm(found, axis=1, keepdims=True)


def loaded(world: World, rows: list[int]) -> TokenBlock:
    assert world.index.serving is not None
    with world.database.read() as connection:
        return world.index.tokens(connection, rows, fingerprint=world.index.serving.fingerprint)


def put(world: World, row: int, vectors: FloatMatrix | None) -> None:
    world.database.write(lambda tx: tokens.put(tx, 1, row, tx.seq, vectors))


def test_the_engine_makes_what_is_kept() -> None:
    assert reduction.REDUCED == REDUCED


# What they give


def test_cosines_with_kept_tokens_are_near_the_true_ones(world: World) -> None:
    kept, query = random_tokens(200), random_tokens(50, seed=1)
    for row, vector in enumerate(kept, 1):
        put(world, row, vector[None])
    found = loaded(world, list(range(1, 201))).best_matches(query)
    error = np.abs(found - kept @ query.T)
    assert error.mean() < MEAN_ERROR
    assert error.max() < MOST_ERROR
    itself = loaded(world, list(range(1, 201))).best_matches(kept)
    assert np.array_equal(itself.argmax(axis=0), np.arange(200))


def test_best_matches_are_those_of_brute_force(world: World) -> None:
    sizes = [1, 7, 2, 30, 1, 100]
    texts = {row: random_tokens(size, seed=row) for row, size in enumerate(sizes, 1)}
    for row, vectors in texts.items():
        put(world, row, vectors)
    query = random_tokens(9, seed=99)
    block = loaded(world, [6, 2, 4, 1])
    assert block.rows.tolist() == [1, 2, 4, 6]
    assert (block.starts.tolist(), len(block.packed)) == ([0, 1, 8, 38], 138)
    expected = np.stack([(texts[row] @ query.T).max(axis=0) for row in (1, 2, 4, 6)])
    np.testing.assert_allclose(block.best_matches(query), expected, atol=MOST_ERROR)
    alone = np.concatenate([loaded(world, [row]).best_matches(query) for row in (1, 2, 4, 6)])
    np.testing.assert_allclose(block.best_matches(query), alone, atol=1e-5)


def test_texts_without_tokens_are_left_out(world: World) -> None:
    put(world, 1, random_tokens(3))
    put(world, 2, np.empty((0, REDUCED), np.float32))  # punctuation only
    assert loaded(world, [1, 2, 3]).rows.tolist() == [1]
    for rows in ([], [2], [3]):
        assert loaded(world, rows).best_matches(random_tokens(4)).shape == (0, 4)


def test_a_long_text_keeps_its_first_tokens(world: World) -> None:
    vectors = random_tokens(MOST_KEPT + 50)
    put(world, 1, vectors)
    put(world, 2, vectors[:MOST_KEPT])
    block = loaded(world, [1, 2])
    assert block.starts.tolist() == [0, MOST_KEPT]
    assert np.array_equal(block.packed[:MOST_KEPT], block.packed[MOST_KEPT:])


def test_those_of_another_space_are_refused(world: World) -> None:
    with world.database.read() as connection, pytest.raises(SpaceMismatchError):
        world.index.tokens(connection, [1], fingerprint=OTHER)


# What becomes of them


def test_an_edit_brings_its_own_or_none(world: World) -> None:
    row, other = world.add_all(["before", "stays"])
    world.edit(row, "after")
    assert np.array_equal(world.kept_tokens()[row], packed("after"))
    world.edit(row, "later", vector=False)
    assert world.kept_tokens().keys() == {other}
    world.embed_waiting()
    assert np.array_equal(world.kept_tokens()[row], packed("later"))


def test_what_was_made_of_a_text_that_changed_meanwhile_is_not_kept(world: World) -> None:
    row = world.add("first", vector=False)
    [early] = world.index.get_waiting_texts(1)
    made = made_of(row, early.passage, early.text_seq)
    world.edit(row, "second", vector=False)
    assert world.database.write(lambda tx: world.index.fill(tx, SPACE, [made])) == 0
    assert world.kept_tokens() == {}


def test_nothing_is_left_of_the_deleted(world: World) -> None:
    rows = world.add_all(["one", "two"])
    said = world.say("three")
    world.add_all(["of another"], "v")
    world.remove(rows[:1])
    assert world.kept_tokens().keys() == {rows[1], said, rows[1] + 1}
    world.forget("u")
    assert world.kept_tokens().keys() == {rows[1] + 1}


def test_a_reindex_makes_them_anew(world: World) -> None:
    rows = world.add_all(["one", "two"])
    world.index.open_store()
    world.index.rebuild()
    assert world.kept_tokens() == {}
    world.embed_waiting()
    assert world.kept_tokens().keys() == set(rows)


def test_a_change_that_is_rolled_back_leaves_them(world: World) -> None:
    row = world.add("stays")

    def change(tx: object) -> None:
        world.index.unstage(tx, "u", [row])  # type: ignore[arg-type]
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        world.database.write(change)
    assert world.kept_tokens().keys() == {row}


def test_a_second_space_brings_its_own_and_drops_the_first_ones(world: World) -> None:
    rows = world.add_all(["one", "two", "three"])
    world.index.open_store()
    world.index.flush()
    building = begin(world)
    build(building)
    assert world.kept_tokens(2).keys() == world.kept_tokens(1).keys() == set(rows)
    world.remove(rows[:1])
    world.edit(rows[1], "changed")
    assert world.kept_tokens(2).keys() == {rows[2]}
    assert world.kept_tokens(1).keys() == {rows[1], rows[2]}
    world.index.finish(building)
    assert token_tables(world) == ["tokens_2"]
    assert np.array_equal(world.kept_tokens()[rows[2]], packed("three", OTHER))
    world.embed_waiting(OTHER, OTHER_DIM)
    assert np.array_equal(world.kept_tokens()[rows[1]], packed("changed", OTHER))


def test_a_crash_while_building_loses_no_tokens(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = world.add_all(["one", "two"])
    world.index.open_store()
    building = begin(world)
    put_vectors = type(building.table).put

    def dying(table: object, batch: object) -> None:
        put_vectors(table, batch)  # type: ignore[arg-type]
        raise ZeroDivisionError

    monkeypatch.setattr(type(building.table), "put", dying)
    with pytest.raises(ZeroDivisionError):
        build(building)
    monkeypatch.undo()
    world.die()
    world.index.open_store()
    resumed = world.index.building
    assert resumed is not None
    assert build(resumed) == 0
    assert world.kept_tokens(2).keys() == set(rows)


def test_a_building_given_up_drops_its_own(world: World) -> None:
    world.add("one")
    world.index.open_store()
    build(begin(world))
    begin(world, "third/24")
    assert token_tables(world) == ["tokens_1", "tokens_3"]


# Those that are missing


def test_texts_without_them_wait_to_be_embedded_again(world: World) -> None:
    world.add("has them")
    world.gives_tokens = False
    row, edited = world.add_all(["has none", "edited"])
    said = world.say("said")
    world.edit(edited, "waits", vector=False)
    assert (world.index.missing(), world.index.missing("u", "turn")) == (1, 0)
    assert world.index.requeue_tokenless() == 2
    assert (world.index.missing(), world.index.missing("u", "turn")) == (3, 1)
    assert [one.row for one in world.index.get_waiting_texts(9)] == [row, edited, said]
    assert world.index.requeue_tokenless() == 0
    world.embed_waiting()
    assert world.index.missing() == 0
    assert {row, edited, said} <= world.kept_tokens().keys()


@pytest.mark.parametrize("max_rows", [0, 1000])
@pytest.mark.parametrize("is_flushed", [False, True])
def test_their_vectors_serve_meanwhile(world: World, max_rows: int, is_flushed: bool) -> None:
    world.max_rows = max_rows
    world.restart()
    world.gives_tokens = False
    row = world.add("a text")
    world.index.open_store()
    if is_flushed or not max_rows:
        world.index.flush()
    world.index.requeue_tokenless()
    for _ in range(2):
        assert world.search("a text") == [(row, pytest.approx(1, abs=0.001))]
        assert world.index.check() == []
        world.index.flush()
    if is_flushed:  # after a kill the vector store still has it
        world.die()
        world.index.open_store()
        assert world.search("a text") == [(row, pytest.approx(1, abs=0.001))]
        assert world.index.missing() == 1
    world.embed_waiting()
    world.index.flush()
    assert world.search("a text") == [(row, pytest.approx(1, abs=0.001))]
    assert (world.index.check(), world.index.missing()) == ([], 0)


def token_tables(world: World) -> list[str]:
    with world.database.read() as connection:
        sql = "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'tokens%' ORDER BY name"
        return [name for (name,) in connection.execute(sql)]
