"""The one embedder of a process: loaded in the background and shared by all."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import closing, contextmanager
from typing import Any, Literal

import numpy as np

from memory_client.deadline import Deadline
from memory_client.errors import (
    ConfigurationError,
    DeadlineExceededError,
    InvalidRequestError,
    ModelUnavailableError,
)
from memoryd.core.passage import Passage
from memoryd.models.base import Embedder, Encoding, FloatMatrix, Loading
from memoryd.models.cache import QueryCache
from memoryd.models.lanes import Lanes, batches, joined, pieces_of
from memoryd.models.select import EmbedderChoice, open_embedder, remote_endpoint
from memoryd.models.texts import size_of

State = Literal["loading", "ready", "unavailable"]

# What the bundled engine does in under half a second; longer texts are left to bulk work.
INLINE_BYTES = 1024
_FIRST_PAUSE = 5.0
_LONGEST_PAUSE = 60.0

logger = logging.getLogger(__name__)


class EmbedderHost:
    """Loads the chosen embedder in a thread and hands its work to lanes.

    A local server that is not up yet is asked again every minute. Errors of a running embedder are
    `ModelUnavailableError` for the call, logged once until it works again; the state stays `ready`.
    query_cache_size: query vectors kept.
    """

    def __init__(
        self,
        choice: EmbedderChoice,
        *,
        query_cache_size: int = 1000,
        opener: Callable[[EmbedderChoice, Loading], Embedder] = open_embedder,
    ) -> None:
        self._choice = choice
        self._opener = opener
        self._cache = QueryCache(query_cache_size)
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._settled = threading.Event()
        self._lanes: Lanes | None = None
        self._error: ModelUnavailableError | None = None
        self._failing = False
        self._progress: str | None = None
        self._loader = threading.Thread(target=self._load, name="memoryd-embedder", daemon=True)

    def start(self) -> None:
        """Start loading, unless it was started before."""
        if self._loader.ident is None:
            self._loader.start()

    @property
    def state(self) -> State:
        if not self._settled.is_set():
            return "loading"
        return "ready" if self._lanes is not None else "unavailable"

    @property
    def embedder(self) -> Embedder | None:
        """The embedder when it is ready."""
        lanes = self._lanes
        return lanes.embedder if lanes is not None else None

    @property
    def model(self) -> str | None:
        """The setting that opens the same embedder again, when it is ready; never `auto`."""
        embedder = self.embedder
        return None if embedder is None else embedder.model

    def wait(self, deadline: Deadline) -> Embedder:
        """The embedder, once it is loaded.

        Raises `ModelUnavailableError` with the reason and the fix when there is none,
        `DeadlineExceededError` when it takes too long.
        """
        return self._await_lanes(deadline).embedder

    def encode_query(self, text: str, deadline: Deadline) -> Encoding:
        """The encoding of a query, read-only, from the cache if it was asked before.

        Raises `InvalidParameterError` for a blank text, else as `wait`.
        """
        pieces = pieces_of(Passage(text))
        lanes = self._await_lanes(deadline)
        fingerprint = lanes.embedder.fingerprint
        known = self._cache.get(fingerprint, text)
        if known is not None:
            return known
        encoding = self._encode_urgently(lanes, True, pieces, deadline, "the query")
        self._cache.put(fingerprint, text, encoding)
        return encoding

    def try_encode(self, text: str, cap_seconds: float) -> Encoding | None:
        """The encoding of a text to store; None without a model, over the cap, over 1 KB, or on failure.

        Raises `InvalidParameterError` for a blank text.
        """
        pieces = pieces_of(Passage(text))
        lanes = self._lanes
        if lanes is None or cap_seconds <= 0 or size_of(text) > INLINE_BYTES:
            return None
        cap = Deadline.after(cap_seconds)
        try:
            return self._encode_urgently(lanes, False, pieces, cap, "the text")
        except (ModelUnavailableError, DeadlineExceededError):
            return None

    def embed_passages(
        self,
        texts: Sequence[str],
        on_batch: Callable[[int, int], None] | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> FloatMatrix:
        """Vectors of texts to store, of shape (n, dim); as `encode_passages`."""
        encodings = self.encode_passages([Passage(text) for text in texts], on_batch, stop)
        if not encodings:
            return np.empty((0, self._ready_lanes().embedder.dim), dtype=np.float32)
        return np.stack([encoding.vector for encoding in encodings])

    def encode_passages(
        self,
        passages: Sequence[Passage],
        on_batch: Callable[[int, int], None] | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> list[Encoding]:
        """The encodings of texts to store, in small batches that let waiting callers go first.

        on_batch: called after each batch with the number of texts done and in all; an exception ends the
        work. stop: asked between batches. Raises `ModelUnavailableError` when there is no model, it fails or
        `stop` returns true; `InvalidParameterError` for a blank text.
        """
        pieces = [pieces_of(passage) for passage in passages]
        flat = [piece for part in pieces for piece in part]
        lanes = self._ready_lanes()
        encodings: dict[int, Encoding] = {}
        self._heed(stop)
        with closing(self._encode_behind(lanes, flat)) as results:
            for batch, found in results:
                encodings.update(zip(batch, found, strict=True))
                if on_batch is not None:
                    on_batch(len(encodings) * len(passages) // len(flat), len(passages))
                self._heed(stop)
        with self._failures_translated():
            return _texts_of(encodings, pieces, lanes.embedder)

    def clear_cache(self) -> None:
        """Forget the queries of the query cache."""
        self._cache.clear()

    def cache_counters(self) -> dict[str, int]:
        """size, limit, hits and misses of the query cache."""
        return self._cache.counters()

    def status(self) -> dict[str, Any]:
        """model, state, engine, progress, fingerprint, dim, error, remote_endpoint.

        progress: the step under way while the model loads, if it takes long.
        """
        embedder = self.embedder
        return {
            "model": self._choice.model,
            "state": self.state,
            "engine": embedder.engine if embedder else None,
            "progress": self._progress,
            "fingerprint": embedder.fingerprint if embedder else None,
            "dim": embedder.dim if embedder else None,
            "error": str(self._error) if self._error else None,
            "remote_endpoint": _remote_endpoint(self._choice),
        }

    def close(self) -> None:
        """End the threads and free the model; waits for the call under way. Waiting callers get an error."""
        self._closing.set()
        with self._lock:
            lanes, self._lanes = self._lanes, None
            self._error = ModelUnavailableError("the embedding model was closed")
            self._settled.set()
        if self._loader.is_alive():
            self._loader.join()
        if lanes is not None:
            lanes.close()

    def _load(self) -> None:
        pause = _FIRST_PAUSE
        while not self._closing.is_set():
            embedder = self._open()
            if embedder is not None:
                self._serve(embedder)
                return
            if not (self._error and self._error.data.get("passing")):
                return
            self._closing.wait(pause)
            pause = min(pause * 2, _LONGEST_PAUSE)

    def _open(self) -> Embedder | None:
        try:
            return self._opener(self._choice, Loading(self._closing.is_set, self._report))
        except ModelUnavailableError as error:
            self._fail(error)
        except ConfigurationError as error:
            self._fail(ModelUnavailableError(str(error), **error.data))
        except Exception as error:
            logger.exception("loading the embedding model failed")
            self._fail(ModelUnavailableError(f"the embedding model does not load ({error!r})"))
        finally:
            self._report(None)
        return None

    def _report(self, progress: str | None) -> None:
        self._progress = progress

    def _fail(self, error: ModelUnavailableError) -> None:
        with self._lock:
            if self._closing.is_set():
                return
            again = self._error is not None
            self._error = error
            self._settled.set()
        logger.log(logging.DEBUG if again else logging.WARNING, "no search by meaning: %s", error)

    def _serve(self, embedder: Embedder) -> None:
        with self._lock:
            if self._closing.is_set():
                embedder.close()
                return
            self._lanes = Lanes(embedder)
            self._error = None
            self._settled.set()
        logger.info("embedder ready: %s, %s", embedder.engine, embedder.fingerprint)

    def _await_lanes(self, deadline: Deadline) -> Lanes:
        if not self._settled.wait(deadline.left()):
            raise deadline.error("loading the embedding model")
        return self._ready_lanes()

    def _ready_lanes(self) -> Lanes:
        with self._lock:
            if self._lanes is not None:
                return self._lanes
            error = self._error
        if error is None:
            raise ModelUnavailableError("the embedding model is still loading; try again shortly")
        raise ModelUnavailableError(error.message, **error.data)

    def _encode_urgently(
        self, lanes: Lanes, is_query: bool, pieces: list[Passage], deadline: Deadline, what: str
    ) -> Encoding:
        """Encode a text that a caller waits for, piece by piece, so that others can run in between."""
        with self._failures_translated():
            encodings = [_result(lanes.urgent(is_query, piece), deadline, what) for piece in pieces]
            return joined(encodings, pieces, lanes.embedder)

    def _encode_behind(
        self, lanes: Lanes, pieces: list[Passage]
    ) -> Generator[tuple[list[int], list[Encoding]], None, None]:
        """Indexes and encodings of one batch after the other."""
        chosen = batches(pieces, self._choice.batch)
        work = [[pieces[at] for at in batch] for batch in chosen]
        with self._failures_translated():
            yield from zip(chosen, lanes.bulk(work), strict=True)

    @contextmanager
    def _failures_translated(self) -> Iterator[None]:
        try:
            yield
        except (InvalidRequestError, DeadlineExceededError):
            raise
        except Exception as error:
            raise self._failure(error) from error
        if self._failing:
            self._failing = False
            logger.info("the embedding model works again")

    def _heed(self, stop: Callable[[], bool] | None) -> None:
        if self._closing.is_set():
            raise ModelUnavailableError("the embedding model was closed")
        if stop is not None and stop():
            raise ModelUnavailableError("embedding was stopped before it was done")

    def _failure(self, error: Exception) -> ModelUnavailableError:
        if self._closing.is_set():
            return ModelUnavailableError("the embedding model was closed")
        failure = ModelUnavailableError(f"the embedding model failed ({error!r})")
        if isinstance(error, ModelUnavailableError):
            failure = error
        logger.log(logging.DEBUG if self._failing else logging.WARNING, "%s", failure)
        self._failing = True
        return failure


def _result(future: Future[Encoding], deadline: Deadline, what: str) -> Encoding:
    """The result within the deadline; a call that has not begun by then is cancelled, another runs on."""
    try:
        return future.result(deadline.left())
    except TimeoutError:
        if future.done():
            raise
        future.cancel()
        raise deadline.error(f"embedding {what}") from None


def _texts_of(
    encodings: Mapping[int, Encoding], pieces: list[list[Passage]], embedder: Embedder
) -> list[Encoding]:
    """One a text out of one a piece."""
    found, start = [], 0
    for part in pieces:
        own = [encodings[at] for at in range(start, start + len(part))]
        found.append(joined(own, part, embedder))
        start += len(part)
    return found


def _remote_endpoint(choice: EmbedderChoice) -> str | None:
    try:
        return remote_endpoint(choice)
    except ConfigurationError:  # an address that leads nowhere; `error` says so
        return None
