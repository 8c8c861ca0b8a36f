"""The default time zone: the setting's, else the machine's. The one place that asks the machine for it."""

from __future__ import annotations

import logging
import sys
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, tzinfo

import tzlocal

from memoryd.core.times import ZoneSource, parse_zone

log = logging.getLogger(__name__)

_FRESH_SECONDS = 2.0
"""How long a reading serves: reading takes a millisecond, and every write and search needs the zone."""


def zone_source(name: str) -> ZoneSource:
    """The zone of the setting `search.timezone`; the machine's if it is empty.

    Raises `InvalidParameterError` for a name that is no zone.
    """
    if not name:
        return MachineZone()
    zone = parse_zone(name, "search.timezone")
    return lambda: zone


class MachineZone:
    """The machine's IANA zone, re-read as time passes: a laptop travels while the daemon runs.

    Where the machine names no zone that is known, its present offset from UTC serves, with a warning.
    """

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._read_at = float("-inf")
        self._zone: tzinfo = UTC
        self._fault = ""

    def __call__(self) -> tzinfo:
        """The present zone."""
        with self._lock:
            if self._monotonic() - self._read_at >= _FRESH_SECONDS:
                self._zone = self._read()
                self._read_at = self._monotonic()
            return self._zone

    def _read(self) -> tzinfo:
        if sys.platform != "win32":
            time.tzset()  # the C library keeps the zone it read first, and tzlocal compares with it
        zone: tzinfo
        try:
            zone, fault = tzlocal.reload_localzone(), ""
        except (LookupError, ValueError, OSError) as error:
            fault = " ".join(str(error).split())
            zone = datetime.now().astimezone().tzinfo or UTC
        if fault and fault != self._fault:
            log.warning("no IANA time zone, %s without daylight saving serves: %s", zone, fault)
        self._fault = fault
        return zone
