"""From the outbox to the vector store: crashes between the steps, changes between reading and writing."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from memory_client.errors import SpaceMismatchError, StorageError
from memoryd.core.scope import Scope
from memoryd.index.lance import lance, outbox
from memoryd.index.lance.outbox import LONG
from memoryd.index.vectors.rounding import RowEncoding
from memoryd.storage.database import Database
from support.index_world import SPACE, World, embed


class Crash(Exception):
    """The process dies here."""


@pytest.fixture
def filled(world: World) -> World:
    """Ten memories in the store, then changes of every kind in the outbox."""
    rows = world.add_all([f"text {i}" for i in range(10)])
    world.index.open_store()
    world.index.flush()
    world.edit(rows[0], "edited")
    world.remove(rows[1:3])
    world.add_all([f"later {i}" for i in range(12)])
    return world


def crash_after(method: str, calls: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the process die right after a step of the flush took effect."""
    owner: type = Database if method == "write" else lance.VectorTable
    original, seen = getattr(owner, method), []

    def dying(self: object, *args: object) -> object:
        result = original(self, *args)
        seen.append(method)
        if len(seen) == calls:
            raise Crash
        return result

    monkeypatch.setattr(owner, method, dying)


@pytest.mark.parametrize("calls", [1, 2])
@pytest.mark.parametrize("method", ["delete", "put", "write"])
def test_a_crash_at_any_step_of_a_flush_loses_and_doubles_nothing(
    filled: World, method: str, calls: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    crash_after(method, calls, monkeypatch)
    with pytest.raises(Crash):
        filled.index.flush()
    monkeypatch.undo()
    filled.die()
    assert filled.index.open_store().queued == 0
    filled.index.flush()
    assert filled.stored() == filled.truth()
    assert filled.outbox() == []
    assert filled.index.check() == []
    assert filled.search("later 3", 30) == filled.expected("later 3", 30)


def test_a_store_that_fails_keeps_the_outbox(filled: World, monkeypatch: pytest.MonkeyPatch) -> None:
    before = filled.outbox()

    def fail(_: object) -> None:
        raise RuntimeError("No space left on device")

    table = filled.index._state.table()
    assert table is not None
    monkeypatch.setattr(table._table, "add", fail)
    with pytest.raises(StorageError):
        filled.index.flush()
    assert filled.outbox() == before
    monkeypatch.undo()
    filled.index.flush()
    assert filled.stored() == filled.truth()


@pytest.mark.parametrize(
    "meanwhile",
    [
        lambda world: world.edit(5, "edited again"),
        lambda world: world.edit(5, "edited without a vector", vector=False),
        lambda world: world.remove([5]),
    ],
)
def test_what_changes_while_lance_commits_stays_in_the_outbox(
    filled: World, meanwhile: Callable[[World], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    filled.edit(5, "edited")
    put, done = lance.VectorTable.put, []

    def put_and_change(self: lance.VectorTable, batch: object) -> None:
        put(self, batch)  # type: ignore[arg-type]
        if not done:
            done.append(True)
            meanwhile(filled)

    monkeypatch.setattr(lance.VectorTable, "put", put_and_change)
    filled.index.flush()
    filled.embed_waiting()
    filled.index.flush()
    assert filled.stored() == filled.truth()
    assert filled.index.check() == []


def test_before_the_store_is_open_a_flush_does_nothing(world: World) -> None:
    world.add("a text")
    assert world.index.flush() == 0
    assert len(world.outbox()) == 1


def test_what_waits_is_embedded_behind(world: World) -> None:
    row = world.add("it waits", vector=False)
    other = world.add("it waits too", "v", vector=False)
    assert world.search("it waits") == []
    assert (world.index.missing(), world.index.missing("u"), world.index.missing("w")) == (2, 1, 0)
    assert [each.row for each in world.index.get_waiting_texts(10)] == [row, other]
    assert [each.row for each in world.index.get_waiting_texts(10, row)] == [other]
    assert world.embed_waiting() == 2
    assert world.search("it waits") == [(row, pytest.approx(1, abs=0.001))]
    assert world.index.missing() == 0
    assert world.embed_waiting() == 0


def test_long_texts_wait_by_themselves(world: World) -> None:
    long, row = world.add("x" * (LONG + 1), vector=False), world.add("y" * LONG, vector=False)
    assert [each.row for each in world.index.get_waiting_texts(10)] == [row]
    assert [each.row for each in world.index.get_waiting_texts(10, long=True)] == [long]
    assert world.index.get_waiting_texts(10, long, long=True) == []
    assert world.index.is_near("u")
    world.remove([row])
    assert not world.index.is_near("u")
    assert world.index.missing("u") == 1


def test_whether_a_text_is_still_the_same(world: World) -> None:
    row = world.add("first", vector=False)
    [early] = world.index.get_waiting_texts(1)
    assert world.index.is_current_text(row, early.text_seq)
    world.edit(row, "second", vector=False)
    assert not world.index.is_current_text(row, early.text_seq)
    world.remove([row])
    assert not world.index.is_current_text(row, early.text_seq + 1)


def test_a_text_that_comes_to_wait_is_told_at_once(world: World) -> None:
    world.index.await_text(0)
    world.add("it has its vector")
    assert not world.index._state.text_came.is_set()
    world.add("it waits", vector=False)
    assert world.index._state.text_came.is_set()
    world.index.await_text(60)
    assert not world.index._state.text_came.is_set()


def test_a_vector_of_a_text_that_changed_meanwhile_is_not_taken(world: World) -> None:
    row = world.add("first", vector=False)
    [early] = world.index.get_waiting_texts(1)
    world.edit(row, "second", vector=False)
    made = [RowEncoding(early.row, early.text_seq, embed(early.passage.text))]
    assert world.database.write(lambda tx: world.index.fill(tx, SPACE, made)) == 0
    assert world.search("first") == []
    world.remove([row])
    late = RowEncoding(row, early.text_seq + 1, embed("second"))
    assert world.database.write(lambda tx: world.index.fill(tx, SPACE, [late])) == 0
    assert world.search("second") == []


def test_an_edit_without_a_vector_takes_the_old_one_out_of_sight(world: World) -> None:
    row = world.add("before")
    world.edit(row, "after", vector=False)
    assert world.search("before") == []
    world.index.open_store()
    world.index.flush()
    world.die()
    assert world.search("before") == []


def test_nothing_is_found_of_a_change_that_was_rolled_back(world: World) -> None:
    row = world.add("stays")

    def change(tx: object) -> None:
        world.index.unstage(tx, "u", [row])  # type: ignore[arg-type]
        world.index.stage(tx, "u", 99, None, embed("never"), fingerprint=SPACE)  # type: ignore[arg-type]
        raise Crash

    before = world.outbox()
    with pytest.raises(Crash):
        world.database.write(change)
    assert [hit[0] for hit in world.search("never")] == [row]
    assert world.outbox() == before


def test_vectors_of_another_space_are_refused(world: World) -> None:
    row = world.add("a text")
    for fingerprint in ("another", None):
        with pytest.raises(SpaceMismatchError):
            world.database.write(
                lambda tx, other=fingerprint: world.index.stage(
                    tx, "u", row, None, embed("x"), fingerprint=other
                )
            )
    with pytest.raises(SpaceMismatchError):
        world.database.write(lambda tx: world.index.fill(tx, "another", []))
    with pytest.raises(SpaceMismatchError):
        world.index.search(Scope("u"), embed("x"), 1, fingerprint="another")


@pytest.mark.parametrize("vector", [np.ones(3), np.full(16, np.nan), np.full(16, np.inf)])
def test_vectors_that_cannot_be_are_refused(world: World, vector: np.ndarray) -> None:
    with pytest.raises(SpaceMismatchError, match="vector"):
        world.database.write(lambda tx: world.index.stage(tx, "u", 1, None, vector, fingerprint=SPACE))


def test_a_removal_names_no_user(filled: World) -> None:
    filled.forget("u")
    with filled.database.read() as connection:
        left = connection.execute("SELECT DISTINCT user_id, operation, vector FROM outbox").fetchall()
    assert [tuple(row) for row in left] == [("", outbox.REMOVE, None)]
