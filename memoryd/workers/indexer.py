"""The indexer thread: embeds waiting texts, fills the vector store, takes snapshots."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence

from memory_client.errors import MemorydError, ModelUnavailableError
from memoryd.core.passage import Passage
from memoryd.engine.embedding.batches import PORTION, embed_possible, portions
from memoryd.index.lance.outbox import LONG, Waiting
from memoryd.index.vectors.rounding import RowEncoding
from memoryd.index.vectors.vector_index import VectorIndex
from memoryd.models.base import Embedder
from memoryd.retrieval.semantic_index import EncodedText, SemanticIndex
from memoryd.storage.database import Database

log = logging.getLogger(__name__)

_FIRST_PAUSE = 1.0
_LONGEST_PAUSE = 30.0
_WAY_SECONDS = 0.5
"""How often a long text lets later texts go first."""


class _WithdrawnError(Exception):
    """The current text was changed or deleted; its vector is not needed."""


class Indexer:
    """One thread. Long texts come last, and let others go first while they are embedded.

    batch_seconds: longest wait for the store; snapshot_seconds: 0 at the end.
    """

    def __init__(
        self,
        database: Database,
        vectors: VectorIndex,
        meaning: SemanticIndex,
        *,
        batch_seconds: float,
        snapshot_seconds: float,
        on_other_space: Callable[[], None],
    ) -> None:
        self._database = database
        self._vectors = vectors
        self._meaning = meaning
        self._batch_seconds = batch_seconds
        self._snapshot_seconds = snapshot_seconds
        self._on_other_space = on_other_space
        self._stopping = threading.Event()
        self._adopted = False
        self._opened = False
        self._retry_at: dict[str, float] = {}
        self._pauses: dict[str, float] = {}
        self._after_row = {False: 0, True: 0}
        """The last one embedded, of the texts that are not long and of the long ones."""
        self._completed: Embedder | None = None
        self._has_work = True
        self._flush_at = 0.0
        self._snapshot_at = time.monotonic() + snapshot_seconds
        self._thread = threading.Thread(target=self._run, name="memoryd-indexer", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """Finish the current batch and end."""
        self._stopping.set()
        self._vectors.wake()
        if self._thread.ident is not None:
            self._thread.join()

    @property
    def is_busy(self) -> bool:
        """Whether there are texts whose vectors can be made."""
        if self._meaning.why_not() is not None:
            return False
        return self._has_work and self._vectors.missing(None) > 0

    def _run(self) -> None:
        self._guard(self._wait_for_model)
        self._guard(self._complete_tokens)
        self._guard(self._embed_waiting)
        self._guard(self._open_store)
        while not self._stopping.is_set():
            self._vectors.await_text(self._pause())
            self._guard(self._adopt)
            self._guard(self._open_store)
            self._guard(self._complete_tokens)
            self._guard(self._embed_waiting)
            self._guard(self._flush)
            self._guard(self._snapshot)

    def _pause(self) -> float:
        """No pause while there is work to do."""
        return 0.0 if self.is_busy else max(0.05, self._batch_seconds)

    def _open_store(self) -> None:
        """Open it once it is needed; continue building a space, or drop it if it is no longer wanted."""
        if not self._opened and self._vectors.needs_store and not self._stopping.is_set():
            self._vectors.open_store()
            self._opened = True
            if self._vectors.building is not None:
                self._on_other_space()

    def _guard(self, step: Callable[[], object]) -> None:
        """A failing step is logged, once in a row, and tried again; the store stays open, nothing is lost."""
        if time.monotonic() < self._retry_at.get(step.__name__, 0.0):
            return
        try:
            step()
        except MemorydError as error:
            is_news = step.__name__ not in self._pauses and not self._stopping.is_set()
            pause = self._put_off(step)
            log.log(logging.WARNING if is_news else logging.DEBUG, "%s; trying again in %d s", error, pause)
        except Exception:
            log.exception("the vector index could not go on; trying again in %d s", self._put_off(step))
        else:
            self._pauses.pop(step.__name__, None)

    def _put_off(self, step: Callable[[], object]) -> float:
        """Delay a step, longer after each failure in a row; return the seconds."""
        pause = self._pauses.get(step.__name__, _FIRST_PAUSE)
        self._pauses[step.__name__] = min(2 * pause, _LONGEST_PAUSE)
        self._retry_at[step.__name__] = time.monotonic() + pause
        return pause

    def _wait_for_model(self) -> None:
        """The model comes before the vector store: semantic search needs the hot index only."""
        while self._meaning.host.state == "loading" and not self._stopping.wait(0.01):
            pass
        self._adopt()

    def _adopt(self) -> None:
        """Let the model serve once it is loaded; a remote one may come up late."""
        if not self._adopted and self._meaning.host.state == "ready":
            is_own = self._meaning.adopt(self._stopping.is_set)
            self._adopted = True
            if not is_own:
                self._on_other_space()

    def _embed_waiting(self) -> None:
        """Embed some of the waiting texts; those that the model refuses wait for another round."""
        self._has_work = False
        if self._meaning.why_not() is not None or self._stopping.is_set():
            return
        waiting = self._next_waiting()
        if not waiting:
            return
        is_taken = False
        try:
            is_taken = self._embed_into(waiting)
        finally:
            self._meaning.is_stalled = not is_taken
        if not is_taken:
            raise _refused(waiting)
        self._has_work = True

    def _complete_tokens(self) -> None:
        """Texts that were embedded without token vectors are embedded again by a model that gives them."""
        embedder = self._meaning.token_embedder
        if embedder is not self._completed:
            self._meaning.complete_tokens(embedder)
            self._completed = embedder

    def _next_waiting(self) -> list[Waiting]:
        """A portion of the texts that a search waits for, else of the next ones by row, else a long text."""
        if portion := _portion(self._vectors.get_awaited_texts(PORTION)):
            return portion
        for long in (False, True):
            if portion := self._portion_behind(long):
                return portion
        self._after_row = {False: 0, True: 0}
        return self._portion_behind(False) or self._portion_behind(True)

    def _portion_behind(self, long: bool) -> list[Waiting]:
        found = self._vectors.get_waiting_texts(1 if long else PORTION, self._after_row[long], long=long)
        portion = _portion(found)
        if portion:
            self._after_row[long] = portion[-1].row
        return portion

    def _embed_into(self, waiting: Sequence[Waiting]) -> bool:
        """Embed texts and store the vectors; False if the model refuses all of them."""
        is_long = len(waiting[0].passage.text) > LONG
        on_batch = self._way_maker(waiting[0]) if is_long else self._yield_to_searches

        def embed(texts: Sequence[Passage]) -> Sequence[EncodedText]:
            return self._meaning.embed_in_background(texts, self._stopping.is_set, on_batch)

        try:
            embedded = embed_possible(embed, [one.passage for one in waiting])
        except _WithdrawnError:
            return True
        pairs = [(one, e) for one, e in zip(waiting, embedded, strict=True) if e is not None]
        made = [RowEncoding(one.row, one.text_seq, e.encoding.vector, e.encoding.tokens) for one, e in pairs]
        if made:
            self._database.write(lambda tx: self._vectors.fill(tx, pairs[0][1].fingerprint, made))
        return bool(made)

    def _way_maker(self, long: Waiting) -> Callable[[int, int], None]:
        """Called between the batches of a long text: other waiting texts are embedded first."""
        due = time.monotonic() + _WAY_SECONDS

        def give_way(_: int, __: int) -> None:
            nonlocal due
            if time.monotonic() < due:
                return
            if not self._vectors.is_current_text(long.row, long.text_seq):
                raise _WithdrawnError
            self._guard(self._embed_passing)
            due = time.monotonic() + _WAY_SECONDS

        return give_way

    def _yield_to_searches(self, done: int, total: int) -> None:
        """Called between the batches of a portion: texts that searches wait for are embedded first."""
        if done < total:
            self._guard(self._embed_awaited)

    def _embed_awaited(self) -> None:
        self._embed_apart(self._vectors.get_awaited_texts(PORTION))

    def _embed_passing(self) -> None:
        """Texts that arrived while a long text is being embedded."""
        self._embed_apart(
            self._vectors.get_awaited_texts(PORTION) or self._vectors.get_waiting_texts(PORTION)
        )

    def _embed_apart(self, waiting: list[Waiting]) -> None:
        portion = _portion(waiting)
        if portion and not self._embed_into(portion):
            raise _refused(portion)

    def _flush(self) -> None:
        if time.monotonic() >= self._flush_at:
            self._vectors.flush()
            self._flush_at = time.monotonic() + self._batch_seconds

    def _snapshot(self) -> None:
        if self._snapshot_seconds and time.monotonic() >= self._snapshot_at:
            self._vectors.save_snapshot()
            self._snapshot_at = time.monotonic() + self._snapshot_seconds


def _refused(waiting: Sequence[Waiting]) -> ModelUnavailableError:
    return ModelUnavailableError(f"the model refuses {len(waiting)} texts that wait for their vectors")


def _portion(waiting: list[Waiting]) -> list[Waiting]:
    """The first texts, as many as are embedded quickly."""
    return waiting[next(portions([one.passage.joined for one in waiting]), slice(0))]
