"""The model in float32 over the 4-bit weights: what the int8 engine is measured against."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
import onnxruntime

from e5_files.graph import float_encoder
from memoryd.models.e5.encoders import Ids, Lengths, States
from memoryd.models.e5.onnx_engine import OnnxEmbedder
from memoryd.models.e5.table import EmbeddingTable
from memoryd.models.e5.tokens import Tokenizer
from memoryd.models.e5.weights import Weights


class FloatEncoder:
    """As `memoryd.models.e5.encoders.Encoder`."""

    concurrency = 1

    def __init__(self, session: Any, table: EmbeddingTable) -> None:
        self._session = session
        self._table = table

    def states(self, ids: Ids, lengths: Lengths) -> States:
        """As `Encoder.states`."""
        feed: dict[str, npt.NDArray[Any]] = {"embeddings": self._table.gather(ids), "lengths": lengths}
        found: npt.NDArray[np.float32] = self._session.run(["states"], feed)[0]
        return found


def open_float(folder: Path, weights: Weights, tokenizer: Tokenizer) -> OnnxEmbedder:
    """The engine; its graph is written into an empty folder."""
    model, _ = float_encoder(weights)
    onnx.save_model(model, folder / "float.onnx", save_as_external_data=True, location="float.bin")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        str(folder / "float.onnx"), options, providers=["CPUExecutionProvider"]
    )
    encoder = FloatEncoder(session, EmbeddingTable(weights))
    return OnnxEmbedder(tokenizer, encoder, engine="onnxruntime float32", model="float")
