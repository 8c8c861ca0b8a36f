"""The encoder as an ONNX graph: token embeddings in, token states out.

BERT with post-layer normalisation (Devlin et al. 2019). The graph names two inputs, `embeddings` float32
(texts, tokens, hidden), word, position and type summed, and `lengths` int32 (texts,), the tokens that count;
and one output, `states` float32 (texts, tokens, hidden). It is written in the fused operators of ONNX
Runtime (domain com.microsoft) that its optimiser would make of it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper

from memoryd.models.e5.quantise import Range, grid, rows_as_int8, smoothing
from memoryd.models.e5.weights import BLOCK, Weights

_FUSED = "com.microsoft"
_ATTENTION = "MultiHeadAttention"
_OPSETS = [helper.make_opsetid("", 17), helper.make_opsetid(_FUSED, 1)]
_IR_VERSION = 10

Floats = npt.NDArray[np.float32]


def float_encoder(weights: Weights) -> tuple[onnx.ModelProto, dict[str, str]]:
    """The encoder in float32, every multiplication's input an output too; and the names of those by key."""
    encoder = _FloatEncoder(weights)
    return encoder.build(sorted(set(encoder.inputs.values()))), encoder.inputs


def int8_encoder(weights: Weights, ranges: Mapping[str, Range], bits: int) -> onnx.ModelProto:
    """The encoder in int8. ranges: of every multiplication's input; bits: of the weights, 7 or 8."""
    return _Int8Encoder(weights, ranges, bits).build([])


def without_mask(model: onnx.ModelProto) -> onnx.ModelProto:
    """The same encoder for texts of one length: it attends to all tokens and takes no `lengths`."""
    for node in model.graph.node:
        if node.op_type == _ATTENTION:
            del node.input[3:]
    (embeddings,) = [each for each in model.graph.input if each.name != "lengths"]
    kept = onnx.ValueInfoProto()
    kept.CopyFrom(embeddings)
    del model.graph.input[:]
    model.graph.input.append(kept)
    return model


class _Encoder(ABC):
    """The layers; how to multiply is left to the kinds."""

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self.inputs: dict[str, str] = {}
        """The tensor that goes into each multiplication, by the multiplication's key."""
        self._nodes: list[onnx.NodeProto] = []
        self._constants: dict[str, onnx.TensorProto] = {}
        self._states = self._layers()

    def build(self, also: Sequence[str]) -> onnx.ModelProto:
        """The model; `also`: tensors to give out besides the states."""
        hidden = self.weights.shape.hidden
        inputs = [
            helper.make_tensor_value_info("embeddings", TensorProto.FLOAT, ["texts", "tokens", hidden]),
            helper.make_tensor_value_info("lengths", TensorProto.INT32, ["texts"]),
        ]
        states = helper.make_tensor_value_info(self._states, TensorProto.FLOAT, ["texts", "tokens", hidden])
        more = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in also]
        constants = list(self._constants.values())
        graph = helper.make_graph(
            self._nodes, "multilingual-e5-small", inputs, [states, *more], initializer=constants
        )
        return helper.make_model(graph, opset_imports=_OPSETS, ir_version=_IR_VERSION)

    def _layers(self) -> str:
        states = self._normalised("embeddings", "emb.ln", "layer0")
        layers = self.weights.shape.layers
        for layer in range(layers):
            key = f"l{layer}"
            context = self._attention(states, key)
            attended = self._linear(context, f"{key}.ao")
            states = self._normalised(self._sum(attended, states), f"{key}.aln", f"{key}.attended")
            wide = self._node("Gelu", [self._linear(states, f"{key}.fi")], f"{key}.wide", _FUSED)
            out = "states" if layer == layers - 1 else f"layer{layer + 1}"
            states = self._normalised(self._sum(self._linear(wide, f"{key}.fo"), states), f"{key}.oln", out)
        return states

    def _attention(self, states: str, key: str) -> str:
        queries, keys, values = self._projections(states, key)
        heads = self.weights.shape.heads
        parts = [queries, keys, values, "", "lengths"]
        return self._node(_ATTENTION, parts, f"{key}.context", _FUSED, num_heads=heads)

    @abstractmethod
    def _projections(self, states: str, key: str) -> tuple[str, str, str]:
        """The queries, keys and values of a layer."""

    @abstractmethod
    def _linear(self, source: str, key: str) -> str:
        """A multiplication by the weights of `key`."""

    def _normalised(self, source: str, key: str, out: str) -> str:
        parts = [source, *(self._constant(f"{key}.{p}", self.weights.vector(f"{key}.{p}")) for p in "wb")]
        return self._node("LayerNormalization", parts, out, axis=-1, epsilon=self.weights.shape.epsilon)

    def _sum(self, one: str, other: str) -> str:
        return self._node("Add", [one, other], f"{one}.sum")

    def _parameters(self, key: str) -> tuple[Floats, Floats]:
        """Weight (out, in) and bias (out,) of a multiplication."""
        bias = self.weights.vector(f"{key}.b")
        blocks = self.weights.blocks(f"{key}.w")
        return self.weights.matrix(f"{key}.w", columns=blocks.shape[0] * BLOCK // len(bias)), bias

    def _constant(self, name: str, value: npt.NDArray[Any]) -> str:
        if name not in self._constants:
            self._constants[name] = numpy_helper.from_array(np.ascontiguousarray(value), name)
        return name

    def _node(self, operator: str, inputs: list[str], out: str, domain: str = "", **attributes: Any) -> str:
        self._nodes.append(helper.make_node(operator, inputs, [out], name=out, domain=domain, **attributes))
        return out


class _FloatEncoder(_Encoder):
    def _projections(self, states: str, key: str) -> tuple[str, str, str]:
        self.inputs[f"{key}.qkv"] = states
        queries, keys, values = (self._linear(states, f"{key}.{part}") for part in "qkv")
        return queries, keys, values

    def _linear(self, source: str, key: str) -> str:
        weight, bias = self._parameters(key)
        if key[-1] not in "qkv":
            self.inputs[key] = source
        product = self._node("MatMul", [source, self._constant(f"{key}.w", weight.T)], f"{key}.product")
        return self._node("Add", [product, self._constant(f"{key}.b", bias)], f"{key}.out")


class _Int8Encoder(_Encoder):
    def __init__(self, weights: Weights, ranges: Mapping[str, Range], bits: int) -> None:
        self._ranges = ranges
        self._bits = bits
        super().__init__(weights)

    def _projections(self, states: str, key: str) -> tuple[str, str, str]:
        """Queries, keys and values of one quantised input; the values already as `ao` wants its input."""
        parameters = [self._parameters(f"{key}.{part}") for part in "qkv"]
        context_factors = smoothing(self._ranges[f"{key}.ao"], self._parameters(f"{key}.ao")[0])
        value_weight, value_bias = parameters[2]
        parameters[2] = value_weight / context_factors[:, np.newaxis], value_bias / context_factors
        seen = self._ranges[f"{key}.qkv"]
        factors = smoothing(seen, np.concatenate([weight for weight, _ in parameters]))
        source = self._quantised(
            self._divided(states, factors, f"{key}.qkv"), seen.over(factors), f"{key}.qkv"
        )
        queries, keys, values = (
            self._product(source, f"{key}.qkv", f"{key}.{part}", weight * factors, bias)
            for part, (weight, bias) in zip("qkv", parameters, strict=True)
        )
        return queries, keys, values

    def _linear(self, source: str, key: str) -> str:
        weight, bias = self._parameters(key)
        factors = smoothing(self._ranges[key], weight)
        if not key.endswith(".ao"):  # its input comes divided
            source = self._divided(source, factors, key)
        source = self._quantised(source, self._ranges[key].over(factors), key)
        return self._product(source, key, key, weight * factors, bias)

    def _divided(self, source: str, factors: Floats, key: str) -> str:
        return self._node("Mul", [source, self._constant(f"{key}.smooth", 1.0 / factors)], f"{key}.even")

    def _quantised(self, source: str, seen: Range, key: str) -> str:
        at = grid(seen)
        scale = self._constant(f"{key}.scale", np.asarray(at.scale))
        zero = self._constant(f"{key}.zero", np.asarray(at.zero_point))
        return self._node("QuantizeLinear", [source, scale, zero], f"{key}.uint8")

    def _product(self, source: str, grid_key: str, key: str, weight: Floats, bias: Floats) -> str:
        integers, scales = rows_as_int8(weight, self._bits)
        parts = [
            source,
            self._constant(f"{key}.w", integers.T),
            f"{grid_key}.scale",
            self._constant(f"{key}.w.scales", scales),
            f"{grid_key}.zero",
            "",
            self._constant(f"{key}.b", bias),
        ]
        return self._node("MatMulIntegerToFloat", parts, f"{key}.out", _FUSED)
