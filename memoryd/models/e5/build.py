"""Builds the engine's files: `python -m memoryd.models.e5.build <folder>`, run by `cache`.

Dequantise, scale, quantise again, write; then the vectors of the result are compared with the reference.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from memory_client.errors import ModelUnavailableError
from memoryd.models.e5 import reference
from memoryd.models.e5.bundled import over_files
from memoryd.models.e5.cache import EVEN, TOKENIZER, UNEVEN, WEIGHTS, weight_bits, write_manifest
from memoryd.models.e5.calibration import load_calibration
from memoryd.models.e5.encoder_tensors import EncoderTensors, Tensor, write_tensors
from memoryd.models.e5.onnx_engine import OnnxEmbedder
from memoryd.models.e5.package import usable_cores, weights_file
from memoryd.models.e5.tokens import Tokenizer, unigram_model
from memoryd.models.e5.weights import Weights

Report = Callable[[int, int], None]
"""Called with the steps done and the steps in all."""

_STEPS_AFTER_LAYERS = 2
_PACKAGE = Path(__file__).parent


def build(folder: Path, bits: int, report: Report) -> None:
    """Write the files into an empty folder, manifest last. bits: of the encoder's weights, 7 or 8.

    Raises `ModelUnavailableError` when the weights cannot be used or the result is off, `OSError` when the
    files cannot be written.
    """
    weights = Weights(weights_file())
    tensors = EncoderTensors(weights, load_calibration(), bits)
    steps = tensors.layers + _STEPS_AFTER_LAYERS
    with ThreadPoolExecutor(1) as beside:
        tokenizer = beside.submit(_write_tokenizer, folder / TOKENIZER, weights)
        write_encoder(folder, tensors, lambda done: report(done, steps))
        engine = over_files(folder, weights, tokenizer.result())
    report(steps - 1, steps)
    write_manifest(folder, _checked(engine))
    report(steps, steps)


def _write_tokenizer(file: Path, weights: Weights) -> Tokenizer:
    model = unigram_model(weights)
    file.write_bytes(model)
    return Tokenizer(model, weights.normalisation)


def write_encoder(folder: Path, tensors: EncoderTensors, report: Callable[[int], None]) -> None:
    """Both graphs, and the tensors beside them. report: called with the layers that are written."""
    for name in (EVEN, UNEVEN):
        shutil.copyfile(_PACKAGE / name, folder / name)
    with (folder / WEIGHTS).open("wb") as file:
        write_tensors(file, tensors.first())
        for number, layer in enumerate(_layers(tensors), 1):
            write_tensors(file, layer)
            report(number)


def _layers(tensors: EncoderTensors) -> Iterator[list[Tensor]]:
    """The tensors of every layer, in order; made on all cores."""
    with ThreadPoolExecutor(usable_cores()) as pool:
        yield from pool.map(tensors.layer, range(tensors.layers))


def _checked(engine: OnnxEmbedder) -> float:
    """The mean cosine of an engine's vectors with the reference."""
    found = reference.mean_cosine(engine)
    if found < reference.BOUND:
        raise ModelUnavailableError(
            f"its vectors are off: their mean cosine with the reference is {found:.4f}, "
            f"{reference.BOUND} is needed"
        )
    return found


def main() -> int:
    """0, or 1 with the reason as the last line on stderr; progress on stdout, `<done> <steps>` a line."""
    os.umask(0o077)
    try:
        build(Path(sys.argv[1]), weight_bits(), lambda done, steps: print(done, steps, flush=True))
    except ModelUnavailableError as error:
        print(error, file=sys.stderr)
        return 1
    except OSError as error:
        print(f"{error.filename or sys.argv[1]}: {error.strerror or error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
