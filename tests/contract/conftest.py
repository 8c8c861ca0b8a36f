"""One suite, two faces: the in-process `KnowledgeBase`, and the client on a spawned daemon."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Iterator

import pytest

from memory_client import KnowledgeClient
from memoryd.knowledge_base import KnowledgeBase
from support.daemons import end_daemons
from support.faces import FACES, Face, opened
from support.waiting import eventually, no_new_threads

_numbers = itertools.count()


@pytest.fixture(autouse=True)
def _no_leaked_threads() -> None:
    """The faces outlive a test and start threads as they need them; they are checked at their end."""


@pytest.fixture(scope="session", params=FACES)
def face(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Face]:
    """A store with the default settings, in UTC, of as many users as there are tests."""
    yield from _face(request.param, tmp_path_factory, {"search.timezone": "UTC"})


@pytest.fixture(scope="session", params=FACES)
def wordy(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Face]:
    """The same without a model: search goes by keywords only."""
    yield from _face(request.param, tmp_path_factory, {"embedder.model": "none", "search.timezone": "UTC"})


def _face(name: str, places: pytest.TempPathFactory, settings: dict[str, object]) -> Iterator[Face]:
    home = places.mktemp(name) / "home"
    with no_new_threads():
        try:
            with opened(name, home, **settings) as kb:
                yield Face(name, kb, home)
        finally:
            end_daemons(home)
            shutil.rmtree(home, ignore_errors=True)


@pytest.fixture
def kb(face: Face) -> KnowledgeBase | KnowledgeClient:
    return face.kb


@pytest.fixture
def user() -> str:
    """A user nobody else has."""
    return f"user-{next(_numbers)}"


@pytest.fixture
def ready(face: Face) -> Face:
    """The face with its model loaded."""
    eventually("the model is ready", lambda: face.kb.status()["stage"] == "ready", 60)
    embedder = face.kb.status()["embedder"]
    if not embedder["is_searchable"]:
        pytest.skip(f"no embedding model: {embedder['reason']}")
    return face
