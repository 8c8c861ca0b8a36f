"""The encoder as an ONNX graph: token embeddings in, token states out.

BERT with post-layer normalisation (Devlin et al. 2019). The graph has two inputs, `embeddings` float32
(texts, tokens, hidden), word, position and type summed, and `lengths` int32 (texts,), the number of tokens of
each text; and one output, `states` float32 (texts, tokens, hidden). It uses the fused operators of ONNX
Runtime (domain com.microsoft) that its optimiser would choose.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx.external_data_helper import set_external_data

from memoryd.models.e5.encoder_tensors import Tensor, places
from memoryd.models.e5.weights import BLOCK, Shape, Weights

_FUSED = "com.microsoft"
_ATTENTION = "MultiHeadAttention"
_OPSETS = [helper.make_opsetid("", 17), helper.make_opsetid(_FUSED, 1)]
_IR_VERSION = 10

Floats = npt.NDArray[np.float32]


def float_encoder(weights: Weights) -> tuple[onnx.ModelProto, dict[str, str]]:
    """The encoder in float32 with its weights, every multiplication's input an output too; their names."""
    encoder = _FloatEncoder(weights)
    return encoder.build(sorted(set(encoder.inputs.values()))), encoder.inputs


def int8_encoder(shape: Shape, tensors: Iterable[Tensor], location: str) -> onnx.ModelProto:
    """The encoder in int8, its tensors in the file `location` beside it."""
    return _Int8Encoder(shape, tensors, location).build([])


def without_mask(model: onnx.ModelProto) -> onnx.ModelProto:
    """The same encoder for texts of one length: it attends to all tokens and takes no `lengths`."""
    copied = onnx.ModelProto()
    copied.CopyFrom(model)
    for node in copied.graph.node:
        if node.op_type == _ATTENTION:
            del node.input[3:]
    kept = [each for each in model.graph.input if each.name != "lengths"]
    del copied.graph.input[:]
    copied.graph.input.extend(kept)
    return copied


class _Encoder(ABC):
    """The layers; the subclasses know how to multiply."""

    def __init__(self, shape: Shape) -> None:
        self._shape = shape
        self._nodes: list[onnx.NodeProto] = []
        self._constants: dict[str, onnx.TensorProto] = {}
        self._states = self._layers()

    def build(self, also: Sequence[str]) -> onnx.ModelProto:
        """The model; `also`: tensors to give out besides the states."""
        hidden = self._shape.hidden
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
        layers = self._shape.layers
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
        heads = self._shape.heads
        parts = [queries, keys, values, "", "lengths"]
        return self._node(_ATTENTION, parts, f"{key}.context", _FUSED, num_heads=heads)

    @abstractmethod
    def _projections(self, states: str, key: str) -> tuple[str, str, str]:
        """The queries, keys and values of a layer."""

    @abstractmethod
    def _linear(self, source: str, key: str) -> str:
        """A multiplication by the weights of `key`."""

    def _normalised(self, source: str, key: str, out: str) -> str:
        parts = [source, *(self._tensor(f"{key}.{part}") for part in "wb")]
        return self._node("LayerNormalization", parts, out, axis=-1, epsilon=self._shape.epsilon)

    def _sum(self, one: str, other: str) -> str:
        return self._node("Add", [one, other], f"{one}.sum")

    @abstractmethod
    def _tensor(self, name: str) -> str:
        """A tensor of the model by its name, made a constant of the graph."""

    def _node(self, operator: str, inputs: list[str], out: str, domain: str = "", **attributes: Any) -> str:
        self._nodes.append(helper.make_node(operator, inputs, [out], name=out, domain=domain, **attributes))
        return out


class _FloatEncoder(_Encoder):
    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        self.inputs: dict[str, str] = {}
        """The tensor that goes into each multiplication, by the multiplication's name."""
        super().__init__(weights.shape)

    def _projections(self, states: str, key: str) -> tuple[str, str, str]:
        self.inputs[f"{key}.qkv"] = states
        queries, keys, values = (self._linear(states, f"{key}.{part}") for part in "qkv")
        return queries, keys, values

    def _linear(self, source: str, key: str) -> str:
        bias = self._weights.vector(f"{key}.b")
        columns = self._weights.blocks(f"{key}.w").shape[0] * BLOCK // len(bias)
        weight = self._weights.matrix(f"{key}.w", columns)
        if key[-1] not in "qkv":
            self.inputs[key] = source
        product = self._node("MatMul", [source, self._constant(f"{key}.w", weight.T)], f"{key}.product")
        return self._node("Add", [product, self._constant(f"{key}.b", bias)], f"{key}.out")

    def _tensor(self, name: str) -> str:
        return self._constant(name, self._weights.vector(name))

    def _constant(self, name: str, value: npt.NDArray[Any]) -> str:
        self._constants[name] = numpy_helper.from_array(np.ascontiguousarray(value), name)
        return name


class _Int8Encoder(_Encoder):
    def __init__(self, shape: Shape, tensors: Iterable[Tensor], location: str) -> None:
        self._places = {name: (offset, value) for name, offset, value in places(tensors)}
        self._location = location
        super().__init__(shape)

    def _projections(self, states: str, key: str) -> tuple[str, str, str]:
        source = self._quantised(states, f"{key}.qkv")
        queries, keys, values = (self._product(source, f"{key}.qkv", f"{key}.{part}") for part in "qkv")
        return queries, keys, values

    def _linear(self, source: str, key: str) -> str:
        return self._product(self._quantised(source, key), key, key)

    def _quantised(self, source: str, key: str) -> str:
        if not key.endswith(".ao"):  # its input comes divided
            source = self._node("Mul", [source, self._tensor(f"{key}.smooth")], f"{key}.even")
        parts = [source, self._tensor(f"{key}.scale"), self._tensor(f"{key}.zero")]
        return self._node("QuantizeLinear", parts, f"{key}.uint8")

    def _product(self, source: str, activation: str, key: str) -> str:
        parts = [
            source,
            self._tensor(f"{key}.w"),
            self._tensor(f"{activation}.scale"),
            self._tensor(f"{key}.w.scales"),
            self._tensor(f"{activation}.zero"),
            "",
            self._tensor(f"{key}.b"),
        ]
        return self._node("MatMulIntegerToFloat", parts, f"{key}.out", _FUSED)

    def _tensor(self, name: str) -> str:
        if name not in self._constants:
            offset, value = self._places[name]
            kind = helper.np_dtype_to_tensor_dtype(value.dtype)
            tensor = TensorProto(name=name, data_type=kind, dims=value.shape, raw_data=b"")
            set_external_data(tensor, self._location, offset=offset, length=value.nbytes)
            tensor.ClearField("raw_data")
            self._constants[name] = tensor
        return name
