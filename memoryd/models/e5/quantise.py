"""From floats to int8: scales of activations and weights.

Activations get one fixed scale a tensor, so that a text's vector hardly depends on what it is embedded with
(attention with and without a mask round differently: cosines over .999). A few channels of this model are a
hundred times as large as the rest, so their size is moved into the weights first (SmoothQuant, Xiao et al.
2023, https://arxiv.org/abs/2211.10438, equation 4).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

ALPHA = 0.7
"""How much of the activations' unevenness goes to the weights; measured on mixed text, see README."""

_LEAST = 1e-5

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Range:
    """What a tensor's channels were seen to reach, each of shape (channels,)."""

    low: Floats
    high: Floats

    def over(self, factors: Floats) -> Range:
        """The range of the channels divided by `factors`."""
        return Range(self.low / factors, self.high / factors)


@dataclass(frozen=True, slots=True)
class Grid:
    """Where uint8 stands for floats: `scale * (q - zero_point)`."""

    scale: np.float32
    zero_point: np.uint8


def smoothing(seen: Range, weight: Floats) -> Floats:
    """What to divide the activations by, and multiply the weights of shape (out, in) with: (in,)."""
    reach = np.maximum(np.maximum(-seen.low, seen.high), _LEAST)
    widest = np.maximum(np.abs(weight).max(axis=0), _LEAST)
    factors: Floats = (reach**ALPHA / widest ** (1.0 - ALPHA)).astype(np.float32)
    return factors


def grid(seen: Range) -> Grid:
    """The uint8 grid over a range, zero on it."""
    low, high = min(float(seen.low.min()), 0.0), max(float(seen.high.max()), 0.0)
    scale = max(high - low, _LEAST) / 255.0
    return Grid(np.float32(scale), np.uint8(round(-low / scale)))


def rows_as_int8(weight: Floats, bits: int) -> tuple[npt.NDArray[np.int8], Floats]:
    """Weights of shape (out, in) as integers of `bits` bits, and the scale of each row, (out,)."""
    most = 2 ** (bits - 1) - 1
    scales = np.maximum(np.abs(weight).max(axis=1), _LEAST) / most
    integers = np.clip(np.rint(weight / scales[:, np.newaxis]), -most, most)
    return integers.astype(np.int8), scales.astype(np.float32)
