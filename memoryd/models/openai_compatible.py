"""Embeddings from an endpoint that speaks OpenAI's protocol."""

from __future__ import annotations

import importlib.util
import ipaddress
import logging
import threading
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from memory_client.errors import ConfigurationError, ModelUnavailableError
from memoryd.models.base import FloatMatrix, space_fingerprint
from memoryd.models.texts import model_text, size_of, split, unit, weighted_mean

OFFICIAL = "https://api.openai.com/v1"
# Servers silently cut what exceeds their window; this many bytes fit 512 tokens, in Chinese too.
WINDOW_BYTES = 1400
_NO_KEY = "not-set"
_TRIES = 3
_PAUSE = 0.5
_LONGEST_PAUSE = 2.0
_PASSING = frozenset({408, 409, 429})
# What may leave the machine besides the body: no organisation, project or custom header of the environment,
# no account of this machine's system.
_HEADERS = frozenset(
    {"host", "accept", "accept-encoding", "connection", "content-type", "content-length", "user-agent"}
)

logger = logging.getLogger(__name__)


class OpenAIEmbedder:
    """Embedder over `POST {base_url}/embeddings`.

    Only what is passed here is used: neither OPENAI_* variables nor proxies of the environment. Texts over
    1,400 bytes are sent in pieces and averaged by size, as the server's window is unknown. A passing fault
    (no connection, 408, 409, 429, 5xx) is tried three times; every error is a `ModelUnavailableError` that
    names the endpoint, never the key.

    timeout: seconds for one request. dimensions: asked of the server, 0 for its own number. batch: texts a
    request.
    """

    concurrency = 4

    def __init__(
        self,
        model: str,
        *,
        base_url: str = "",
        api_key: str = "",
        query_prefix: str = "",
        passage_prefix: str = "",
        dimensions: int = 0,
        timeout: float = 30.0,
        batch: int = 64,
    ) -> None:
        self._name = model
        self.endpoint = endpoint_of(base_url)
        self._prefixes = (query_prefix, passage_prefix)
        self._dimensions = dimensions
        self._batch = batch
        self._key = api_key
        self._closed = threading.Event()
        self._client = _client(base_url or OFFICIAL, api_key, timeout)
        self.engine = f"openai:{model} at {self.endpoint}"
        self.model = f"openai:{model}"
        self.dim = dimensions or self._ask_dimensions()
        self.fingerprint = space_fingerprint(f"openai/{model}", "0", self.dim, "own", *self._prefixes)

    def embed_queries(self, texts: Sequence[str]) -> FloatMatrix:
        """Vectors of search queries."""
        return self._embed(texts, self._prefixes[0])

    def embed_passages(self, texts: Sequence[str]) -> FloatMatrix:
        """Vectors of stored texts."""
        return self._embed(texts, self._prefixes[1])

    def count_tokens(self, text: str) -> int:
        """An estimate: the server's tokenizer is unknown."""
        return max(1, size_of(self._prefixes[1] + model_text(text)) // 4)

    def close(self) -> None:
        """Close the connections; a request waiting for its next attempt is given up."""
        self._closed.set()
        self._client.close()

    def _ask_dimensions(self) -> int:
        try:
            return int(self._request(["memory"]).shape[1])
        except ModelUnavailableError:
            self.close()
            raise

    def _embed(self, texts: Sequence[str], prefix: str) -> FloatMatrix:
        parts = [split(model_text(text), WINDOW_BYTES) for text in texts]
        flat = [prefix + piece for part in parts for piece in part]
        batches = [flat[start : start + self._batch] for start in range(0, len(flat), self._batch)]
        vectors = np.concatenate([np.empty((0, self.dim), np.float32), *map(self._checked, batches)])
        ends = np.cumsum([len(part) for part in parts])
        rows = [
            weighted_mean(vectors[end - len(part) : end], [size_of(piece) for piece in part])
            for part, end in zip(parts, ends, strict=True)
        ]
        return np.stack(rows) if rows else vectors

    def _checked(self, texts: list[str]) -> FloatMatrix:
        vectors = self._request(texts)
        if vectors.shape[1] != self.dim:
            raise self._error(
                f"answers with {vectors.shape[1]} dimensions, expected {self.dim}; "
                "correct embedder.dimensions, or leave it at 0"
            )
        return vectors

    def _request(self, texts: list[str]) -> FloatMatrix:
        """Unit vectors of one batch."""
        import openai

        for attempt in range(1, _TRIES + 1):
            try:
                return self._vectors(self._send(texts), len(texts))
            except openai.APITimeoutError as error:
                raise self._error(
                    "does not answer in time (embedder.timeout_seconds)", passing=True
                ) from error
            except (openai.APIConnectionError, openai.APIStatusError) as error:
                status = getattr(error, "status_code", None)
                if not _is_passing(status) or attempt == _TRIES:
                    raise self._failure(status, error) from error
                logger.debug("%s: try %d failed: %s", self.endpoint, attempt, status or "no connection")
                self._pause(attempt, error)
            except (openai.OpenAIError, ValueError, TypeError, AttributeError) as error:
                raise self._error("answers with something that is no list of embeddings") from error
        raise AssertionError("unreachable")

    def _send(self, texts: list[str]) -> Any:
        if self._closed.is_set():
            raise self._error("is no longer used: the embedder was closed")
        asked: dict[str, Any] = {"dimensions": self._dimensions} if self._dimensions else {}
        return self._client.embeddings.create(model=self._name, input=texts, encoding_format="float", **asked)

    def _vectors(self, reply: Any, count: int) -> FloatMatrix:
        rows = sorted(reply.data, key=lambda row: row.index)
        if [row.index for row in rows] != list(range(count)):
            raise ValueError("not one embedding a text")
        vectors = np.array([row.embedding for row in rows], dtype=np.float32)
        if vectors.ndim != 2 or not vectors.shape[1] or not np.isfinite(vectors).all():
            raise ValueError("not finite vectors of one length")
        return unit(vectors)

    def _pause(self, attempt: int, error: Exception) -> None:
        self._closed.wait(min(_asked_pause(error) or _PAUSE * 2 ** (attempt - 1), _LONGEST_PAUSE))

    def _failure(self, status: int | None, error: Exception) -> ModelUnavailableError:
        if status is None:
            return self._error(
                "cannot be reached; start the server, or correct embedder.base_url", passing=True
            )
        if status in (401, 403):
            return self._error(f"refuses the key ({status}); correct embedder.api_key")
        if status == 404:
            return self._error(
                f"knows no model {self._name!r} or no embeddings (404); correct embedder.model or "
                "embedder.base_url"
            )
        if _is_passing(status):
            return self._error(f"is overloaded or broken (HTTP {status}, {_TRIES} tries)", passing=True)
        return self._error(f"refuses the request (HTTP {status}: {self._said(error)})")

    def _said(self, error: Exception) -> str:
        said = str(getattr(error, "message", error))[:200]
        return said.replace(self._key, "***") if self._key else said

    def _error(self, fault: str, *, passing: bool = False) -> ModelUnavailableError:
        """passing: whether a later attempt may succeed."""
        return ModelUnavailableError(
            f"embedding endpoint {self.endpoint} {fault}", endpoint=self.endpoint, passing=passing
        )


def endpoint_of(base_url: str) -> str:
    """The endpoint without credentials and query; the official one when `base_url` is empty.

    Raises `ConfigurationError` for what is no http(s) address.
    """
    try:
        parts = urlsplit(base_url or OFFICIAL)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        host, port = "", None
    if not host or parts.scheme not in ("http", "https"):
        shown = base_url.rpartition("@")[2]
        raise ConfigurationError(
            f"embedder.base_url: {shown!r} is no http(s) address; expected one like http://127.0.0.1:1234/v1",
            setting="embedder.base_url",
        )
    name = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{name}{f':{port}' if port else ''}{parts.path}"


def is_remote(endpoint: str) -> bool:
    """Whether the endpoint is on another machine."""
    host = urlsplit(endpoint).hostname or ""
    try:
        return not ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host != "localhost"


def _is_passing(status: int | None) -> bool:
    return status is None or status in _PASSING or status >= 500


def _asked_pause(error: Exception) -> float | None:
    """Seconds of the reply's Retry-After, when it has one."""
    headers = getattr(getattr(error, "response", None), "headers", {})
    try:
        return float(headers.get("retry-after", ""))
    except ValueError:
        return None


def _client(base_url: str, key: str, timeout: float) -> Any:
    if importlib.util.find_spec("openai") is None:
        raise ModelUnavailableError(
            "the openai package is not installed; install it with: pip install 'memoryd[openai]'"
        )
    import openai

    def only_ours(request: Any) -> None:
        for name in [name for name in request.headers if name.lower() not in _HEADERS]:
            del request.headers[name]
        if key:
            request.headers["authorization"] = f"Bearer {key}"

    return openai.OpenAI(
        api_key=key or _NO_KEY,
        base_url=base_url,
        timeout=timeout,
        max_retries=0,
        # A redirect would send texts and key to an address that nobody configured.
        http_client=openai.DefaultHttpxClient(
            trust_env=False, follow_redirects=False, event_hooks={"request": [only_ours]}
        ),
    )
