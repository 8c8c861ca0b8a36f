"""Make the files of multilingual-e5-small that ship with the package, in memoryd/models/e5/.

python scripts/make_e5_files.py [--check]

calibration.npz: factors and scales of the activations, found on the texts of e5_files/calibrate.py.
even.onnx, uneven.onnx: the encoder's graph without its numbers, for texts of one length and for any.
probes.npz: vectors of the probe set by the encoder in float32, which every build is compared with.

--check makes nothing and says whether the graphs are those that the present code makes.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Any

import _environment

__memoryd_script__ = True


def main() -> int:
    _environment.require_python()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="only compare the graphs")
    options = parser.parse_args()
    _environment.run_inside(["dev"])
    if options.check:
        stale = [path.name for path, graph in graphs().items() if path.read_bytes() != graph]
        print(f"not current: {', '.join(stale)}" if stale else "current")
        return 1 if stale else 0
    _calibrate()
    for path, graph in graphs().items():
        path.write_bytes(graph)
        print(f"{path.name}: {len(graph):,} bytes")
    _make_reference()
    return 0


def _calibrate() -> None:
    from e5_files.calibrate import calibrate
    from memoryd.models.e5.calibration import FILE, save_calibration

    weights, tokenizer = _opened()
    save_calibration(calibrate(weights, tokenizer))
    print(f"{FILE.name}: {FILE.stat().st_size:,} bytes")


def graphs() -> dict[Path, bytes]:
    """The bytes of each graph, by where it lies."""
    from e5_files.graph import int8_encoder, without_mask
    from memoryd.models.e5 import build, cache
    from memoryd.models.e5.calibration import load_calibration
    from memoryd.models.e5.encoder_tensors import EncoderTensors

    weights, _ = _opened()
    made = EncoderTensors(weights, load_calibration(), 8)
    tensors = [*made.first(), *(tensor for layer in range(made.layers) for tensor in made.layer(layer))]
    uneven = int8_encoder(weights.shape, tensors, cache.WEIGHTS)
    folder = Path(build.__file__).parent
    return {
        folder / cache.UNEVEN: uneven.SerializeToString(deterministic=True),
        folder / cache.EVEN: without_mask(uneven).SerializeToString(deterministic=True),
    }


def _make_reference() -> None:
    from e5_files.float_engine import open_float
    from memoryd.models.e5 import reference

    with tempfile.TemporaryDirectory() as folder:
        engine = open_float(Path(folder), *_opened())
        reference.save_reference(engine)
        engine.close()
    print(f"{reference.FILE.name}: {reference.FILE.stat().st_size:,} bytes")


def _opened() -> Any:
    """The weights and their tokenizer."""
    from memoryd.models.e5.package import weights_file
    from memoryd.models.e5.tokens import Tokenizer, unigram_model
    from memoryd.models.e5.weights import Weights

    weights = Weights(weights_file())
    return weights, Tokenizer(unigram_model(weights), weights.normalisation)


if __name__ == "__main__":
    sys.exit(main())
