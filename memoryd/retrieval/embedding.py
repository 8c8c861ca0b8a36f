"""The embedding of a search's query, which is made while the other sources read the query's words."""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import Executor, Future

from memory_client.deadline import Deadline
from memory_client.errors import MemorydError
from memoryd.core.row_ranges import TextKind
from memoryd.retrieval.context import SearchContext
from memoryd.retrieval.plan import EMBEDDED, RetrievalPlan
from memoryd.retrieval.request import SearchRequest
from memoryd.retrieval.semantic_index import EncodedText, SemanticIndex

log = logging.getLogger(__name__)

PendingEmbedding = Callable[[], EncodedText]
_WAITING_SHARE = 0.75


def patience_of(deadline: Deadline, seconds: float) -> Deadline:
    """How long to wait for the model: some of the call's time is left for an answer by keywords."""
    left = deadline.left()
    return Deadline.after(seconds if left is None else min(seconds, left * _WAITING_SHARE))


def start_embedding(
    semantic: SemanticIndex, pool: Executor, request: SearchRequest, plan: RetrievalPlan, patience: Deadline
) -> PendingEmbedding | None:
    """Begin to embed the query; None when the plan has no use for it.

    A semantic search has nothing else to do and no bound but its own deadline: it embeds when it is asked
    for the result, and takes no thread that a hybrid search may need.
    """
    if "semantic" not in plan.sources:
        return None
    text = request.query[:EMBEDDED]
    if plan.mode == "semantic":
        return lambda: semantic.encode(text, request.deadline)
    future = pool.submit(semantic.encode, text, patience)
    return lambda: _result(future, patience)


def wait_for_vectors(
    semantic: SemanticIndex, request: SearchRequest, plan: RetrievalPlan, patience: Deadline
) -> None:
    """Wait for the last few vectors of the texts that are searched."""
    kinds: list[TextKind] = [target for target in request.targets if target != "shared"]
    if "semantic" in plan.sources and kinds:
        semantic.wait_vectors(request.scope.user_id, kinds, patience)


def join_embedding(context: SearchContext, pending: PendingEmbedding | None) -> None:
    """Give the context the query's embedding, or the reason why keywords alone answer.

    Raises the embedder's error for a semantic search.
    """
    if pending is None or not context.queries:
        return
    with context.timed("embedding"):
        try:
            context.encoded = pending()
        except MemorydError as error:
            if context.request.mode == "semantic":
                raise
            log.warning("semantic search failed: %s", error)
            context.lacks.append(f"answered by keywords alone: {error}")
            return
    caveat = context.semantic.caveat()
    if caveat:
        context.lacks.append(caveat)


def _result(future: Future[EncodedText], patience: Deadline) -> EncodedText:
    """The result. Raises `DeadlineExceededError` also when no thread was free to begin with it."""
    try:
        return future.result(patience.left())
    except MemorydError:
        raise  # DeadlineExceededError is a TimeoutError too
    except TimeoutError:
        future.cancel()
        raise patience.error("waiting for the embedding model") from None
