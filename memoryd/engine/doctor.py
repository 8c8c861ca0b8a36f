"""The checks of a running store, and their repair.

The indexes and the model check themselves, as only they know their files; the directory around the store is
checked by `app/doctor`, which runs this in the daemon.
"""

from __future__ import annotations

import shutil

from memory_client.types import CheckResult
from memoryd.engine.context import Parts
from memoryd.engine.maintenance import LOW_DISK_BYTES, Maintenance
from memoryd.index.keyword import keyword_check
from memoryd.storage import jobs
from memoryd.storage.check import REPAIR, check_result, quick_check


class Doctor:
    """Checks the database, the indexes, the models, the jobs and the disk."""

    def __init__(self, parts: Parts, maintenance: Maintenance) -> None:
        self._parts = parts
        self._maintenance = maintenance

    def check(self, *, repair: bool) -> list[CheckResult]:
        """The results of all checks; with `repair`, indexes that disagree are repaired first."""
        if repair:
            self._repair()
        return [
            self._database(),
            self._keywords(),
            self._vectors(),
            self._model(),
            self._reranker(),
            self._jobs(),
            self._disk(),
        ]

    def _repair(self) -> None:
        if not self._keywords()["ok"]:
            self._maintenance.rebuild_lexical()
        if not self._vectors()["ok"]:
            self._parts.vectors.repair()

    def _database(self) -> CheckResult:
        with self._parts.database.read() as connection:
            problems = quick_check(connection)
        return check_result(
            "database", problems, str(self._parts.paths.database), f"memoryd stop && {REPAIR}"
        )

    def _keywords(self) -> CheckResult:
        with self._parts.database.read() as connection:
            problems = keyword_check.differences(connection)
        return check_result("keyword index", problems, "agrees with the memories", REPAIR)

    def _vectors(self) -> CheckResult:
        problems = self._parts.vectors.check()
        missing = self._parts.vectors.missing(None)
        return check_result(
            "vector index", problems, f"agrees with the memories, {missing} still to embed", REPAIR
        )

    def _model(self) -> CheckResult:
        """A model that loads, or that nobody wants, is no fault; one that failed is."""
        status = self._parts.meaning.status()
        failed = status["state"] == "unavailable" and status["model"] != "none"
        sound = status["progress"] or status["reason"] or f"{status['engine']}, {status['fingerprint']}"
        return check_result(
            "embedding model", [str(status["reason"])] if failed else [], sound, "memoryd config"
        )

    def _reranker(self) -> CheckResult:
        status = self._parts.reranker.status()
        failed = [str(status["error"])] if status["state"] == "unavailable" else []
        sound = f"{status['state']}: {status['model']}" if status["model"] else "off"
        return check_result("reranker", failed, sound, "memoryd config")

    def _jobs(self) -> CheckResult:
        with self._parts.database.read() as connection:
            counts = jobs.counts(connection)
        failed = [f"{counts['failed']} failed"] if counts["failed"] else []
        return check_result("jobs", failed, f"{counts['queued']} queued", f"see {self._parts.paths.log_file}")

    def _disk(self) -> CheckResult:
        free = shutil.disk_usage(self._parts.paths.root).free
        low = [f"only {free // 2**20} MB free"] if free < LOW_DISK_BYTES else []
        return check_result("disk", low, f"{free // 2**20:,} MB free", "free some space")
