"""The OpenAI-compatible embedder against a real HTTP server on this machine."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from memory_client.errors import ConfigurationError, InvalidParameterError, ModelUnavailableError
from memoryd.models import openai_compatible
from memoryd.models.openai_compatible import OpenAIEmbedder, endpoint_of, is_remote
from support.openai_server import DIM, FakeOpenAI, Fault, fake_openai

KEY = "sk-test-0123456789abcdef"


@pytest.fixture
def server() -> Iterator[FakeOpenAI]:
    with fake_openai() as fake:
        yield fake


Opener = Callable[..., OpenAIEmbedder]


@pytest.fixture
def opened(server: FakeOpenAI, monkeypatch: pytest.MonkeyPatch) -> Iterator[Opener]:
    monkeypatch.setattr(openai_compatible, "_PAUSE", 0.01)
    made: list[OpenAIEmbedder] = []

    def opener(**options: object) -> OpenAIEmbedder:
        known = {"base_url": server.url, "api_key": KEY, **options}
        made.append(OpenAIEmbedder("tiny", **known))  # type: ignore[arg-type]
        return made[-1]

    yield opener
    for embedder in made:
        embedder.close()


def test_vectors_are_those_of_the_server_in_order_and_of_length_one(
    opened: Opener, server: FakeOpenAI
) -> None:
    embedder = opened(batch=2)
    texts = ["猫", "dog", "ä 🐟"]
    vectors = embedder.embed_passages(texts)
    expected = np.array([server.vector(text, DIM) for text in texts])
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    np.testing.assert_allclose(vectors, expected, atol=1e-6)
    assert vectors.dtype == np.float32
    assert embedder.dim == DIM
    assert [len(seen.body["input"]) for seen in server.seen] == [1, 2, 1]


def test_no_texts_no_request(opened: Opener, server: FakeOpenAI) -> None:
    embedder = opened(dimensions=DIM)
    assert embedder.embed_passages([]).shape == (0, DIM)
    assert server.seen == []


def test_dimensions_and_prefixes_are_sent(opened: Opener, server: FakeOpenAI) -> None:
    embedder = opened(dimensions=4, query_prefix="q: ", passage_prefix="p: ")
    assert embedder.embed_queries(["a"]).shape == (1, 4)
    embedder.embed_passages(["b"])
    assert [seen.body["input"] for seen in server.seen] == [["q: a"], ["p: b"]]
    assert [seen.body["dimensions"] for seen in server.seen] == [4, 4]


def test_nothing_of_the_environment_is_used(server: FakeOpenAI, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "OPENAI_API_KEY": "sk-of-the-environment",
        "OPENAI_ADMIN_KEY": "sk-admin",
        "OPENAI_BASE_URL": "http://127.0.0.1:9/v1",
        "OPENAI_ORG_ID": "org-x",
        "OPENAI_PROJECT_ID": "proj-x",
        "OPENAI_CUSTOM_HEADERS": "X-Custom: yes\nAuthorization: Bearer sk-of-the-environment",
        "HTTP_PROXY": "http://127.0.0.1:9",
        "ALL_PROXY": "http://127.0.0.1:9",
    }.items():
        monkeypatch.setenv(name, value)
    embedder = OpenAIEmbedder("tiny", base_url=server.url)
    embedder.close()
    headers = server.seen[0].headers
    assert "authorization" not in headers
    assert set(headers) <= openai_compatible._HEADERS


def test_the_set_key_is_sent(opened: Opener, server: FakeOpenAI) -> None:
    opened()
    assert server.seen[0].headers["authorization"] == f"Bearer {KEY}"


def test_the_tail_of_a_long_text_counts(opened: Opener, server: FakeOpenAI) -> None:
    embedder = opened()
    text = "我们昨天说起过这件事。" * 400
    one, other = embedder.embed_passages([text + "猫", text + "狗"])
    assert not np.allclose(one, other)
    assert all(
        len(piece.encode()) <= openai_compatible.WINDOW_BYTES
        for seen in server.seen
        for piece in seen.body["input"]
    )


def test_awkward_texts(opened: Opener) -> None:
    embedder = opened()
    vectors = embedder.embed_passages(["a\0b", "x\ud800y", "👩‍👩‍👧‍👦", "\ufdfa" * 100])
    assert np.isfinite(vectors).all()
    with pytest.raises(InvalidParameterError):
        embedder.embed_passages(["fine", " \0 "])


@pytest.mark.parametrize(
    ("fault", "said", "tries"),
    [
        (Fault(401), "refuses the key (401); correct embedder.api_key", 1),
        (Fault(403), "refuses the key (403)", 1),
        (Fault(404), "knows no model 'tiny'", 1),
        (Fault(400, body=f'{{"error": {{"message": "bad {KEY}"}}}}'.encode()), "HTTP 400", 1),
        (Fault(307, headers={"location": "http://127.0.0.1:9/v1/embeddings"}), "HTTP 307", 1),
        (Fault(429), "HTTP 429, 3 tries", 3),
        (Fault(500), "HTTP 500, 3 tries", 3),
        (Fault(hang_up=True), "cannot be reached", 3),
        (Fault(seconds=0.4), "does not answer in time", 1),
        (Fault(body=b"<html>hello</html>"), "no list of embeddings", 1),
        (Fault(body=b'"hello"'), "no list of embeddings", 1),
        (Fault(body=b'{"data": null}'), "no list of embeddings", 1),
        (Fault(body=b'{"data": []}'), "no list of embeddings", 1),
        (Fault(body=b'{"data": [{"index": 0, "embedding": "x"}]}'), "no list of embeddings", 1),
        (Fault(body=b'{"data": [{"index": 0, "embedding": [NaN]}]}'), "no list of embeddings", 1),
        (Fault(body=b'{"data": [{"index": 0, "embedding": [1.0, 2.0]}]}'), "answers with 2 dimensions", 1),
    ],
)
def test_faults_are_typed_and_name_the_endpoint_but_not_the_key(
    fault: Fault,
    said: str,
    tries: int,
    opened: Opener,
    server: FakeOpenAI,
    caplog: pytest.LogCaptureFixture,
) -> None:
    embedder = opened(timeout=0.2)
    server.seen.clear()
    server.faults = [fault] * 3
    with caplog.at_level(logging.INFO), pytest.raises(ModelUnavailableError) as raised:
        embedder.embed_queries(["猫"])
    assert said in str(raised.value)
    assert server.url in str(raised.value)
    assert KEY not in str(raised.value)
    assert KEY not in caplog.text
    assert "猫" not in caplog.text
    assert len(server.seen) == tries


def test_a_passing_fault_is_overcome(opened: Opener, server: FakeOpenAI) -> None:
    embedder = opened()
    server.faults = [Fault(500), Fault(429, headers={"retry-after": "0.01"})]
    assert embedder.embed_queries(["猫"]).shape == (1, DIM)


def test_a_server_that_is_down_is_a_passing_fault(server: FakeOpenAI, opened: Opener) -> None:
    server.faults = [Fault(hang_up=True)] * 3
    with pytest.raises(ModelUnavailableError) as raised:
        opened()
    assert raised.value.data["passing"] is True


def test_closing_ends_a_pause(opened: Opener, server: FakeOpenAI, monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = opened()
    monkeypatch.setattr(openai_compatible, "_LONGEST_PAUSE", 60.0)
    server.seen.clear()
    server.faults = [Fault(503, headers={"retry-after": "60"})]
    with ThreadPoolExecutor(1) as pool:
        call = pool.submit(embedder.embed_queries, ["猫"])
        while not server.seen:
            time.sleep(0.01)
        embedder.close()
        assert isinstance(call.exception(timeout=30), ModelUnavailableError)
    assert len(server.seen) == 1


@pytest.mark.parametrize(
    ("base_url", "endpoint", "remote"),
    [
        ("", "https://api.openai.com/v1", True),
        ("http://127.0.0.1:1234/v1", "http://127.0.0.1:1234/v1", False),
        ("http://127.8.9.1/v1", "http://127.8.9.1/v1", False),
        ("http://localhost:1234/v1", "http://localhost:1234/v1", False),
        ("http://[::1]:80/v1", "http://[::1]:80/v1", False),
        ("http://192.168.1.4:1234/v1", "http://192.168.1.4:1234/v1", True),
        ("https://user:secret@example.org/v1?key=1", "https://example.org/v1", True),
    ],
)
def test_endpoints(base_url: str, endpoint: str, remote: bool) -> None:
    assert endpoint_of(base_url) == endpoint
    assert is_remote(endpoint) is remote


@pytest.mark.parametrize("base_url", ["127.0.0.1:1234", "ftp://x/v1", "http://x:port/v1", "http://"])
def test_no_address(base_url: str) -> None:
    with pytest.raises(ConfigurationError, match=r"embedder\.base_url"):
        endpoint_of(base_url)


def test_the_space_is_named_by_model_dimensions_and_prefixes(opened: Opener) -> None:
    prints = [
        opened(dimensions=4).fingerprint,
        opened(dimensions=8).fingerprint,
        opened(dimensions=8, query_prefix="q: ").fingerprint,
    ]
    assert len(set(prints)) == 3
    assert opened(dimensions=8, api_key="", timeout=1.0).fingerprint == prints[1]
