"""Maintenance of the store: status, rebuilding, compacting, physical removal."""

from __future__ import annotations

import logging
import math
import os
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import psutil

from memory_client.protocol import PROTOCOL
from memory_client.types import CompactResult, Metrics, ReindexResult, SettingValue, Stage, Status
from memory_client.version import VERSION
from memoryd.core.call_context import current_call
from memoryd.engine.context import Parts
from memoryd.index import source_rows
from memoryd.index.keyword import keyword_fill
from memoryd.index.keyword.keyword_fill import KeywordFill
from memoryd.index.keyword.keyword_removal import KeywordRemoval
from memoryd.storage import jobs, statistics
from memoryd.storage.connection import Connection
from memoryd.storage.disk import bytes_of
from memoryd.storage.migrations import SCHEMA
from memoryd.storage.physical_removal import truncate_wal, wipe_unused_bytes
from memoryd.storage.triples import backlog

log = logging.getLogger(__name__)

_POLL_SECONDS = 0.2
_STALLED_SECONDS = 120.0
_FREE_SHARE = 0.1
LOW_DISK_BYTES = 200 * 2**20


_NO_SERVER: Metrics = {"methods": {}, "queue": {}, "caches": {}}


@dataclass(slots=True)
class ProcessState:
    """The process around the store sets these. endpoint: None in process; started_at: epoch seconds."""

    started_at: float
    settings: list[SettingValue] = field(default_factory=list)
    from_environment: list[str] = field(default_factory=list)
    endpoint: str | None = None
    shutdown: Callable[[], None] | None = None
    server_metrics: Callable[[], Metrics] = lambda: _NO_SERVER
    result_cache: Callable[[], dict[str, int]] = dict
    is_stopping: bool = False


class Maintenance:
    """status, reindex, compact and physical removal."""

    def __init__(self, parts: Parts, runtime: ProcessState) -> None:
        self._parts = parts
        self._fill = KeywordFill(parts.database)
        self._keyword_removal = KeywordRemoval(parts.database)
        self.runtime = runtime

    @property
    def stage(self) -> Stage:
        """`ready` once it is settled what meaning can do."""
        if self.runtime.is_stopping:
            return "stopping"
        return "ready" if self._parts.meaning.is_ready else "starting"

    def status(self) -> Status:
        """The state of everything, cheap enough to ask every second."""
        parts, runtime = self._parts, self.runtime
        with parts.database.read() as connection:
            counts, job_counts = statistics.totals(connection), jobs.counts(connection)
            pending_triple_count = backlog.count(connection)
        disk = self._disk()
        return Status(
            pid=os.getpid(),
            endpoint=runtime.endpoint,
            version=VERSION,
            protocol=PROTOCOL,
            schema=SCHEMA,
            stage=self.stage,
            uptime_seconds=round(max(0.0, parts.clock() - runtime.started_at), 3),
            data_dir=str(parts.paths.root),
            embedder=parts.meaning.status(),
            reranker=parts.reranker.status(),
            counts=counts,
            pending_vector_count=parts.vectors.missing(None),
            pending_triple_count=pending_triple_count,
            memory_bytes={
                "resident": int(psutil.Process().memory_info().rss),
                "hot_index": parts.vectors.sizes().hot,
            },
            disk_bytes=disk,
            jobs=job_counts,
            settings_from_environment=runtime.from_environment,
            warnings=self._warnings(disk, job_counts),
        )

    def metrics(self) -> Metrics:
        """The server's counters and the caches'."""
        metrics = self.runtime.server_metrics()
        caches = {
            "query_vectors": self._parts.meaning.host.cache_counters(),
            "results": self.runtime.result_cache(),
            "term_frequencies": self._parts.lexical.cache_counters(),
        }
        return Metrics(methods=metrics["methods"], queue=metrics["queue"], caches=caches)

    def reindex(self) -> ReindexResult:
        """Rebuild the keyword index at once and queue every vector; wait for them while a model is there."""
        lexical = self.rebuild_lexical()
        self._parts.vectors.rebuild()
        total = self._parts.vectors.missing(None)
        left = self._wait_for_vectors(total)
        return ReindexResult(keyword_count=lexical, vector_count=total - left, pending_count=left)

    def rebuild_lexical(self) -> int:
        """Make the keyword index again from the texts; return how many. Until it is done, searches find what
        is in it already.
        """
        self._parts.database.write(keyword_fill.start_over)
        self.fill_lexical()
        with self._parts.database.read() as connection:
            return source_rows.count(connection)

    def lexical_is_complete(self) -> bool:
        """Whether the keyword index holds every text, by today's folding."""
        return not self._fill.is_needed()

    def lexical_is_searchable(self) -> bool:
        """Whether keyword search finds every text while the index is completed."""
        return self._fill.is_searchable()

    def fill_lexical(self, seconds: float = math.inf) -> bool:
        """Complete the keyword index for so long; whether anything is left."""
        return self._fill.run(time.monotonic() + seconds, lambda: self.runtime.is_stopping)

    def compact(self) -> CompactResult:
        """Give space back."""
        before = self._own_bytes()
        self._parts.vectors.compact()
        self._parts.database.maintain(_compact_database)
        return CompactResult(bytes_before=before, bytes_after=self._own_bytes())

    def remove_physically(self) -> None:
        """Leave no byte of what was deleted: keyword segments, vectors, the snapshot, pages, the WAL.

        Keyword tables of earlier schemas keep deleted texts of users who still have texts, until these users'
        texts are in the shared table.
        """
        self._keyword_removal.run()
        self._parts.vectors.compact()
        wipe_unused_bytes(self._parts.database)

    def _wait_for_vectors(self, total: int) -> int:
        """Wait until no vector is missing, the model fails or the process stops; return how many are."""
        call = current_call()
        fewest, since = total, time.monotonic()
        while (left := self._parts.vectors.missing(None)) and self._parts.meaning.why_not() is None:
            call.report(total - left, total, "embedded")
            call.deadline.check(f"embedding; {left} of {total} memories are left")
            if left < fewest:
                fewest, since = left, time.monotonic()
            if self.runtime.is_stopping or time.monotonic() - since > _STALLED_SECONDS:
                break
            time.sleep(_POLL_SECONDS)
        return left

    def _own_bytes(self) -> int:
        disk = self._disk()
        return disk["database"] + disk["vectors"] + disk["hot_index"]

    def _disk(self) -> dict[str, int]:
        paths = self._parts.paths
        return {
            "database": sum(bytes_of(path) for path in paths.root.glob(paths.database.name + "*")),
            "vectors": bytes_of(paths.lance),
            "hot_index": bytes_of(paths.hot),
            "models": bytes_of(paths.models),
            "logs": bytes_of(paths.log),
            "backups": bytes_of(paths.backups),
            "free": shutil.disk_usage(paths.root).free,
        }

    def _warnings(self, disk: dict[str, int], job_counts: dict[str, int]) -> list[str]:
        found = []
        reason = self._parts.meaning.why_not()
        if reason and self.stage == "ready":
            found.append(f"search goes by keywords only: {reason}")
        reranker = self._parts.reranker.status()
        if reranker["state"] == "unavailable" and not self.runtime.is_stopping:
            found.append(f"hits are not reranked: {reranker['error']}")
        if disk["free"] < LOW_DISK_BYTES:
            found.append(f"only {disk['free'] // 2**20} MB free on the disk of {self._parts.paths.root}")
        if job_counts["failed"]:
            found.append(f"{job_counts['failed']} jobs failed; see {self._parts.paths.log_file}")
        return found


def _compact_database(connection: Connection) -> None:
    free = int(connection.execute("PRAGMA freelist_count").fetchone()[0])
    pages = int(connection.execute("PRAGMA page_count").fetchone()[0])
    if free > pages * _FREE_SHARE:
        connection.execute("VACUUM")
    truncate_wal(connection)
