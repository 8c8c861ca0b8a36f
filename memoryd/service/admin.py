"""Handlers of group `admin`."""

from __future__ import annotations

from memory_client.errors import InvalidRequestError
from memory_client.types import SettingValue
from memoryd.engine.doctor import Doctor
from memoryd.engine.maintenance import Maintenance


class AdminService:
    """Maintenance over all users."""

    def __init__(self, maintenance: Maintenance, doctor: Doctor) -> None:
        self._runtime = maintenance.runtime
        self.reindex = maintenance.reindex
        self.compact = maintenance.compact
        self.metrics = maintenance.metrics
        self.doctor = doctor.check

    def config(self) -> list[SettingValue]:
        return self._runtime.settings

    def shutdown(self) -> None:
        stop = self._runtime.shutdown
        if stop is None:
            raise InvalidRequestError("shutdown: this store runs in process; call close() on it")
        self._runtime.is_stopping = True
        stop()
