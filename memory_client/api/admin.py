"""Group `admin`: looking after the store."""

from __future__ import annotations

from memory_client.api.spec import long_running
from memory_client.types import CheckResult, CompactResult, Metrics, ReindexResult, SettingValue


class AdminAPI:
    """Maintenance of the store and the process, over all users."""

    @long_running
    def reindex(self) -> ReindexResult:
        """Rebuild everything derived from the memories: the keyword index, the vectors, the hot index.

        Search goes on with what is left of the old index meanwhile; texts are embedded again.
        """

    @long_running
    def compact(self) -> CompactResult:
        """Merge fragments, drop old versions of the vector store, give space back to the disk."""

    @long_running
    def doctor(self, *, repair: bool = False) -> list[CheckResult]:
        """Check the store and everything derived from it; `repair` mends what can be mended."""

    def metrics(self) -> Metrics:
        """Counts and latencies a method, the queue and the caches, since the start."""

    def config(self) -> list[SettingValue]:
        """Every setting with its value and where it came from; secrets are masked."""

    def shutdown(self) -> None:
        """Stop the process after the work in hand."""
