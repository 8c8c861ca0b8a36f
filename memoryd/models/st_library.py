"""Models of the sentence-transformers library: offline unless downloads are allowed."""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal

from memory_client.errors import ModelUnavailableError

INSTALL = "pip install 'memoryd[st]'"

# The switches of the hub apply to the whole process.
_loading = threading.Lock()


def installed() -> bool:
    """Whether the package is there, without importing it (which takes seconds)."""
    return importlib.util.find_spec("sentence_transformers") is not None


def load_model(
    kind: Literal["SentenceTransformer", "CrossEncoder"],
    name: str,
    *,
    device: str,
    allow_downloads: bool,
    label: str,
    settings: str,
) -> Any:
    """A model of the library's class `kind`, for inference.

    label: what errors call the model; settings: the group of settings it comes from. Raises
    `ModelUnavailableError` with the reason and the fix.
    """
    if not installed():
        raise ModelUnavailableError(f"sentence-transformers is not installed; install it with: {INSTALL}")
    try:
        with _discreet_hub(allow_downloads):
            import sentence_transformers

            library_class = getattr(sentence_transformers, kind)
            model = library_class(name, device=device, local_files_only=not allow_downloads)
    except Exception as error:
        reason = next(iter(str(error).splitlines()), type(error).__name__)
        fix = _fix(device, allow_downloads, settings)
        raise ModelUnavailableError(f"{label} does not load ({reason}); {fix}", model=name) from error
    return model.eval()


def _fix(device: str, allow_downloads: bool, settings: str) -> str:
    fix = f"give the path of its directory, or set {settings}.allow_downloads to fetch it from the hub"
    if allow_downloads:
        fix = "check the name, or give the path of its directory"
    return fix if device == "cpu" else f"{fix}, or set {settings}.device to cpu"


def on_device(features: Mapping[str, Any], device: Any) -> dict[str, Any]:
    """What a model's `preprocess` gave, its tensors where the model is."""
    import torch

    return {
        key: value.to(device) if isinstance(value, torch.Tensor) else value for key, value in features.items()
    }


@contextmanager
def _discreet_hub(allow_downloads: bool) -> Iterator[None]:
    """Switch off telemetry and progress bars, and go offline unless downloads are allowed.

    `local_files_only` alone still contacts the hub. These switches apply to the whole process, so they are
    restored, and only one model loads at a time.
    """
    with _loading:
        from huggingface_hub import constants
        from transformers.utils import logging as bars

        offline, silent, shown = (
            constants.HF_HUB_OFFLINE,
            constants.HF_HUB_DISABLE_TELEMETRY,
            bars.is_progress_bar_enabled(),
        )
        constants.HF_HUB_OFFLINE = offline or not allow_downloads
        constants.HF_HUB_DISABLE_TELEMETRY = True
        bars.disable_progress_bar()
        try:
            yield
        finally:
            constants.HF_HUB_OFFLINE, constants.HF_HUB_DISABLE_TELEMETRY = offline, silent
            if shown:
                bars.enable_progress_bar()
