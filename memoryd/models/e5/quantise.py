"""Float weights to int8."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

LEAST = 1e-5
"""Instead of zero, where something is divided by."""

Floats = npt.NDArray[np.float32]


def rows_as_int8(weight: Floats, bits: int) -> tuple[npt.NDArray[np.int8], Floats]:
    """Weights of shape (out, in) as integers of `bits` bits, and the scale of each row, (out,)."""
    most = 2 ** (bits - 1) - 1
    scales = np.maximum(np.maximum(weight.max(axis=1), -weight.min(axis=1)), LEAST) / np.float32(most)
    integers = np.rint(weight / scales[:, np.newaxis])
    return np.clip(integers, -most, most, out=integers).astype(np.int8), scales.astype(np.float32)
