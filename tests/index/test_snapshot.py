"""The hot index on disk: what comes back, and what must not."""

from __future__ import annotations

import logging
import os
import stat
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from memory_client.errors import DiskFullError
from memoryd.index import source_rows
from memoryd.index.spaces.spaces import Space
from memoryd.index.vectors import snapshot
from memoryd.index.vectors.hot import HotIndex
from support.index_world import DIM, SPACE, World


def loaded(world: World, space: Space | None = None, newest: int | None = None) -> HotIndex:
    """What a snapshot gives alone, without outbox and vector store."""
    serving = space or world.index.serving
    assert serving is not None
    hot = HotIndex(serving.dim)
    with world.database.read() as connection:
        known, seq = source_rows.load(connection), source_rows.change_number(connection)
    snapshot.restore(world.paths.hot / "vectors.snapshot", hot, serving, known, newest or seq)
    return hot


@pytest.fixture
def saved(world: World) -> World:
    world.add_all([f"text {i}" for i in range(20)])
    world.add_all([f"other {i}" for i in range(5)], "v", "agent")
    assert world.index.save_snapshot()
    return world


def test_everything_comes_back(saved: World) -> None:
    before = {user: saved.search("text 3", 30, user, "*") for user in ("u", "v")}
    saved.index.open_store()
    saved.index.flush()
    saved.die()
    assert saved.index.complete
    assert {user: saved.search("text 3", 30, user, "*") for user in ("u", "v")} == before
    assert saved.search("other 1", 30, "v", "someone else") == []


def test_it_is_written_only_after_a_change(saved: World) -> None:
    assert not saved.index.save_snapshot()
    saved.add("one more")
    assert saved.index.save_snapshot()


@pytest.mark.skipif(sys.platform == "win32", reason="modes are of POSIX")
def test_others_cannot_read_it(saved: World) -> None:
    mode = (saved.paths.hot / "vectors.snapshot").stat().st_mode
    assert stat.S_IMODE(mode) == 0o600


def test_what_changed_since_does_not_come_back(saved: World) -> None:
    saved.edit(3, "an edited text")
    saved.remove([4, 5])
    saved.forget("v")
    held = set(loaded(saved).keys()[0].tolist())
    assert held == set(range(1, 21)) - {3, 4, 5}
    saved.die()
    assert saved.search("an edited text") == saved.expected("an edited text")


def damage_header(path: Path) -> None:
    path.write_bytes(b"x" * 300 + path.read_bytes()[300:])


def damage_body(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[-3] ^= 1
    path.write_bytes(content)


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size - 5)


def empty(path: Path) -> None:
    path.write_bytes(b"")


def other_keys(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(b'{"format": 1}'.ljust(255) + b"\n" + content[256:])


@pytest.mark.parametrize("damage", [damage_header, damage_body, cut, empty, other_keys])
def test_a_damaged_one_is_ignored_and_said_so(
    saved: World, damage: object, caplog: pytest.LogCaptureFixture
) -> None:
    damage(saved.paths.hot / "vectors.snapshot")  # type: ignore[operator]
    with caplog.at_level(logging.WARNING):
        assert len(loaded(saved)) == 0
    assert "is ignored" in caplog.text
    saved.die()
    assert saved.search("text 3") == saved.expected("text 3")  # from the outbox


def test_one_of_another_space_is_ignored(saved: World) -> None:
    space = saved.index.serving
    assert space == Space(1, SPACE, "hashlib", "hash", DIM)
    for foreign in (replace(space, id=2), replace(space, fingerprint="else"), replace(space, dim=8)):
        assert len(loaded(saved, foreign)) == 0
    assert len(loaded(saved, space)) == 25


def test_one_of_another_history_is_ignored(saved: World) -> None:
    assert len(loaded(saved, newest=1)) == 0


def test_a_failed_write_leaves_the_old_one(saved: World, monkeypatch: pytest.MonkeyPatch) -> None:
    saved.add("one more")

    def fail(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(DiskFullError, match="No space left"):
        saved.index.save_snapshot()
    monkeypatch.undo()
    assert [path.name for path in saved.paths.hot.iterdir()] == ["vectors.snapshot"]
    assert len(loaded(saved)) == 25


def test_vectors_keep_every_bit(saved: World) -> None:
    current = saved.index._state.serving
    assert current is not None
    assert current.hot is not None
    rows = np.arange(1, 21)
    before, after = current.hot.vectors_of("u", rows), loaded(saved).vectors_of("u", rows)
    assert before.keys() == after.keys()
    assert all(np.array_equal(before[key], after[key]) for key in before)
