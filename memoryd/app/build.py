"""The composition root: builds every object of a store once and passes it what it needs."""

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
from memoryd.engine.maintenance import Maintenance, ProcessState
from memoryd.engine.memories.archive import MemoryArchive
from memoryd.engine.memories.as_of import AsOfReader
from memoryd.engine.memories.history import VersionHistory
from memoryd.engine.memories.memory_writer import MemoryWriter
from memoryd.engine.memories.read_memories import MemoryReader
from memoryd.engine.memories.supersede import MemorySuccession
from memoryd.engine.memories.usage import MemoryUsage
from memoryd.engine.memories.write_memories import MemoryEditor
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
from memoryd.storage.migrations import SCHEMA, migrate
from memoryd.storage.requests import delete_expired
from memoryd.workers.indexer import Indexer
from memoryd.workers.runner import Handler, JobRunner, Schedule

log = logging.getLogger(__name__)

_DAY = 24 * 3600.0
_JOB_SECONDS = 60.0
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
        self._memory_archive = MemoryArchive(parts, self._writer)
        self._decay = DecayPasses(parts, self._writer, self._memory_archive, settings.decay.max_fraction)
        self._purge = ArchivePurge(parts, self._writer, self._removal, settings.decay.retention_days)
        self._knowledge = build_knowledge(
            parts,
            settings.knowledge,
            self._search,
            lambda: self._jobs.enqueue(MERGE),
        )
        self._closer = SessionCloser(parts, self._removal, settings.conversation.idle_minutes * 60.0)
        self._backfill = TripleBackfill(parts, self._stopping, _JOB_SECONDS)
        self._requests = SearchRequests(parts.zone, clock, _weights(settings))
        self._jobs = self._job_runner()
        self._indexer = self._index_worker()
        self.dispatcher = Dispatcher(self._services())

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
        self._closer.resume()
        self._jobs.start()
        if to_fill:
            self._jobs.enqueue(FILL_KEYWORDS)
        if self._backfill.is_there():
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

    def _services(self) -> dict[type, object]:
        """The service of each group of the API."""
        parts, writer, removal, archive = self._parts, self._writer, self._removal, self._memory_archive
        search, requests, maintenance, closer = self._search, self._requests, self._maintenance, self._closer
        turns, triples = TurnDeletion(parts, removal), TripleStore(parts, removal)
        deletion = MemoryDeletion(
            parts, writer, removal, turns, self._knowledge.knowledge, self._clear_caches
        )
        editor, conflicts = MemoryEditor(parts, writer), ConflictQueue(parts, writer)
        return {
            MemoryAPI: MemoryService(
                editor, MemoryReader(parts), AsOfReader(parts), search, requests, maintenance
            ),
            ForgetAPI: ForgetService(deletion, ForgetPreview(parts.database, search), requests, maintenance),
            LifeAPI: LifeService(MemoryUsage(parts, writer, archive), archive),
            VersionsAPI: VersionsService(VersionHistory(parts, writer), MemorySuccession(parts, writer)),
            ConflictsAPI: ConflictsService(conflicts, self._settings.conflicts.window_days * _DAY),
            ConversationAPI: ConversationService(TurnWriter(parts, closer), TurnReader(parts), turns, closer),
            DecayAPI: DecayService(self._decay, self._purge),
            ReviewAPI: ReviewService(ReviewQueue(parts, writer)),
            TriplesAPI: TriplesService(triples, TripleTransfer(parts, triples)),
            KnowledgeAPI: self._knowledge.service,
            AdminAPI: AdminService(maintenance, Doctor(parts, maintenance)),
        }

    def _clear_caches(self) -> None:
        """Forget the texts that are held in memory beside the indexes."""
        self._search.cache.clear()
        self._parts.meaning.host.clear_cache()
        self._parts.lexical.clear_cache()
        clear_text_caches()

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
        """The jobs; each goes on for a limited time and runs again if work is left."""
        parts, stopping, knowledge = self._parts, self._stopping, self._knowledge
        reembedding = Reembedding(parts.meaning, parts.vectors, stopping, _JOB_SECONDS)
        handlers: dict[str, Handler] = {
            "decay": self._run_decay,
            "compact": self._compact,
            "reembed": reembedding.run,
            REMOVAL: self._remove_physically,
            IDLE: self._closer.close_idle,
            MERGE: lambda: _again(knowledge.merging.run_due()),
            READ_OLD: lambda: _again(self._backfill.read()),
            FILL_KEYWORDS: lambda: _again(self._maintenance.fill_lexical(_JOB_SECONDS)),
            "tidy": lambda: parts.database.write(lambda tx: delete_expired(tx, parts.clock())),
        }
        schedules = (
            Schedule("compact", self._settings.maintenance.compact_hours * 3600.0),
            Schedule("decay", self._settings.decay.pass_hours * 3600.0),
            Schedule(MERGE, _DAY),
            Schedule("tidy", _DAY),
        )
        return JobRunner(parts.database, handlers, schedules, parts.clock, parts.ids, last=(MERGE, READ_OLD))

    def _run_decay(self) -> None:
        """The daily pass, and the purge if `decay.retention_days` is set."""
        self._decay.run_all()
        self._purge.purge_all()

    def _compact(self) -> None:
        log.info("%s", self._maintenance.compact())

    def _remove_physically(self) -> float | None:
        """Remove deleted texts once the keyword index is complete, as old keyword tables hold some."""
        if self._maintenance.fill_lexical(_JOB_SECONDS):
            return 0.0
        self._maintenance.remove_physically()
        return None


def _again(is_work_left: bool) -> float | None:
    """When a job runs again: at once if work is left."""
    return 0.0 if is_work_left else None


def _weights(settings: Settings) -> dict[str, float]:
    """The weights of a search that gives none: those that are not 1, as if the call had given them."""
    return {name: weight for name, weight in asdict(settings.ranking).items() if weight != 1.0}
