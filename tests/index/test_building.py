"""A change of space: the old one serves until the new one is whole, whatever happens on the way."""

from __future__ import annotations

import numpy as np
import pytest

from memory_client.errors import SpaceMismatchError
from memoryd.core.scope import Scope
from memoryd.index.lance.lance import LanceStore
from memoryd.index.spaces import spaces
from memoryd.index.spaces.building import SpaceBuild
from memoryd.index.vectors.rounding import RowEncoding
from memoryd.storage.database import Database
from support.index_world import DIM, ENGINE, MODEL, SPACE, World, embed, made_of, probes

OTHER, OTHER_DIM = "other/24", 24


class Crash(Exception):
    """The process dies here."""


@pytest.fixture
def settled(world: World) -> World:
    world.add_all([f"text {i}" for i in range(25)])
    world.add_all([f"other {i}" for i in range(5)], "v", "agent")
    world.index.open_store()
    world.index.flush()
    world.index.save_snapshot()
    return world


def begin(world: World, fingerprint: str = OTHER) -> SpaceBuild:
    building = world.index.begin(fingerprint, ENGINE, MODEL, OTHER_DIM, probes(fingerprint, OTHER_DIM))
    assert building is not None
    return building


def build(building: SpaceBuild, limit: int = 7, batches: int = 1000) -> int:
    """Embed what is missing; return the number of texts."""
    made = 0
    for _ in range(batches):
        if not (missing := building.missing(limit)):
            break
        fingerprint = building.space.fingerprint
        building.add([made_of(row, passage, seq, fingerprint, OTHER_DIM) for row, passage, seq in missing])
        made += len(missing)
    return made


def agrees(world: World) -> None:
    for user in ("u", "v"):
        assert world.search("text 4", 40, user, "*") == world.expected("text 4", 40, user, "*")


def sound(world: World, fingerprint: str, dim: int) -> None:
    """The space serves whole and alone."""
    serving = world.index.serving
    assert serving is not None
    assert (serving.fingerprint, serving.dim) == (fingerprint, dim)
    world.embed_waiting(fingerprint, dim)
    world.index.flush()
    assert world.index.check() == []
    assert world.stored() == world.truth()
    agrees(world)


def tables(world: World) -> list[str]:
    return sorted(path.name for path in world.paths.lance.iterdir())


def test_the_first_space_serves_at_once(world: World) -> None:
    serving = world.index.serving
    assert serving is not None
    assert (serving.fingerprint, serving.engine, serving.dim) == (SPACE, ENGINE, DIM)
    assert world.index.begin(SPACE, "another engine", MODEL, DIM, probes()) is None
    world.die()
    assert world.index.serving == serving


def test_probes_are_kept_as_they_were_made(world: World) -> None:
    world.index.begin(SPACE, "another engine", MODEL, DIM, probes("something else"))
    world.die()
    kept, made = world.index.probes(), probes()
    assert kept is not None
    assert (kept.passages, kept.queries) == (made.passages, made.queries)
    assert np.array_equal(kept.passage_vectors, made.passage_vectors)
    assert np.array_equal(kept.query_vectors, made.query_vectors)


def test_without_a_space_nothing_is_found_and_everything_waits(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    world = World(tmp_path_factory.mktemp("bare"))
    world.add("a text", vector=False)
    assert world.index.serving is None
    assert world.index.probes() is None
    assert world.index.search(Scope("u"), embed("a text"), 3, fingerprint=SPACE) == []
    with pytest.raises(SpaceMismatchError):
        world.database.write(
            lambda tx: world.index.stage(tx, "u", 1, None, embed("a text"), fingerprint=SPACE)
        )
    world.index.open_store()
    assert (world.index.flush(), world.index.check(), world.index.missing()) == (0, [], 1)
    world.index.compact()
    world.begin()
    sound(world, SPACE, DIM)
    world.close()


def test_the_old_space_serves_until_the_new_one_is_whole(settled: World) -> None:
    building = begin(settled)
    build(building, batches=2)
    assert building.progress() == (14, 30)
    agrees(settled)
    settled.add("in between")
    assert settled.search("in between", 1)[0][1] == pytest.approx(1, abs=0.001)
    assert build(building) == 17
    settled.index.finish(building)
    assert settled.index.building is None
    assert settled.index.missing() == 0
    assert tables(settled) == ["vectors_2.lance"]
    sound(settled, OTHER, OTHER_DIM)
    settled.restart()
    assert settled.index.complete
    sound(settled, OTHER, OTHER_DIM)


def test_what_changes_meanwhile_is_queued_for_the_new_space(settled: World) -> None:
    building = begin(settled)
    build(building)
    settled.edit(3, "edited late")
    settled.edit(4, "edited late, without a vector", vector=False)
    settled.remove([5, 6])
    late = settled.add("added late")
    settled.forget("v")
    settled.index.finish(building)
    assert sorted(each.row for each in settled.index.get_waiting_texts(99)) == [3, 4, late]
    assert settled.search("text 4", 40) == settled.expected("text 4", 40)
    sound(settled, OTHER, OTHER_DIM)


def test_edits_behind_are_found_in_another_round(settled: World) -> None:
    building = begin(settled)
    build(building)
    settled.edit(3, "edited")
    assert [row for row, _, _ in building.missing(9)] == [3]
    building.add([RowEncoding(3, 1, embed("text 2", OTHER, OTHER_DIM))])  # a vector of the text before
    assert [row for row, _, _ in building.missing(9)] == [3]
    assert build(building) == 1
    settled.index.finish(building)
    assert settled.index.missing() == 0


def test_a_building_goes_on_after_a_restart(settled: World) -> None:
    build(begin(settled), batches=2)
    settled.die()
    assert settled.index.building is None
    settled.index.open_store()
    resumed = settled.index.building
    assert resumed is not None
    assert begin(settled) is resumed
    assert resumed.progress() == (14, 30)
    assert build(resumed) == 16
    settled.index.finish(resumed)
    sound(settled, OTHER, OTHER_DIM)


def test_a_change_of_mind_gives_the_building_up(settled: World) -> None:
    first = begin(settled)
    build(first, batches=2)
    second = begin(settled, "third/24")
    with pytest.raises(SpaceMismatchError, match="given up"):
        settled.index.finish(first)
    with pytest.raises(SpaceMismatchError, match="given up"):
        build(first)
    assert second.progress()[0] == 0
    assert settled.index.begin(SPACE, ENGINE, MODEL, DIM, probes()) is None  # back to the one that serves
    assert settled.index.building is None
    assert tables(settled) == ["vectors_1.lance"]
    sound(settled, SPACE, DIM)


def test_other_dimensions_are_refused(settled: World) -> None:
    building = begin(settled)
    [(row, passage, seq)] = building.missing(1)
    with pytest.raises(SpaceMismatchError, match="dimensions"):
        building.add([RowEncoding(row, seq, embed(passage.text))])


def test_a_crash_before_the_switch_leaves_the_old_space(
    settled: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    building = begin(settled)
    build(building)
    promote = spaces.promote

    def dying(tx: object, space: object) -> None:
        promote(tx, space)  # type: ignore[arg-type]
        raise Crash

    monkeypatch.setattr(spaces, "promote", dying)
    with pytest.raises(Crash):
        settled.index.finish(building)
    monkeypatch.undo()
    agrees(settled)
    settled.die()
    agrees(settled)
    settled.index.open_store()
    sound(settled, SPACE, DIM)
    assert settled.index.building is not None
    assert build(settled.index.building) == 0
    settled.index.finish(settled.index.building)
    sound(settled, OTHER, OTHER_DIM)


@pytest.mark.parametrize("where", ["commit", "drop"])
def test_a_crash_after_the_switch_leaves_the_new_space(
    settled: World, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    building = begin(settled)
    build(building)
    write = Database.write

    def dying(self: Database, change: object) -> None:
        write(self, change)  # type: ignore[arg-type]
        raise Crash

    def dying_drop(_: LanceStore, __: int) -> None:
        raise Crash

    if where == "commit":
        monkeypatch.setattr(Database, "write", dying)
    else:
        monkeypatch.setattr(LanceStore, "drop", dying_drop)
    with pytest.raises(Crash):
        settled.index.finish(building)
    monkeypatch.undo()
    settled.die()
    assert settled.index.serving is not None
    assert settled.index.serving.fingerprint == OTHER
    assert settled.search("text 4") == []  # nothing of the old space, until the store is open
    assert not settled.index.complete
    settled.index.open_store()
    assert tables(settled) == ["vectors_2.lance"]
    sound(settled, OTHER, OTHER_DIM)


def test_compaction_leaves_nothing_of_the_removed_in_the_new_table(settled: World) -> None:
    building = begin(settled)
    build(building)
    vector = embed("text 2", OTHER, OTHER_DIM).astype(np.float16).tobytes()
    settled.index.compact()
    assert vector in everything(settled)
    settled.remove([3])
    settled.index.compact()
    assert vector not in everything(settled)
    settled.index.finish(building)
    sound(settled, OTHER, OTHER_DIM)


def everything(world: World) -> bytes:
    return b"".join(path.read_bytes() for path in world.paths.lance.rglob("*") if path.is_file())
