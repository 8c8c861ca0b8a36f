"""Token vectors made small enough to be kept: centred and projected to the directions that tell them apart.

Late interaction over them ranks as over the whole vectors (measured: no recall lost). `projection.npy` is
made by `scripts/train_token_projection.py` from the calibration texts; it is part of what stored token
vectors mean, so a new one makes the stored ones worthless.
"""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np

from memoryd.models.base import FloatMatrix, FloatVector
from memoryd.models.texts import unit

REDUCED = 192
FILE = Path(__file__).with_name("projection.npy")


def reduced(states: FloatMatrix) -> FloatMatrix:
    """L2-normalised vectors (tokens, 192) of token states (tokens, dim)."""
    mean, directions = _projection()
    centred: FloatMatrix = unit(states) - mean
    return unit(centred @ directions)


@functools.cache
def _projection() -> tuple[FloatVector, FloatMatrix]:
    """The mean token vector (dim,) and the directions (dim, 192)."""
    stored = np.load(FILE).astype(np.float32)
    return stored[0], np.ascontiguousarray(stored[1:].T)
