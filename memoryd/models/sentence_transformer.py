"""Any sentence-transformers model, by name or path."""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import PurePath
from typing import Any

import numpy as np

from memory_client.errors import ModelUnavailableError
from memoryd.models.base import FloatMatrix, space_fingerprint
from memoryd.models.e5.package import FINGERPRINT as BUNDLED_FINGERPRINT
from memoryd.models.st_library import load_model, on_device
from memoryd.models.texts import model_text, size_of, unit, weighted_mean, windows

_BATCH_WINDOWS = 64
_SAMPLES = 64
# Models of the e5 family expect these; the instruct ones expect a task description.
_E5 = re.compile(r"(^|[-_])e5([-_]|$)")
_E5_PREFIXES = ("query: ", "passage: ")


class SentenceTransformerEmbedder:
    """Embedder over a model of the hub's cache or a directory.

    Texts over the model's window are cut by its own tokenizer and averaged, weighted by tokens. An empty
    prefix means the model's own: its configured prompts, or those of the e5 family by name.
    Raises `ModelUnavailableError` when the package is missing or the model does not load; without
    `allow_downloads` only files already on this machine are looked at.
    """

    concurrency = 1

    def __init__(
        self,
        name: str,
        *,
        device: str = "cpu",
        query_prefix: str = "",
        passage_prefix: str = "",
        allow_downloads: bool = False,
    ) -> None:
        self.model = f"sentence-transformers:{name}"
        self._model: Any = load_model(
            "SentenceTransformer",
            name,
            device=device,
            allow_downloads=allow_downloads,
            label=self.model,
            settings="embedder",
        )
        self._tokenizing = threading.Lock()
        own = own_prefixes(name, self._model.prompts)
        self._prefixes = (query_prefix or own[0], passage_prefix or own[1])
        self.engine = f"sentence-transformers {version('sentence-transformers')} on {self._model.device}"
        self.dim = int(self._model.get_embedding_dimension())
        self.fingerprint = _fingerprint(name, self._model, self.dim, self._prefixes)

    def embed_queries(self, texts: Sequence[str]) -> FloatMatrix:
        """Vectors of search queries."""
        return self._embed(texts, self._prefixes[0])

    def embed_passages(self, texts: Sequence[str]) -> FloatMatrix:
        """Vectors of stored texts."""
        return self._embed(texts, self._prefixes[1])

    def count_tokens(self, text: str) -> int:
        """Tokens of a stored text, prefix and specials included."""
        return self._count(self._prefixes[1] + model_text(text)) + self._specials()

    def close(self) -> None:
        """Release the model; it is freed after the last running call."""
        self._model = None

    def _embed(self, texts: Sequence[str], prefix: str) -> FloatMatrix:
        model = self._open_model()
        parts = [self._windows(model_text(text), prefix) for text in texts]
        flat = [prefix + window for part in parts for window, _ in part]
        vectors = _in_batches(lambda batch: self._forward(model, batch), flat, self.dim)
        return _joined(vectors, [[tokens for _, tokens in part] for part in parts])

    def _windows(self, text: str, prefix: str) -> list[tuple[str, int]]:
        """Windows of one text and their tokens; a text that cannot be too long is not counted."""
        limit = self._open_model().max_seq_length
        if not limit or size_of(prefix + text) + self._specials() <= limit:
            return [(text, 1)]
        room = limit - self._specials() - (self._count(prefix) if prefix else 0)
        if room < 1:
            raise ModelUnavailableError(
                f"embedder prefixes: {prefix!r} fills the model's window of {limit} tokens; shorten it"
            )
        return windows(text, self._count, room)

    def _forward(self, model: Any, texts: list[str]) -> FloatMatrix:
        import torch

        # Truncation is a state of the fast tokenizers: two threads in one of them raise "Already borrowed".
        with self._tokenizing:
            features = model.preprocess(texts)
        with torch.inference_mode():
            pooled = model(on_device(features, model.device))["sentence_embedding"]
        return unit(pooled.float().cpu().numpy())

    def _count(self, text: str) -> int:
        tokenizer = self._open_model().tokenizer
        with self._tokenizing:
            if callable(tokenizer):
                tokens = tokenizer(text, add_special_tokens=False, truncation=False, verbose=False)
                return len(tokens["input_ids"])
            return len(tokenizer.encode(text, add_special_tokens=False))

    def _specials(self) -> int:
        counted = getattr(self._open_model().tokenizer, "num_special_tokens_to_add", None)
        return int(counted()) if counted is not None else 0

    def _open_model(self) -> Any:
        model = self._model
        if model is None:
            raise ModelUnavailableError("the sentence-transformers model was closed")
        return model


def own_prefixes(name: str, prompts: dict[str, str]) -> tuple[str, str]:
    """The query and passage prefix of a model, from its configuration or its name."""
    query = prompts.get("query") or ""
    passage = prompts.get("document") or prompts.get("passage") or ""
    base = PurePath(name).name.lower()
    if not (query or passage) and _E5.search(base) and "instruct" not in base:
        return _E5_PREFIXES
    return query, passage


def _in_batches(forward: Any, texts: list[str], dim: int) -> FloatMatrix:
    """The vectors of all texts, in their order; a batch holds texts of about one length."""
    out = np.empty((len(texts), dim), dtype=np.float32)
    order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
    for start in range(0, len(order), _BATCH_WINDOWS):
        chosen = order[start : start + _BATCH_WINDOWS]
        out[chosen] = forward([texts[at] for at in chosen])
    return out


def _joined(vectors: FloatMatrix, tokens: list[list[int]]) -> FloatMatrix:
    """One vector per text, from those of its windows."""
    out = np.empty((len(tokens), vectors.shape[1]), dtype=np.float32)
    start = 0
    for row, counts in enumerate(tokens):
        part = vectors[start : start + len(counts)]
        out[row] = part[0] if len(counts) == 1 else weighted_mean(part, counts)
        start += len(counts)
    return out


def _fingerprint(name: str, model: Any, dim: int, prefixes: tuple[str, str]) -> str:
    """The space by content, wherever the files lie; multilingual-e5-small is the bundled engine's space."""
    pooling = _pooling(model)
    by_name = space_fingerprint(PurePath(name).name.lower(), "1", dim, pooling, *prefixes)
    if by_name == BUNDLED_FINGERPRINT:
        return by_name
    transformer = model.transformers_model
    family = transformer.config.model_type if transformer is not None else type(model[0]).__name__.lower()
    return space_fingerprint(str(family), _revision(model), dim, pooling, *prefixes)


def _pooling(model: Any) -> str:
    configs = [module.get_config_dict() for module in model if hasattr(module, "get_config_dict")]
    return str(next((c["pooling_mode"] for c in configs if "pooling_mode" in c), "own"))


def _revision(model: Any) -> str:
    """A hash over the modules, and names, shapes and samples of the weights.

    A hub model does not always know its commit and a directory never does; samples of every tensor tell
    two trainings apart without reading gigabytes.
    """
    digest = hashlib.sha256()
    for module in model:
        config = module.get_config_dict() if hasattr(module, "get_config_dict") else {}
        digest.update(json.dumps([type(module).__name__, config], sort_keys=True, default=str).encode())
    for name, tensor in sorted(model.state_dict().items()):
        digest.update(f"{name}{tuple(tensor.shape)}".encode())
        flat = tensor.detach().flatten()
        step = max(1, flat.numel() // _SAMPLES)
        digest.update(flat[::step][:_SAMPLES].float().cpu().numpy().tobytes())
    return digest.hexdigest()[:16]
