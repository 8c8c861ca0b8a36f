"""The embedding model and the vector index together: which model serves the index, and what it may do.

Spaces are never mixed. An embedder whose space the index is in serves it. After a change of model the index
goes on with its former model while a new one is built (keyword search when that cannot be loaded).
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from memory_client.deadline import Deadline
from memory_client.errors import ModelUnavailableError
from memoryd.core.scope import Scope
from memoryd.index.building import Building
from memoryd.index.spaces import Probes, Space
from memoryd.index.vector_index import VectorIndex
from memoryd.models import probe
from memoryd.models.base import Embedder
from memoryd.models.host import EmbedderHost
from memoryd.storage.database import Transaction

log = logging.getLogger(__name__)

Vector = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Embedded:
    """A vector and the fingerprint of its space."""

    fingerprint: str
    vector: Vector


class Meaning:
    """The serving model over the vector index. `host` is the model the settings ask for."""

    def __init__(
        self,
        host: EmbedderHost,
        vectors: VectorIndex,
        open_former: Callable[[str], EmbedderHost | None],
    ) -> None:
        self.host = host
        self._vectors = vectors
        self._open_former = open_former
        self._former: EmbedderHost | None = None
        self._serving: EmbedderHost | None = None
        self._decided = threading.Event()

    # what search needs

    def why_not(self) -> str | None:
        """None when meaning can be searched now, else the reason."""
        if self._serving is not None:
            return None
        if self.host.state == "unavailable":
            return str(self.host.status()["error"])
        if not self._decided.is_set():
            return "the embedding model is still loading"
        return "the memories are being embedded anew with another model"

    def wait(self, deadline: Deadline) -> None:
        """Return once meaning can be searched. Raises `ModelUnavailableError`, `DeadlineExceededError`."""
        if self._serving is not None:
            return
        self.host.wait(deadline)
        if not self._decided.wait(deadline.left()):
            raise deadline.error("waiting for the vector index")
        if self._serving is None:
            raise ModelUnavailableError(f"{self.why_not()}; use mode lexical or auto until it is done")

    def nearest(
        self,
        scope: Scope,
        query: str,
        limit: int,
        allowed: npt.NDArray[np.int64] | None,
        deadline: Deadline,
    ) -> list[tuple[int, float]]:
        """(row, cosine) of the nearest memories, best first."""
        serving = self._serving
        if serving is None:
            raise ModelUnavailableError(str(self.why_not()))
        vector = serving.embed_query(query, deadline)
        return self._vectors.search(scope, vector, limit, allowed, fingerprint=_fingerprint(serving))

    def missing(self, user_id: str) -> int:
        """Memories of the user without a vector yet."""
        return self._vectors.missing(user_id)

    def status(self) -> dict[str, Any]:
        """The host's status, and whether meaning can be searched: `searchable`, else `reason`."""
        reason = self.why_not()
        former = self._former
        return {
            **self.host.status(),
            "searchable": reason is None,
            "reason": reason,
            "former": former.status()["model"] if former is not None else None,
        }

    # what writes need

    def embed_in_time(self, text: str, cap: float) -> Embedded | None:
        """The vector of a text, or None when there is no model or it takes longer than `cap` seconds."""
        serving = self._serving
        if serving is None:
            return None
        vector = serving.try_embed(text, cap)
        return None if vector is None else Embedded(_fingerprint(serving), vector)

    def embed_all(self, texts: Sequence[str]) -> list[Embedded | None]:
        """The vectors of many texts, None for all when there is no model or it fails."""
        serving = self._serving
        if serving is None:
            return [None] * len(texts)
        try:
            matrix = serving.embed_passages(texts)
        except ModelUnavailableError as error:
            log.warning("stored without vectors for now: %s", error)
            return [None] * len(texts)
        return [Embedded(_fingerprint(serving), vector) for vector in matrix]

    def stage(
        self, tx: Transaction, user_id: str, row: int, agent_id: str | None, embedded: Embedded | None
    ) -> None:
        """Give a memory's vector to the index within the write; of another space it is made again later."""
        space = self._vectors.serving
        if embedded is None or space is None or space.fingerprint != embedded.fingerprint:
            self._vectors.stage(tx, user_id, row, agent_id, None)
        else:
            self._vectors.stage(tx, user_id, row, agent_id, embedded.vector, fingerprint=embedded.fingerprint)

    # the life of the model

    def adopt(self) -> bool:
        """The model is loaded: let it serve. False when the index must first be embedded anew."""
        embedder = self.host.wait(Deadline.after(0))
        space = self._vectors.serving
        if space is None:
            self.begin(embedder)
            self._serve(self.host)
            return True
        if self.fits(space, embedder):
            self._serve(self.host)
            return True
        log.info(
            "the index is of %s, the model is %s: embedding anew", space.fingerprint, embedder.fingerprint
        )
        self._former = self._open_former(space.engine)
        self._serving = self._former
        self._decided.set()
        return False

    def begin(self, embedder: Embedder) -> Building | None:
        """Start a space for an embedder, its probe set with it; None when it serves at once."""
        probes = Probes(
            probe.TEXTS,
            embedder.embed_passages(probe.TEXTS),
            probe.QUERIES,
            embedder.embed_queries(probe.QUERIES),
        )
        return self._vectors.begin(embedder.fingerprint, embedder.engine, embedder.dim, probes)

    def fits(self, space: Space, embedder: Embedder) -> bool:
        """Whether an embedder may serve a space: the same one, and its neighbour lists agree."""
        if space.fingerprint != embedder.fingerprint or space.dim != embedder.dim:
            return False
        probes = self._vectors.probes()
        if space.engine == embedder.engine or probes is None:
            return True
        own = embedder.embed_queries(probes.queries)
        overlap = probe.agreement(probes.passage_vectors, own, probes.query_vectors)
        log.info("%s over the index of %s: overlap %.3f", embedder.engine, space.engine, overlap)
        return overlap >= probe.BOUND

    def switched(self) -> None:
        """The new index is complete: its model serves, the former one goes."""
        former, self._former = self._former, None
        self._serve(self.host)
        if former is not None:
            former.close()

    @property
    def is_ready(self) -> bool:
        """Whether it is settled what meaning can do: a model serves, or none will."""
        return self._decided.is_set() or self.host.state == "unavailable"

    def close(self) -> None:
        """Free the models."""
        self._serving = None
        if self._former is not None:
            self._former.close()
        self.host.close()

    def _serve(self, host: EmbedderHost) -> None:
        self._serving = host
        self._decided.set()


def _fingerprint(host: EmbedderHost) -> str:
    embedder = host.embedder
    if embedder is None:
        raise ModelUnavailableError("the embedding model was closed")
    return embedder.fingerprint
