"""The checks of `doctor`, and what mends them."""

from __future__ import annotations

import shutil

from memory_client.types import CheckResult
from memoryd.engine.context import Parts
from memoryd.engine.maintenance import LOW_DISK_BYTES, Maintenance
from memoryd.index.keyword import keyword_check
from memoryd.storage import jobs

_REPAIR = "memoryd doctor --repair"


class Doctor:
    """Whether truth and derived state are sound and agree."""

    def __init__(self, parts: Parts, maintenance: Maintenance) -> None:
        self._parts = parts
        self._maintenance = maintenance

    def doctor(self, *, repair: bool) -> list[CheckResult]:
        """All findings; with `repair` after mending what can be mended while running."""
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
            lines = [str(row[0]) for row in connection.execute("PRAGMA quick_check(20)")]
        problems = [line for line in lines if line != "ok"]
        return _finding("database", problems, str(self._parts.paths.database), f"memoryd stop && {_REPAIR}")

    def _keywords(self) -> CheckResult:
        with self._parts.database.read() as connection:
            problems = keyword_check.differences(connection)
        return _finding("keyword index", problems, "agrees with the memories", _REPAIR)

    def _vectors(self) -> CheckResult:
        problems = self._parts.vectors.check()
        missing = self._parts.vectors.missing(None)
        return _finding(
            "vector index", problems, f"agrees with the memories, {missing} still to embed", _REPAIR
        )

    def _model(self) -> CheckResult:
        """A model that loads, or that nobody wants, is no fault; one that failed is."""
        status = self._parts.meaning.status()
        failed = status["state"] == "unavailable" and status["model"] != "none"
        sound = status["progress"] or status["reason"] or f"{status['engine']}, {status['fingerprint']}"
        return _finding("embedding model", [str(status["reason"])] if failed else [], sound, "memoryd config")

    def _reranker(self) -> CheckResult:
        status = self._parts.reranker.status()
        failed = [str(status["error"])] if status["state"] == "unavailable" else []
        sound = f"{status['state']}: {status['model']}" if status["model"] else "off"
        return _finding("reranker", failed, sound, "memoryd config")

    def _jobs(self) -> CheckResult:
        with self._parts.database.read() as connection:
            counts = jobs.counts(connection)
        failed = [f"{counts['failed']} failed"] if counts["failed"] else []
        return _finding("jobs", failed, f"{counts['queued']} queued", f"see {self._parts.paths.log_file}")

    def _disk(self) -> CheckResult:
        free = shutil.disk_usage(self._parts.paths.root).free
        low = [f"only {free // 2**20} MB free"] if free < LOW_DISK_BYTES else []
        return _finding("disk", low, f"{free // 2**20:,} MB free", "free some space")


def _finding(check: str, problems: list[str], sound: str, fix: str) -> CheckResult:
    detail = "; ".join(problems[:5]) if problems else sound
    return CheckResult(check=check, ok=not problems, detail=detail, fix=fix if problems else None)
