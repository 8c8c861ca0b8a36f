"""The calibration results that ship with the package.

A few channels of this model's activations are a hundred times as large as the rest, so each multiplication
divides its input by one factor per channel and multiplies its weights by them (SmoothQuant, Xiao et al. 2023,
https://arxiv.org/abs/2211.10438). The quotient then has one fixed uint8 scale, so that a text's vector hardly
depends on what it is embedded with. `calibration.npz` is made by `scripts/make_e5_files.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

FILE = Path(__file__).with_name("calibration.npz")


@dataclass(frozen=True, slots=True)
class Activation:
    """The input of a multiplication.

    factors: what each channel is divided by, float32 (channels,). The quotient is
    `scale * (q - zero_point)` with q in uint8.
    """

    factors: npt.NDArray[np.float32]
    scale: np.float32
    zero_point: np.uint8


Calibration = Mapping[str, Activation]
"""By the name of the multiplication: `l0.qkv`, `l0.ao`, `l0.fi`, `l0.fo`, `l1.qkv` and so on."""


def load_calibration(file: Path = FILE) -> Calibration:
    """The shipped results."""
    with np.load(file) as stored:
        sizes = stored["channels"].tolist()
        factors = np.split(stored["factors"], np.cumsum(sizes)[:-1])
        columns = (stored["names"].tolist(), factors, stored["scales"], stored["zero_points"])
        return {name: Activation(*values) for name, *values in zip(*columns, strict=True)}


def save_calibration(calibration: Calibration, file: Path = FILE) -> None:
    """Write the file."""
    found = calibration.values()
    np.savez_compressed(
        file,
        names=np.array(list(calibration)),
        channels=np.array([len(each.factors) for each in found], dtype=np.int32),
        factors=np.concatenate([each.factors for each in found]),
        scales=np.array([each.scale for each in found], dtype=np.float32),
        zero_points=np.array([each.zero_point for each in found], dtype=np.uint8),
    )
