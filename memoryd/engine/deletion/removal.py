"""The end of every delete: bytes are removed in the background, and the receipt names the backups."""

from __future__ import annotations

from collections.abc import Sequence

from memory_client.types import DeleteResult
from memoryd.engine.context import Parts
from memoryd.storage import jobs
from memoryd.storage.database import Transaction

REMOVAL = "removal"


class PhysicalRemoval:
    """Physical removal of what was deleted. delay: seconds until it is due."""

    def __init__(self, parts: Parts, delay: float) -> None:
        self._parts = parts
        self._delay = delay

    def queue(self, tx: Transaction, delay: float | None = None) -> None:
        """Queue the removal, due after `delay` seconds if given."""
        now = self._parts.clock()
        due = now + (self._delay if delay is None else delay)
        jobs.enqueue(tx, self._parts.ids.new("job", now), REMOVAL, now, due)

    def receipt(
        self,
        ids: Sequence[str],
        sources: Sequence[str] = (),
        also_stated_in: Sequence[str] = (),
        skipped: Sequence[str] = (),
        skipped_count: int = 0,
    ) -> DeleteResult:
        """The receipt of a delete."""
        return DeleteResult(
            ids=list(ids),
            count=len(ids),
            sources=list(sources),
            also_stated_in=list(also_stated_in),
            skipped=list(skipped),
            skipped_count=skipped_count,
            backups=self.backups(),
        )

    def backups(self) -> list[str]:
        """Backup files, which still hold what was deleted."""
        return sorted(str(path) for path in self._parts.paths.backups.glob("*.sqlite3"))
