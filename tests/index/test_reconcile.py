"""SQLite is right: whatever else disagrees is found, named and put right."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

from memoryd.index.vectors.rounding import Batch
from support.index_world import World, embed


@pytest.fixture
def settled(world: World) -> World:
    """Twenty memories of two users, all in the store, in memory and in a snapshot."""
    world.add_all([f"text {i}" for i in range(15)])
    world.add_all([f"other {i}" for i in range(5)], "v", "agent")
    world.index.open_store()
    world.index.flush()
    world.index.save_snapshot()
    assert world.index.check() == []
    return world


def sound(world: World) -> None:
    """Everything agrees, and searches are exact."""
    world.embed_waiting()
    world.index.flush()
    assert world.index.check() == []
    assert world.stored() == world.truth()
    for user in ("u", "v"):
        assert world.search("text 4", 40, user, "*") == world.expected("text 4", 40, user, "*")


def execute(world: World, sql: str, *params: object) -> None:
    world.database.write(lambda tx: tx.execute(sql, params))


def store_rows(world: World, rows: list[int], seq: int) -> None:
    """Write to the vector table behind everybody's back."""
    table = world.index._state.table()
    assert table is not None
    vectors = np.stack([embed(f"stray {row}") for row in rows]).astype(np.float16)
    table.put(Batch(np.array(rows), np.full(len(rows), seq), ["u"] * len(rows), vectors))


def test_rows_sqlite_does_not_have_are_dropped(settled: World) -> None:
    store_rows(settled, [500, 501], 1)
    assert settled.index.check() == [
        "2 vectors in the vector store belong to no present text (row 500 is the first)"
    ]
    assert settled.index.repair().dropped == 2
    sound(settled)


def test_rows_of_an_older_text_are_dropped_and_queued(settled: World) -> None:
    execute(settled, "UPDATE memories SET text_seq = text_seq + 100 WHERE row IN (3, 4)")
    lines = settled.index.check()
    assert [line[:1] for line in lines] == ["2", "2", "2"]  # lost, stale, ghosts in memory
    report = settled.index.repair()
    assert (report.dropped, report.queued) == (2, 2)
    assert settled.index.missing() == 2
    sound(settled)


def test_a_lost_store_is_filled_from_memory(settled: World) -> None:
    settled.index.close()
    shutil.rmtree(settled.paths.lance)
    settled.paths.lance.mkdir()
    settled.die()
    assert settled.index.complete
    assert settled.index.open_store().queued == 20
    assert settled.index.missing() == 0  # nothing had to be embedded again
    sound(settled)


def test_with_store_and_snapshot_lost_everything_waits_to_be_embedded(settled: World) -> None:
    settled.index.close()
    shutil.rmtree(settled.paths.lance)
    (settled.paths.hot / "vectors.snapshot").unlink()
    settled.die()
    assert not settled.index.complete
    settled.index.open_store()
    assert settled.index.missing() == 20
    sound(settled)


def test_a_missing_snapshot_is_made_up_for_by_the_store(settled: World) -> None:
    (settled.paths.hot / "vectors.snapshot").unlink()
    settled.add("in the outbox only")
    settled.die()
    assert not settled.index.complete
    assert not settled.index.save_snapshot()  # it would hold too little
    assert settled.index.open_store().loaded == 20
    assert settled.index.wait_complete(0)
    sound(settled)


def test_an_old_snapshot_is_made_up_for_by_the_store(settled: World) -> None:
    settled.edit(2, "an edited text")
    settled.remove([7])
    settled.add("one more")
    settled.index.flush()
    settled.die()
    assert not settled.index.complete
    assert settled.index.open_store().loaded == 2
    sound(settled)


def test_doubled_rows_become_one(settled: World) -> None:
    table = settled.index._state.table()
    assert table is not None
    table._highest = dict.fromkeys(table._highest, 0)  # as a second, stale handle would see it
    store_rows(settled, [5], settled.truth()[4][1])
    assert "several vectors" in " ".join(settled.index.check())
    settled.index.repair()
    sound(settled)


def test_outbox_rows_that_fit_no_memory_are_put_right(settled: World) -> None:
    execute(settled, "INSERT INTO outbox VALUES (900, 'u', 'put', 3, NULL)")
    execute(settled, "INSERT INTO outbox VALUES (3, '', 'remove', 3, NULL)")
    execute(settled, "INSERT INTO outbox VALUES (4, 'u', 'put', 999, NULL)")
    assert "3 outbox rows fit no memory" in settled.index.check()[0]
    settled.index.repair()
    sound(settled)


def test_what_memory_lacks_or_has_too_much_is_put_right(settled: World) -> None:
    current = settled.index._state.serving
    assert current is not None
    assert current.hot is not None
    current.hot.remove("u", np.array([1, 2]))
    current.hot.put_many("w", np.array([700]), np.array([1]), [None], embed("ghost").astype(np.float16)[None])
    assert len(settled.index.check()) == 2
    assert settled.index.repair().loaded == 2
    sound(settled)


def test_what_waits_is_no_difference(settled: World) -> None:
    settled.add("it waits", vector=False)
    settled.edit(3, "so does this", vector=False)
    settled.add("not flushed")
    settled.remove([9])
    assert settled.index.check() == []
    assert settled.index.repair().queued == 0
    sound(settled)


def test_all_is_made_anew(settled: World) -> None:
    assert settled.index.rebuild() == 20
    assert settled.index.missing() == 20
    assert settled.stored() == []
    assert len(settled.search("text 4", 40)) == 15  # memory answers meanwhile
    settled.die()
    assert settled.search("text 4") == []
    settled.index.open_store()
    sound(settled)


def test_a_damaged_store_heals(settled: World) -> None:
    settled.index.close()
    for manifest in settled.paths.lance.rglob("*.manifest"):
        manifest.write_bytes(b"nonsense")
    settled.die()
    settled.index.open_store()
    assert settled.index.missing() == 0
    sound(settled)
