"""Vectors on their way through the index: rounded once, then exactly the same everywhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from memory_client.errors import SpaceMismatchError

FloatVector = npt.NDArray[np.float32]
FloatMatrix = npt.NDArray[np.float32]
HalfMatrix = npt.NDArray[np.float16]
Rows = npt.NDArray[np.int64]

HALF = np.dtype("<f2")


@dataclass(frozen=True, slots=True)
class Batch:
    """Vectors of n memories. rows, text_seqs: int64 (n,); user_ids: n names; vectors: float16 (n, dim)."""

    rows: Rows
    text_seqs: Rows
    user_ids: Sequence[str]
    vectors: HalfMatrix

    def __len__(self) -> int:
        return len(self.rows)


@dataclass(frozen=True, slots=True)
class RowEncoding:
    """What a model made of a text. vector: float32 (dim,); tokens: float32 (tokens, 192) or None."""

    row: int
    text_seq: int
    vector: FloatVector
    tokens: FloatMatrix | None = None


def rounded(vector: npt.ArrayLike, dim: int) -> HalfMatrix:
    """A vector (dim,) as float16. Raises `SpaceMismatchError` for another dimension or values not finite."""
    half = np.asarray(vector, dtype=np.float32).astype(HALF)
    if half.shape != (dim,):
        raise SpaceMismatchError(
            f"vector: shape {half.shape} does not fit the index's space of {dim} dimensions; "
            f"run `memoryd reindex` after a change of model"
        )
    if not np.isfinite(half).all():
        raise SpaceMismatchError("vector: holds values that are no numbers; the embedder is broken")
    return half


def encode(half: HalfMatrix) -> bytes:
    """The bytes of rounded vectors, little-endian float16."""
    return half.astype(HALF, copy=False).tobytes()


def decode(blob: bytes, dim: int) -> HalfMatrix:
    """The rounded vectors (n, dim) of their bytes. Raises `ValueError` when the last is incomplete."""
    return np.frombuffer(blob, HALF).reshape(-1, dim)


def int64(values: Sequence[int]) -> Rows:
    """Row numbers or change numbers as an array."""
    return np.fromiter(values, np.int64, count=len(values))
