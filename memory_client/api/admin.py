"""Group `admin`: maintenance."""

from __future__ import annotations

from memory_client.api.spec import long_running
from memory_client.types import CheckResult, CompactResult, Metrics, ReindexResult, SettingValue


class AdminAPI:
    """Maintenance of the store and the process, over all users."""

    @long_running
    def reindex(self) -> ReindexResult:
        """Rebuild everything derived from the stored texts: keyword index, vectors, hot index.

        Searches use the old index until the new one is complete; texts are embedded again in the background.
        """

    @long_running
    def compact(self) -> CompactResult:
        """Merge fragments, drop old versions of the vector store and return free space to the disk."""

    @long_running
    def doctor(self, *, repair: bool = False) -> list[CheckResult]:
        """Check the store and everything derived from it; `repair` fixes what can be fixed."""

    def metrics(self) -> Metrics:
        """Counts and latencies per method, the queue and the caches, since the start."""

    def config(self) -> list[SettingValue]:
        """Every setting with its value and source; secrets are masked."""

    def shutdown(self) -> None:
        """Stop the process after the running requests."""
