"""The composition root: everything is built here, once, and handed what it needs."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from msgspec.structs import asdict

from memory_client.api import (
    AdminAPI,
    ConflictsAPI,
    ConversationAPI,
    DecayAPI,
    ForgetAPI,
    KnowledgeAPI,
    LifeAPI,
    MemoryAPI,
    ReviewAPI,
    TriplesAPI,
    VersionsAPI,
)
from memory_client.errors import StorageError
from memory_client.paths import DataPaths
from memory_client.types import Metrics, Stage
from memoryd.app.allocator import release_unused
from memoryd.app.knowledge import build_knowledge
from memoryd.app.parts import open_parts
from memoryd.app.settings import Settings
from memoryd.engine.conflicts.conflict_queue import ConflictQueue
from memoryd.engine.conversations import turn_builder
from memoryd.engine.conversations.read_turns import TurnReader
from memoryd.engine.conversations.session_end import IDLE, SessionCloser
from memoryd.engine.conversations.write_turns import TurnWriter
from memoryd.engine.decay.decay_passes import DecayPasses
from memoryd.engine.decay.reviews import ReviewQueue
from memoryd.engine.deletion.delete_memories import MemoryDeletion
from memoryd.engine.deletion.delete_turns import TurnDeletion
from memoryd.engine.deletion.forget_preview import ForgetPreview
from memoryd.engine.deletion.purge import ArchivePurge
from memoryd.engine.deletion.removal import REMOVAL, PhysicalRemoval
from memoryd.engine.doctor import Doctor
from memoryd.engine.embedding.reembed import Reembedding
from memoryd.engine.knowledge.knowledge_merge import MERGE
from memoryd.engine.maintenance import Maintenance
from memoryd.engine.memories.archive import MemoryArchive
from memoryd.engine.memories.as_of import AsOfReader
from memoryd.engine.memories.history import VersionHistory
from memoryd.engine.memories.memory_writer import MemoryWriter
from memoryd.engine.memories.read_memories import MemoryReader
from memoryd.engine.memories.supersede import MemorySuccession
from memoryd.engine.memories.usage import MemoryUsage
from memoryd.engine.memories.write_memories import MemoryEditor
from memoryd.engine.process_state import ProcessState
from memoryd.engine.triples.stated_triples import StatedTriples
from memoryd.engine.triples.triple_backfill import READ_OLD, TripleBackfill
from memoryd.engine.triples.triple_lines import TripleTransfer
from memoryd.engine.triples.triple_store import TripleStore
from memoryd.language import redact
from memoryd.language.text_cache import clear_text_caches
from memoryd.language.triples import extractor
from memoryd.models.host import EmbedderHost
from memoryd.retrieval.cache import ResultCache
from memoryd.retrieval.results.rerank import Reranker
from memoryd.retrieval.search import Search
from memoryd.service.admin import AdminService
from memoryd.service.conflicts import ConflictsService
from memoryd.service.conversation import ConversationService
from memoryd.service.decay import DecayService
from memoryd.service.dispatch import Dispatcher
from memoryd.service.forget import ForgetService
from memoryd.service.life import LifeService
from memoryd.service.memory import MemoryService
from memoryd.service.review import ReviewService
from memoryd.service.search_requests import SearchRequests
from memoryd.service.triples import TriplesService
from memoryd.service.versions import VersionsService
from memoryd.storage import requests
from memoryd.storage.migrations import SCHEMA, migrate
from memoryd.workers.indexer import Indexer
from memoryd.workers.runner import JobRunner, Schedule

log = logging.getLogger(__name__)

_DAY = 24 * 3600.0
_TURN_SECONDS = 60.0
"""How long one job may keep the others waiting."""
_FILL_SECONDS = 0.2
"""How long a start waits for a keyword index that finds nothing, before it is filled in the background."""
FILL_KEYWORDS = "fill_keywords"


class App:
    """The open store of one data directory, which the caller must own.

    host: of `embedder_host`, perhaps started already; None to make it.
    """

    def __init__(
        self,
        paths: DataPaths,
        settings: Settings,
        clock: Callable[[], float] = time.time,
        host: EmbedderHost | None = None,
    ) -> None:
        self._settings = settings
        self._stopping = threading.Event()
        migrate(paths.database, paths.backups)
        self._parts = parts = open_parts(paths, settings, clock, host)
        self._runtime = ProcessState(clock(), settings.describe(), settings.from_environment())
        self._maintenance = Maintenance(parts, self._runtime)
        self._search = Search(
            parts.database,
            parts.lexical,
            parts.meaning,
            Reranker(
                parts.reranker,
                candidates=settings.reranker.candidates,
                seconds=settings.reranker.timeout_ms / 1000.0,
            ),
            ResultCache(settings.search.result_cache_mb * 2**20, settings.search.result_cache_seconds),
            clock=clock,
            calendar=parts.calendar,
            model_wait=settings.search.model_wait_ms / 1000.0,
        )
        self._runtime.result_cache = self._search.cache.counters
        self._removal = PhysicalRemoval(parts, settings.maintenance.removal_minutes * 60.0)
        self._writer = MemoryWriter(parts)
        self._forget_turns = TurnDeletion(parts, self._removal)
        self._memory_archive = MemoryArchive(parts, self._writer)
        self._decay = DecayPasses(parts, self._writer, self._memory_archive, settings.decay.max_fraction)
        self._purge = ArchivePurge(parts, self._writer, self._removal, settings.decay.retention_days)
        self._knowledge = build_knowledge(
            parts,
            settings.knowledge,
            self._search,
            lambda: self._jobs.enqueue(MERGE),
        )
        self._closing = SessionCloser(parts, self._removal, settings.conversation.idle_minutes * 60.0)
        self._backlog = TripleBackfill(parts, self._stopping, _TURN_SECONDS)
        self._requests = SearchRequests(parts.zone, clock, _weights(settings))
        self._jobs = self._job_runner()
        self._indexer = self._index_worker()
        self.dispatcher = Dispatcher(
            {
                MemoryAPI: self._memory_service(),
                ForgetAPI: self._forget_service(),
                LifeAPI: self._life_service(),
                VersionsAPI: VersionsService(
                    VersionHistory(parts, self._writer), MemorySuccession(parts, self._writer)
                ),
                ConflictsAPI: ConflictsService(
                    ConflictQueue(parts, self._writer, StatedTriples()),
                    settings.conflicts.window_days * _DAY,
                ),
                ConversationAPI: self._conversation_service(),
                DecayAPI: DecayService(self._decay, self._purge),
                ReviewAPI: ReviewService(ReviewQueue(parts, self._writer)),
                TriplesAPI: self._triples_service(),
                KnowledgeAPI: self._knowledge.service,
                AdminAPI: self._admin_service(),
            }
        )

    @property
    def stage(self) -> Stage:
        """`starting` until it is settled what meaning can do."""
        return self._maintenance.stage

    @property
    def schema(self) -> int:
        """The schema version of the database."""
        return SCHEMA

    @property
    def busy(self) -> bool:
        """Whether work is queued that keeps the process from idling out."""
        return self._indexer.is_busy or self._jobs.is_busy

    def open(self) -> None:
        """Make keyword search work and begin to load the rest in the background."""
        parts = self._parts
        to_fill = not self._maintenance.lexical_is_complete()
        if to_fill and not self._maintenance.lexical_is_searchable():
            to_fill = self._maintenance.fill_lexical(_FILL_SECONDS)
        parts.vectors.open()
        parts.meaning.host.start()
        parts.reranker.start()
        self._indexer.start()
        self._closing.resume()
        self._jobs.start()
        if to_fill:
            self._jobs.enqueue(FILL_KEYWORDS)
        if self._backlog.is_there():
            self._jobs.enqueue(READ_OLD)
        threading.Thread(target=self._warm_up, name="memoryd-warm-up", daemon=True).start()

    def attach(
        self, endpoint: str, shutdown: Callable[[], None], server_metrics: Callable[[], Metrics]
    ) -> None:
        """Tell the store about the server around it."""
        self._runtime.endpoint = endpoint
        self._runtime.shutdown = shutdown
        self._runtime.server_metrics = server_metrics

    def release_unused(self) -> None:
        """Give back the memory that only makes the next calls faster by a little."""
        self._parts.database.release_unused()
        release_unused()

    def close(self) -> None:
        """Stop the workers, keep what the hot index knows, close the store. May be called twice."""
        if self._stopping.is_set():
            return
        self._stopping.set()
        self._runtime.is_stopping = True
        self._jobs.stop()
        self._indexer.stop()
        self._search.close()
        self._parts.reranker.close()
        self._parts.meaning.close()
        self._save_snapshot()
        self._parts.vectors.close()
        self._parts.database.close()

    def _save_snapshot(self) -> None:
        try:
            self._parts.vectors.save_snapshot()
        except (OSError, StorageError) as error:  # a full disk must not keep the store from closing
            log.warning("no snapshot of the vectors, the next start takes longer: %s", error)

    def _warm_up(self) -> None:
        """Load what the first write needs, once nothing more urgent loads."""
        while self.stage == "starting" and not self._stopping.wait(0.05):
            pass
        redact.warm_up()
        turn_builder.warm_up()
        extractor.warm_up()

    def _memory_service(self) -> MemoryService:
        parts = self._parts
        remember = MemoryEditor(parts, self._writer)
        return MemoryService(
            remember, MemoryReader(parts), AsOfReader(parts), self._search, self._requests, self._maintenance
        )

    def _forget_service(self) -> ForgetService:
        parts = self._parts
        forget = MemoryDeletion(
            parts,
            self._writer,
            self._removal,
            self._forget_turns,
            self._knowledge.knowledge,
            self._clear_caches,
        )
        preview = ForgetPreview(parts.database, self._search)
        return ForgetService(forget, preview, self._requests, self._maintenance)

    def _clear_caches(self) -> None:
        """Forget the texts that are held in memory beside the indexes."""
        self._search.cache.clear()
        self._parts.meaning.host.clear_cache()
        self._parts.lexical.clear_cache()
        clear_text_caches()

    def _life_service(self) -> LifeService:
        parts, writer, archive = self._parts, self._writer, self._memory_archive
        return LifeService(MemoryUsage(parts, writer, archive), archive)

    def _conversation_service(self) -> ConversationService:
        parts, closing = self._parts, self._closing
        return ConversationService(TurnWriter(parts, closing), TurnReader(parts), self._forget_turns, closing)

    def _triples_service(self) -> TriplesService:
        triples = TripleStore(self._parts, self._removal)
        return TriplesService(triples, TripleTransfer(self._parts, triples))

    def _admin_service(self) -> AdminService:
        return AdminService(self._maintenance, Doctor(self._parts, self._maintenance))

    def _index_worker(self) -> Indexer:
        parts, settings = self._parts, self._settings
        return Indexer(
            parts.database,
            parts.vectors,
            parts.meaning,
            batch_seconds=settings.lance.batch_seconds,
            snapshot_seconds=settings.hot.snapshot_seconds,
            on_other_space=lambda: self._jobs.enqueue("reembed"),
        )

    def _job_runner(self) -> JobRunner:
        parts = self._parts
        reembed = Reembedding(parts.meaning, parts.vectors, self._stopping, _TURN_SECONDS)
        handlers: dict[str, Callable[[], None]] = {
            "decay": self._fade,
            "compact": lambda: _noted(self._maintenance.compact()),
            "reembed": lambda: self._reembed(reembed),
            REMOVAL: self._remove_physically,
            IDLE: self._closing.close_idle,
            MERGE: self._merge_knowledge,
            READ_OLD: self._read_old,
            FILL_KEYWORDS: self._fill_keywords,
            "tidy": lambda: parts.database.write(lambda tx: requests.delete_expired(tx, parts.clock())),
        }
        hours = self._settings.maintenance.compact_hours
        schedules = (
            Schedule("compact", hours * 3600.0),
            Schedule("decay", self._settings.decay.pass_hours * 3600.0),
            Schedule(MERGE, _DAY),
            Schedule("tidy", _DAY),
        )
        return JobRunner(parts.database, handlers, schedules, parts.clock, parts.ids, last=(MERGE, READ_OLD))

    def _fade(self) -> None:
        """The daily pass, and the purge if one is wanted."""
        self._decay.run_all()
        self._purge.purge_all()

    def _merge_knowledge(self) -> None:
        """For one user a turn, so that nobody else's work waits for all of them."""
        if self._knowledge.merging.run_due() and not self._stopping.is_set():
            self._jobs.enqueue(MERGE)

    def _fill_keywords(self) -> None:
        if self._maintenance.fill_lexical(_TURN_SECONDS) and not self._stopping.is_set():
            self._jobs.enqueue(FILL_KEYWORDS)

    def _remove_physically(self) -> None:
        """Once the keyword index is complete: deleted texts go with the tables of earlier schemas."""
        if not self._maintenance.fill_lexical(_TURN_SECONDS):
            self._maintenance.remove_physically()
        else:
            self._jobs.enqueue(REMOVAL)

    def _read_old(self) -> None:
        if self._backlog.read() and not self._stopping.is_set():
            self._jobs.enqueue(READ_OLD)

    def _reembed(self, reembed: Reembedding) -> None:
        pause = reembed.run()
        if pause is not None and not self._stopping.is_set():
            self._jobs.enqueue("reembed", pause)


def _weights(settings: Settings) -> dict[str, float]:
    """The weights of a search that gives none: those that are not 1, as if the call had given them."""
    return {name: weight for name, weight in asdict(settings.ranking).items() if weight != 1.0}


def _noted(result: object) -> None:
    log.info("%s", result)
