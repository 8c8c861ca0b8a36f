"""What a transaction archives and restores reaches the rows that searches leave out in one update."""

from __future__ import annotations

import pytest

from memoryd.core.scope import Scope
from memoryd.index.vectors import archived_rows
from memoryd.storage.database import Transaction
from support.index_world import World


@pytest.fixture
def sorts(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The sizes of the arrays of rows that were merged, one entry per merge."""
    sizes: list[int] = []
    merge = archived_rows.np.insert

    def counted(held: object, *more: object) -> object:
        merged = merge(held, *more)
        sizes.append(len(merged))
        return merged

    monkeypatch.setattr(archived_rows.np, "insert", counted)
    return sizes


def hidden(world: World) -> list[int]:
    rows = world.index._state.archived.hidden(Scope("u"))
    return [] if rows is None else rows.tolist()


def test_a_transaction_that_archives_many_memories_merges_their_rows_once(
    world: World, sorts: list[int]
) -> None:
    rows = world.add_all(f"text {i}" for i in range(100))

    def archive_one_by_one(tx: Transaction) -> None:
        for row in rows:
            world.index.set_archived(tx, "u", [row], archived=True)

    world.database.write(archive_one_by_one)
    assert hidden(world) == rows
    assert sorts == [100]


def test_the_last_change_of_a_row_in_a_transaction_counts(world: World) -> None:
    first, second, third = world.add_all(["one", "two", "three"])
    world.database.write(lambda tx: world.index.set_archived(tx, "u", [first, second], archived=True))

    def change(tx: Transaction) -> None:
        world.index.set_archived(tx, "u", [first], archived=False)
        world.index.set_archived(tx, "u", [third], archived=True)
        world.index.set_archived(tx, "u", [first], archived=True)
        world.index.set_archived(tx, "u", [second], archived=False)

    world.database.write(change)
    assert hidden(world) == [first, third]


def test_a_transaction_that_fails_archives_nothing(world: World) -> None:
    [row] = world.add_all(["one"])

    def fail(tx: Transaction) -> None:
        world.index.set_archived(tx, "u", [row], archived=True)
        raise RuntimeError("on purpose")

    with pytest.raises(RuntimeError, match="on purpose"):
        world.database.write(fail)
    assert hidden(world) == []


def test_a_removed_memory_is_no_longer_among_the_archived(world: World) -> None:
    [row] = world.add_all(["one"])
    world.database.write(lambda tx: world.index.set_archived(tx, "u", [row], archived=True))
    world.database.write(lambda tx: world.index.unstage(tx, "u", [row]))
    assert hidden(world) == []
