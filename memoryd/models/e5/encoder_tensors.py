"""The numbers of the encoder's graph, made from the 4-bit weights and written one after the other.

`even.onnx` and `uneven.onnx` hold the structure only: each tensor names its place in `encoder.bin`, which
depends on the shapes and the order here alone. `scripts/make_e5_files.py` makes the graphs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from memoryd.models.e5.calibration import Activation, Calibration
from memoryd.models.e5.quantise import Floats, rows_as_int8
from memoryd.models.e5.weights import BLOCK, Weights

Tensor = tuple[str, npt.NDArray[Any]]
"""A name and its value."""

_ALIGNMENT = 64


class EncoderTensors:
    """Tensors of the int8 encoder. bits: of its weights, 7 or 8."""

    def __init__(self, weights: Weights, calibration: Calibration, bits: int) -> None:
        self._weights = weights
        self._calibration = calibration
        self._bits = bits
        self.layers = weights.shape.layers

    def first(self) -> list[Tensor]:
        """Those before the layers."""
        return list(self._normalisation("emb.ln"))

    def layer(self, number: int) -> list[Tensor]:
        """Those of one layer."""
        key = f"l{number}"
        return [
            *self._projections(key),
            *self._multiplication(f"{key}.ao"),
            *self._normalisation(f"{key}.aln"),
            *self._multiplication(f"{key}.fi"),
            *self._multiplication(f"{key}.fo"),
            *self._normalisation(f"{key}.oln"),
        ]

    def _normalisation(self, key: str) -> Iterator[Tensor]:
        for part in "wb":
            yield f"{key}.{part}", self._weights.vector(f"{key}.{part}")

    def _projections(self, key: str) -> Iterator[Tensor]:
        """Queries, keys and values of one quantised input; the values come out as `ao` wants its input."""
        source, context = self._calibration[f"{key}.qkv"], self._calibration[f"{key}.ao"]
        yield from _activation(f"{key}.qkv", source)
        for part in "qkv":
            weight, bias = self._parameters(f"{key}.{part}")
            if part == "v":
                weight, bias = weight / context.factors[:, np.newaxis], bias / context.factors
            yield from self._product(f"{key}.{part}", weight, bias, source)

    def _multiplication(self, key: str) -> Iterator[Tensor]:
        source = self._calibration[key]
        yield from _activation(key, source)
        yield from self._product(key, *self._parameters(key), source)

    def _product(self, key: str, weight: Floats, bias: Floats, source: Activation) -> Iterator[Tensor]:
        integers, scales = rows_as_int8(weight * source.factors, self._bits)
        yield f"{key}.w", np.ascontiguousarray(integers.T)
        yield f"{key}.w.scales", scales
        yield f"{key}.b", bias

    def _parameters(self, key: str) -> tuple[Floats, Floats]:
        """Weight (out, in) and bias (out,) of a multiplication."""
        bias = self._weights.vector(f"{key}.b")
        blocks = self._weights.blocks(f"{key}.w")
        return self._weights.matrix(f"{key}.w", columns=blocks.shape[0] * BLOCK // len(bias)), bias


def _activation(key: str, source: Activation) -> Iterator[Tensor]:
    if not key.endswith(".ao"):  # its input comes divided
        yield f"{key}.smooth", 1 / source.factors
    yield f"{key}.scale", np.asarray(source.scale)
    yield f"{key}.zero", np.asarray(source.zero_point)


def write_tensors(file: IO[bytes], tensors: Iterable[Tensor]) -> None:
    """Append the values to a file, each at its place."""
    for _, value in tensors:
        file.write(bytes(-file.tell() % _ALIGNMENT))
        file.write(np.ascontiguousarray(value).data)


def places(tensors: Iterable[Tensor]) -> Iterator[tuple[str, int, npt.NDArray[Any]]]:
    """Name, offset in the file and value of each tensor."""
    offset = 0
    for name, value in tensors:
        offset += -offset % _ALIGNMENT
        yield name, offset, value
        offset += value.nbytes
