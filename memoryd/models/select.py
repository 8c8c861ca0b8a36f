"""The embedder that the settings name, or the reason why it is unavailable."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from memory_client.errors import ConfigurationError, ModelUnavailableError
from memoryd.models.base import Embedder, Loading
from memoryd.models.e5.bundled import open_bundled
from memoryd.models.e5.published import open_published
from memoryd.models.openai_compatible import OpenAIEmbedder, endpoint_of, is_remote
from memoryd.models.sentence_transformer import SentenceTransformerEmbedder

DEFAULT_MODEL = "intfloat/multilingual-e5-small"
_ST = "sentence-transformers:"
_ONNX = "onnx:"
_OPENAI = "openai:"

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class EmbedderChoice:
    """The settings of the embedder.

    model: `auto`, `bundled`, `onnx:<folder or name>`, `sentence-transformers:<name or path>`,
    `openai:<model>` or `none`. models: the directory of the files that the bundled model builds. Empty
    prefixes are the model's own; dimensions 0 is the server's own number; timeout in seconds, for one
    request; batch: texts a call, at most.
    """

    model: str = "auto"
    models: Path | None = None
    device: str = "cpu"
    base_url: str = ""
    api_key: str = field(default="", repr=False)
    query_prefix: str = ""
    passage_prefix: str = ""
    dimensions: int = 0
    allow_downloads: bool = False
    timeout: float = 30.0
    batch: int = 64


def open_embedder(choice: EmbedderChoice, loading: Loading) -> Embedder:
    """Load the chosen embedder.

    Raises `ModelUnavailableError` naming everything tried, why it failed and what to do;
    `ConfigurationError` for a model of no known kind.
    """
    if choice.model == "none":
        raise ModelUnavailableError(
            "embedder.model is none: search goes by keywords only; "
            "to search by meaning set embedder.model to auto"
        )
    if choice.model == "auto":
        return _first(choice, loading, ("bundled", f"{_ONNX}{DEFAULT_MODEL}", f"{_ST}{DEFAULT_MODEL}"))
    return _open(choice.model, choice, loading)


def remote_endpoint(choice: EmbedderChoice) -> str | None:
    """The endpoint texts are sent to, if it is on another machine."""
    if not choice.model.startswith(_OPENAI):
        return None
    endpoint = endpoint_of(choice.base_url)
    return endpoint if is_remote(endpoint) else None


def _first(choice: EmbedderChoice, loading: Loading, models: tuple[str, ...]) -> Embedder:
    failures: list[str] = []
    for model in models:
        try:
            return _open(model, choice, loading)
        except ModelUnavailableError as error:
            failures.append(f"{model}: {error}")
    raise ModelUnavailableError("no embedding model is available. Tried " + "; and ".join(failures))


def _open(model: str, choice: EmbedderChoice, loading: Loading) -> Embedder:
    openers: dict[str, Callable[[str, EmbedderChoice], Embedder]] = {
        _ST: _sentence_transformer,
        _OPENAI: _openai,
        _ONNX: _published,
    }
    if model == "bundled":
        return _bundled(choice, loading)
    for prefix, opener in openers.items():
        if model.startswith(prefix) and model != prefix:
            return opener(model.removeprefix(prefix), choice)
    raise ConfigurationError(
        f"embedder.model: {model!r} is no embedder; expected auto, bundled, none, {_ONNX}<folder or name>, "
        f"{_ST}<name or path> or {_OPENAI}<model>",
        setting="embedder.model",
    )


def _bundled(choice: EmbedderChoice, loading: Loading) -> Embedder:
    _refuse_prefixes(choice)
    if choice.models is None:
        raise ModelUnavailableError("there is no directory to keep its files in")
    return open_bundled(choice.models, loading)


def _published(name: str, choice: EmbedderChoice) -> Embedder:
    _refuse_prefixes(choice)
    return open_published(name, allow_downloads=choice.allow_downloads)


def _refuse_prefixes(choice: EmbedderChoice) -> None:
    if choice.query_prefix or choice.passage_prefix:
        logger.warning("embedder.query_prefix and passage_prefix: this model uses its own instead")


def _sentence_transformer(name: str, choice: EmbedderChoice) -> Embedder:
    return SentenceTransformerEmbedder(
        name,
        device=choice.device,
        query_prefix=choice.query_prefix,
        passage_prefix=choice.passage_prefix,
        allow_downloads=choice.allow_downloads,
    )


def _openai(model: str, choice: EmbedderChoice) -> Embedder:
    return OpenAIEmbedder(
        model,
        base_url=choice.base_url,
        api_key=choice.api_key,
        query_prefix=choice.query_prefix,
        passage_prefix=choice.passage_prefix,
        dimensions=choice.dimensions,
        timeout=choice.timeout,
        batch=choice.batch,
    )
