"""Memories and turns in one store: each found as what it is, wherever the vectors are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from memoryd.core.row_ranges import TextKind, kind_of
from memoryd.core.scope import Scope
from memoryd.index.vectors.rounding import int64
from support.index_world import SPACE, World, embed

Held = dict[TextKind, list[int]]


@pytest.fixture(params=[0, 1000], ids=["in the store", "in memory"])
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    world = World(tmp_path / "data", max_rows=request.param)
    world.begin()
    yield world
    world.close()


@pytest.fixture
def held(world: World) -> Held:
    """The rows of equal texts of both kinds, by turns."""
    found: Held = {"memory": [], "turn": []}
    for number in range(12):
        found["memory"].append(world.add(f"text {number}"))
        found["turn"].append(world.say(f"text {number}"))
    world.add("text 3", "v")
    world.say("text 3", "v")
    return found


def nearest(world: World, text: str, kind: TextKind, k: int = 50) -> dict[int, float]:
    return dict(world.index.search(Scope("u"), embed(text), k, fingerprint=SPACE, kind=kind))


def cosines(world: World, text: str, rows: list[int], kind: TextKind) -> dict[int, float]:
    return world.index.cosines(Scope("u"), embed(text), int64(rows), fingerprint=SPACE, kind=kind)


def agree(world: World, held: Held) -> None:
    """Each kind gives all of its own texts, and both the same cosines."""
    by_kind = {kind: nearest(world, "text 3", kind) for kind in held}
    for kind in held:
        assert sorted(by_kind[kind]) == held[kind]
        assert next(iter(by_kind[kind])) == held[kind][3]
        assert cosines(world, "text 3", held[kind], kind) == by_kind[kind]
        assert list(nearest(world, "text 3", kind, 1)) == held[kind][3:4]
    assert list(by_kind["memory"].values()) == list(by_kind["turn"].values())


def test_kinds_are_apart_from_the_outbox_to_the_snapshot(world: World, held: Held) -> None:
    agree(world, held)
    world.index.open_store()
    world.index.flush()
    agree(world, held)
    assert world.index.check() == []
    world.restart()
    agree(world, held)
    world.die()
    world.index.open_store()
    agree(world, held)
    world.index.compact()
    agree(world, held)


def test_what_the_snapshot_lost_comes_back_from_the_store(world: World, held: Held) -> None:
    world.index.open_store()
    world.index.flush()
    (world.paths.hot / "vectors.snapshot").unlink(missing_ok=True)
    world.die()
    report = world.index.open_store()
    assert report.loaded in (0, 26)
    assert (report.dropped, report.queued) == (0, 0)
    agree(world, held)


def test_a_removal_takes_one_kind_only(world: World, held: Held) -> None:
    world.index.open_store()
    world.index.flush()
    gone = held["memory"].pop(5)
    world.remove([gone])
    for _ in range(2):
        assert sorted(nearest(world, "text 3", "memory")) == held["memory"]
        assert sorted(nearest(world, "text 3", "turn")) == held["turn"]
        assert gone not in cosines(world, "text 3", [gone, *held["memory"]], "memory")
        world.index.flush()
    assert world.index.check() == []


def test_a_new_memory_after_turns_replaces_nothing(world: World, held: Held) -> None:
    """Its row is below those of all turns."""
    world.index.open_store()
    world.index.flush()
    held["memory"].append(world.add("late"))
    held["turn"].append(world.say("late"))
    assert [kind_of(row) for row in (held["memory"][-1], held["turn"][-1])] == ["memory", "turn"]
    world.index.flush()
    agree(world, held)
    assert world.index.check() == []


def test_cosines_are_of_present_texts_only(world: World, held: Held) -> None:
    world.index.open_store()
    world.index.flush()
    edited, waiting, *rest = held["memory"]
    world.edit(edited, "changed")
    world.edit(waiting, "changed", vector=False)
    found = cosines(world, "changed", [*held["memory"], 999], "memory")
    assert found.keys() == {edited, *rest}
    assert found[edited] == pytest.approx(1, abs=0.001)
    assert cosines(world, "changed", [], "memory") == {}
    exact = embed("text 7").astype(np.float16).astype(np.float64) @ embed("changed").astype(np.float64)
    assert found[held["memory"][7]] == pytest.approx(float(exact), abs=1e-6)


def test_cosines_open_the_store_as_searches_do(world: World, held: Held) -> None:
    world.restart()
    assert cosines(world, "text 3", held["turn"], "turn").keys() == set(held["turn"])
