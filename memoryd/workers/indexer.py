"""The thread behind the vector index: lets the model serve, embeds what waits, fills the vector store."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from memory_client.errors import MemorydError
from memoryd.engine.meaning import Meaning
from memoryd.index.vector_index import VectorIndex
from memoryd.storage.database import Database

log = logging.getLogger(__name__)

_EMBED_BATCH = 128
_RETRY_SECONDS = 30.0


class Indexer:
    """One thread. batch_seconds: longest wait for the store; snapshot_seconds: 0 at the end."""

    def __init__(
        self,
        database: Database,
        vectors: VectorIndex,
        meaning: Meaning,
        *,
        batch_seconds: float,
        snapshot_seconds: float,
        on_foreign_index: Callable[[], None],
    ) -> None:
        self._database = database
        self._vectors = vectors
        self._meaning = meaning
        self._batch_seconds = batch_seconds
        self._snapshot_seconds = snapshot_seconds
        self._on_foreign_index = on_foreign_index
        self._stopping = threading.Event()
        self._adopted = False
        self._retry_at = 0.0
        self._snapshot_at = time.monotonic() + snapshot_seconds
        self._thread = threading.Thread(target=self._run, name="memoryd-indexer", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """Finish the batch in hand and end."""
        self._stopping.set()
        self._thread.join()

    @property
    def is_busy(self) -> bool:
        """Whether memories wait for vectors that can be made."""
        return self._meaning.why_not() is None and self._vectors.missing(None) > 0

    def _run(self) -> None:
        self._guard(self._wait_for_model)
        self._guard(self._embed_waiting)
        self._guard(self._vectors.open_store)
        while not self._stopping.wait(self._pause()):
            self._guard(self._adopt)
            self._guard(self._embed_waiting)
            self._guard(self._vectors.flush)
            self._guard(self._snapshot)

    def _pause(self) -> float:
        """No pause while there is work that can be done."""
        return 0.0 if self.is_busy and time.monotonic() >= self._retry_at else max(0.05, self._batch_seconds)

    def _guard(self, step: Callable[[], object]) -> None:
        """A failing step is logged and tried again; the store stays open and nothing is lost."""
        try:
            step()
        except MemorydError as error:
            log.warning("%s; trying again in %d s", error, _RETRY_SECONDS)
            self._retry_at = time.monotonic() + _RETRY_SECONDS
        except Exception:
            log.exception("the vector index could not go on; trying again in %d s", _RETRY_SECONDS)
            self._retry_at = time.monotonic() + _RETRY_SECONDS

    def _wait_for_model(self) -> None:
        """The model goes before the vector store: search by meaning needs the hot index only."""
        while self._meaning.host.state == "loading" and not self._stopping.wait(0.01):
            pass
        self._adopt()

    def _adopt(self) -> None:
        """Let the model serve once it is there; a remote one may come up late."""
        if not self._adopted and self._meaning.host.state == "ready":
            self._adopted = True
            if not self._meaning.adopt():
                self._on_foreign_index()

    def _embed_waiting(self) -> None:
        if self._meaning.why_not() is not None or time.monotonic() < self._retry_at:
            return
        waiting = self._vectors.waiting(_EMBED_BATCH)
        if not waiting:
            return
        embedded = self._meaning.embed_all([one.text for one in waiting])
        made = [(one.row, one.text_seq, e) for one, e in zip(waiting, embedded, strict=True) if e]
        if not made:
            self._retry_at = time.monotonic() + _RETRY_SECONDS
            return
        vectors = [(row, text_seq, e.vector) for row, text_seq, e in made]
        self._database.write(lambda tx: self._vectors.fill(tx, made[0][2].fingerprint, vectors))

    def _snapshot(self) -> None:
        if self._snapshot_seconds and time.monotonic() >= self._snapshot_at:
            self._vectors.save_snapshot()
            self._snapshot_at = time.monotonic() + self._snapshot_seconds
