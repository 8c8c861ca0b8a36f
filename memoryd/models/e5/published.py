"""The model's own ONNX files, from a folder or the model hub."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from memory_client.errors import ModelUnavailableError
from memoryd.models.e5.encoders import PublishedEncoder
from memoryd.models.e5.onnx_engine import OnnxEmbedder
from memoryd.models.e5.package import DIM, has_vnni, package_version
from memoryd.models.e5.tokens import Tokenizer, xlm_roberta_model

_TOKENIZER = "sentencepiece.bpe.model"
_CONFIG = "config.json"
_FLOAT = "model.onnx"
_INT8 = "model_qint8_avx512_vnni.onnx"
_EXPECTED = {"model_type": "bert", "hidden_size": DIM, "num_hidden_layers": 12, "vocab_size": 250037}


def open_published(name: str, *, allow_downloads: bool) -> OnnxEmbedder:
    """The engine over a folder, or over a model of the hub: `onnx/` in it is looked into first.

    The folder holds config.json, sentencepiece.bpe.model and model_qint8_avx512_vnni.onnx or model.onnx;
    the int8 file is taken where the processor suits it. Hub files come from its cache on this machine, or
    are fetched when `allow_downloads`. Raises `ModelUnavailableError` naming what is missing or wrong.
    """
    for package in ("onnxruntime", "sentencepiece"):
        package_version(package)
    graphs = [_INT8, _FLOAT] if has_vnni() else [_FLOAT, _INT8]
    folder = _folder(name)
    files = _Hub(name, allow_downloads) if folder is None else _Folder(folder)
    _check_config(files.file(_CONFIG))
    tokenizer, graph = files.file(_TOKENIZER), files.file(*graphs)
    return OnnxEmbedder(
        _tokenizer(name, tokenizer),
        PublishedEncoder(graph),
        engine=f"onnxruntime {graph.name}",
        model=f"onnx:{name}",
    )


def _folder(name: str) -> Path | None:
    """The folder of that name; None for a name of the hub."""
    if not name.startswith(("~", ".")) and not Path(name).is_absolute():
        return None
    try:
        folder = Path(name).expanduser()
    except RuntimeError as error:  # `~somebody` who is not there
        raise ModelUnavailableError(f"onnx:{name}: {error}") from error
    if not folder.is_absolute() or not folder.is_dir():
        raise ModelUnavailableError(
            f"onnx:{name}: no such folder; name it by its whole path, or with ~ for your home"
        )
    return folder


class _Folder:
    """Files of a folder of this machine."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def file(self, *names: str) -> Path:
        """The first of these there is."""
        for name in names:
            for place in (self._folder / "onnx" / name, self._folder / name):
                if place.is_file():
                    return place
        raise ModelUnavailableError(
            f"{self._folder} holds no {' and no '.join(names)}; put the files of "
            "intfloat/multilingual-e5-small (its folder onnx) there",
            path=str(self._folder),
        )


class _Hub:
    """Files of the model hub."""

    def __init__(self, name: str, allow_downloads: bool) -> None:
        self._name = name
        self._local_only = not allow_downloads

    def file(self, *names: str) -> Path:
        """The first of these that can be had."""
        try:
            from huggingface_hub import hf_hub_download
        except ImportError as error:
            raise ModelUnavailableError(
                f"{self._name} is no folder, and for the model hub huggingface_hub is missing; "
                "install it with: pip install 'memoryd[hub]'"
            ) from error
        failure: Exception | None = None
        for name in names:
            try:
                return Path(hf_hub_download(self._name, f"onnx/{name}", local_files_only=self._local_only))
            except (OSError, ValueError) as error:  # what its errors are made of
                failure = error
        raise ModelUnavailableError(self._missing(names[0])) from failure

    def _missing(self, name: str) -> str:
        if self._local_only:
            return (
                f"{self._name} is no folder and onnx/{name} of that model is not on this machine; "
                "name a folder, or set embedder.allow_downloads to true"
            )
        return f"onnx/{name} of {self._name} cannot be fetched from the model hub"


def _tokenizer(name: str, file: Path) -> Tokenizer:
    try:
        return Tokenizer(*xlm_roberta_model(file))
    except (OSError, ValueError) as error:
        raise ModelUnavailableError(f"onnx:{name}: {error}", path=str(file)) from error
    except RuntimeError as error:  # what SentencePiece makes of a damaged one
        raise ModelUnavailableError(f"onnx:{name}: {file} is damaged: {error}", path=str(file)) from error


def _check_config(file: Path) -> None:
    """Another model's vectors must not get into this one's space."""
    try:
        config: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        other = [key for key, value in _EXPECTED.items() if config.get(key) != value]
    except (OSError, ValueError, AttributeError) as error:
        raise ModelUnavailableError(f"{file} cannot be read: {error}", path=str(file)) from error
    if other:
        found = ", ".join(f"{key} is {config.get(key)}" for key in other)
        raise ModelUnavailableError(
            f"{file} is not of multilingual-e5-small: {found}; "
            "for other models set embedder.model to sentence-transformers:<name or path>",
            path=str(file),
        )
