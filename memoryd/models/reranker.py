"""The one reranker of a process: loaded in the background, one search at a time, within the deadline."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from memory_client.deadline import Deadline
from memory_client.errors import DeadlineExceededError, MemorydError, ModelUnavailableError
from memoryd.models.cross_encoder import CrossEncoderModel

State = Literal["off", "loading", "ready", "unavailable"]

logger = logging.getLogger(__name__)


class PairScorer(Protocol):
    """A model that compares a query with texts; used by one thread."""

    device: str

    def scores(self, query: str, texts: Sequence[str], stop: Callable[[], bool]) -> list[float] | None:
        """One score within [0, 1] per text; None if `stop` returned true."""
        ...

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class RerankerChoice:
    """The settings of the reranker. model: name or path of a CrossEncoder; empty for none."""

    model: str = ""
    device: str = "cpu"
    allow_downloads: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class _Request:
    query: str
    texts: Sequence[str]
    deadline: Deadline
    future: Future[list[float]] = field(default_factory=Future)


def open_reranker(choice: RerankerChoice) -> PairScorer:
    """Load the chosen reranker. Raises `ModelUnavailableError` with the reason and the fix."""
    return CrossEncoderModel(choice.model, device=choice.device, allow_downloads=choice.allow_downloads)


class RerankerHost:
    """Loads the model in a thread, which then answers one search after the other.

    A search that waits for another is dropped at its deadline; a running one ends after its batch. Errors
    of the running model are `ModelUnavailableError` for the call, logged once until it works again; the
    state stays `ready`.
    """

    def __init__(
        self, choice: RerankerChoice, *, opener: Callable[[RerankerChoice], PairScorer] = open_reranker
    ) -> None:
        self._choice = choice
        self._opener = opener
        self._changed = threading.Condition()
        self._waiting: deque[_Request] = deque()
        self._state: State = "loading" if choice.model else "off"
        self._device: str | None = None
        self._error: str | None = None
        self._closed = False
        self._failing = False
        self._answered = 0
        self._late_count = 0
        self._thread = threading.Thread(target=self._run, name="memoryd-reranker", daemon=True)

    def start(self) -> None:
        """Start loading, if a model is named."""
        if self._state != "off":
            self._thread.start()

    @property
    def state(self) -> State:
        return self._state

    def scores(self, query: str, texts: Sequence[str], deadline: Deadline) -> list[float]:
        """How well each text answers the query, within [0, 1].

        Raises `ModelUnavailableError` at once when there is no model, it is still loading or it fails,
        `DeadlineExceededError` when it is not done in time, or busy with other searches until then.
        """
        request = _Request(query, texts, deadline)
        with self._changed:
            self._check_ready()
            self._waiting.append(request)
            self._changed.notify()
        try:
            scores = request.future.result(deadline.left())
        except TimeoutError:
            self._count(late=True)
            raise self._late(request, withdrawn=self._withdraw(request)) from None
        except CancelledError:
            raise self._closing() from None
        self._count(late=False)
        return scores

    def wait(self, deadline: Deadline) -> State:
        """The state once it is no longer `loading`, or at the deadline."""
        with self._changed:
            self._changed.wait_for(lambda: self._state != "loading", deadline.left())
            return self._state

    def status(self) -> dict[str, Any]:
        """model, state, device, error, answered_count, timeout_count.

        error: the reason and the fix when it is unavailable. answered_count: searches that got their
        scores in time; timeout_count: those that did not.
        """
        with self._changed:
            return {
                "model": self._choice.model,
                "state": self._state,
                "device": self._device,
                "error": self._error,
                "answered_count": self._answered,
                "timeout_count": self._late_count,
            }

    def close(self) -> None:
        """End the thread and free the model; waits for the batch under way. Waiting callers get an error."""
        with self._changed:
            self._closed = True
            self._settle("unavailable", str(self._closing()))
            dropped = list(self._waiting)
            self._waiting.clear()
        for request in dropped:
            request.future.cancel()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        model = self._open()
        if model is None:
            return
        while (request := self._next()) is not None:
            self._answer(model, request)
        model.close()

    def _open(self) -> PairScorer | None:
        try:
            model = self._opener(self._choice)
        except ModelUnavailableError as error:
            self._fail(str(error))
            return None
        except Exception as error:
            logger.exception("loading the reranker failed")
            self._fail(f"the reranker {self._choice.model} does not load ({error!r})")
            return None
        with self._changed:
            if not self._closed:
                self._device = model.device
                self._settle("ready", None)
        logger.info("reranker ready: %s on %s", self._choice.model, model.device)
        return model

    def _fail(self, reason: str) -> None:
        logger.warning("no reranking: %s", reason)
        with self._changed:
            if not self._closed:
                self._settle("unavailable", reason)

    def _settle(self, state: State, error: str | None) -> None:
        """The lock is held."""
        self._state, self._error = state, error
        self._changed.notify_all()

    def _next(self) -> _Request | None:
        """The next search; None after `close`."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._closed)
            return None if self._closed else self._waiting.popleft()

    def _answer(self, model: PairScorer, request: _Request) -> None:
        try:
            scores = model.scores(request.query, request.texts, lambda: self._closed or request.deadline.over)
            if scores is None:
                raise self._late(request)
        except Exception as error:
            request.future.set_exception(self._failure(error))
            return
        if self._failing:
            self._failing = False
            logger.info("the reranker works again")
        request.future.set_result(scores)

    def _check_ready(self) -> None:
        """The lock is held."""
        if self._state == "off":
            raise ModelUnavailableError("reranker.model is empty: there is no reranking")
        if self._state == "loading":
            raise ModelUnavailableError(f"the reranker {self._choice.model} is still loading")
        if self._error is not None:
            raise ModelUnavailableError(self._error)

    def _count(self, *, late: bool) -> None:
        with self._changed:
            self._late_count += late
            self._answered += not late

    def _withdraw(self, request: _Request) -> bool:
        """Whether the request had not begun; it no longer waits."""
        with self._changed:
            if request in self._waiting:
                self._waiting.remove(request)
                return True
            return False

    def _failure(self, error: Exception) -> MemorydError:
        if self._closed:
            return self._closing()
        if isinstance(error, DeadlineExceededError):
            return error
        failure = error if isinstance(error, MemorydError) else self._failed(error)
        logger.log(logging.DEBUG if self._failing else logging.WARNING, "%s", failure)
        self._failing = True
        return failure

    def _late(self, request: _Request, *, withdrawn: bool = False) -> DeadlineExceededError:
        model = self._choice.model
        step = f"waiting for {model}, which is busy" if withdrawn else f"reranking with {model}"
        return request.deadline.error(step)

    def _failed(self, error: Exception) -> ModelUnavailableError:
        return ModelUnavailableError(f"the reranker {self._choice.model} failed ({error!r})")

    def _closing(self) -> ModelUnavailableError:
        return ModelUnavailableError("the reranker was closed")
