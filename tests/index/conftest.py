"""Fixtures for the vector side of the index."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.index_world import World
from support.small_store import SmallStore, small_store


@pytest.fixture(scope="session", autouse=True)
def _lancedb() -> None:
    """Its event loop lives as long as the process: it must not count as a leak of the first test."""
    import lancedb  # noqa: F401


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """A directory with a serving space."""
    world = World(tmp_path / "data")
    world.begin()
    yield world
    world.close()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SmallStore]:
    """Truth and keyword index only."""
    with small_store(tmp_path) as opened:
        yield opened
