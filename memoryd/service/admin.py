"""Group `admin`: looking after the store."""

from __future__ import annotations

from memory_client.api import AdminAPI
from memory_client.errors import InvalidRequestError
from memory_client.types import CheckResult, CompactResult, Metrics, ReindexResult, SettingValue
from memoryd.engine.doctor import Doctor
from memoryd.engine.maintenance import Maintenance


class AdminService(AdminAPI):
    """Maintenance over all users."""

    def __init__(self, maintain: Maintenance, examine: Doctor) -> None:
        self._maintain = maintain
        self._examine = examine

    def reindex(self) -> ReindexResult:
        return self._maintain.reindex()

    def compact(self) -> CompactResult:
        return self._maintain.compact()

    def doctor(self, *, repair: bool = False) -> list[CheckResult]:
        return self._examine.doctor(repair=repair)

    def metrics(self) -> Metrics:
        return self._maintain.metrics()

    def config(self) -> list[SettingValue]:
        return self._maintain.runtime.settings

    def shutdown(self) -> None:
        stop = self._maintain.runtime.shutdown
        if stop is None:
            raise InvalidRequestError("shutdown: this store runs in process; call close() on it")
        self._maintain.runtime.is_stopping = True
        stop()
